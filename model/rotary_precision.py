"""What becomes of RoPE when its angles are computed in too few digits: a real and frequent fault, shown as one.

bfloat16 has 8 significant binary digits: it has no 257, only 256 and 258. Angles of late positions are then off by
whole turns. `FAULTS` names what may be rounded; the decoder here takes its angles in float64 (model/position.py).
"""

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.position import rotary_frequencies
from model.turned_score import Couple, turn

Angles = Float[Tensor, "position pair"]
HALF, SHORT = torch.float16, torch.bfloat16


def angles(
    positions: Int[np.ndarray, " position"], frequencies: tuple[float, ...], rounded: str
) -> tuple[Angles, torch.dtype]:
    """Position × frequency with what `rounded` names in fewer digits, and the type in which its cosine is kept."""
    if rounded not in FAULTS:
        raise ValueError(f"there is no rounding {rounded!r}; known are {', '.join(FAULTS)}.")
    place, frequency, kept = FAULTS[rounded]
    exact = torch.tensor(frequencies, dtype=torch.float64)
    work = place if place is frequency else torch.float32  # a product of two types takes the wider one
    product = torch.from_numpy(positions).to(place).to(work)[:, None] * exact.to(torch.float32).to(frequency).to(work)
    return product, kept


def cosines(positions: Int[np.ndarray, " position"], width: int, base: float, rounded: str) -> Angles:
    """The cosines that such a program turns by, as float64."""
    product, kept = angles(positions, rotary_frequencies(width, base), rounded)
    return product.cos().to(kept).double()


@torch.inference_mode()
def cosine_errors(
    positions: Int[np.ndarray, " position"], width: int, base: float, rounded: str
) -> Float[Tensor, " position"]:
    """The greatest error of any pair's cosine at each position: 2 is as wrong as can be, NaN is no number at all."""
    frequencies = torch.tensor(rotary_frequencies(width, base), dtype=torch.float64)
    exact = (torch.from_numpy(positions).double()[:, None] * frequencies).cos()
    return (cosines(positions, width, base, rounded) - exact).abs().amax(dim=-1)


@torch.inference_mode()
def drift(
    couple: Couple, places: tuple[int, int], shifts: Int[np.ndarray, " shift"], rounded: str
) -> Float[Tensor, " shift"]:
    """How much q·k changes when both positions grow by each shift: 0 in exact arithmetic. In units of |q|·|k|."""
    found = [_turned(couple, role, shifts + place, rounded) for role, place in zip(ROLES, places, strict=True)]
    start = [_turned(couple, role, np.array([place]), rounded) for role, place in zip(ROLES, places, strict=True)]
    score, first = ((query * key).sum(dim=(-2, -1)) for query, key in (found, start))
    return (score - first) / couple.lengths


def distinct(positions: int, kept: torch.dtype) -> int:
    """How many of the positions 0, 1 … are still told apart in this type."""
    return len(torch.arange(positions).to(kept).unique())


def _turned(
    couple: Couple, role: str, positions: Int[np.ndarray, " position"], rounded: str
) -> Float[Tensor, "position plane 2"]:
    product, kept = angles(positions, tuple(couple.frequencies.tolist()), rounded)
    cosine, sine = (function(product).to(kept).double() for function in (torch.cos, torch.sin))
    return turn(getattr(couple, role), cosine, sine)


ROLES = ("query", "key")
Rounding = tuple[torch.dtype, torch.dtype, torch.dtype]
FAULTS: dict[str, Rounding] = {  # positions, frequencies, cosine and sine
    "float32": (torch.float32, torch.float32, torch.float32),
    "cast": (torch.float32, torch.float32, SHORT),
    "frequencies": (torch.float32, SHORT, torch.float32),
    "positions": (SHORT, torch.float32, torch.float32),
    "bfloat16": (SHORT, SHORT, SHORT),
    "float16": (HALF, HALF, HALF),
}
