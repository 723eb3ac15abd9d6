"""What √d_head is for: how far the scores of a layer spread with it and without, and what the softmax makes of either.

Vaswani et al. 2017, section 3.2.1: entries of size 1 give dot products of size √d_head, which saturate the softmax.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model.analysis import entropy
from model.knobs import Knobs
from model.trace import AttentionTrace


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two ways. `products` are those of all visible pairs of all heads, `deviation` is their standard one.

    `entropy` (bits) and `largest` (weight) are means over all heads and all queries that see two keys or more;
    NaN where there is no such query.
    """

    products: Float[Tensor, " pair"]
    deviation: float
    weights: Float[Tensor, "heads query key"]
    entropy: float
    largest: float


@dataclass(frozen=True, eq=False)
class Spread:
    """A layer's scores without the division by √d_head, and with it, as the run has them."""

    without: Side
    divided: Side


@torch.inference_mode()
def spread(trace: AttentionTrace, knobs: Knobs) -> Spread:
    """Both ways, from the trace's own dot products. Bias, mask and temperature are those of the run in both."""
    visible = torch.isfinite(trace.scores)
    raw = trace.raw_scores * knobs.scale
    undivided = (raw + trace.bias).masked_fill(~visible, -torch.inf) / knobs.temperature
    factor = trace.query.shape[-1] ** -0.5
    return Spread(
        without=_side(raw, torch.softmax(undivided, dim=-1), visible),
        divided=_side(raw * factor, trace.weights, visible),
    )


def _side(
    products: Float[Tensor, "heads query key"],
    weights: Float[Tensor, "heads query key"],
    visible: Bool[Tensor, "heads query key"],
) -> Side:
    choosing = visible.sum(dim=-1) > 1
    seen = products[visible]
    return Side(
        products=seen,
        deviation=seen.std(correction=0).item(),
        weights=weights,
        entropy=entropy(weights)[choosing].mean().item(),
        largest=weights.max(dim=-1).values[choosing].mean().item(),
    )
