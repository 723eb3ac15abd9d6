"""Questions asked of a trace. Each answer is computed from the trace's own tensors; none changes the run."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor

from model.attention import Attention, gained
from model.trace import AttentionTrace


@torch.inference_mode()
def head_contributions(
    attention: Attention, trace: AttentionTrace, gains: list[float]
) -> Float[Tensor, "*batch heads query d_model"]:
    """What each head adds to the residual stream: gain × mixed through its own columns of W_O.

    Summed over the heads, plus W_O's bias where it has one, this is the attention's output.
    """
    columns = attention.output.weight.unflatten(-1, (attention.heads, attention.d_head))
    return torch.einsum("...hqd,mhd->...hqm", gained(trace.mixed, gains), columns)


@torch.inference_mode()
def entropy(weights: Float[Tensor, "*batch key"]) -> Float[Tensor, "*batch"]:
    """How spread each row of weights is, in bits: 0 for one key alone, log2 n for n equal ones."""
    return -torch.special.xlogy(weights, weights).sum(dim=-1) / torch.log(torch.tensor(2.0))


@torch.inference_mode()
def likeliest(logits: Float[Tensor, "*batch vocab"], count: int) -> tuple[Tensor, Tensor]:
    """The `count` likeliest next tokens of each row: their ids and their probabilities."""
    probabilities = torch.softmax(logits, dim=-1)
    top = probabilities.topk(count, dim=-1)
    return top.indices, top.values


@dataclass(frozen=True)
class Cell:
    """How one weight came about, number by number; every number is read from, or computed from, the trace.

    product    q·k                       scaled   product × scale/√d_head      bias    what the scheme adds
    score      what enters the softmax   peak     the row's greatest score     visible whether the mask lets it be seen
    exponential exp(score − peak)        row_sum  the row's sum of these       weight  their quotient
    """

    product: float
    scaled: float
    bias: float
    score: float
    peak: float
    exponential: float
    row_sum: float
    weight: float
    visible: bool


@torch.inference_mode()
def cell(trace: AttentionTrace, head: int, query: int, key: int, scale: float) -> Cell:
    """The numbers of one cell of one head. `scale` is the factor on q·k that the run used."""
    row = trace.scores[head, query].double()
    peak = row.max()
    exponentials = torch.exp(row - peak)
    product = trace.raw_scores[head, query, key].item()
    return Cell(
        product=product,
        scaled=product * scale,
        bias=trace.bias[head, query, key].item(),
        score=row[key].item(),
        peak=peak.item(),
        exponential=exponentials[key].item(),
        row_sum=exponentials.sum().item(),
        weight=trace.weights[head, query, key].item(),
        visible=bool(torch.isfinite(row[key])),
    )


def without_first(weights: Float[Tensor, "*batch key"]) -> Float[Tensor, "*batch key"]:
    """Rows of weights without their first key, the rest brought to a sum of 1 again; a row that only had it is NaN.

    Many heads rest on the first token, whatever it is (the attention sink, Xiao et al. 2023); this shows the others.
    """
    rest = torch.cat((torch.zeros_like(weights[..., :1]), weights[..., 1:]), dim=-1)
    return rest / rest.sum(dim=-1, keepdim=True)


def group_starts(groups: Sequence[int]) -> list[int]:
    """The place of each group's first token; equal neighbours are one group."""
    return [place for place, group in enumerate(groups) if place == 0 or group != groups[place - 1]]


def group_weights(weights: Float[Tensor, "query key"], groups: Sequence[int]) -> Float[Tensor, "group group"]:
    """One head's weights between words or characters instead of their pieces.

    Over the pieces of a key the weights are summed, over those of a query averaged: a row still sums to 1.
    `groups` names each token's group; equal neighbours belong together.
    """
    starts = group_starts(groups)
    sizes = torch.tensor([end - start for start, end in pairwise([*starts, len(groups)])])
    member = torch.repeat_interleave(torch.eye(len(sizes)), sizes, dim=1)
    return (member / sizes[:, None]) @ weights @ member.T
