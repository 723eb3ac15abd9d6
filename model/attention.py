"""Causal multi-head attention with grouped key/value heads, one operation a line.

Vaswani et al. 2017, equation 1; grouped heads: Ainslie et al. 2023. No fused kernel: every stage is returned.
"""

import math
from functools import lru_cache

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model.config import Config
from model.knobs import Knobs
from model.position import PositionEncoding
from model.trace import AttentionTrace


class Attention(nn.Module):
    """One attention layer. Query head h reads key/value head h // (heads / kv_heads)."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.heads = config.heads
        self.kv_heads = config.kv_heads
        self.d_head = config.d_head
        projected_bias = config.biases in ("all", "qkv")
        self.query = nn.Linear(config.d_model, config.heads * config.d_head, bias=projected_bias)
        self.key = nn.Linear(config.d_model, config.kv_heads * config.d_head, bias=projected_bias)
        self.value = nn.Linear(config.d_model, config.kv_heads * config.d_head, bias=projected_bias)
        self.output = nn.Linear(config.heads * config.d_head, config.d_model, bias=config.biases == "all")

    def forward(
        self,
        x: Float[Tensor, "*batch query d_model"],
        position: PositionEncoding,
        positions: Int[Tensor, " key"],
        knobs: Knobs,
        gains: list[float],
        past: tuple[Tensor, Tensor] | None = None,
    ) -> AttentionTrace:
        """Every stage from the normed input to the output of W_O.

        `positions` are those of all keys; the queries are the last ones. `past` holds the earlier tokens' rotated
        keys and values. A score is q·k × scale + bias, then masked, then divided by the temperature.
        """
        query_positions = positions[-x.shape[-2] :]

        query = split_heads(self.query(x), self.heads)
        key = split_heads(self.key(x), self.kv_heads)
        value = split_heads(self.value(x), self.kv_heads)

        rotated_query = position.rotate(query, query_positions)
        rotated_key = position.rotate(key, query_positions)
        if past is not None:
            rotated_key = torch.cat((past[0], rotated_key), dim=-2)
            value = torch.cat((past[1], value), dim=-2)

        raw_scores = apart(together(rotated_query, self.kv_heads) @ rotated_key.transpose(-1, -2), self.heads)
        bias = position.bias(query_positions, positions)
        scores = raw_scores * (knobs.scale / math.sqrt(self.d_head))
        scores += bias
        scores += causal_mask(x.shape[-2], len(positions), knobs.causal)
        scores /= knobs.temperature
        weights = torch.softmax(scores, dim=-1)

        mixed = apart(together(weights, self.kv_heads) @ value, self.heads)
        output = self.output(join_heads(gained(mixed, gains)))
        return AttentionTrace(
            query, key, value, rotated_query, rotated_key, raw_scores, bias, scores, weights, mixed, output
        )


@lru_cache(maxsize=32)
@torch.inference_mode(False)  # a mask first asked for by a reader may later serve a training run
def causal_mask(queries: int, keys: int, causal: bool) -> Float[Tensor, "query key"]:
    """−∞ where the key stands later in the sequence than the query, else 0. The last query stands at the last key."""
    hidden = torch.ones(queries, keys, dtype=torch.bool).triu(diagonal=keys - queries + 1)
    return torch.zeros(queries, keys).masked_fill(hidden & causal, -math.inf)


def together(
    x: Float[Tensor, "*batch heads query width"], kv_heads: int
) -> Float[Tensor, "*batch kv_heads rows width"]:
    """The rows of all query heads that share a key/value head, one head below the other."""
    return x.unflatten(-3, (kv_heads, -1)).flatten(-3, -2)


def apart(x: Float[Tensor, "*batch kv_heads rows width"], heads: int) -> Float[Tensor, "*batch heads query width"]:
    """The rows of each query head for itself again."""
    return x.unflatten(-2, (heads // x.shape[-3], -1)).flatten(-4, -3)


def split_heads(x: Float[Tensor, "*batch seq joined"], heads: int) -> Float[Tensor, "*batch heads seq d_head"]:
    """A projection cut into heads. What is split is the projected vector, not the embedding."""
    return x.unflatten(-1, (heads, -1)).transpose(-2, -3)


def gained(mixed: Float[Tensor, "*batch heads query d_head"], gains: list[float]) -> Tensor:
    """What each head mixed, times the head's gain."""
    return mixed * torch.tensor(gains, dtype=mixed.dtype)[:, None, None]


def join_heads(x: Float[Tensor, "*batch heads seq d_head"]) -> Float[Tensor, "*batch seq joined"]:
    """The heads side by side again (Concat)."""
    return x.transpose(-2, -3).flatten(-2)
