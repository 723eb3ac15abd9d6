"""The list of verdicts, and two tables with their difference."""

import numpy as np
import pytest

from viz import same_maths
from viz.same_maths import SHOWN, SIGNS, Line
from viz.theme import THEMES

WORDS = {"first": "A", "second": "B", "difference": "A − B", "row": "token", "column": "key"}
each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


def tables(first, second, holds="scores", place=(0, 0), theme=THEMES["light"]):
    rows, columns = (
        [f"{side}{number}" for number in range(size)] for side, size in zip("rc", first.shape, strict=True)
    )
    return same_maths.tables(
        first, second, holds=holds, rows=rows, columns=columns, place=place, words=WORDS, theme=theme
    )


def some(shape=(3, 4), seed=0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


@each_theme
def test_each_line_has_name_sign_word_and_difference(theme):
    lines = [Line(f"pair {name}", name, 0.5) for name in SIGNS]
    words = {name: f"word {name}" for name in SIGNS}
    figure = same_maths.verdicts(lines, picked=1, words=words, theme=theme)
    names, verdicts, numbers = (trace.text for trace in figure.data[1:])
    assert names[0] == "pair equal"
    assert names[1] == "<b>pair permutation</b>"
    assert verdicts[3] == "≠ word different"
    assert set(numbers) == {"0.5", "<b>0.5</b>"}
    assert len(set(SIGNS.values())) == len(SIGNS)


@each_theme
@pytest.mark.parametrize("shape", [(1, 1), (1, 12), (10, 10), (9, 8)])
def test_the_cells_are_the_tables_and_their_difference(theme, shape):
    first, second = some(shape), some(shape, 1)
    drawn = tables(first, second, theme=theme).data
    for trace, table in zip(drawn, (first, second, first - second), strict=True):
        assert trace.z == pytest.approx(table.astype(np.float32))
        assert trace.z.dtype == np.float32


def test_both_tables_share_a_scale_and_the_difference_has_its_own():
    first = np.array([[1.0, -4], [2, 3]])
    figure = tables(first, first + np.array([[0.5, 0], [0, 0]]))
    assert [(trace.zmin, trace.zmax) for trace in figure.data] == [(-4, 4), (-4, 4), (-0.5, 0.5)]
    assert [note.text for note in figure.layout.annotations] == ["A  ±4", "B  ±4", "A − B  ±0.5"]


def test_rounding_is_drawn_on_the_tables_own_scale():
    first = some()
    trace = tables(first, first + 1e-13).data[2]
    assert trace.zmax == pytest.approx(np.abs(first).max())


@pytest.mark.parametrize(("holds", "ends"), [("weights", (0, 1)), ("waves", (-1, 1))])
def test_weights_and_waves_have_fixed_scales(holds, ends):
    first = np.abs(some()) / 10
    figure = tables(first, first / 2, holds)
    assert [(trace.zmin, trace.zmax) for trace in figure.data[:2]] == [ends, ends]


def test_what_is_no_number_is_left_blank():
    first = np.array([[1.0, -np.inf], [np.nan, 3]])
    second = np.array([[1.0, -1e9], [0, 3]])
    one, other, apart = tables(first, second).data
    assert np.isnan(one.z).tolist() == [[False, True], [True, False]]
    assert other.z[0, 1] == np.float32(-1e9)
    assert (one.zmax, other.zmax) == (3, 3)
    assert np.isnan(apart.z).tolist() == [[False, True], [True, False]]
    assert apart.zmax == 3  # where nothing differs by a number, the tables' own scale


@pytest.mark.parametrize("place", [(0, 0), (100, 300), (255, 575)])
def test_of_a_large_table_the_part_round_the_framed_cell_is_drawn(place):
    first = some((256, 576))
    figure = tables(first, first * 2, place=place)
    seen = same_maths.window(first.shape, place)
    assert seen.rows.stop - seen.rows.start == seen.columns.stop - seen.columns.start == SHOWN
    assert seen.rows.start <= place[0] < seen.rows.stop
    assert figure.data[0].z == pytest.approx(first[seen.rows, seen.columns].astype(np.float32))
    assert figure.data[0].x0 == seen.columns.start
    assert figure.data[0].zmax == pytest.approx(np.abs(first).max())
