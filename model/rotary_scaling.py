"""RoPE beyond the trained length: five ways to make its frequencies slower, each a table computed from the base's.

A model trained to length L is to read s × L. Every scaling is known from real checkpoints and is written as these
expect it; where a paper and its authors' code disagree (YaRN), the code is followed. All of it is float64.
"""

import inspect
import math
from dataclasses import dataclass

from model.position import rotary_frequencies

TURN = 2 * math.pi


@dataclass(frozen=True)
class Rotation:
    """By how many radians each pair turns from one position to the next, and a factor on every cosine and sine.

    The factor a multiplies queries and keys alike, so a score by a²; only YaRN has one other than 1.
    """

    frequencies: tuple[float, ...]
    factor: float = 1.0

    @property
    def wavelengths(self) -> tuple[float, ...]:
        """After how many positions each pair has turned once."""
        return tuple(TURN / frequency for frequency in self.frequencies)


def none(width: int, base: float) -> Rotation:
    """As trained: base^(−2i/width)."""
    return Rotation(rotary_frequencies(width, base))


def linear(width: int, base: float, *, factor: float) -> Rotation:
    """Position interpolation (Chen et al. 2023): every frequency ÷ s, the same as positions ÷ s."""
    return Rotation(tuple(frequency / factor for frequency in rotary_frequencies(width, base)))


def ntk(width: int, base: float, *, factor: float) -> Rotation:
    """NTK-aware: base · s^(r/(r−2)), r being the width. The first pair stays, the last is divided by exactly s."""
    if width < 4:
        raise ValueError(f"NTK-aware scaling needs at least two pairs, a width of 4; got {width}.")
    return Rotation(rotary_frequencies(width, base * factor ** (width / (width - 2))))


def dynamic(width: int, base: float, *, factor: float, trained: int, length: int) -> Rotation:
    """NTK-aware by the text's own length l, in Hugging Face's form: past L, s = factor·l/L − (factor − 1).

    The base changes with the text's length. Keys kept from a shorter text were turned by other angles, so a longer text
    has to be computed anew, and its first rows are not those of the shorter one.
    """
    if length <= trained:
        return none(width, base)
    return ntk(width, base, factor=factor * length / trained - (factor - 1))


def yarn(
    width: int,
    base: float,
    *,
    factor: float,
    trained: int,
    fast: float = 32.0,
    slow: float = 1.0,
    attention_factor: float | None = None,
    scales: tuple[float, float] | None = None,
) -> Rotation:
    """YaRN (Peng et al. 2023) as its code has it: fast pairs stay, slow ones are divided by s, those between blended.

    The blend is linear in the number of the pair, from the one that turns `fast` times in L to the one that turns
    `slow` times; the paper's is linear in the number of turns, which differs up to about twofold in the middle.
    Cosines and sines are multiplied by a = 0.1·ln s + 1. `attention_factor` replaces a; `scales` (a checkpoint's mscale
    and mscale_all_dim) makes it the quotient of two such numbers.
    """
    first = max(math.floor(_pair_that_turns(fast, width, base, trained)), 0)
    last = min(math.ceil(_pair_that_turns(slow, width, base, trained)), width - 1)
    span = max(last - first, 0.001)  # a step where both are the same pair
    frequencies = rotary_frequencies(width, base)
    kept = [1 - min(max((pair - first) / span, 0), 1) for pair in range(len(frequencies))]
    blended = (share * w + (1 - share) * w / factor for share, w in zip(kept, frequencies, strict=True))
    if attention_factor is None:
        above, below = scales or (1.0, 0.0)
        attention_factor = _temper(factor, above) / _temper(factor, below)
    return Rotation(tuple(blended), attention_factor)


def llama3(width: int, base: float, *, factor: float, trained: int, low: float = 1.0, high: float = 4.0) -> Rotation:
    """Llama 3.1 and later: waves shorter than L/high stay, those longer than L/low are ÷ s, those between blended."""
    return Rotation(tuple(_llama3(w, factor, trained, low, high) for w in rotary_frequencies(width, base)))


def scaled(kind: str, width: int, base: float, **settings: object) -> Rotation:
    """The table of a scaling by its name in `SCALINGS`. An unknown name, or a setting it does not have, is refused."""
    if kind not in SCALINGS:
        raise ValueError(f"there is no RoPE scaling {kind!r}; known are {', '.join(SCALINGS)}.")
    known = needed(kind)
    strange = sorted(set(settings) - set(known))
    if strange:
        raise ValueError(
            f"RoPE scaling {kind!r} has no {', '.join(strange)}; it takes {', '.join(known) or 'nothing'}."
        )
    missing = [name for name, optional in known.items() if not optional and name not in settings]
    if missing:
        raise ValueError(f"RoPE scaling {kind!r} needs {', '.join(missing)}.")
    if not settings.get("factor", 1.0) >= 1.0:  # false for NaN as well
        raise ValueError(f"the factor says how many times longer texts become, 1 or more; got {settings['factor']}.")
    return SCALINGS[kind](width, base, **settings)


def needed(kind: str) -> dict[str, bool]:
    """The settings that a scaling takes, and whether each may be left out."""
    parameters = inspect.signature(SCALINGS[kind]).parameters.values()
    return {one.name: one.default is not one.empty for one in parameters if one.kind is one.KEYWORD_ONLY}


def _pair_that_turns(times: float, width: int, base: float, trained: int) -> float:
    """The number of the pair, as a fraction, that turns so many times over the trained length."""
    return width * math.log(trained / (TURN * times)) / (2 * math.log(base))


def _temper(factor: float, scale: float) -> float:
    return 0.1 * scale * math.log(factor) + 1


def _llama3(frequency: float, factor: float, trained: int, low: float, high: float) -> float:
    turns = trained * frequency / TURN  # over the trained length
    kept = min(max((turns - low) / (high - low), 0), 1)
    return (1 - kept) * frequency / factor + kept * frequency


SCALINGS = {
    "none": none,
    "linear": linear,
    "ntk": ntk,
    "dynamic": dynamic,
    "yarn": yarn,
    "llama3": llama3,
}
