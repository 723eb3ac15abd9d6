"""Every formula on screen as LaTeX, symbols coloured by role; no words of any language. The one home of formulas."""

import math
from collections.abc import Iterable, Sequence

from model.steps import Softmax, Steps
from viz.theme import Theme

TERMS_SHOWN = 3
AFTER = "x'"  # the residual stream after the attention


def number(value: float) -> str:
    """A number in LaTeX with four significant digits; tiny and huge ones as a power of ten."""
    if value == 0 or not math.isfinite(value):
        return {0.0: "0", math.inf: r"\infty", -math.inf: r"-\infty"}.get(value, r"\text{NaN}")
    if not 1e-4 <= abs(value) < 1e5:
        mantissa, power = f"{value:.3e}".split("e")
        return rf"{mantissa}\times 10^{{{int(power)}}}"
    decimals = max(0, 3 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


def signed(value: float) -> str:
    """A number as a term of a sum: + 1.5 or − 1.5."""
    return ("+ " if value >= 0 else "- ") + number(abs(value))


def coloured(theme: Theme, role: str, latex: object) -> str:
    """LaTeX, or a number, in the tone of a role."""
    return rf"\textcolor{{{theme.text[role]}}}{{{latex}}}"


class Symbols:
    """The symbols of one cell, i the query's place and j the key's, in the tones of a theme."""

    def __init__(self, theme: Theme, query: int, key: int) -> None:
        self.theme = theme
        self.places = {"q": query, "k": key, "v": key, "m": query, "x": query, AFTER: query}
        self.query = self.vector("q")
        self.key = self.vector("k")
        self.value = self.vector("v")
        self.score = rf"s_{{{query},{key}}}"
        self.weight = rf"w_{{{query},{key}}}"
        self.row = rf"s_{{{query},j}}"
        self.peak = r"\hat s"

    def vector(self, letter: str, dimension: object = "", mark: str = "") -> str:
        """A vector, or one dimension of it, in its role's tone; `mark` is LaTeX over the letter, such as \\tilde."""
        place = self.places[letter]
        index = f"{place},{dimension}" if dimension != "" else f"{place}"
        return self.coloured(ROLE_OF[letter], rf"{mark} {letter}_{{{index}}}".strip())

    def coloured(self, role: str, latex: str) -> str:
        """LaTeX in the tone of a role."""
        return coloured(self.theme, role, latex)


def lines(formulas: list[str]) -> str:
    """Formulas below each other, all beginning at the left."""
    return r"\begin{aligned}" + r"\\[2pt]".join(f"& {formula}" for formula in formulas) + r"\end{aligned}"


def projected(symbols: Symbols, found: Steps, head: int, biased: bool) -> list[str]:
    """The query and the key as projections of the normed residual stream."""
    told = []
    for letter, matrix, number_, vector in (("q", "Q", head, found.query), ("k", "K", found.kv_head, found.key)):
        place = symbols.places[letter]
        bias = f" + b_{matrix}" if biased else ""
        symbol = rf"{symbols.vector(letter)} = W_{matrix}^{{({number_})}}\,\bar x_{{{place}}}{bias}"
        told += [symbol, rf"\quad = ({listed(vector.tolist())})"]
    return told


def turned(symbols: Symbols, found: Steps, plane: int) -> list[str]:
    """Step: RoPE turns the numbers of one plane by position × frequency; other schemes turn nothing."""
    if not found.turns:
        return [rf"\tilde{{{letter}}} = {letter}" for letter in (symbols.query, symbols.key)]
    frequency, step = rf"\theta_{{{plane}}}", found.frequencies[plane].item()
    told = [r"(a,\, b) \to (a\cos\varphi - b\sin\varphi,\; a\sin\varphi + b\cos\varphi)"]
    pairs = {"q": (found.query, found.turned_query), "k": (found.key, found.turned_key)}
    for (letter, vectors), position in zip(pairs.items(), found.positions, strict=True):
        before, after = (listed(float(value) for value in pair(vector, plane)) for vector in vectors)
        place = symbols.coloured("position", str(position))
        live = rf"\varphi = {place}\,{frequency} = {place} \times {number(step)} = {number(position * step)}"
        told += [rf"{symbols.vector(letter)}{{:}}\; {live}", rf"\quad ({before}) \to ({after})"]
    return told


def products(symbols: Symbols, found: Steps, plane: int) -> list[str]:
    """Step: q·k as a sum over the planes, and one plane's two products."""
    mark = r"\tilde" if found.turns else ""
    q, k = symbols.vector("q", mark=mark), symbols.vector("k", mark=mark)
    even, odd = (
        f"{symbols.vector('q', dimension, mark)}\\,{symbols.vector('k', dimension, mark)}"
        for dimension in ("2p", "2p+1")
    )
    total = rf"\quad = {summed(found.products.tolist())} = \mathbf{{{number(found.cell.product)}}}"
    a, b = pair(found.turned_query.tolist(), plane), pair(found.turned_key.tolist(), plane)
    terms = " + ".join(rf"{bracketed(one)} \times {bracketed(other)}" for one, other in zip(a, b, strict=True))
    one_plane = [rf"p = {plane}{{:}}\; {terms}", rf"\quad = {number(found.products[plane].item())}"]
    return [rf"{q} \cdot {k} = \sum_p \left( {even} + {odd} \right)", total, *one_plane]


def scaled(symbols: Symbols, found: Steps, d_head: int, scale: float) -> list[str]:
    """Step: q·k over √d_head, times the knob's scale where it is changed."""
    factor = "" if scale == 1 else rf" \times {number(scale)}"
    symbol = rf"\frac{{{symbols.query} \cdot {symbols.key}}}{{\sqrt{{{d_head}}}}}{factor}"
    live = rf"\frac{{{number(found.cell.product)}}}{{{number(math.sqrt(d_head))}}}{factor}"
    return [rf"{symbol} = {live} = \mathbf{{{number(found.cell.scaled)}}}"]


def scored(symbols: Symbols, found: Steps, head: int) -> list[str]:
    """Step: the bias of the scheme, the mask, the temperature."""
    cell, lines = found.cell, []
    query, key = (symbols.coloured("position", str(position)) for position in found.positions)
    if found.bias.slope is not None:
        slope, distance = number(found.bias.slope), abs(found.bias.distance)
        live = rf"-{slope} \times {distance} = {number(cell.bias)}"
        lines.append(rf"b = -m_{{{head}}}\,|{query} - {key}| = {live}")
    if found.bias.bucket is not None:
        lines.append(
            rf"b = B_{{\beta({query} - {key}),\,{head}}} = B_{{{found.bias.bucket},\,{head}}} = {number(cell.bias)}"
        )
    if not cell.visible:
        return [*lines, rf"{symbols.score} = \mathbf{{-\infty}}"]
    has_bias = found.bias.slope is not None or found.bias.bucket is not None
    live = number(cell.scaled) + (f" {signed(cell.bias)}" if has_bias else "")
    symbol = r"\frac{q \cdot k}{\sqrt d}" + (" + b" if has_bias else "")
    if found.temperature != 1:
        symbol, live = rf"\left({symbol}\right) \div T", rf"\left({live}\right) \div {number(found.temperature)}"
    if not has_bias and found.temperature == 1:
        return [rf"{symbols.score} = {symbol} = \mathbf{{{live}}}"]
    return [*lines, rf"{symbols.score} = {symbol}", rf"\quad = {live} = \mathbf{{{number(cell.score)}}}"]


def exponential(symbols: Symbols, found: Steps) -> list[str]:
    """Step: the exponential of the score less the row's greatest, and the row's sum of these."""
    cell = found.cell
    score = number(cell.score) if cell.visible else r"(-\infty)"
    one = rf"e^{{{symbols.score} - {symbols.peak}}} = e^{{{score} - {bracketed(cell.peak)}}}"
    terms = summed(sorted((value for value in found.row.exponentials.tolist() if value), reverse=True), 2)
    return [
        rf"{one} = \mathbf{{{number(cell.exponential)}}}",
        rf"\sum_j e^{{{symbols.row} - {symbols.peak}}} = {terms} = \mathbf{{{number(cell.row_sum)}}}",
    ]


def weight(symbols: Symbols, found: Steps) -> list[str]:
    """Step: the quotient of the two."""
    cell = found.cell
    symbol = rf"\frac{{e^{{{symbols.score} - {symbols.peak}}}}}{{\sum_j e^{{{symbols.row} - {symbols.peak}}}}}"
    live = rf"\frac{{{number(cell.exponential)}}}{{{number(cell.row_sum)}}}"
    return [rf"{symbols.weight} = {symbol}", rf"\quad = {live} = \mathbf{{{number(cell.weight)}}}"]


def mixed(symbols: Symbols, found: Steps, dimension: int) -> list[str]:
    """Step: weight × value, summed over the keys; live in one dimension."""
    place = symbols.places["q"]
    values = symbols.coloured("value", "v_j")
    part, total = found.weighted[dimension].item(), found.mixed[dimension].item()
    product = rf"{number(found.cell.weight)} \times {bracketed(found.value[dimension].item())}"
    return [
        rf"{symbols.vector('m')} = \sum_j w_{{{place},j}}\,{values}",
        rf"{symbols.vector('m', dimension)} = {product} {signed(total - part)} = \mathbf{{{number(total)}}}",
    ]


def arrived(symbols: Symbols, found: Steps, head: int, dimension: int, biased: bool) -> list[str]:
    """Step: what the head sends through W_O, and the residual stream after all heads (and b_O) have added theirs."""
    gain = "" if found.gain == 1 else rf"{bracketed(found.gain)} \times "
    ours, others = rf"u^{{({head})}}", rf"\sum_{{h \ne {head}}} u^{{(h)}}"
    bias = " + b_O" if biased else ""
    before, after = found.before[dimension].item(), found.after[dimension].item()
    sent = found.head_part[dimension].item()
    live = f"{number(before)} {signed(sent)} {signed(after - before - sent)}"
    return [
        rf"{ours} = {gain}W_O^{{({head})}}\,{symbols.vector('m')}",
        rf"{symbols.vector(AFTER)} = {symbols.vector('x')} + {ours} + {others}{bias}",
        rf"{symbols.vector(AFTER, dimension)} = {live} = \mathbf{{{number(after)}}}",
    ]


def bench(found: Softmax, entry: int) -> str:
    """The softmax of the bench for one entry, symbols and live numbers."""
    symbol = rf"w_{{{entry}}} = \frac{{e^{{z_{{{entry}}} - \hat z}}}}{{\sum_j e^{{z_j - \hat z}}}}"
    exponent, weight_ = found.exponentials[entry].item(), found.weights[entry].item()
    return rf"{symbol} = \frac{{{number(exponent)}}}{{{number(found.row_sum)}}} = \mathbf{{{number(weight_)}}}"


def bench_scale(width: float, temperature: float) -> str:
    """What the bench does to a score before the softmax."""
    return rf"z_i = \frac{{s_i}}{{\sqrt{{{width:g}}}}} \div {temperature:g}"


def listed(values: Iterable[float]) -> str:
    """The numbers of a vector, only the first and the last of a long one."""
    values = list(values)
    shown = [number(value) for value in values]
    return r",\; ".join(shown if len(shown) <= TERMS_SHOWN else [*shown[:2], r"\dots", shown[-1]])


def summed(values: Iterable[float], shown: int = TERMS_SHOWN) -> str:
    """The first terms of a sum, and dots for the others."""
    values = list(values)
    first = number(values[0]) if values else "0"
    rest = [signed(value) for value in values[1:shown]]
    return " ".join([first, *rest, *([r"+ \dots"] if len(values) > shown else [])])


def bracketed(value: float) -> str:
    """A number as a factor: negative ones in brackets."""
    return rf"({number(value)})" if value < 0 else number(value)


def pair(vector: Sequence, plane: int) -> Sequence:
    """The one or two numbers of a vector that lie in this plane."""
    return vector[2 * plane : 2 * plane + 2]


ROLE_OF = {"q": "query", "k": "key", "v": "value", "m": "value", "x": "residual", AFTER: "residual"}
