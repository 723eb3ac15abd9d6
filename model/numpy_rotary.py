"""What the RoPE page shows, a second time, in plain NumPy and from the formulas: the proof of its tables.

It shares no code with the decoder or with the other tables: frequencies and their scalings, the turn, the parts of a
score, and numbers rounded to bfloat16 bit by bit.
"""

import numpy as np
from jaxtyping import Float

Table = Float[np.ndarray, " pair"]


def frequencies(width: int, base: float) -> Table:
    """exp(−ln(base) · 2i/width): radians a position, for each pair i."""
    return np.exp(-np.log(base) * np.arange(0, width, 2) / width)


def scaled(kind: str, width: int, base: float, *, factor=1.0, trained=0, length=0) -> tuple[Table, float]:
    """The frequencies of a scaling and its factor on cosine and sine."""
    plain = frequencies(width, base)
    shares = np.arange(width // 2) / max(width / 2 - 1, 1)  # 0 for the first pair, 1 for the last
    turns = trained * plain / (2 * np.pi)  # of each pair, over the trained length
    if kind == "linear":
        return plain / factor, 1.0
    if kind == "ntk":
        return plain * factor**-shares, 1.0
    if kind == "dynamic":
        grown = max(1 + factor * (length / trained - 1), 1)
        return plain * grown**-shares, 1.0
    if kind == "yarn":
        ends = [-0.5 * width * np.log(2 * np.pi * many / trained) / np.log(base) for many in (32, 1)]
        first, last = max(np.floor(ends[0]), 0), min(np.ceil(ends[1]), width - 1)
        slowed = np.interp(np.arange(width // 2), [first, max(last, first + 0.001)], [0, 1])
        return plain * (1 - slowed * (1 - 1 / factor)), 1 + np.log(factor) / 10
    if kind == "llama3":
        kept = np.interp(turns, [1, 4], [0, 1])
        return plain * (kept + (1 - kept) / factor), 1.0
    return plain, 1.0


def turn(vector: Float[np.ndarray, " d_head"], position: float, table: Table, factor: float = 1.0) -> np.ndarray:
    """Each pair as a complex number times factor · e^(i · position · frequency); dimensions past the table stay."""
    turning = 2 * len(table)
    numbers = vector[:turning].astype(np.float64).reshape(-1, 2) @ np.array([1, 1j])
    numbers = numbers * factor * np.exp(1j * position * table)
    return np.concatenate([np.stack([numbers.real, numbers.imag], axis=-1).ravel(), vector[turning:]])


def parts(query, key, places: tuple[float, float], table: Table, factor: float = 1.0) -> Float[np.ndarray, " plane"]:
    """What each pair adds to q·k at these positions."""
    products = turn(query, places[0], table, factor) * turn(key, places[1], table, factor)
    return np.add.reduceat(products, np.arange(0, len(products), 2))


def by_distance(query, key, distances, table: Table, factor: float = 1.0) -> Float[np.ndarray, "distance plane"]:
    """The same for every distance: the query at the distance, the key at 0."""
    return np.stack([parts(query, key, (float(distance), 0), table, factor) for distance in distances])


def bfloat16(x: np.ndarray) -> np.ndarray:
    """float32 rounded to 8 significant binary digits, ties to even: the upper half of its bits."""
    bits = np.asarray(x, dtype=np.float32).view(np.uint32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    return (rounded & np.uint32(0xFFFF0000)).view(np.float32)


def float16(x: np.ndarray) -> np.ndarray:
    """float32 rounded to float16's 11 significant digits; past 65504 there is only ∞."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(x, dtype=np.float32).astype(np.float16).astype(np.float32)


def cosine_errors(positions: np.ndarray, width: int, base: float, rounded: str) -> Float[np.ndarray, " position"]:
    """The greatest error of any pair's cosine at each position, with what `rounded` names in fewer digits."""
    exact = np.cos(positions[:, None] * frequencies(width, base))
    place, frequency, product, kept = ROUNDINGS[rounded]
    angles = place(positions.astype(np.float32))[:, None] * frequency(frequencies(width, base).astype(np.float32))
    with np.errstate(invalid="ignore"):
        return np.abs(kept(np.cos(product(angles))) - exact).max(axis=-1)


def drift(query, key, places, shifts, width: int, base: float, rounded: str) -> Float[np.ndarray, " shift"]:
    """The change of q·k, over |q|·|k|, when both positions grow by each shift, with what `rounded` names rounded."""
    place, frequency, product, kept = ROUNDINGS[rounded]
    table = frequency(frequencies(width, base).astype(np.float32))

    def turned(vector: np.ndarray, positions: np.ndarray) -> np.ndarray:
        angles = product(place(positions.astype(np.float32))[:, None] * table)
        numbers = vector[:width].astype(np.float64).reshape(-1, 2) @ np.array([1, 1j])
        return numbers * (kept(np.cos(angles)).astype(np.float64) + 1j * kept(np.sin(angles)))

    with np.errstate(invalid="ignore"):
        first, second = (
            turned(one, where + np.append(0, shifts)) for one, where in zip((query, key), places, strict=True)
        )
    scores = (first * second.conj()).real.sum(axis=-1)
    return (scores[1:] - scores[0]) / (np.linalg.norm(query.astype(float)) * np.linalg.norm(key.astype(float)))


def whole(x: np.ndarray) -> np.ndarray:
    """float32 as it is."""
    return x


ROUNDINGS = {  # of the position, the frequency, their product, the cosine
    "float32": (whole, whole, whole, whole),
    "cast": (whole, whole, whole, bfloat16),
    "frequencies": (whole, bfloat16, whole, whole),
    "positions": (bfloat16, whole, whole, whole),
    "bfloat16": (bfloat16, bfloat16, bfloat16, bfloat16),
    "float16": (float16, float16, float16, float16),
}
