"""Pictures of two orders: every token has its line, every difference its place on a scale that never changes."""

import numpy as np
import pytest

from viz import order
from viz.order import Differences
from viz.theme import THEMES

WORDS = {name: name for name in ("token", "from", "to", "difference", "relative", "same")} | {"layer": "after {layer}"}
each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


def crossing(moved, theme=THEMES["light"], picked=0, tokens=None):
    tokens = tokens or [f"t{place}" for place in range(len(moved))]
    return order.crossing(tokens, moved, picked=picked, words=WORDS, theme=theme)


@each_theme
@pytest.mark.parametrize("moved", [(0,), (0, 3, 2, 1), tuple(range(256))[::-1]])
def test_every_token_has_one_line_from_its_old_place_to_its_new_one(moved, theme):
    figure = crossing(moved, theme)
    drawn = set()
    for trace in figure.data[:3]:
        for x0, x1, _ in np.reshape(trace.x, (-1, 3)):
            drawn.add((int(x0), int(x1)))
    assert drawn == {(old, moved.index(old)) for old in range(len(moved))}


def test_the_second_axis_names_the_tokens_in_their_new_order():
    layout = crossing((0, 3, 2, 1), tokens=["<s>", "<b>", "1", "1"]).layout
    assert list(layout.xaxis.ticktext) == ["&lt;s&gt;", "&lt;b&gt;", "1", "1"]
    assert list(layout.xaxis2.ticktext) == ["&lt;s&gt;", "1", "1", "&lt;b&gt;"]
    assert list(layout.xaxis.tickvals) == list(layout.xaxis2.tickvals) == [0, 1, 2, 3]


def test_a_pick_names_the_old_place():
    ends = crossing((0, 3, 2, 1)).data[3]
    assert list(ends.x) == [0, 1, 2, 3]
    assert list(ends.customdata) == [0, 3, 2, 1]


def table(rows, columns, seed=0) -> Differences:
    relative = 10.0 ** np.random.default_rng(seed).uniform(-9, 0.5, (rows, columns))
    return Differences(relative * 3, relative, relative < 1e-5)


def differences(found, theme=THEMES["light"], picked=0):
    rows, columns = found.relative.shape
    names = [f"t{place}" for place in range(rows)], [f"s{place}" for place in range(columns)]
    return order.differences(found, *names, picked=picked, words=WORDS, theme=theme)


@each_theme
@pytest.mark.parametrize("rows", [1, 4, 40, 41, 256])
def test_shades_are_logarithmic_between_fixed_ends(theme, rows):
    found = table(rows, 4)
    cells = differences(found, theme).data[0]
    shade = np.clip((np.log10(found.relative) + 8) / 8, 0, 1)
    assert cells.z == pytest.approx(shade, abs=1e-6)
    assert (cells.zmin, cells.zmax) == (0, 1)
    assert cells.z.dtype == np.float32
    assert np.array_equal(cells.customdata[..., 0], found.absolute.astype(np.float32))
    assert order.height(rows) <= 850


def test_signs_say_what_is_the_same_and_no_cell_is_without_its_number():
    found = table(5, 3)
    numbers = differences(found).data[1]
    assert [text[0] == "=" for text in numbers.text] == found.same.ravel().tolist()
    assert [text[2:] for text in numbers.text] == [order.short(value) for value in found.absolute.ravel()]


def test_a_difference_of_zero_is_drawn_as_none():
    found = Differences(np.zeros((2, 2)), np.zeros((2, 2)), np.ones((2, 2), dtype=bool))
    figure = differences(found, picked=None)
    assert (figure.data[0].z == 0).all()
    assert set(figure.data[1].text) == {"= 0"}
    assert not figure.layout.shapes


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (np.inf, "∞"), (1.234e-7, "1e−7"), (0.0123, "0.012"), (3.14159, "3.1"), (123.4, "123"), (2.5e4, "2e4")],
)
def test_short_numbers(number, text):
    assert order.short(number) == text


def test_a_dot_for_every_order_and_layer_and_a_line_at_the_tolerance():
    relative = 10.0 ** np.random.default_rng(1).uniform(-9, 0, (7, 3))
    relative[0, 0] = 0
    figure = order.by_layer(relative, [f"o{n}" for n in range(7)], tolerance=1e-5, words=WORDS, theme=THEMES["dark"])
    dots = figure.data[0]
    assert np.array_equal(dots.customdata, relative.ravel().astype(np.float32))
    assert min(dots.y) >= 0.99e-8
    assert [round(x) for x in dots.x] == [0, 1, 2] * 7
    assert figure.layout.shapes[0].y0 == 1e-5
    assert list(figure.layout.yaxis.range) == [-8.3, 0.6]
