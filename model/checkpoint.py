"""Weights on disk: our own checkpoints (safetensors and a JSON card), and pretrained GGUF files behind a cache.

A GGUF file is unpacked to float32 once, into a safetensors file in the user's cache folder; later loads check that
file's hash and map it into memory.
"""

import hashlib
import json
import os
import sys
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

import tokenizers
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from model.config import Config
from model.decoder import Decoder
from model.gguf_file import GGUFFile
from model.tokenizer import Tokenizer, byte_level_bpe

CACHE_FORMAT = 1


def save(path: Path, decoder: Decoder, card: Mapping) -> None:
    """Writes `path`.safetensors, every parameter, and `path`.json, the card with the config in it."""
    text = json.dumps({**card, "config": json.loads(decoder.config.to_json())}, indent=2, ensure_ascii=False)
    weights = {name: tensor.detach().contiguous() for name, tensor in decoder.state_dict().items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    card_path, weights_path = _files(path)
    _write(weights_path, lambda temporary: save_file(weights, temporary))
    _write(card_path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def load(path: Path) -> tuple[Decoder, dict]:
    """The decoder and card that `save` wrote; a file that is missing, damaged or does not fit is a ValueError."""
    card_path, weights_path = _files(path)
    for needed in (card_path, weights_path):
        if not needed.exists():
            raise ValueError(f"{needed.name} is missing; a checkpoint is a .safetensors file and a .json card.")
    try:
        card = json.loads(card_path.read_text(encoding="utf-8"))
        config = Config.from_json(json.dumps(card["config"]))
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"{card_path.name} is not a model card: {error}.") from error
    try:
        weights = load_file(weights_path)
    except SafetensorError as error:
        raise ValueError(f"{weights_path.name} is damaged or cut short: {error}.") from error
    return build(config, weights), card


def build(config: Config, weights: Mapping[str, Tensor]) -> Decoder:
    """A decoder around these tensors, without copying them; every one must be named and shaped as the config says."""
    decoder = _frame(config, {name: tuple(tensor.shape) for name, tensor in weights.items()})
    decoder.load_state_dict(weights, assign=True)
    return decoder.requires_grad_(False)


def load_gguf(
    path: Path, cache: Path | None = None, report: Callable[[float], None] = lambda share: None
) -> tuple[Decoder, Tokenizer]:
    """A pretrained decoder and its tokenizer. The first load takes seconds, later ones a fraction of that.

    `report` is told the share that is done, 0 to 1, while the file is unpacked.
    """
    with path.open("rb") as file:
        source = hashlib.file_digest(file, "sha256").hexdigest()
    kept = (cache or cache_folder()) / f"{path.stem}-{source[:16]}-{CACHE_FORMAT}.safetensors"
    if not _intact(kept):
        weights, about = _unpack(path, report)
        try:
            kept.parent.mkdir(parents=True, exist_ok=True)
            _keep(kept, weights, about)
        except (OSError, SafetensorError) as error:
            print(f"{kept.parent} cannot be written ({error}); every start will unpack {path.name}.", file=sys.stderr)
            return _assemble(weights, about)
    with safe_open(kept, "pt") as file:
        return _assemble({name: file.get_tensor(name) for name in file.keys()}, file.metadata())  # noqa: SIM118


def cache_folder() -> Path:
    """Where unpacked weights are kept: GLASSFORMER_CACHE, or the user's cache folder."""
    if "GLASSFORMER_CACHE" in os.environ:
        return Path(os.environ["GLASSFORMER_CACHE"])
    user = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(user) / "glassformer"


def _files(path: Path) -> tuple[Path, Path]:
    """The card and the weights; the name itself may hold dots."""
    return path.with_name(path.name + ".json"), path.with_name(path.name + ".safetensors")


def _frame(config: Config, shapes: Mapping[str, tuple[int, ...]]) -> Decoder:
    """A decoder without memory for its parameters, if tensors of these names and shapes are what it needs."""
    if config.layers > len(shapes):
        raise ValueError(f"the config asks for {config.layers} layers; the checkpoint holds {len(shapes)} tensors.")
    try:
        with torch.device("meta"):
            decoder = Decoder(config)
    except RuntimeError as error:
        raise ValueError(f"no memory could hold what the config asks for: {error}.") from error
    wanted = {name: tuple(tensor.shape) for name, tensor in decoder.state_dict().items()}
    for problem, names in (("lacks", set(wanted) - set(shapes)), ("has unknown", set(shapes) - set(wanted))):
        if names:
            raise ValueError(f"the checkpoint {problem} {', '.join(sorted(names)[:5])}.")
    for name, shape in wanted.items():
        if shapes[name] != shape:
            raise ValueError(f"{name} is {shapes[name]}; the config asks for {shape}.")
    return decoder


def _unpack(path: Path, report: Callable[[float], None]) -> tuple[dict[str, Tensor], dict[str, str]]:
    file = GGUFFile(path)
    _frame(file.config, file.shapes())
    parts = file.tokenizer()
    library = byte_level_bpe(parts["tokens"], parts["merges"], parts["splitter"])
    about = {
        "config": file.config.to_json(),
        "tokenizer": library.to_str(),
        "bos": json.dumps(parts["bos"]),
        "special": json.dumps(parts["special"]),
    }
    weights = {}
    for name, values in file.tensors():
        weights[name] = torch.from_numpy(values)
        report(len(weights) / len(file))
    return weights, about


def _assemble(weights: Mapping[str, Tensor], about: Mapping[str, str]) -> tuple[Decoder, Tokenizer]:
    library = tokenizers.Tokenizer.from_str(about["tokenizer"])
    tokenizer = Tokenizer(library, json.loads(about["bos"]), json.loads(about["special"]))
    return build(Config.from_json(about["config"]), weights), tokenizer


def _keep(kept: Path, weights: Mapping[str, Tensor], about: Mapping[str, str]) -> None:
    _write(kept, lambda temporary: save_file(dict(weights), temporary, metadata=dict(about)))
    _write(kept.with_suffix(".sha256"), lambda temporary: temporary.write_text(_hash(kept)))


def _intact(kept: Path) -> bool:
    try:
        return kept.with_suffix(".sha256").read_bytes() == _hash(kept).encode()
    except OSError:
        return False


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(path: Path, fill) -> None:
    """Fills a temporary file beside `path`, then puts it in its place in one step."""
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        temporary.touch()
        mode = temporary.stat().st_mode
        fill(temporary)
        temporary.chmod(mode)  # safetensors makes files that only their owner may read
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
