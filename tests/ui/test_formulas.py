"""Formulas: numbers as they are written in them."""

import math
from types import SimpleNamespace

import pytest

from model.analysis import Cell
from ui import formulas
from viz.theme import THEMES

CELL = Cell(12.0, 1.5, -0.5, 1.0, 2.0, math.exp(-1), 1.5, math.exp(-1) / 1.5, True)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0"),
        (50.073017, "50.07"),
        (0.80396, "0.8040"),
        (-1.25, "-1.250"),
        (12345.6, "12346"),
        (1.5e-7, r"1.500\times 10^{-7}"),
        (2.5e8, r"2.500\times 10^{8}"),
        (-math.inf, r"-\infty"),
    ],
)
def test_numbers_have_four_significant_digits(value, written):
    assert formulas.number(value) == written


def found(cell: Cell, slope: float | None, temperature: float) -> SimpleNamespace:
    """As much of a cell's steps as these formulas read."""
    bias = SimpleNamespace(slope=slope, bucket=None, distance=1)
    return SimpleNamespace(cell=cell, bias=bias, temperature=temperature, positions=(3, 2))


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_the_score_shows_the_bias_and_the_temperature_only_where_they_are(theme):
    symbols = formulas.Symbols(theme, 3, 1)
    full = " ".join(formulas.scored(symbols, found(CELL, 0.5, 2.0), head=0))
    assert "- 0.5000" in full
    assert r"\div 2.000" in full
    unbiased = Cell(12.0, 1.5, 0.0, 1.5, 2.0, 0.6, 1.5, 0.4, True)
    bare = " ".join(formulas.scored(symbols, found(unbiased, None, 1.0), head=0))
    assert "b" not in bare.replace(r"\mathbf", "")
    assert "div" not in bare


def test_the_weight_shows_exponential_row_sum_and_weight():
    latex = " ".join(formulas.weight(formulas.Symbols(THEMES["light"], 3, 1), found(CELL, None, 1.0)))
    for value in (CELL.exponential, CELL.row_sum, CELL.weight):
        assert formulas.number(value) in latex
