"""Pictures of RoPE: arrows point where the numbers say, arcs follow the turn, scales are fixed and symmetric."""

import numpy as np
import pytest

from viz import rope
from viz.theme import DARK, LIGHT

WORDS = {
    "plane": "plane",
    "now": "now",
    "before": "before",
    "bound": "bound",
    "distance": "distance",
    "part": "part",
    "position": "position",
    "error": "error",
    "turned": "turns by {radians}",
}


def arrow(angle: float, before=(2.0, 1.0)) -> rope.Arrow:
    before = np.array(before)
    cosine, sine = np.cos(angle), np.sin(angle)
    after = np.array([[cosine, -sine], [sine, cosine]]) @ before
    return rope.Arrow("query", "q", before, after, angle)


@pytest.mark.parametrize("angle", [0.0, 0.7, 3.5, -1.2, 13.6, 500.0])
def test_arrow_and_arc_end_where_the_turn_ends(angle):
    drawn = arrow(angle)
    circle, dotted, arc, solid = rope.one_plane([drawn], radius=3.0, words=WORDS, theme=LIGHT).data
    assert (solid.x[1], solid.y[1]) == pytest.approx(tuple(drawn.after), abs=1e-5)
    assert (dotted.x[1], dotted.y[1]) == pytest.approx(tuple(drawn.before), abs=1e-5)
    assert np.hypot(circle.x, circle.y) == pytest.approx(np.hypot(2, 1), abs=1e-5)
    ends = np.arctan2([arc.y[0], arc.y[-1]], [arc.x[0], arc.x[-1]])
    wanted = np.arctan2([drawn.before[1], drawn.after[1]], [drawn.before[0], drawn.after[0]])
    assert np.cos(ends - wanted) == pytest.approx(1, abs=1e-5)
    assert f"{angle:.6g}" in solid.hovertemplate
    swept = np.unwrap(np.arctan2(arc.y, arc.x))
    assert swept[-1] - swept[0] == pytest.approx(np.fmod(angle, 2 * np.pi), abs=1e-4)


def test_a_plane_of_zeros_can_be_drawn():
    figure = rope.one_plane([arrow(1.0, (0.0, 0.0))], radius=0.0, words=WORDS, theme=DARK)
    assert np.isfinite(figure.layout.xaxis.range).all()


def test_both_axes_of_a_plane_have_one_scale():
    layout = rope.one_plane([arrow(1.0)], radius=3.0, words=WORDS, theme=LIGHT).layout
    assert layout.xaxis.range == layout.yaxis.range
    assert layout.yaxis.scaleanchor == "x"


def test_bars_are_the_parts_now_outlines_the_parts_before_and_no_bar_passes_the_scale():
    now, before, bounds = np.array([1.0, -2.0, 0.0]), np.array([0.5, 2.0, 0.0]), np.array([1.5, 2.5, 4.0])
    figure = rope.plane_parts(now, before, bounds, picked=1, words=WORDS, theme=LIGHT)
    solid, outline, limits = figure.data
    assert solid.y.tolist() == now.tolist()
    assert outline.y.tolist() == before.tolist()
    assert limits.y.tolist() == [*bounds.tolist(), *(-bounds).tolist()]
    low, high = figure.layout.yaxis.range
    assert -low == high > 4.0
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (0.5, 1.5)
    assert len(set(solid.marker.color[:2])) == 2


def test_the_planes_by_distance_have_one_scale_symmetric_about_zero():
    parts = np.arange(12.0).reshape(3, 4)
    distances = np.arange(-1, 3)
    figure = rope.planes_by_distance(parts, distances, edge=20.0, here=2, picked=1, words=WORDS, theme=LIGHT)
    cells = figure.data[0]
    assert np.array_equal(cells.z, parts)
    assert (cells.zmin, cells.zmax) == (-20.0, 20.0)
    assert cells.colorscale[1][0] == 0.25
    assert list(figure.layout.yaxis.range) == [2.5, -0.5]
    row, column = figure.layout.shapes
    assert (row.y0, row.y1) == (0.5, 1.5)
    assert (column.x0, column.x1) == (2, 2)


def test_errors_go_from_none_to_two_and_what_is_no_number_stays_blank():
    errors = np.array([[0.0, 1.0], [2.0, np.nan]])
    figure = rope.errors_by_position(errors, np.array([0, 64]), ["a", "b"], words=WORDS, theme=LIGHT)
    cells = figure.data[0]
    assert (cells.zmin, cells.zmax) == (0, 2)
    assert np.isnan(cells.z[1, 1])
    assert cells.x.tolist() == [32, 96]
    assert cells.customdata[1].tolist() == [0, 64]
    assert list(figure.layout.xaxis.range) == [0, 128]
    assert list(figure.layout.yaxis.ticktext) == ["a", "b"]
