"""What each head of a model mostly does, with an honest "none".

Induction and previous-token heads: Elhage et al. 2021, Olsson et al. 2022. Attention sinks: Xiao et al. 2023. A
pretrained model is measured on repeated random words, all scores read off the same rows, so that they are shares of one
whole. A model of the lab never saw such a text: it is measured on held-out sentences of its own world, in which it is
known where a row has to look (lab_scores.py).
"""

import hashlib
import json
import random
import sys
import uuid
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.checkpoint import cache_folder
from model.lab_scores import head_roles
from model.lab_tokenizer import LabTokenizer
from model.zoo import Model

DEFINITION = 1
"""The version of all that is defined here; what was measured by another version is measured again."""

SEQUENCES, BLOCK, SEED = 8, 24, 0
"""The sample: so many sequences, each a block of so many different tokens drawn at random, and the block once more."""

POOL = 512
"""The tokens are drawn from so many ordinary ones, or all that the tokenizer has."""

THRESHOLD = 0.4
"""A head has the role of its greatest score if that is at least this share of its attention, otherwise none."""

SENTENCES = 150
"""How many held-out sentences of each kind a model of the lab is measured on."""

LAB_ROLES = ("coreference", "answer", "induction", "previous", "first")
NONE = "none"


@dataclass(frozen=True, eq=False)
class Roles:
    """The measured scores of every head, 0 to 1: by role, the mean share of its attention that goes to that key."""

    scores: dict[str, Float[np.ndarray, "layers heads"]]

    @cached_property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The role of each head of each layer: a key of `KEYS`, or "none"."""
        stacked = np.stack(list(self.scores.values()))
        roles = [*self.scores]
        best, greatest = stacked.argmax(axis=0), stacked.max(axis=0)
        named = np.where(greatest >= THRESHOLD, np.array(roles, dtype=object)[best], NONE)
        return tuple(tuple(layer) for layer in named)

    def score(self, layer: int, head: int) -> float:
        """The greatest of a head's scores: that of its role, if it has one."""
        return float(max(scores[layer, head] for scores in self.scores.values()))

    def heads(self, role: str) -> list[tuple[int, int]]:
        """The (layer, head) of all heads with this role, the greatest score first."""
        places = [
            (layer, head) for layer, row in enumerate(self.names) for head, name in enumerate(row) if name == role
        ]
        return sorted(places, key=lambda place: (-self.score(*place), place))


def in_the_lab(model: Model) -> bool:
    """Whether the model reads the words of the lab's world, and is measured on its sentences."""
    return isinstance(model.tokenizer, LabTokenizer)


def roles_of(model: Model) -> tuple[str, ...]:
    """The roles that are measured of this model."""
    return LAB_ROLES if in_the_lab(model) else tuple(KEYS)


def kept(model: Model) -> Roles | None:
    """The roles as an earlier start of the app wrote them; None when there is no such file, or it is damaged."""
    shape = (model.config.layers, model.config.heads)
    try:
        written = json.loads(_file(model).read_text(encoding="utf-8"))
        scores = {role: np.array(written["scores"][role], dtype=np.float32) for role in roles_of(model)}
    except (OSError, ValueError, KeyError, TypeError):
        return None
    sound = all(values.shape == shape and (values >= 0).all() and (values <= 1.001).all() for values in scores.values())
    return Roles(scores) if sound else None


def measure_and_keep(model: Model) -> Roles:
    """The roles, measured now and written for later starts. Where nothing can be written, that is only said."""
    roles = measure(model)
    text = json.dumps({"scores": {role: values.tolist() for role, values in roles.scores.items()}})
    path = _file(model)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, text)
    except OSError as error:
        print(f"{path.parent} cannot be written ({error}); every start will measure the heads.", file=sys.stderr)
    return roles


@torch.inference_mode()
def measure(model: Model) -> Roles:
    """The scores of every head; a few forward passes. A ValueError says why a model cannot be measured."""
    if in_the_lab(model):
        return _in_its_world(model)
    first, block = _sample(model)
    ids = torch.cat((first, block, block), dim=-1)
    weights = [layer.mean(dim=0) for layer in model.decoder.light(ids).weights]
    places = _rows(first.shape[-1], block.shape[-1])
    return Roles({role: _shares(weights, places, KEYS[role](places, block.shape[-1])) for role in KEYS})


def identity(model: Model) -> str:
    """Names a model by its config and an even sample of its weights: training on changes all of them."""
    digest = hashlib.sha256(model.config.to_json().encode())
    for name, tensor in model.decoder.state_dict().items():
        flat = tensor.flatten()
        digest.update(name.encode() + flat[:: max(1, len(flat) // 256)].contiguous().numpy().tobytes())
    return digest.hexdigest()[:16]


def _in_its_world(model: Model) -> Roles:
    """Of each head and role, its score in the language in which it is the greater, and for the pronoun that it is."""
    found = head_roles(model.decoder, SENTENCES)
    parts = {role: [role] for role in LAB_ROLES} | {"coreference": ["coreference", "coreference_it"]}
    seen = {role: [scores for part in names for scores in found[part].values()] for role, names in parts.items()}
    return Roles({role: np.array(scores, dtype=np.float32).max(axis=0) for role, scores in seen.items()})


def _write(path: Path, text: str) -> None:
    """Whole or not at all: another process may read, or write, at the same moment."""
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _file(model: Model) -> Path:
    definition = f"{DEFINITION}-lab{SENTENCES}" if in_the_lab(model) else f"{DEFINITION}-{SEQUENCES}x{BLOCK}-{SEED}"
    return cache_folder() / f"roles-{identity(model)}-{definition}.json"


def _sample(model: Model) -> tuple[Int[Tensor, "sequences first"], Int[Tensor, "sequences block"]]:
    """What the sequences begin with (BOS, where the model has one) and the blocks, each of different tokens."""
    bos = model.tokenizer.bos
    start = [] if bos is None else [bos]
    generator = random.Random(SEED)
    pool = _ordinary(model, generator)
    length = min(BLOCK, (model.config.context - len(start)) // 2, len(pool))
    if length < 3:
        raise ValueError(
            f"the heads cannot be measured: a block of at least 3 different words must fit twice into the context of "
            f"{model.config.context} tokens; there are {len(pool)} words."
        )
    blocks = [generator.sample(pool, length) for _ in range(SEQUENCES)]
    return torch.tensor([start] * SEQUENCES, dtype=torch.long).reshape(SEQUENCES, len(start)), torch.tensor(blocks)


def _ordinary(model: Model, generator: random.Random) -> list[int]:
    """At most `POOL` ids, at random, of whole words: letters only, that the tokenizer reads back as this one token."""
    tokenizer = model.tokenizer
    ids = sorted(tokenizer.bytes_of)
    generator.shuffle(ids)
    found = []
    for id_ in ids:
        text = tokenizer.bytes_of[id_].decode(errors="replace")
        if len(tokenizer.bytes_of[id_]) < 2 or not text.strip().isalpha():
            continue
        spellings = (text, text.strip())  # some tokenizers read a text's first word as if a space stood before it
        read = ([token.id for token in tokenizer.encode(spelling)] for spelling in spellings)
        if any(found_ids in ([id_], [tokenizer.bos, id_]) for found_ids in read):
            found.append(id_)
        if len(found) == POOL:
            break
    return found


def _rows(start: int, block: int) -> Int[Tensor, " row"]:
    """The queries that are read: the second block's but its first, whose earlier copy may be the first token itself."""
    return torch.arange(start + block + 1, start + 2 * block)


def _shares(
    weights: list[Float[Tensor, "heads query key"]], queries: Int[Tensor, " row"], keys: Int[Tensor, " row"]
) -> Float[np.ndarray, "layers heads"]:
    return np.stack([layer[:, queries, keys].mean(dim=-1).numpy() for layer in weights])


KEYS = {
    "previous": lambda queries, block: queries - 1,
    "induction": lambda queries, block: queries - block + 1,  # what followed this same token the last time
    "duplicate": lambda queries, block: queries - block,  # this same token the last time
    "first": lambda queries, block: torch.zeros_like(queries),
}
"""By role, the key that such a head looks at from each query."""
