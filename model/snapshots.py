"""Weights along a training run, in half precision, all in one safetensors file: `step/parameter name`."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from safetensors.torch import load_file, save_file
from torch import Tensor

from model.checkpoint import build
from model.config import Config
from model.decoder import Decoder


def snapshots_path(path: Path) -> Path:
    """Where the snapshots of the checkpoint at `path` are kept."""
    return path.with_name(path.name + "-snapshots.safetensors")


def save_snapshots(path: Path, snapshots: Mapping[int, Mapping[str, Tensor]]) -> None:
    """Writes the weights of some steps beside the checkpoint at `path`."""
    flat = {f"{step}/{name}": tensor for step, kept in snapshots.items() for name, tensor in kept.items()}
    save_file(flat, snapshots_path(path))


def load_snapshots(path: Path, config: Config) -> dict[int, Decoder]:
    """The decoder at each kept step, in order of steps; the numbers are rounded to half precision."""
    kept: dict[int, dict[str, Tensor]] = defaultdict(dict)
    for key, tensor in load_file(snapshots_path(path)).items():
        step, name = key.split("/")
        kept[int(step)][name] = tensor.float()
    return {step: build(config, kept[step]) for step in sorted(kept)}
