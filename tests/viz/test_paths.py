"""Serial and parallel: points at their steps, the way from key to query, and both counts by length."""

import numpy as np
import pytest

from viz import paths
from viz.theme import THEMES

WORDS = {name: name for name in ("recurrent", "attention", "step", "token", "tokens", "steps")}
STEPS = {"recurrent": np.arange(1, 7), "attention": np.ones(6, dtype=int)}
each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


def ready(picked=(4, 1), theme=THEMES["light"], steps=STEPS, top=0):
    tokens = [f"t{place}" for place in range(len(steps["attention"]))]
    return paths.ready(steps, tokens, first_step=top, picked=picked, words=WORDS, theme=theme)


@each_theme
def test_every_token_stands_at_the_step_at_which_it_is_ready(theme):
    figure = ready(theme=theme)
    assert figure.data[1].y.tolist() == [1, 2, 3, 4, 5, 6]
    assert figure.data[3].y.tolist() == [1, 1, 1, 1, 1, 1]


def test_the_way_goes_through_every_state_or_straight():
    figure = ready((4, 1))
    assert list(zip(figure.data[0].x, figure.data[0].y, strict=True)) == [(1, 0), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert list(zip(figure.data[2].x, figure.data[2].y, strict=True)) == [(1, 0), (4, 1)]


def test_no_way_leads_back():
    figure = ready((1, 4))
    assert len(figure.data[0].x) == len(figure.data[2].x) == 0


def test_of_a_long_text_a_window_is_drawn_and_both_axes_span_the_same():
    steps = {"recurrent": np.arange(101, 107), "attention": np.ones(6, dtype=int)}
    figure = ready((4, -1), steps=steps, top=100)
    assert list(figure.layout.yaxis.range) == [106.6, 99.4]
    assert list(figure.layout.yaxis2.range) == [6.6, -0.6]
    assert figure.data[2].x.tolist() == [-1, 4]


@each_theme
@pytest.mark.parametrize("here", [1, 10, 256])
def test_curves_hold_the_counts_and_the_sentence_is_marked(theme, here):
    lengths = np.arange(1, 257)
    counts = {"recurrent": lengths + 2, "attention": np.full(256, 3)}
    figure = paths.by_length(lengths, counts, here, words=WORDS, theme=theme)
    assert np.array_equal(figure.data[0].y, counts["recurrent"])
    assert np.array_equal(figure.data[2].y, counts["attention"])
    assert (figure.data[1].x[0], figure.data[1].y[0]) == (here, here + 2)
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
