"""All numbers of one cell, from its two vectors to what arrives in the residual stream; and the softmax of a bench.

A number that the trace holds is read from it; the rest is computed from the trace's tensors, in float64.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model.analysis import Cell, cell
from model.decoder import Decoder
from model.knobs import Knobs
from model.position import T5, Alibi, PositionEncoding, Rope, alibi_slopes, t5_bucket
from model.trace import BlockTrace

BENCH_ENTRIES = 12
BENCH_LIMITS = {"score": (-1e6, 1e6), "width": (1.0, 1e6), "temperature": (0.01, 100.0)}


@dataclass(frozen=True)
class Bias:
    """Where a cell's bias comes from: ALiBi has a head's `slope`, T5 a `bucket` of the distance, others neither."""

    distance: int
    slope: float | None = None
    bucket: int | None = None


@dataclass(frozen=True, eq=False)
class Row:
    """The query's whole row of one head, one number a key, through the stages from q·k to the weights.

    `hidden` keys have a score of −∞; their exponential and weight are exactly 0.
    """

    products: Float[Tensor, " key"]
    scaled: Float[Tensor, " key"]
    biased: Float[Tensor, " key"]
    scores: Float[Tensor, " key"]
    exponentials: Float[Tensor, " key"]
    weights: Float[Tensor, " key"]
    hidden: Bool[Tensor, " key"]


@dataclass(frozen=True, eq=False)
class Steps:
    """One cell of one head, taken apart.

    positions      of the query and of the key, as the scheme was told them
    query, key     as projected; `turned_query`, `turned_key` after the rotation (the same where nothing turns)
    frequencies    by how much each plane (dimensions 2p and 2p+1) turns from one position to the next; 0: not at all
    products       of the turned vectors, one a plane; they add up to `cell.product`
    factor         on q·k: the knob's scale over √d_head
    weighted       weight × the key's value; summed over the keys this is `mixed`, the head's value for the query
    key_part, head_part   what the one key, and the whole head, send through W_O: gain × weighted, gain × mixed
    attention      what all heads and the bias of W_O add to the residual stream, which goes from `before` to `after`
    """

    kv_head: int
    positions: tuple[int, int]
    query: Float[Tensor, " d_head"]
    key: Float[Tensor, " d_head"]
    turned_query: Float[Tensor, " d_head"]
    turned_key: Float[Tensor, " d_head"]
    frequencies: Float[Tensor, " plane"]
    products: Float[Tensor, " plane"]
    factor: float
    bias: Bias
    temperature: float
    row: Row
    cell: Cell
    value: Float[Tensor, " d_head"]
    weighted: Float[Tensor, " d_head"]
    mixed: Float[Tensor, " d_head"]
    gain: float
    key_part: Float[Tensor, " d_model"]
    head_part: Float[Tensor, " d_model"]
    attention: Float[Tensor, " d_model"]
    before: Float[Tensor, " d_model"]
    after: Float[Tensor, " d_model"]

    @property
    def turns(self) -> bool:
        """Whether the scheme turns queries and keys at all."""
        return bool((self.frequencies != 0).any())


@torch.inference_mode()
def steps(
    decoder: Decoder,
    block: BlockTrace,
    positions: Int[Tensor, " seq"],
    place: tuple[int, int, int, int],
    knobs: Knobs,
) -> Steps:
    """The cell at `place` (layer, head, query, key) of one sentence's run; `block` is that layer's trace."""
    layer, head, query, key = place
    config, trace = decoder.config, block.attention
    kv_head = head // (config.heads // config.kv_heads)
    factor = knobs.scale / math.sqrt(config.d_head)
    turned_query, turned_key = trace.rotated_query[head, query].double(), trace.rotated_key[kv_head, key].double()
    value, mixed = trace.value[kv_head, key].double(), trace.mixed[head, query].double()
    weighted = trace.weights[head, query, key].double() * value
    gain = knobs.gains(layer, config.heads)[head]
    columns = decoder.blocks[layer].attention.output.weight.unflatten(-1, (config.heads, -1))[:, head].double()
    where = int(positions[query]), int(positions[key])
    return Steps(
        kv_head=kv_head,
        positions=where,
        query=trace.query[head, query],
        key=trace.key[kv_head, key],
        turned_query=turned_query,
        turned_key=turned_key,
        frequencies=_frequencies(decoder.position, config.d_head),
        products=planes(turned_query * turned_key).sum(dim=-1),
        factor=factor,
        bias=_bias(decoder.position, config.heads, head, *where),
        temperature=knobs.temperature,
        row=_row(block, head, query, factor, knobs.temperature),
        cell=cell(trace, head, query, key, factor),
        value=value,
        weighted=weighted,
        mixed=mixed,
        gain=gain,
        key_part=columns @ (gain * weighted),
        head_part=columns @ (gain * mixed),
        attention=trace.output[query],
        before=block.input[query],
        after=block.between[query],
    )


def planes(vector: Float[Tensor, " d_head"]) -> Float[Tensor, "plane 2"]:
    """Neighbouring dimensions in pairs; an odd last one stands with a 0."""
    return torch.nn.functional.pad(vector, (0, len(vector) % 2)).unflatten(0, (-1, 2))


def plane_frequencies(frequencies: tuple[float, ...], d_head: int) -> Float[Tensor, " plane"]:
    """Radians from one position to the next, for every plane of a head; 0 for a plane that does not turn."""
    found = torch.zeros((d_head + 1) // 2, dtype=torch.float64)
    found[: len(frequencies)] = torch.tensor(frequencies, dtype=torch.float64)
    return found


def _frequencies(position: PositionEncoding, d_head: int) -> Float[Tensor, " plane"]:
    return plane_frequencies(position.frequencies if isinstance(position, Rope) else (), d_head)


def _bias(position: PositionEncoding, heads: int, head: int, query_position: int, key_position: int) -> Bias:
    distance = query_position - key_position
    if isinstance(position, Alibi):
        return Bias(distance, slope=alibi_slopes(heads)[head].item())
    if isinstance(position, T5):
        bucket = t5_bucket(torch.tensor([[distance]]), len(position.weight), position.max_distance)
        return Bias(distance, bucket=int(bucket))
    return Bias(distance)


def _row(block: BlockTrace, head: int, query: int, factor: float, temperature: float) -> Row:
    trace = block.attention
    products = trace.raw_scores[head, query].double()
    scaled = products * factor
    scores = trace.scores[head, query].double()
    exponentials = torch.exp(scores - scores.max())
    return Row(
        products=products,
        scaled=scaled,
        biased=scaled + trace.bias[head, query].double(),
        scores=scores,
        exponentials=exponentials,
        weights=trace.weights[head, query],
        hidden=torch.isneginf(scores),
    )


@dataclass(frozen=True, eq=False)
class Softmax:
    """Scores on their way through scale, temperature, mask and softmax; `peak` is None when every entry is hidden."""

    scaled: Float[np.ndarray, " entry"]
    peak: float | None
    exponentials: Float[np.ndarray, " entry"]
    row_sum: float
    weights: Float[np.ndarray, " entry"]


def softmax(scores: Sequence[float], hidden: Sequence[bool], width: float = 1.0, temperature: float = 1.0) -> Softmax:
    """score ÷ √width, hidden ones to −∞, ÷ temperature, then exp(score − peak) over its sum.

    With every entry hidden there is nothing to attend to: all weights are 0, and none is a quotient 0 ÷ 0.
    A ValueError refuses more than `BENCH_ENTRIES` scores, none, or numbers outside `BENCH_LIMITS`.
    """
    _check_bench(scores, hidden, width, temperature)
    scaled = np.asarray(scores, dtype=np.float64) / math.sqrt(width)
    masked = np.where(np.asarray(hidden, dtype=bool), -np.inf, scaled) / temperature
    if np.isneginf(masked).all():
        nothing = np.zeros(len(scores))
        return Softmax(masked, None, nothing, 0.0, nothing)
    peak = float(masked.max())
    exponentials = np.exp(masked - peak)
    row_sum = float(exponentials.sum())
    return Softmax(masked, peak, exponentials, row_sum, exponentials / row_sum)


def _check_bench(scores: Sequence[float], hidden: Sequence[bool], width: float, temperature: float) -> None:
    if not 1 <= len(scores) <= BENCH_ENTRIES:
        raise ValueError(f"{len(scores)} scores were given; the bench takes 1 to {BENCH_ENTRIES}.")
    if len(hidden) != len(scores):
        raise ValueError(f"the mask has {len(hidden)} entries for {len(scores)} scores; give one a score.")
    for name, value in [("width", width), ("temperature", temperature), *(("score", score) for score in scores)]:
        low, high = BENCH_LIMITS[name]
        if not low <= value <= high:  # false for NaN as well
            raise ValueError(f"{name} must lie between {low:g} and {high:g}; got {value}.")
