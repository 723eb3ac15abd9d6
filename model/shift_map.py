"""What sinusoids know of distance: the map that moves every position by k, and the dot product of two positions.

The identities behind both: sin(a + b) = sin a cos b + cos a sin b, and sin a sin b + cos a cos b = cos(a − b)
(Vaswani et al. 2017, section 3.5).
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.position import rotary_frequencies


def shift_map(shift: int, width: int) -> Float[Tensor, "{width} {width}"]:
    """M_k, float64: PE(p + k) = M_k · PE(p) for every p. One 2 × 2 rotation a pair of dimensions, 0 elsewhere."""
    angles = shift * _frequencies(width)
    cosine = angles.cos()
    sine = angles.sin()
    even = torch.arange(0, width, 2)
    odd = even + 1
    moved = torch.zeros(width, width, dtype=torch.float64)
    moved[even, even] = cosine
    moved[even, odd] = sine
    moved[odd, even] = -sine
    moved[odd, odd] = cosine
    return moved


def similarity(distances: Int[Tensor, " distance"], width: int) -> Float[Tensor, " distance"]:
    """PE(p) · PE(p + Δ) = Σ_i cos(w_i · Δ) for each distance Δ, whatever p is; float64, width/2 at 0."""
    return agreements(distances, width).sum(dim=-1)


def similarities(count: int, width: int) -> Float[Tensor, "{count}"]:
    """The dot products at the distances 0 … count − 1."""
    return similarity(torch.arange(count), width)


def agreements(distances: Int[Tensor, " distance"], width: int) -> Float[Tensor, "distance pair"]:
    """What each pair of dimensions adds to that dot product: cos(w_i · Δ)."""
    return (distances.double()[:, None] * _frequencies(width)).cos()


def first_rise(values: Float[Tensor, " distance"]) -> int | None:
    """The first place after which the values rise, or None if they never do."""
    rises = (values.diff() > 0).nonzero()
    return int(rises[0]) if len(rises) else None


def _frequencies(width: int) -> Float[Tensor, " pair"]:
    return torch.tensor(rotary_frequencies(width, 10000.0), dtype=torch.float64)
