"""Pairs of conventions about positions: RoPE, sinusoids, ALiBi and T5's bias, each as the two tables it gives."""

import math
from collections.abc import Callable

import numpy as np

from model import conventions as ways
from model import numpy_decoder
from model.block_numbers import Numbers
from model.verdict import Table

Two = tuple[Table, Table]


def rope_vectors(numbers: Numbers) -> Two:
    """The queries turned by neighbours; and their dimensions reordered, then turned by halves."""
    base, turning = numbers.turning
    reordered = ways.halves_of(numbers.query, turning)
    return (
        ways.rope_neighbours(numbers.query, numbers.positions, base, turning),
        ways.rope_halves(reordered, numbers.positions, base, turning),
    )


def rope_scores(numbers: Numbers) -> Two:
    """q·k by neighbours; and by halves of reordered queries and keys."""
    _, turning = numbers.turning
    reordered = [ways.halves_of(x, turning) for x in (numbers.query, numbers.key)]
    return (
        _rope_scores(ways.rope_neighbours, numbers, numbers.query, numbers.key),
        _rope_scores(ways.rope_halves, numbers, *reordered),
    )


def rope_mixed(numbers: Numbers) -> Two:
    """q·k by neighbours; and by halves of the same queries and keys, not reordered."""
    return (
        _rope_scores(ways.rope_neighbours, numbers, numbers.query, numbers.key),
        _rope_scores(ways.rope_halves, numbers, numbers.query, numbers.key),
    )


def _rope_scores(turn: Callable, numbers: Numbers, query: np.ndarray, key: np.ndarray) -> Table:
    turned = [turn(x, numbers.positions, *numbers.turning) for x in (query, key)]
    return ways.masked(turned[0] @ turned[1].T / math.sqrt(numbers.config.d_head), -np.inf)


def sinusoid_layout(numbers: Numbers) -> Two:
    """The paper's table, sine and cosine in turn; and all sines, then all cosines."""
    alternating = _sinusoid(numbers, ways.paired_exponents)
    return alternating, np.concatenate([alternating[:, 0::2], alternating[:, 1::2]], axis=1)


def exponent_unpaired(numbers: Numbers) -> Two:
    """The exponent 2⌊dim/2⌋/d, and dim/d."""
    return _sinusoid(numbers, ways.paired_exponents), _sinusoid(numbers, lambda width: np.arange(width) / width)


def exponent_doubled(numbers: Numbers) -> Two:
    """The exponent 2⌊dim/2⌋/d, and 2·dim/d."""
    return _sinusoid(numbers, ways.paired_exponents), _sinusoid(numbers, lambda width: 2 * np.arange(width) / width)


def _sinusoid(numbers: Numbers, exponents: Callable[[int], np.ndarray]) -> Table:
    width = numbers.config.d_model // 2 * 2
    return ways.sinusoid(numbers.positions, width, exponents(width))


def alibi_row(numbers: Numbers) -> Two:
    """−m·(i − j) added to the scores; and +m·j, the same row for every query."""
    slope = ways.alibi_slopes(numbers.config.heads)[numbers.head]
    places = numbers.positions
    full = numbers.scores - slope * (places[:, None] - places[None, :])
    row = numbers.scores + slope * places[None, :]
    return ways.masked(full, -np.inf), ways.masked(row, -np.inf)


def slopes_here(numbers: Numbers) -> Two:
    """The slopes of as many heads as the model has: the authors', and one geometric row."""
    return _slopes(numbers.config.heads)


def slopes_of_twelve(numbers: Numbers) -> Two:
    """The slopes of twelve heads, as GPT-2 has them: the authors', and one geometric row."""
    return _slopes(12)


def _slopes(heads: int) -> Two:
    return ways.alibi_slopes(heads)[None], ways.geometric_slopes(heads)[None]


def t5_copied(numbers: Numbers) -> Two:
    """The scores with one bias table for all layers; and with a table a layer, each holding the same numbers."""
    tables = [numbers.t5_table.copy() for _ in range(numbers.config.layers)]
    return _biased(numbers, numbers.t5_table), _biased(numbers, tables[numbers.layer])


def t5_first_layer(numbers: Numbers) -> Two:
    """The scores with one bias table for all layers; and with the stored table used in layer 0 only."""
    used = numbers.t5_table if numbers.layer == 0 else np.zeros_like(numbers.t5_table)
    return _biased(numbers, numbers.t5_table), _biased(numbers, used)


def _biased(numbers: Numbers, table: np.ndarray) -> Table:
    places = numbers.positions
    buckets = numpy_decoder.t5_bucket(places[None, :] - places[:, None], len(table), numbers.config.t5_max_distance)
    return ways.masked(numbers.scores + table[buckets][..., numbers.head % table.shape[1]], -np.inf)
