"""Q, K and V side by side: all numbers in their places, on scales that are symmetric about 0."""

import numpy as np
import pytest

from viz import projections as pictures
from viz.theme import THEMES

each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
TITLES = {"query": "Q", "key": "K", "value": "V"}


def rows(seq: int, d_head: int = 16) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seq)
    return {role: random.normal(size=(seq, d_head)).astype(np.float32) for role in TITLES}


def draw(matrices, picked=(0, 0), tokens=None, theme=THEMES["light"]):
    tokens = tokens or [f"t{place}" for place in range(len(matrices["query"]))]
    return pictures.side_by_side(matrices, tokens, picked=picked, titles=TITLES, dimension="dimension", theme=theme)


@each_theme
@pytest.mark.parametrize("seq", [1, 2, 32, 33, 64])
def test_the_cells_are_the_numbers_and_zero_is_in_the_middle(theme, seq):
    matrices = rows(seq)
    for trace, role in zip(draw(matrices, theme=theme).data, TITLES, strict=True):
        assert np.array_equal(trace.z, matrices[role])
        assert trace.zmin == -trace.zmax
        assert trace.zmax == pytest.approx(np.abs(matrices[role]).max())


@pytest.mark.parametrize("picked", [0, 31, 32, 100, 255])
def test_of_a_long_text_a_window_is_drawn_that_holds_the_query(picked):
    seen = pictures.window(256, picked)
    assert seen.stop - seen.start == pictures.ROWS
    assert 0 <= seen.start <= picked < seen.stop <= 256
    matrices = rows(256)
    figure = draw(matrices, picked=(picked, 0))
    assert np.array_equal(figure.data[0].z, matrices["query"][seen.start : seen.stop])
    assert list(figure.data[0].y) == list(range(seen.start, seen.stop))
    assert len(figure.layout.yaxis.tickvals) <= pictures.LABELLED_UP_TO


def test_the_query_is_framed_in_q_and_the_key_in_k_and_v():
    figure = draw(rows(9), picked=(7, 1))
    frames = [(shape.xref, shape.y0, shape.y1) for shape in figure.layout.shapes]
    assert frames == [("x", 6.5, 7.5), ("x2", 0.5, 1.5), ("x3", 0.5, 1.5)]


def test_a_key_outside_the_window_has_no_frame():
    assert len(draw(rows(256), picked=(255, 0)).layout.shapes) == 1


def test_labels_keep_markup_as_text():
    figure = draw(rows(3), tokens=["<b>", "a&b", "1"])
    assert list(figure.layout.yaxis.ticktext) == ["&lt;b&gt;", "a&amp;b", "1"]


@each_theme
def test_the_products_are_bars_about_zero_over_their_two_rows(theme):
    query, key = np.array([1.0, -2, 0]), np.array([3.0, 1, 5])
    figure = pictures.dot_product(
        query, key, query * key, names=("q", "k", "q × k"), dimension="dimension", theme=theme
    )
    strip_q, strip_k, bars = figure.data
    assert np.array_equal(strip_q.z, query[None])
    assert np.array_equal(strip_k.z, key[None])
    assert np.array_equal(bars.y, [3, -2, 0])
    low, high = figure.layout.yaxis3.range
    assert low == -high
    assert high > 3


def test_a_row_of_zeros_has_a_scale_all_the_same():
    zeros = {role: np.zeros((2, 4), np.float32) for role in TITLES}
    assert all(trace.zmax == 1 for trace in draw(zeros).data)


def test_32_tokens_are_at_most_60_kilobytes_on_the_wire():
    assert len(draw(rows(32, 64)).to_json()) <= 60_000
