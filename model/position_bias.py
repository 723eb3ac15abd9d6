"""What ALiBi and T5 add to the scores, by head and distance, seen without any sentence."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.config import Config
from model.decoder import Decoder
from model.position import SCHEMES, alibi_slopes, t5_bucket
from model.trace import LightTrace


@torch.inference_mode()
def bias(decoder: Decoder, seq: int) -> Float[Tensor, "heads {seq} {seq}"]:
    """What a decoder adds to the scores of the positions 0 … seq − 1, before the mask."""
    positions = torch.arange(seq)
    return decoder.position.bias(positions, positions)


def alibi(heads: int, seq: int) -> Float[Tensor, "{heads} {seq} {seq}"]:
    """What ALiBi adds, for any number of heads."""
    config = Config(vocab=1, d_model=heads, layers=1, heads=heads, d_ff=1, context=1, position="alibi")
    positions = torch.arange(seq)
    return SCHEMES["alibi"](config).bias(positions, positions)


def slopes(heads: int) -> list[float]:
    """ALiBi's slopes, one a head, in the order of the heads."""
    return alibi_slopes(heads).tolist()


def one_series(heads: int) -> list[float]:
    """2^(−8h/n) for any n heads: what the paper's sentence suggests; no model uses it unless n is a power of 2."""
    return [2 ** (-8 * head / heads) for head in range(1, heads + 1)]


@torch.inference_mode()
def if_scores_were_equal(added: Float[Tensor, "heads query key"]) -> Float[Tensor, "heads key"]:
    """The last query's weights in each head if every q·k were the same: the softmax of what is added alone."""
    return added[:, -1].softmax(dim=-1)


@torch.inference_mode()
def t5_by_distance(decoder: Decoder, count: int) -> Float[Tensor, "heads {count}"]:
    """T5's trained number of each head at the distances 0 … count − 1."""
    return decoder.position.bias(torch.arange(count), torch.zeros(1, dtype=torch.long))[:, :, 0]


def buckets(config: Config, count: int) -> Int[Tensor, "{count}"]:
    """T5's bucket of each distance 0 … count − 1."""
    return t5_bucket(torch.arange(count)[:, None], config.t5_buckets, config.t5_max_distance)[:, 0]


def trained_buckets(config: Config) -> int:
    """How many of T5's buckets a text of the trained length reaches; the numbers of the others were never used."""
    return int(buckets(config, config.context)[-1]) + 1


def greatest_change(one: LightTrace, other: LightTrace) -> float:
    """How far the attention weights of two runs lie apart, at most, in any layer and head."""
    return max(float((a - b).abs().max()) for a, b in zip(one.weights, other.weights, strict=True))


def ends(values: Float[Tensor, "..."]) -> float:
    """The end of a scale symmetric about 0 that holds all of the values, rounded up to halves."""
    return max(0.5, math.ceil(2 * float(values.abs().max())) / 2)
