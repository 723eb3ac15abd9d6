"""Six ways to tell a decoder about order.

A scheme can enter at three places, each the identity unless the scheme overrides it: added to the embeddings
(`embed`), turning queries and keys (`rotate`), or added to the scores (`bias`). Attention calls all three, without a
branch. Positions are data: any integers, handed down from the caller.
"""

import math
from functools import lru_cache

import torch
from jaxtyping import Complex, Float, Int
from torch import Tensor, nn

from model.config import Config


class PositionEncoding(nn.Module):
    """No position at all ("NoPE"): every place of entry is the identity. Also the base of the other schemes."""

    acts_on = "nothing"

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.heads = config.heads

    def embed(
        self, x: Float[Tensor, "*batch seq d_model"], positions: Int[Tensor, " seq"]
    ) -> Float[Tensor, "*batch seq d_model"]:
        """The embeddings with the position vectors added."""
        return x

    def rotate(
        self, x: Float[Tensor, "*batch heads seq d_head"], positions: Int[Tensor, " seq"]
    ) -> Float[Tensor, "*batch heads seq d_head"]:
        """Queries or keys, turned by their positions."""
        return x

    def bias(
        self, query_positions: Int[Tensor, " query"], key_positions: Int[Tensor, " key"]
    ) -> Float[Tensor, "heads query key"]:
        """What is added to the scaled scores."""
        return torch.zeros(()).expand(self.heads, len(query_positions), len(key_positions))


class Sinusoidal(PositionEncoding):
    """A fixed wave per dimension (Vaswani et al. 2017, section 3.5).

    The embeddings are not multiplied by √d_model first, unlike the paper's.
    """

    acts_on = "embedding"

    def embed(self, x, positions):
        return x + sinusoid(positions, x.shape[-1]).to(x.dtype)


class Learned(PositionEncoding):
    """One trained vector a position (GPT-2). Positions past the table do not exist and are refused."""

    acts_on = "embedding"

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.weight = nn.Parameter(torch.randn(config.context, config.d_model) * 0.02)

    def embed(self, x, positions):
        rows = len(self.weight)
        outside = positions[(positions < 0) | (positions >= rows)]
        if len(outside):
            raise ValueError(
                f"The learned table has positions 0 to {rows - 1}; position {outside[0].item()} does not exist in it. "
                "Use a shorter text or smaller positions."
            )
        return x + self.weight[positions]


class Rope(PositionEncoding):
    """Rotary positions (Su et al. 2021, equation 34): turns each pair (2i, 2i+1) by position × frequency.

    A pair (a, b) is the complex number a + ib, and turning it is multiplying it by cos + i·sin of the angle.
    Only the first `rotary_dim` dimensions of a head turn; the rest pass through. Angles are taken in float64, because
    rounding them moves neighbouring positions onto each other.
    """

    acts_on = "query and key"

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.rotary_dim = config.rotary_dim
        # The angle, in radians, by which each pair turns from one position to the next. Scalings change this table.
        self.frequencies = rotary_frequencies(config.rotary_dim, config.rotary_base)

    def rotate(self, x, positions):
        precision = torch.promote_types(x.dtype, torch.float32)
        turn = turns(tuple(positions.tolist()), self.frequencies, precision)
        turning, still = x[..., : self.rotary_dim], x[..., self.rotary_dim :]
        pairs = torch.view_as_complex(turning.to(precision).unflatten(-1, (-1, 2)))
        turned = torch.view_as_real(pairs * turn).flatten(-2)
        turned = turned.to(x.dtype)
        return torch.cat((turned, still), dim=-1) if still.shape[-1] else turned


class Alibi(PositionEncoding):
    """A penalty that grows with distance, steeper in some heads (Press et al. 2021). Nothing is learned.

    Without a causal mask the distance is |i − j|, which is outside the paper's training.
    """

    acts_on = "score"

    def bias(self, query_positions, key_positions):
        distance = (query_positions[:, None] - key_positions[None, :]).abs()
        return -alibi_slopes(self.heads)[:, None, None] * distance


class T5(PositionEncoding):
    """A learned number a head and distance bucket (Raffel et al. 2020), one table for all layers.

    Unlike T5 itself, scores are divided by √d_head first, as with every scheme here. Buckets are the decoder's
    (unidirectional): every key after the query falls in bucket 0.
    """

    acts_on = "score"

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.max_distance = config.t5_max_distance
        self.weight = nn.Parameter(torch.randn(config.t5_buckets, config.heads) * 0.02)

    def bias(self, query_positions, key_positions):
        distance = query_positions[:, None] - key_positions[None, :]
        buckets = t5_bucket(distance, len(self.weight), self.max_distance)
        return self.weight[buckets].permute(2, 0, 1)


def sinusoid(positions: Int[Tensor, " seq"], width: int) -> Float[Tensor, "seq width"]:
    """PE(pos)[2i] = sin(pos · 10000^(−2i/width)), PE(pos)[2i+1] = cos of the same angle; float64, width even."""
    angles = positions.double()[:, None] * torch.tensor(rotary_frequencies(width, 10000.0), dtype=torch.float64)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)


@lru_cache(maxsize=16)
@torch.inference_mode(False)  # a table first asked for by a reader may later serve a training run
def turns(
    positions: tuple[int, ...], frequencies: tuple[float, ...], precision: torch.dtype
) -> Complex[Tensor, "seq pair"]:
    """The turn of each pair, cos + i·sin of position × frequency: the same in every layer, its angles in float64."""
    angles = torch.tensor(positions).double()[:, None] * torch.tensor(frequencies, dtype=torch.float64)
    return torch.polar(torch.ones_like(angles), angles).to(precision.to_complex())


def rotary_frequencies(width: int, base: float) -> tuple[float, ...]:
    """base^(−2i/width) for i = 0 … width/2 − 1."""
    return tuple(base ** (-pair / width) for pair in range(0, width, 2))


def alibi_slopes(heads: int) -> Float[Tensor, " heads"]:
    """One slope a head: 2^(−8h/n) where n heads are a power of two.

    Otherwise the authors' code: the slopes of the largest power of two below, then every other slope of twice as many.
    """
    whole = 2 ** int(math.log2(heads))
    slopes = [2 ** (-8 * head / whole) for head in range(1, whole + 1)]
    finer = [2 ** (-4 * head / whole) for head in range(1, 2 * whole + 1, 2)]
    return torch.tensor((slopes + finer)[:heads])


def t5_bucket(distance: Int[Tensor, "query key"], buckets: int, max_distance: int) -> Int[Tensor, "query key"]:
    """The bucket of each query − key distance: exact for the first half, then logarithmic up to `max_distance`."""
    exact = buckets // 2
    past = distance.clamp(min=0)
    ratio = (past.clamp(min=exact).double() / exact).log() / math.log(max_distance / exact)
    logarithmic = exact + (ratio * (buckets - exact)).floor().long()
    return torch.where(past < exact, past, logarithmic.clamp(max=buckets - 1))


SCHEMES = {
    "none": PositionEncoding,
    "sinusoidal": Sinusoidal,
    "learned": Learned,
    "rope": Rope,
    "alibi": Alibi,
    "t5": T5,
}
