"""Pairs of conventions on the numbers of a reader's sentence: do they say the same?

A pair is a function that gives two tables; what they amount to is decided by `verdict`, never written down here.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from model import conventions as ways
from model import numpy_decoder
from model.block_numbers import Numbers
from model.position_pairs import (
    Two,
    alibi_row,
    exponent_doubled,
    exponent_unpaired,
    rope_mixed,
    rope_scores,
    rope_vectors,
    sinusoid_layout,
    slopes_here,
    slopes_of_twelve,
    t5_copied,
    t5_first_layer,
)
from model.verdict import Table, Verdict, softmax, verdict


@dataclass(frozen=True)
class Pair:
    """Two conventions. `topic` is what they are about, `question` where somebody asked in public.

    The tables hold "vectors", "waves" (from −1 to 1), "scores" (whose rows go into a softmax) or "weights" (0 to 1);
    `rows` and `columns` name what is counted along them.
    """

    topic: str
    tables: Callable[[Numbers], Two]
    rows: str = "token"
    columns: str = "token"
    holds: str = "vectors"
    question: str | None = None


def judged(name: str, numbers: Numbers) -> tuple[Table, Table, Verdict]:
    """Both tables of a pair and what they amount to."""
    first, second = PAIRS[name].tables(numbers)
    return first, second, verdict(first, second, scores=PAIRS[name].holds == "scores")


def mask_large(numbers: Numbers) -> Two:
    """Masked scores of −∞, and of −10⁹."""
    return ways.masked(numbers.scores, -np.inf), ways.masked(numbers.scores, -1e9)


def mask_zero(numbers: Numbers) -> Two:
    """Masked scores of −∞, and of 0."""
    return ways.masked(numbers.scores, -np.inf), ways.masked(numbers.scores, 0.0)


def mask_multiplied(numbers: Numbers) -> Two:
    """Weights of masked scores; and weights of all scores, those of later keys set to 0."""
    return softmax(ways.masked(numbers.scores, -np.inf)), ways.zeroed(softmax(numbers.scores))


def mask_rescaled(numbers: Numbers) -> Two:
    """Weights of masked scores; and weights of all scores, those of later keys set to 0, each row brought to 1."""
    return softmax(ways.masked(numbers.scores, -np.inf)), ways.rescaled(ways.zeroed(softmax(numbers.scores)))


def mask_blind(numbers: Numbers) -> Two:
    """Weights where the first key is hidden too, so that the first query sees nothing: by −∞, and by −10⁹."""
    hidden = [ways.masked(numbers.scores, value) for value in (-np.inf, -1e9)]
    hidden[0][:, 0], hidden[1][:, 0] = -np.inf, -1e9
    return softmax(hidden[0]), softmax(hidden[1])


def scale_unrooted(numbers: Numbers) -> Two:
    """q·k ÷ √d_head, and ÷ d_head."""
    return _scaled(numbers, math.sqrt(numbers.config.d_head)), _scaled(numbers, numbers.config.d_head)


def scale_of_model(numbers: Numbers) -> Two:
    """q·k ÷ √d_head, and ÷ √d_model."""
    config = numbers.config
    return _scaled(numbers, math.sqrt(config.d_head)), _scaled(numbers, math.sqrt(config.d_model))


def _scaled(numbers: Numbers, divisor: float) -> Table:
    return ways.masked(numbers.products / divisor, -np.inf)


def norm_place(numbers: Numbers) -> Two:
    """The block's output with the norms before attention and feed-forward; and with the same norms after each sum."""
    config, weights, name = numbers.config, numbers.weights, f"blocks.{numbers.layer}"
    _, bias = numpy_decoder.position_terms(config, weights, numbers.positions)
    rest = {"positions": numbers.positions, "bias": bias, "gains": np.ones(config.heads)}
    x = numbers.tensor("input")

    def normed(part: str, rows: np.ndarray) -> np.ndarray:
        return numpy_decoder.norm(config, weights, f"{name}.{part}_norm", rows)

    def attended(rows: np.ndarray) -> np.ndarray:
        return numpy_decoder.attention(config, weights, f"{name}.attention", rows, **rest)["output"]

    def fed(rows: np.ndarray) -> np.ndarray:
        return numpy_decoder.feed_forward(config, weights, f"{name}.feed_forward", rows)["output"]

    between = x + attended(normed("attention", x))
    before = between + fed(normed("feed_forward", between))
    between = normed("attention", x + attended(x))
    after = normed("feed_forward", between + fed(between))
    return before, after


def fused(numbers: Numbers) -> Two:
    """The picked query head by its own matrix; and cut from x times all of W_Q, W_K and W_V side by side."""
    part = _part(numbers, numbers.head)
    joined = np.concatenate([numbers.weight(f"{name}.weight") for name in ("query", "key", "value")])
    return numbers.normed @ numbers.weight("query.weight")[part].T, (numbers.normed @ joined.T)[:, part]


def linear_transposed(numbers: Numbers) -> Two:
    """x·Wᵀ with W stored (out, in), as nn.Linear does; and x·W with W stored (in, out), as in formulas and in GPT-2."""
    stored = numbers.weight("query.weight")
    other_way = np.ascontiguousarray(stored.T)
    part = _part(numbers, numbers.head)
    return (numbers.normed @ stored.T)[:, part], (numbers.normed @ other_way)[:, part]


def linear_forgotten(numbers: Numbers) -> Two:
    """x·Wᵀ and x·W with one and the same W: it fits both ways where it is square."""
    stored = numbers.weight("query.weight")
    side = min(stored.shape)
    square, x = stored[:side, :side], numbers.normed[:, :side]
    part = slice(0, numbers.config.d_head)
    return (x @ square.T)[:, part], (x @ square)[:, part]


def _part(numbers: Numbers, head: int) -> slice:
    return slice(head * numbers.config.d_head, (head + 1) * numbers.config.d_head)


def grouped(numbers: Numbers) -> Two:
    """The picked query's weights in every head, when key heads are repeated, and when they are tiled.

    Where the model has as many key heads as query heads, only its first ones are used, as if they were shared.
    """
    config, keys = numbers.config, numbers.tensor("attention.rotated_key")
    if config.kv_heads == config.heads:
        keys = keys[: ways.divisor_below(config.heads)]
    query = numbers.tensor("attention.rotated_query")[:, numbers.row]
    seen = slice(0, numbers.row + 1)
    tables = []
    for spread in (ways.repeated, ways.tiled):
        products = np.einsum("hd,hkd->hk", query, spread(keys, config.heads)[:, seen])
        tables.append(softmax(products / math.sqrt(config.d_head)))
    return tables[0], tables[1]


def axis(numbers: Numbers) -> Two:
    """The softmax over the keys of each query; and over the queries of each key."""
    scores = ways.masked(numbers.scores, -np.inf)
    return softmax(scores), ways.softmax_over_queries(scores)


def turned_matrix(numbers: Numbers) -> Two:
    """Weights with a row a query; and the same matrix read with a row a key."""
    weights = softmax(ways.masked(numbers.scores, -np.inf))
    return weights, weights.T


def asked(repository: str, number: int, kind: str = "issues") -> str:
    """The address of a public question."""
    return f"https://github.com/{repository}/{kind}/{number}"


ROPE = asked("huggingface/transformers", 25199)
EXPONENT = asked("Kyubyong/transformer", 38)
SLOPES = asked("baichuan-inc/Baichuan2", 225)
STORED = asked("huggingface/transformers", 311)
AXIS = asked("labmlai/annotated_deep_learning_paper_implementations", 146)
T5 = asked("huggingface/transformers", 8518, "pull")
PAIRS = {
    "rope_vectors": Pair("rope", rope_vectors, columns="dimension", question=ROPE),
    "rope_scores": Pair("rope", rope_scores, holds="scores", question=ROPE),
    "rope_mixed": Pair("rope", rope_mixed, holds="scores", question=ROPE),
    "sinusoid_layout": Pair(
        "sinusoid", sinusoid_layout, holds="waves", columns="dimension", question=asked("tensorflow/text", 1122)
    ),
    "exponent_unpaired": Pair("exponent", exponent_unpaired, holds="waves", columns="dimension", question=EXPONENT),
    "exponent_doubled": Pair("exponent", exponent_doubled, holds="waves", columns="dimension", question=EXPONENT),
    "alibi_row": Pair("alibi", alibi_row, holds="scores"),
    "slopes_here": Pair("slopes", slopes_here, rows="slope", columns="head", question=SLOPES),
    "slopes_of_twelve": Pair("slopes", slopes_of_twelve, rows="slope", columns="head", question=SLOPES),
    "mask_large": Pair("mask", mask_large, holds="scores"),
    "mask_zero": Pair("mask", mask_zero, holds="scores"),
    "mask_multiplied": Pair("mask", mask_multiplied, holds="weights"),
    "mask_rescaled": Pair("mask", mask_rescaled, holds="weights"),
    "mask_blind": Pair("mask", mask_blind, holds="weights", question=asked("pytorch/pytorch", 103749)),
    "scale_unrooted": Pair("scale", scale_unrooted, holds="scores"),
    "scale_of_model": Pair("scale", scale_of_model, holds="scores"),
    "norm_place": Pair("norm", norm_place, columns="dimension"),
    "fused": Pair("fused", fused, columns="dimension"),
    "linear_transposed": Pair("linear", linear_transposed, columns="dimension", question=STORED),
    "linear_forgotten": Pair("linear", linear_forgotten, columns="dimension", question=STORED),
    "grouped": Pair("grouped", grouped, holds="weights", rows="head", question=asked("jingyaogong/minimind", 104)),
    "t5_copied": Pair("t5", t5_copied, holds="scores", question=T5),
    "t5_first_layer": Pair("t5", t5_first_layer, holds="scores", question=T5),
    "axis": Pair("axis", axis, holds="weights", question=AXIS),
    "turned_matrix": Pair("axis", turned_matrix, holds="weights", question=asked("labmlai/inspectus", 7)),
}
