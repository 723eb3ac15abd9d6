"""What was measured of the lab's eighteen models: the table that model.lab_scores writes, and the logs of training."""

import csv
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from model.lab_scores import LENGTHS, WEIGHTS

COMMAND = "python -m model.lab_scores"
SCHEMES = ("rope", "alibi", "t5", "sinusoidal", "learned", "none")


@dataclass(frozen=True)
class Head:
    """One head, layers and heads counted from 0, and its score 0…1 in a role."""

    layer: int
    head: int
    score: float


@dataclass(frozen=True)
class Band:
    """One number of several seeds: their mean, the least and the greatest."""

    mean: float
    least: float
    most: float


@dataclass(frozen=True)
class Scored:
    """One trained model. Losses are in nats a token, accuracies 0…1; None stands where its scheme cannot run.

    accuracy       of each kind of held-out sentence, each by itself
    places         where the buckets of 32 places begin, up to eight times the trained length
    loss, sure_loss    means over each bucket: of all tokens, and of those that can be known for sure
    late_accuracy  {times the trained length: {kind: accuracy}} of sentences in the late half of such a window
    late_loss      {times: loss} of the same half
    moved          the loss as it is, with all positions shifted alike, and with positions shuffled
    heads          {role: {language: score of each head, layer by layer}}
    """

    scheme: str
    seed: int
    accuracy: dict[str, float]
    places: list[int]
    loss: list[float | None]
    sure_loss: list[float | None]
    late_accuracy: dict[int, dict[str, float] | None]
    late_loss: dict[int, float | None]
    moved: dict[str, float | None]
    heads: dict[str, dict[str, list[list[float]]]]

    def best(self, role: str, language: str) -> Head:
        """The head that plays a role best in sentences of a language."""
        scores = np.array(self.heads[role][language])
        layer, head = np.unravel_index(scores.argmax(), scores.shape)
        return Head(int(layer), int(head), float(scores[layer, head]))


Results = dict[str, tuple[Scored, ...]]


def results(folder: Path = WEIGHTS) -> Results:
    """All scored models by scheme, seed 0 first, in the order of `SCHEMES`. Without a whole table, a ValueError."""
    path = folder / "results.json"
    if not path.exists():
        raise ValueError(f"the table of the lab's results is not there. This makes it (some minutes): {COMMAND}")
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _read(path: Path, changed: int) -> Results:
    """The table as it was written at that moment."""
    table = json.loads(path.read_text(encoding="utf-8"))
    found = {scheme: [] for scheme in SCHEMES}
    for name in sorted(table):
        scheme, seed = name.rsplit("-", 1)
        found[scheme].append(_scored(scheme, int(seed), table[name]))
    missing = [scheme for scheme, seeds in found.items() if not seeds]
    if missing:
        raise ValueError(f"the table of the lab's results lacks {', '.join(missing)}. This makes it anew: {COMMAND}")
    return {scheme: tuple(seeds) for scheme, seeds in found.items()}


def _scored(scheme: str, seed: int, row: dict) -> Scored:
    long = row["by_length"]
    return Scored(
        scheme=scheme,
        seed=seed,
        accuracy=row["accuracy"],
        places=long["places"],
        loss=long["loss"],
        sure_loss=long["sure_loss"],
        late_accuracy={times: long["accuracy"][str(times)] for times in LENGTHS},
        late_loss={times: long["late_loss"][str(times)] for times in LENGTHS},
        moved=row["moved"],
        heads=row["heads"],
    )


def band(values: Iterable[float | None]) -> Band | None:
    """Mean, least and greatest of several seeds; None where the scheme cannot run."""
    known = [value for value in values if value is not None]
    return Band(sum(known) / len(known), min(known), max(known)) if known else None


def training(scheme: str, folder: Path = WEIGHTS) -> list[dict[str, np.ndarray]]:
    """The log of each seed's training: its columns by name, one entry a noted step (see model.train)."""
    return [_log(path, path.stat().st_mtime_ns) for path in sorted(folder.glob(f"{scheme}-[0-9].csv"))]


@lru_cache(maxsize=32)
def _log(path: Path, changed: int) -> dict[str, np.ndarray]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows], dtype=np.float32) for name in rows[0]}
