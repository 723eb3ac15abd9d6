"""Every formula on screen as LaTeX, symbols coloured by role; no words of any language. The one home of formulas."""

import math

from model.analysis import Cell
from viz.theme import Theme


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


class Symbols:
    """The symbols of one cell, i the query's place and j the key's, in the tones of a theme."""

    def __init__(self, theme: Theme, query: int, key: int) -> None:
        self.query = rf"\textcolor{{{theme.text['query']}}}{{q_{{{query}}}}}"
        self.key = rf"\textcolor{{{theme.text['key']}}}{{k_{{{key}}}}}"
        self.value = rf"\textcolor{{{theme.text['value']}}}{{v_{{{key}}}}}"
        self.score = rf"s_{{{query},{key}}}"
        self.weight = rf"w_{{{query},{key}}}"
        self.row = rf"s_{{{query},j}}"


def product(symbols: Symbols, cell: Cell) -> str:
    """q·k."""
    return rf"{symbols.query} \cdot {symbols.key} = \mathbf{{{number(cell.product)}}}"


def score(symbols: Symbols, cell: Cell, d_head: int, scale: float, temperature: float) -> str:
    """The score: q·k through the scale, the bias where there is one, the temperature where it is changed."""
    factor = "" if scale == 1 else rf" \times {number(scale)}"
    symbol = rf"\frac{{{symbols.query} \cdot {symbols.key}}}{{\sqrt{{{d_head}}}}}{factor}"
    live = rf"\frac{{{number(cell.product)}}}{{{number(math.sqrt(d_head))}}}{factor}"
    if cell.bias:
        symbol, live = f"{symbol} + b", f"{live} {signed(cell.bias)}"
    if temperature != 1:
        symbol, live = (rf"\left({part}\right) \div {number(temperature)}" for part in (symbol, live))
    return rf"{symbols.score} = {symbol} = {live} = \mathbf{{{number(cell.score)}}}"


def softmax(symbols: Symbols, cell: Cell) -> str:
    """The weight: the exponential of the score over the sum of its row, both relative to the row's greatest score."""
    peak = r"\hat s"
    symbol = rf"\frac{{e^{{{symbols.score} - {peak}}}}}{{\sum_j e^{{{symbols.row} - {peak}}}}}"
    live = rf"\frac{{{number(cell.exponential)}}}{{{number(cell.row_sum)}}}"
    return rf"{symbols.weight} = {symbol} = {live} = \mathbf{{{number(cell.weight)}}}"
