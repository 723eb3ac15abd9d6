"""Pictures of positions: tables, curves, waves, triangles, bars and the machine, on their fixed scales."""

import numpy as np
import pytest

from viz import entry, lines, pairs, tables, triangles, waves
from viz.lines import Axis, Line, Mark
from viz.tables import Table
from viz.theme import THEMES, contrast

WORDS = {name: name for name in ("row", "column", "query", "key", "distance", "position", "sine", "cosine")}
each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
LIGHT = THEMES["light"]
HARD = ["<b>x</b>", "1", "1", "小明", "🙂", "a" * 200]


def beside(values, **changes):
    table = Table(values, "PE", "position", **changes)
    return tables.beside([table, table], [str(row) for row in range(len(values))], words=WORDS, theme=LIGHT)


@each_theme
def test_tables_keep_their_fixed_scale_and_row_0_is_at_the_top(theme):  # misconceptions 13, 14
    values = np.random.default_rng(1).normal(size=(5, 8)) / 9
    shown = [Table(values, "E", "token"), Table(values, "X", "residual", 2.0)]
    figure = tables.beside(shown, list("abcde"), picked=(2, 3), words=WORDS, theme=theme)
    for trace, limit in zip(figure.data, (1, 2), strict=True):
        assert (trace.zmin, trace.zmax) == (-limit, limit)
        assert trace.z.dtype == np.float32
        np.testing.assert_allclose(trace.z, values, rtol=1e-6)
    for axis in (figure.layout.yaxis, figure.layout.yaxis2):
        assert axis.range[0] > axis.range[1]
    assert dict(figure.data[0].colorscale)[0.5] == theme.background


def test_a_table_of_lengths_begins_at_0():
    figure = beside(np.ones((3, 3)), limit=4.0, signed=False)
    assert (figure.data[0].zmin, figure.data[0].zmax) == (0, 4)


def test_the_picked_row_and_column_are_framed_in_every_table():
    table = Table(np.zeros((4, 6)), "", "token")
    figure = tables.beside([table] * 3, list("abcd"), picked=(1, 5), words=WORDS, theme=LIGHT)
    assert len(figure.layout.shapes) == 6
    for row, column in zip(figure.layout.shapes[::2], figure.layout.shapes[1::2], strict=True):
        assert (row.y0, row.y1) == (0.5, 1.5)
        assert (column.x0, column.x1) == (4.5, 5.5)


def test_labels_of_rows_are_numeric_places_with_text_made_harmless():
    table = Table(np.zeros((6, 2)), "", "token")
    figure = tables.beside([table], HARD, words=WORDS, theme=LIGHT)
    assert list(figure.layout.yaxis.tickvals) == list(range(6))
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;x&lt;/b&gt;"
    assert len(figure.layout.yaxis.ticktext[5]) == 12


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 2), (64, 512), (24, 8), (25, 64)])
def test_a_table_of_any_size_can_be_drawn(rows, columns):
    figure = beside(np.zeros((rows, columns)))
    assert len(figure.layout.yaxis.ticktext) == len(figure.layout.yaxis.tickvals) <= 24


def curve(**changes):
    return Line(np.arange(4), np.array([1.0, 2.0, 4.0, 3.0]), "name", "#123456", **changes)


def test_curves_hold_their_points_and_axes_their_ranges():
    figure = lines.lines(
        [curve(dots=True), curve(steps=True, legend=False)],
        x=Axis("x", (-1, 5)),
        y=Axis("y", (1, 100), log=True),
        marks=[Mark(2, "here")],
        theme=LIGHT,
    )
    assert figure.data[0].y.tolist() == [1, 2, 4, 3]
    assert figure.data[0].mode == "lines+markers"
    assert figure.data[1].line.shape == "hv"
    assert list(figure.layout.yaxis.range) == [0, 2]
    assert list(figure.layout.xaxis.range) == [-1, 5]
    assert figure.layout.shapes[0].x0 == 2
    assert not figure.layout.showlegend  # only one of the two is named


def test_curves_as_a_table_of_text():
    assert lines.table([curve()], "x") == [["x", "name"], ["0", "1"], ["1", "2"], ["2", "4"], ["3", "3"]]


def test_waves_go_through_the_values_of_the_table():
    frequencies = np.array([1, 0.1])
    figure = waves.waves(
        frequencies, [0, 1], ["a", "b"], positions=range(64, 96), picked=(70, 1), words=WORDS, theme=LIGHT
    )
    dots = figure.data[0]
    for point in (0, 1, 33, 63):
        position, lane = 64 + point // 2, point % 2
        angle = position * frequencies[lane]
        assert dots.x[point] == position
        assert dots.y[point] == pytest.approx(lane - waves.LANE * np.sin(angle), abs=1e-5)
        assert dots.customdata[point].tolist() == pytest.approx([np.sin(angle), np.cos(angle)], abs=1e-5)
    sine = figure.data[1]
    assert (sine.x0, sine.dx) == (64, 1 / waves.BETWEEN)
    assert sine.y[:: waves.BETWEEN].tolist() == pytest.approx(dots.y[::2].tolist(), abs=1e-6)


@pytest.mark.parametrize("count", [1, 4, 8, 9, 32, 256])
def test_the_shown_pairs_are_few_in_order_and_hold_the_picked_one(count):
    for picked in {0, count // 3, count - 1}:
        shown = waves.shown_pairs(count, picked)
        assert len(shown) == min(count, 8)
        assert picked in shown
        assert shown == sorted(set(shown))
        assert (shown[0], shown[-1]) == (0, count - 1)


@pytest.mark.parametrize("heads", [1, 4, 6, 16])
def test_triangles_leave_the_future_blank_and_share_one_scale(heads):
    bias = -np.arange(1, heads + 1)[:, None, None] * np.abs(np.arange(7)[:, None] - np.arange(7)).astype(float)
    names = [f"head {place}" for place in range(heads)]
    figure = triangles.triangles(bias, names, limit=9.0, picked=(heads - 1, 6, 2), words=WORDS, theme=LIGHT)
    seen = np.tri(7, dtype=bool)
    assert len(figure.data) == heads
    for head, trace in enumerate(figure.data):
        assert (trace.zmin, trace.zmax) == (-9, 9)
        np.testing.assert_array_equal(trace.z[seen], bias[head][seen].astype(np.float32))
        assert np.isnan(trace.z[~seen]).all()
        assert trace.customdata[5, 2].tolist() == [5, 2]
    boxes = {(trace.x0, trace.y0) for trace in figure.data}
    assert len(boxes) == heads
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]


def test_a_pick_outside_the_drawn_tokens_frames_the_head_alone():
    bias = np.zeros((2, 5, 5))
    figure = triangles.triangles(bias, ["a", "b"], limit=1.0, picked=(0, 40, 3), words=WORDS, theme=LIGHT)
    assert len(figure.layout.shapes) == 1


@pytest.mark.parametrize("start", [0, 20, 1000])
def test_distances_do_not_change_with_the_start_and_labels_do(start):
    figure = triangles.distances(start + np.arange(6), HARD, picked=(5, 0), words=WORDS, theme=LIGHT)
    seen = np.tri(6, dtype=bool)
    wanted = np.arange(6)[:, None] - np.arange(6)
    np.testing.assert_array_equal(figure.data[0].z[seen], wanted[seen])
    assert np.isnan(figure.data[0].z[~seen]).all()
    assert figure.layout.xaxis.ticktext[3] == f"小明 @{start + 3}"
    assert set(figure.data[1].text) == {str(distance) for distance in range(6)}


@pytest.mark.parametrize("seq", [1, 2, 32])
def test_distances_of_any_number_of_tokens_can_be_drawn(seq):
    labels = [f"t{place}" for place in range(seq)]
    figure = triangles.distances(np.arange(seq), labels, picked=(0, 0), words=WORDS, theme=LIGHT)
    assert figure.data[0].z.shape == (seq, seq)


def test_paired_bars_carry_their_amounts():
    amounts = [("one", "#111111", np.array([5.0, 7e6])), ("two", "#222222", np.array([0.0, 1.0]))]
    figure = pairs.pairs(amounts, ["参数", "b"], most=7e6, digits=",.0f", theme=LIGHT)
    assert figure.data[0].text == ("5", "7,000,000")
    assert figure.data[1].x.tolist() == [0, 1]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    told = pairs.pairs(amounts[:1], ["a", "b"], most=1.0, digits=".1f", texts=["x", "y"], theme=LIGHT)
    assert told.data[0].text == ("x", "y")


@each_theme
@pytest.mark.parametrize("place", [*entry.ENTERS_AT, "nothing"])
def test_only_the_place_of_the_scheme_is_lit(theme, place):
    names = dict.fromkeys(entry.STAGES, "stage")
    places = {name: name for name in entry.ENTERS_AT}
    figure = entry.entry(place, names, places, "block", theme)
    lit = [shape for shape in figure.layout.shapes if shape.line.width == 2.5]
    assert len(lit) == (place in entry.ENTERS_AT)
    if lit:
        row = entry.ENTERS_AT[place]
        assert (lit[0].y0 + lit[0].y1) / 2 == row
    texts = [note.text for note in figure.layout.annotations if note.text]
    assert texts.count("stage") == len(entry.STAGES)
    assert set(entry.ENTERS_AT) <= set(texts)


def test_the_text_on_the_lit_place_is_legible():
    from viz.theme import ROLES

    colour = tuple(int(ROLES["position"][at : at + 2], 16) for at in (1, 3, 5))
    assert contrast((0, 0, 0), colour) > 4.5


def test_positions_enter_after_the_projections_and_before_the_softmax():
    order = {name: place for place, name in enumerate(entry.STAGES)}
    assert order["embedding"] < entry.ENTERS_AT["embedding"] < order["normed"]
    assert order["projections"] < entry.ENTERS_AT["query and key"] < order["product"]
    assert order["product"] < entry.ENTERS_AT["score"] < order["softmax"]
