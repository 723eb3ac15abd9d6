"""The formulas of the pages on positions as LaTeX, symbols coloured by role; no words of any language."""

import math

import numpy as np

from ui.formulas import coloured, number, signed
from viz.theme import Theme


def added(theme: Theme, place: tuple[int, int], values: tuple[float, float, float]) -> list[str]:
    """X = E + P for one cell."""
    index = rf"_{{{place[0]},\,{place[1]}}}"
    token, position, both = (
        coloured(theme, role, letter + index) for role, letter in (("token", "E"), ("position", "P"), ("residual", "X"))
    )
    live = rf"{number(values[0])} {signed(values[1])}"
    return [rf"{both} = {token} + {position}", rf"\quad = {live} = \mathbf{{{number(values[2])}}}"]


def sinusoid(theme: Theme, position: int, dimension: int, width: int) -> list[str]:
    """PE(pos) in one dimension: symbols, then with the numbers in."""
    pair, wave = dimension // 2, ("\\sin", "\\cos")[dimension % 2]
    index = ("2i", "2i+1")[dimension % 2]
    pos = coloured(theme, "position", "pos")
    live = coloured(theme, "position", position)
    power = 10000 ** (2 * pair / width)
    angle = position / power
    value = (math.sin, math.cos)[dimension % 2](angle)
    return [
        rf"PE_{{{pos},\,{index}}} = {wave}\!\left(\frac{{{pos}}}{{10000^{{2i/d}}}}\right)",
        rf"i = \lfloor {dimension} / 2 \rfloor = {pair},\quad d = {width}",
        rf"PE_{{{live},\,{dimension}}} = {wave}\!\left(\frac{{{live}}}{{10000^{{{2 * pair}/{width}}}}}\right)"
        rf" = {wave}\!\left(\frac{{{live}}}{{{number(power)}}}\right)",
        rf"\quad = {wave}({number(angle)}) = \mathbf{{{number(value)}}}",
    ]


def wavelength(pair: int, width: int) -> list[str]:
    """Positions until the wave of a pair comes back."""
    length = 2 * math.pi * 10000 ** (2 * pair / width)
    live = rf"2\pi \cdot 10000^{{{2 * pair}/{width}}} = \mathbf{{{number(length)}}}"
    return [rf"\lambda_{{{pair}}} = 2\pi \cdot 10000^{{2i/d}} = {live}"]


def shift(theme: Theme, pair: int, width: int, by: int, start: int) -> list[str]:
    """One 2 × 2 block of M_k: symbols, then on the numbers of one pair at one start."""
    frequency = 10000 ** (-2 * pair / width)
    angle = by * frequency
    cosine, sine = math.cos(angle), math.sin(angle)
    before, after = start * frequency, (start + by) * frequency
    p, k = (coloured(theme, "position", letter) for letter in ("p", "k"))
    rotation = _matrix(
        [rf"\cos w_i {k}", rf"\sin w_i {k}"],
        [rf"-\sin w_i {k}", rf"\cos w_i {k}"],
    )
    at = _column(rf"\sin w_i {p}", rf"\cos w_i {p}")
    further = _column(rf"\sin w_i({p}+{k})", rf"\cos w_i({p}+{k})")
    live = _matrix([number(cosine), number(sine)], [number(-sine), number(cosine)])
    result = _column(number(math.sin(after)), number(math.cos(after)))
    return [
        rf"{further} = {rotation} {at}",
        rf"w_{{{pair}}} = 10000^{{-{2 * pair}/{width}}} = {number(frequency)}",
        rf"{live} {_column(number(math.sin(before)), number(math.cos(before)))} = {result}",
    ]


def similarity(theme: Theme, distance: int, width: int) -> list[str]:
    """PE(p) · PE(p + Δ) as a sum of cosines."""
    terms = np.cos(distance * 10000.0 ** (-np.arange(0, width, 2) / width))
    delta = coloured(theme, "position", r"\Delta")
    shown = [number(terms[0]), *(signed(term) for term in terms[1:3])]
    dots = r" + \dots" if len(terms) > 3 else ""
    total = rf"{' '.join(shown)}{dots} = \mathbf{{{number(terms.sum())}}}"
    return [
        rf"PE(p) \cdot PE(p + {delta}) = \sum_{{i=0}}^{{{width // 2 - 1}}} \cos(w_i\,{delta})",
        rf"{delta} = {distance}{{:}}\quad {total}",
    ]


def distance(theme: Theme, start: int, query: int, key: int) -> list[str]:
    """The start falls out of the difference of two positions."""
    s = coloured(theme, "position", start)
    i = coloured(theme, "query", query)
    j = coloured(theme, "key", key)
    return [rf"({s} + {i}) - ({s} + {j}) = {start + query} - {start + key} = \mathbf{{{query - key}}}"]


def alibi(theme: Theme, slope: float, head: int, heads: int, distance: int) -> list[str]:
    """The slope of a head, and the bias of one cell."""
    exponent = math.log2(slope)
    live = rf"-{number(slope)} \times {distance} = \mathbf{{{number(-slope * distance)}}}"
    i, j = (coloured(theme, role, letter) for role, letter in (("query", "i"), ("key", "j")))
    return [
        rf"m_{{{head}}} = 2^{{{exponent:g}}} = {number(slope)}\quad (n = {heads})",
        rf"s_{{ij}} = \frac{{q_{{{i}}} \cdot k_{{{j}}}}}{{\sqrt d}} - m_{{{head}}}\,({i} - {j})",
        live,
    ]


def t5_bucket(distance: int, found: int, buckets: int, most: int) -> list[str]:
    """Why a distance falls in the bucket that it does, with the logarithm where there is one."""
    exact = buckets // 2
    if distance < exact:
        return [rf"\beta({distance}) = {found}\quad (\Delta < {exact})"]
    share = math.log(distance / exact) / math.log(most / exact) * (buckets - exact)
    log = rf"\frac{{\ln({distance}/{exact})}}{{\ln({most}/{exact})}} \cdot {buckets - exact}"
    capped = rf"\min({buckets - 1},\; {exact} + \left\lfloor {log} \right\rfloor)"
    live = rf"\min({buckets - 1},\; {exact} + \lfloor {share:.3f} \rfloor) = {found}"
    return [rf"\beta({distance}) = {capped}", rf"\quad = {live}"]


def t5_bias(theme: Theme, bucket: int, head: int, value: float) -> list[str]:
    """The score with the trained number of one bucket and head."""
    i, j = (coloured(theme, role, letter) for role, letter in (("query", "i"), ("key", "j")))
    symbol = rf"s_{{ij}} = \frac{{q_{{{i}}} \cdot k_{{{j}}}}}{{\sqrt d}} + B_{{\beta({i}-{j}),\,{head}}}"
    return [symbol, rf"B_{{{bucket},\,{head}}} = \mathbf{{{number(value)}}}"]


def _matrix(*rows: list[str]) -> str:
    body = r"\\".join(" & ".join(row) for row in rows)
    return rf"\begin{{bmatrix}}{body}\end{{bmatrix}}"


def _column(upper: str, lower: str) -> str:
    return rf"\begin{{bmatrix}}{upper}\\{lower}\end{{bmatrix}}"
