"""The formulas that people write in two ways, in plain NumPy: RoPE, sinusoids, ALiBi slopes, masks, norms, projections.

Each is a function of arrays; `same_maths.py` pairs them on the numbers of a reader's sentence.
"""

import numpy as np
from jaxtyping import Float, Int

from model.verdict import softmax

Rows = Float[np.ndarray, "seq width"]
Scores = Float[np.ndarray, "query key"]
Positions = Int[np.ndarray, " seq"]


def rope_neighbours(x: Rows, positions: Positions, base: float, turning: int) -> Rows:
    """Pair i is dimensions 2i and 2i+1 (Su et al. 2021; Llama as Meta wrote it); dimensions from `turning` on stay."""
    return _turned(x, positions, base, turning, np.arange(0, turning, 2), np.arange(1, turning, 2))


def rope_halves(x: Rows, positions: Positions, base: float, turning: int) -> Rows:
    """Pair i is dimensions i and i + turning/2 (GPT-NeoX, Hugging Face)."""
    return _turned(x, positions, base, turning, np.arange(turning // 2), np.arange(turning // 2, turning))


def halves_of(x: Rows, turning: int) -> Rows:
    """The same numbers in the order of `rope_halves`: first every even dimension, then every odd one."""
    return x[:, [*range(0, turning, 2), *range(1, turning, 2), *range(turning, x.shape[1])]]


def sinusoid(positions: Positions, width: int, exponents: Float[np.ndarray, " width"]) -> Rows:
    """Sine in even columns, cosine in odd ones, of position × 10000^(−exponent) of the column."""
    angles = positions[:, None] * 10000.0**-exponents
    return np.where(np.arange(width) % 2 == 0, np.sin(angles), np.cos(angles))


def paired_exponents(width: int) -> Float[np.ndarray, " width"]:
    """2⌊column/2⌋/width, the paper's: a sine and a cosine share one."""
    return np.arange(width) // 2 * 2 / width


def geometric_slopes(heads: int) -> Float[np.ndarray, " heads"]:
    """2^(−8h/heads) for h = 1 … heads: one geometric row, which is ALiBi's only where heads are a power of two."""
    return 2.0 ** (-8.0 * np.arange(1, heads + 1) / heads)


def alibi_slopes(heads: int) -> Float[np.ndarray, " heads"]:
    """The authors' slopes (Press et al. 2021): those of the power of two below, then every other of its double."""
    below = 1 << (heads.bit_length() - 1)
    return np.concatenate([geometric_slopes(below), geometric_slopes(2 * below)[::2]])[:heads]


def masked(scores: Scores, value: float) -> Scores:
    """The scores with `value` where the key stands after the query."""
    return np.where(np.tri(*scores.shape, dtype=bool), scores, value)


def zeroed(weights: Scores) -> Scores:
    """The weights with 0 where the key stands after the query."""
    return weights * np.tri(*weights.shape)


def rescaled(weights: Scores) -> Scores:
    """Each row brought to a sum of 1."""
    return weights / weights.sum(axis=-1, keepdims=True)


def softmax_over_queries(scores: Scores) -> Scores:
    """The softmax down each column: the wrong axis."""
    return softmax(scores.T).T


def repeated(keys: Float[np.ndarray, "kv_heads seq d_head"], heads: int) -> Float[np.ndarray, "heads seq d_head"]:
    """Each key head for neighbouring query heads: 0, 0, 0, 1, 1, 1 (grouped queries, Ainslie et al. 2023)."""
    return np.repeat(keys, heads // len(keys), axis=0)


def tiled(keys: Float[np.ndarray, "kv_heads seq d_head"], heads: int) -> Float[np.ndarray, "heads seq d_head"]:
    """The key heads one after another, again and again: 0, 1, 0, 1, 0, 1."""
    return np.tile(keys, (heads // len(keys), 1, 1))


def _turned(x: Rows, positions: Positions, base: float, turning: int, first, second) -> Rows:
    angles = positions[:, None] * base ** (-np.arange(0, turning, 2) / turning)
    turned = x.copy()
    turned[:, first] = x[:, first] * np.cos(angles) - x[:, second] * np.sin(angles)
    turned[:, second] = x[:, first] * np.sin(angles) + x[:, second] * np.cos(angles)
    return turned


def divisor_below(heads: int) -> int:
    """The largest number of key heads, fewer than `heads`, that the query heads can share evenly; 1 for one head."""
    return next((count for count in range(heads // 2, 0, -1) if heads % count == 0), 1)
