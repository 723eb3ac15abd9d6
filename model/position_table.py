"""Tables of position vectors that one might try, good and bad, and what tells the rows of a table apart.

The sinusoids are the ones that the decoder adds (model/position.py). The others are the counter-examples that show
why: a plain count, whose rows grow without end, and a single wave, whose rows come back.
"""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.decoder import Decoder
from model.position import sinusoid


def count(positions: Int[Tensor, " seq"], width: int) -> Float[Tensor, "seq {width}"]:
    """[0, 0, …], [1, 1, …], [2, 2, …]: the position itself in every dimension; float64."""
    return positions.double()[:, None].expand(-1, width)


def single_wave(positions: Int[Tensor, " seq"], width: int) -> Float[Tensor, "seq {width}"]:
    """sin and cos as in the sinusoids, but every pair of dimensions has the frequency 1; float64, width even."""
    angles = positions.double()[:, None]
    pair = torch.cat((angles.sin(), angles.cos()), dim=-1)
    return pair.repeat(1, width // 2)


@torch.inference_mode()
def vector(decoder: Decoder, position: int) -> Float[Tensor, " d_model"]:
    """What a decoder adds to the embedding of a token at this position; the learned table refuses with a ValueError."""
    nothing = torch.zeros(1, decoder.config.d_model)
    return decoder.position.embed(nothing, torch.tensor([position]))[0]


def wavelengths(width: int) -> Float[Tensor, " pair"]:
    """Positions until the wave of each pair (2i, 2i+1) comes back: 2π · 10000^(2i/width)."""
    pairs = torch.arange(0, width, 2, dtype=torch.float64)
    return 2 * math.pi * 10000 ** (pairs / width)


def distances(rows: Float[Tensor, "seq width"]) -> Float[Tensor, "seq seq"]:
    """The length of the difference of every two rows."""
    return (rows[:, None] - rows[None, :]).norm(dim=-1)


def most_alike(rows: Float[Tensor, "seq width"]) -> tuple[int, int, float]:
    """The two different positions whose rows lie closest, the earlier first, and how far apart they lie."""
    apart = distances(rows)
    apart.fill_diagonal_(math.inf)
    place = int(apart.argmin())
    first, second = divmod(place, len(rows))
    return first, second, float(apart[first, second])


def cosines(rows: Float[Tensor, "seq width"]) -> Float[Tensor, "seq seq"]:
    """The cosine similarity of every two rows, −1 to 1."""
    unit = rows / rows.norm(dim=-1, keepdim=True)
    return unit @ unit.T


def table(name: str, positions: Sequence[int], width: int) -> Float[Tensor, "seq {width}"]:
    """Rows of one of the tables below."""
    return TABLES[name](torch.tensor(list(positions)), width)


TABLES = {"sinusoidal": sinusoid, "count": count, "single": single_wave}
