"""Pictures of one cell: every number in its place, one scale symmetric about 0, masked keys never drawn as 0."""

import numpy as np
import pytest

from viz.row_of_keys import RowOfKeys, row_of_keys
from viz.stepper import Bars, plane_products, strips, vectors
from viz.theme import THEMES
from viz.turned_planes import PLANES_SHOWN, turned_planes

WORDS = {
    "dimension": "dimension",
    "plane": "plane",
    "query": "query",
    "key": "key",
    "turned": "turns by {radians}",
    "value": "value",
    "before": "before",
    "masked": "masked",
}
each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
LIGHT = THEMES["light"]


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@each_theme
@pytest.mark.parametrize("width", [1, 5, 64])
def test_two_vectors_share_one_scale_symmetric_about_zero(theme, width):
    upper, lower = numbers(width), 10 * numbers(width, seed=1)
    figure = vectors(Bars(upper, "q", "query"), Bars(lower, "k", "key"), picked=0, words=WORDS, theme=theme)
    assert np.array_equal(figure.data[0].y, upper)
    assert np.array_equal(figure.data[1].y, lower)
    low, high = figure.layout.yaxis.range
    assert low == -high
    assert list(figure.layout.yaxis2.range) == [low, high]
    assert high >= np.abs(lower).max()


@each_theme
def test_products_have_a_bar_a_plane_and_a_colour_for_each_sign(theme):
    products = np.array([1.0, -2.0, 0.5])
    figure = plane_products(products, picked=1, words=WORDS, theme=theme)
    assert np.allclose(figure.data[0].y, products)
    colours = figure.data[0].marker.color
    assert colours[0] == colours[2] != colours[1]
    assert figure.layout.yaxis.range[0] == -figure.layout.yaxis.range[1]


def draw_planes(count: int, picked: int = 0):
    before = {role: numbers(count, 2, seed=seed) for seed, role in enumerate(("query", "key"))}
    turn = np.pi / 2
    after = {role: pairs @ np.array([[0, 1], [-1, 0]], dtype=np.float32) for role, pairs in before.items()}
    angles = {role: np.full(count, turn) for role in before}
    return before, turned_planes(before, after, angles, picked=picked, words=WORDS, theme=LIGHT)


@pytest.mark.parametrize("count", [1, 5, 32, 33, 64])
def test_arrows_point_where_the_pairs_point_and_a_quarter_turn_is_a_right_angle(count):
    before, figure = draw_planes(count)
    centres = np.stack((figure.data[0].x, figure.data[0].y), axis=1)
    assert len(centres) == count
    dotted, solid = (np.stack((trace.x, trace.y), axis=1).reshape(count, 3, 2) for trace in figure.data[3:5])
    direction = (dotted[:, 1] - centres) / 0.42
    lengths = np.linalg.norm(before["query"], axis=1, keepdims=True)
    assert np.allclose(direction, before["query"] / lengths, atol=1e-5)
    assert np.allclose(((dotted[:, 1] - centres) * (solid[:, 1] - centres)).sum(axis=1), 0, atol=1e-5)


def test_wide_heads_show_the_fastest_planes_and_a_picked_one_beyond_them_frames_the_last():
    _, figure = draw_planes(PLANES_SHOWN + 20, picked=80)
    assert len(figure.data[0].x) == PLANES_SHOWN
    frame = figure.layout.shapes[0]
    assert (frame.x0 + frame.x1) / 2 == pytest.approx(figure.data[0].x[-1])


def test_a_vector_of_zeros_has_an_arrow_without_length_and_no_nan():
    zero = {role: np.zeros((2, 2), dtype=np.float32) for role in ("query", "key")}
    figure = turned_planes(zero, zero, {role: np.zeros(2) for role in zero}, picked=0, words=WORDS, theme=LIGHT)
    tips = np.array(figure.data[4].x).reshape(2, 3)[:, :2]
    assert np.isfinite(tips).all()


def row(share: bool = False, **changes):
    values = np.array([0.25, 0.5, 0.25, -np.inf if not share else 0.0])
    hidden = np.array([False, False, False, True])
    given = {"places": np.array([0, 3, 4, 9]), "values": values, "hidden": hidden} | changes
    tokens = [f"<b>{place}" for place in range(12)]
    return row_of_keys(RowOfKeys(**given), tokens, picked=3, share=share, words=WORDS, theme=LIGHT)


@pytest.mark.parametrize("share", [False, True])
def test_hidden_keys_are_hatched_and_have_no_bar(share):
    figure = row(share)
    bars, hatched = figure.data[0], figure.data[-1]
    assert np.allclose(bars.x[:3], [0.25, 0.5, 0.25])
    assert np.isnan(bars.x[3])
    assert list(hatched.y) == [3]
    assert hatched.marker.pattern.shape == "/"


def test_shares_have_the_scale_of_a_weight_and_scores_one_symmetric_about_zero():
    low, high = row(share=True).layout.xaxis.range
    assert low == 0
    assert high >= 1
    low, high = row(before=np.array([-3.0, 1.0, 1.0, 0.0])).layout.xaxis.range
    assert low == -high
    assert high >= 3


def test_labels_escape_markup_and_the_picked_key_is_marked():
    ticks = row().layout.yaxis.ticktext
    assert all("&lt;b&gt;" in tick for tick in ticks)
    assert ["<span" in tick for tick in ticks] == [False, True, False, False]
    assert "−∞" in ticks[3]


@each_theme
def test_strips_lie_on_one_scale_with_zero_in_the_middle(theme):
    parts = numbers(3, 50)
    figure = strips(parts, ["a", "b", "c"], picked=7, words=WORDS, theme=theme)
    cells = figure.data[0]
    assert np.array_equal(cells.z, parts)
    assert cells.zmin == -cells.zmax
    assert cells.zmax == pytest.approx(np.abs(parts).max())
