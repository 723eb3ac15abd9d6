"""The formulas of the RoPE page as LaTeX, without words: a plane's turn, a score by distance, the scalings."""

import math

from model.rotary_scaling import Rotation
from ui.formulas import bracketed, coloured, number, pair, signed
from viz.theme import Theme


def angle(theme: Theme, role: str, position: int, plane: int, frequency: float) -> str:
    """The angle of a query's or a key's plane: its position × the plane's frequency."""
    letter = {"query": "m", "key": "n"}[role]
    where = coloured(theme, "position", str(position))
    turned = coloured(theme, role, rf"\varphi_{{{LETTERS[role]}}}")
    live = rf"{where} \times {number(frequency)} = {number(position * frequency)}"
    return rf"{turned} = {letter}\,\theta_{{{plane}}} = {live}"


def score(theme: Theme, places: tuple[int, int], value: float) -> str:
    """q·k of the turned vectors at these positions."""
    m, n = (coloured(theme, "position", str(place)) for place in places)
    q, k = (coloured(theme, role, rf"R_{{{where}}}\,{LETTERS[role]}") for role, where in (("query", m), ("key", n)))
    return rf"{q} \cdot {k} = \mathbf{{{number(value)}}}"


def change(before: float, after: float, lengths: float) -> str:
    """The difference of two scores in units of |q|·|k|."""
    difference = abs(after - before)
    live = rf"\frac{{{number(difference)}}}{{{number(lengths)}}} = {number(difference / lengths if lengths else 0.0)}"
    return rf"\frac{{|\Delta|}}{{|q|\,|k|}} = {live}"


def part(theme: Theme, plane: int, query: list[float], key: list[float], frequency: float, distance: int) -> list[str]:
    """One plane's part of the score as a function of the distance, with the projected numbers in."""
    (a, b), (c, d) = (padded(pair(vector, plane)) for vector in (query, key))
    along, across = a * c + b * d, a * d - b * c
    apart, live = coloured(theme, "position", r"\delta"), coloured(theme, "position", str(distance))
    gap = coloured(theme, "position", "m - n")
    q, k = coloured(theme, "query", "q"), coloured(theme, "key", "k")
    turned = rf"A_p \cos \theta_p{apart} + B_p \sin \theta_p{apart}"
    even, odd = "{2p}", "{2p+1}"
    total = along * math.cos(frequency * distance) + across * math.sin(frequency * distance)
    cosine, sine = (rf"\{function}({number(frequency)} \times {live})" for function in ("cos", "sin"))
    return [
        rf"R_m {q} \cdot R_n {k} = \textstyle\sum_p {turned},\;\; {apart} = {gap}",
        rf"A_p = {q}_{even}{k}_{even} + {q}_{odd}{k}_{odd},\;\; B_p = {q}_{even}{k}_{odd} - {q}_{odd}{k}_{even}",
        rf"A_{{{plane}}} = {number(a)} \times {bracketed(c)} {signed(b)} \times {bracketed(d)} = {number(along)}",
        rf"B_{{{plane}}} = {number(a)} \times {bracketed(d)} {signed(-b)} \times {bracketed(c)} = {number(across)}",
        rf"{number(along)}\,{cosine} {signed(across)}\,{sine} = \mathbf{{{number(total)}}}",
    ]


def padded(values: list[float]) -> tuple[float, float]:
    """The two numbers of a plane; an odd last dimension stands with a 0."""
    return (*values, 0.0)[0], (*values, 0.0)[1]


def scaling(kind: str, settings: dict[str, float], rotation: Rotation, width: int, base: float) -> list[str]:
    """What a scaling makes of a frequency, with its settings in, and YaRN's factor on cosine and sine."""
    values = {name: f"{value:g}" for name, value in settings.items()} | {"base": f"{base:g}", "r": str(width)}
    told = [line.format(**values) for line in SCALING_LINES[kind]]
    if rotation.factor != 1:
        s = values["factor"]
        told.append(rf"a = 0.1 \ln s + 1 = 0.1 \ln {s} + 1 = \mathbf{{{number(rotation.factor)}}}")
    return told


LETTERS = {"query": "q", "key": "k"}
SCALING_LINES = {
    "none": (r"\theta_p = {base}^{{-2p/{r}}}",),
    "linear": (r"\theta'_p = \theta_p \div s,\quad s = {factor}",),
    "ntk": (r"\theta'_p = \left({base} \times {factor}^{{{r}/({r}-2)}}\right)^{{-2p/{r}}}",),
    "dynamic": (
        r"s = {factor} \times \frac{{{length}}}{{{trained}}} - ({factor} - 1) \quad (l > L)",
        r"\theta'_p = \left({base} \times s^{{{r}/({r}-2)}}\right)^{{-2p/{r}}}",
    ),
    "yarn": (
        r"\theta'_p = \gamma_p\,\theta_p + (1 - \gamma_p)\,\theta_p \div s,\quad s = {factor}",
        r"\gamma_p = 1 - \frac{{p - \lfloor p_{{32}} \rfloor}}{{\lceil p_1 \rceil - \lfloor p_{{32}} \rfloor}}",
        r"p_n = \frac{{{r} \ln({trained} / 2\pi n)}}{{2 \ln {base}}}",
    ),
    "llama3": (
        r"\theta'_p = \gamma_p\,\theta_p + (1 - \gamma_p)\,\theta_p \div s,\quad s = {factor}",
        r"\gamma_p = \frac{{{trained} / \lambda_p - 1}}{{4 - 1}},\quad \lambda_p = 2\pi / \theta_p",
    ),
}
