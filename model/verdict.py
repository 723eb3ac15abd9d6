"""Whether two tables of numbers say the same: equal, equal but for the order of their columns, or after the softmax."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

TOLERANCE = 1e-9  # relative to the greatest finite entry (or to 1); what is compared is computed in float64
Table = Float[np.ndarray, "rows columns"]
Other = Float[np.ndarray, "other_rows other_columns"]


@dataclass(frozen=True, eq=False)
class Verdict:
    """What a comparison found.

    name         "equal", "permutation", "softmax" or "different"
    difference   the greatest difference of the tables as they are; infinite where only one of two entries is a number
    remaining    the greatest difference after the columns are put in order, or after the softmax
    place        the row and the column of the greatest difference
    permutation  which column of the first table stands in each column of the second
    """

    name: str
    difference: float
    remaining: float
    place: tuple[int, int]
    permutation: Int[np.ndarray, " columns"] | None = None


def verdict(first: Table, second: Other, *, scores: bool) -> Verdict:
    """Compares two tables. Scores are rows that a softmax will see; in other tables the columns may change places."""
    if first.shape != second.shape:
        return Verdict("different", np.inf, np.inf, (0, 0))
    apart = differences(first, second)
    difference, place = float(apart.max(initial=0.0)), _greatest(apart)
    allowed = TOLERANCE * max(1.0, _largest(first), _largest(second))
    if difference <= allowed:
        return Verdict("equal", difference, difference, place)
    if scores:
        remaining = float(differences(softmax(first), softmax(second)).max())
        return Verdict("softmax" if remaining <= TOLERANCE else "different", difference, remaining, place)
    permutation = columns_in_order(first, second, allowed)
    if permutation is None:
        return Verdict("different", difference, difference, place)
    remaining = float(differences(first[:, permutation], second).max())
    return Verdict("permutation", difference, remaining, place, permutation)


def differences(first: Float[np.ndarray, "#rows #columns"], second: Float[np.ndarray, "#rows #columns"]) -> Table:
    """|first − second|, entry by entry: 0 for two equal infinities or two NaN, infinite for a number and no number."""
    first, second = np.broadcast_arrays(first, second)
    both = np.isfinite(first) & np.isfinite(second)
    alike = (first == second) | (np.isnan(first) & np.isnan(second))
    apart = np.where(alike, 0.0, np.inf)
    apart[both] = np.abs(first[both] - second[both])
    return apart


def softmax(scores: Table) -> Table:
    """exp(s_j) / Σ exp(s_k) in each row; a row without any score is NaN, as it is in PyTorch."""
    with np.errstate(invalid="ignore"):
        exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def columns_in_order(first: Table, second: Table, allowed: float) -> Int[np.ndarray, " columns"] | None:
    """Which column of the first table stands in each column of the second; None if they are not the same columns."""
    if not (differences(np.sort(first, axis=1), np.sort(second, axis=1)) <= allowed).all():
        return None
    free = np.ones(first.shape[1], dtype=bool)
    found = np.empty(first.shape[1], dtype=int)
    for column in range(first.shape[1]):
        wanted = second[:, [column]]
        near = np.flatnonzero(free & (differences(first[-1:], wanted[-1:])[0] <= allowed))
        fits = near[differences(first[:, near], wanted).max(axis=0, initial=0.0) <= allowed]
        if not len(fits):
            return None
        found[column] = fits[0]
        free[found[column]] = False
    return found


def _largest(table: Table) -> float:
    finite = np.abs(table[np.isfinite(table)])
    return float(finite.max(initial=0.0))


def _greatest(apart: Table) -> tuple[int, int]:
    row, column = np.unravel_index(apart.argmax(), apart.shape)
    return int(row), int(column)
