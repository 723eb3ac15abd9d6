"""Laws of the pictures that put schemes side by side."""

import numpy as np
import pytest

from viz.compare import SIDE, losses, next_tokens, numbers, span, square
from viz.curves import Axes, curve
from viz.theme import DARK, LIGHT

WORDS = dict.fromkeys(("query", "key", "value", "scheme", "token", "probability", "loss", "expected"), "word")


def tokens(count: int) -> list[str]:
    return [f"t{place}" for place in range(count)]


def drawn(count: int, picked: tuple[int, int] = (0, 0), limit: float | None = None):
    values = np.arange(count * count, dtype=np.float32).reshape(count, count) / count**2
    return values, square(values, tokens(count), picked=picked, limit=limit, words=WORDS, theme=LIGHT)


@pytest.mark.parametrize("count", [1, 5, SIDE])
def test_a_square_shows_every_cell_that_may_be_seen_and_no_other(count):
    values, figure = drawn(count)
    shown = figure.data[0].z
    seen = np.tri(count, dtype=bool)
    assert np.array_equal(shown[seen], values[seen])
    assert np.isnan(shown[~seen]).all()


def test_scales_are_fixed_and_symmetric_for_signed_numbers():
    _, weights = drawn(4)
    _, signed = drawn(4, limit=20)
    assert (weights.data[0].zmin, weights.data[0].zmax) == (0, 1)
    assert (signed.data[0].zmin, signed.data[0].zmax) == (-20, 20)
    assert weights.data[0].colorscale != signed.data[0].colorscale


@pytest.mark.parametrize("picked", [(0, 0), (199, 0), (100, 70), (199, 199)])
def test_of_a_long_text_a_square_holds_the_picked_cell_and_counts_tokens_of_the_whole(picked):
    values, figure = drawn(200, picked)
    cells = figure.data[0]
    row, column = picked[0] - cells.y0, picked[1] - cells.x0
    assert cells.z.shape == (SIDE, SIDE)
    assert cells.z[row, column] == values[picked]
    assert figure.layout.xaxis.range == (cells.x0 - 0.5, cells.x0 + SIDE - 0.5)
    labels = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    assert all(text == f"t{place}" for place, text in labels.items())


def test_a_span_holds_the_picked_place_and_never_leaves_the_text():
    for count in (1, SIDE, SIDE + 1, 150, 256):
        for picked in range(count):
            found = span(count, picked)
            assert picked in range(count)[found]
            assert found.stop - found.start == min(count, SIDE)


def test_the_hatching_covers_as_many_cells_as_are_hidden():
    for picked in ((9, 9), (199, 150), (70, 199)):
        _, figure = drawn(200 if max(picked) > 9 else 10, picked)
        if len(figure.data) == 1:
            assert np.isfinite(figure.data[0].z).all()
            continue
        x, y = figure.data[1].x, figure.data[1].y
        area = abs(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)) / 2
        assert area == np.isnan(figure.data[0].z).sum()


def test_markup_in_tokens_is_shown_and_not_acted_on():
    shares = np.array([[0.5]], dtype=np.float32)
    answers = next_tokens([["<b>"]], shares, ["a"], words=WORDS, theme=LIGHT)
    surprise = losses(shares, ["<b>"], ["a"], [["<i>"]], top=7, words=WORDS, theme=LIGHT)
    assert answers.data[0].text[0][0] == "&lt;b&gt;<br>0.50"
    assert surprise.data[0].text[0][0] == "&lt;i&gt;"
    assert surprise.layout.xaxis.ticktext[0] == "&lt;b&gt;"


def test_text_in_cells_is_readable_on_both_themes():
    found = np.array([[0.0, 3.5, 6.9, 12.0]], dtype=np.float32)
    for theme in (LIGHT, DARK):
        figure = numbers(found, [["a"] * 4], ["s"], list("abcd"), top=6.9, words=WORDS, theme=theme)
        assert list(figure.data[1].textfont.color) == theme.text_on(np.clip(found / 6.9, 0, 1).ravel())


def axes(mark: float | None = None) -> Axes:
    return Axes(top=2, range=(0, 4), ticks=[0, 4], names=["a", "b"], hover="%{y}", mark=mark)


def test_a_curve_is_the_mean_of_the_seeds_and_the_band_from_least_to_most():
    seeds = np.array([[1, 0, 2], [0, 1, 2], [0.5, 0.5, 2]])
    figure = curve(np.arange(3.0), seeds, [], axes(), LIGHT)
    line, band = figure.data
    assert line.y == pytest.approx(seeds.mean(axis=0))
    assert np.array_equal(line.customdata, np.stack([seeds.min(axis=0), seeds.max(axis=0)], axis=1))
    assert band.y == pytest.approx([*seeds.max(axis=0), *seeds.min(axis=0)[::-1]])


def test_where_a_scheme_cannot_run_there_is_no_point_but_hatching():
    seeds = np.array([[1, 1, np.nan, np.nan]] * 3)
    figure = curve(np.arange(4.0), seeds, [seeds[0]], axes(mark=2), LIGHT)
    assert len(figure.data[0].y) == 2
    assert figure.data[-1].fillpattern.shape == "/"
    assert min(figure.data[-1].x) == 2
    assert max(figure.data[-1].x) == 4
