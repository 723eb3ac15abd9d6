"""Contributions and spread: what is drawn is what was given, pooled by the entry of greatest magnitude."""

import numpy as np
import pytest

from viz import contributions as pictures
from viz import strip
from viz.theme import ROLES, THEMES

each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
TITLES = {"concat": "Concat", "added": "added", "norms": "length"}
SIDES = {"without": "without", "divided": "with"}
WORDS = {"score": "score", "share": "share", "weight": "weight"}


def parts(heads: int = 3, width: int = 200) -> pictures.Parts:
    random = np.random.default_rng(heads)
    added = random.normal(size=(heads, width))
    rows = [*(f"head {head}" for head in range(heads)), "sum"]
    return pictures.Parts(random.normal(size=(heads, 8)), np.vstack([added, added.sum(axis=0)]), rows)


@pytest.mark.parametrize("width", [1, 95, 96, 97, 200, 576])
def test_pooling_keeps_the_entry_of_greatest_magnitude_with_its_sign(width):
    values = np.random.default_rng(width).normal(size=(2, width))
    pooled, _ = strip.pooled(values, pictures.COLUMNS)
    columns = pooled.shape[1]
    assert columns == min(width, pictures.COLUMNS)
    for column in range(columns):
        members = values[:, column * width // columns : (column + 1) * width // columns]
        strongest = members[np.arange(2), np.abs(members).argmax(axis=1)]
        assert np.array_equal(pooled[:, column], strongest)


@each_theme
def test_a_row_a_head_and_one_for_the_sum_with_the_lengths_of_whole_vectors(theme):
    given = parts()
    concat, added, norms = pictures.contributions(given, picked=1, titles=TITLES, theme=theme).data
    assert np.allclose(concat.z, given.concat)
    assert np.array(added.z).shape == (4, pictures.COLUMNS)
    assert np.allclose(norms.x, np.sqrt((given.added**2).sum(axis=1)))
    assert added.zmin == -added.zmax
    assert norms.marker.color[1] == ROLES["residual"]
    assert norms.marker.color.count(ROLES["residual"]) == 1


def test_rows_are_named_from_the_top_and_the_sum_is_below_a_line():
    layout = pictures.contributions(parts(), picked=0, titles=TITLES, theme=THEMES["light"]).layout
    assert list(layout.yaxis.ticktext) == ["head 0", "head 1", "head 2", "sum"]
    assert layout.yaxis.range[0] > layout.yaxis.range[1]
    assert [shape.y0 for shape in layout.shapes if shape.type == "line"] == [2.5]


def spread(products, weights, tokens, picked=0, theme=THEMES["light"]):
    return pictures.spread(
        {"without": products, "divided": products / 8},
        {"without": weights, "divided": weights},
        tokens,
        picked=picked,
        titles=SIDES,
        words=WORDS,
        theme=theme,
    )


@each_theme
def test_both_histograms_count_every_pair_in_the_same_bins(theme):
    products = np.random.default_rng(1).normal(size=500) * 20
    figure = spread(products, np.array([0.25, 0.75]), ["a", "b"], theme=theme)
    without, divided = figure.data[0], figure.data[2]
    assert np.array_equal(without.x, divided.x)
    for histogram, values in ((without, products), (divided, products / 8)):
        assert np.sum(histogram.y) == pytest.approx(1, abs=1e-5)
        shown = np.sqrt(np.sum(histogram.y * histogram.x**2))
        assert shown == pytest.approx(np.sqrt(np.mean(values**2)), abs=histogram.width)
    assert figure.layout.xaxis.range == figure.layout.xaxis3.range
    assert figure.layout.xaxis.range[0] == -figure.layout.xaxis.range[1]


def test_weights_are_on_the_scale_of_a_weight_and_the_picked_key_has_the_keys_colour():
    weights = np.array([0.25, 0.75])
    figure = spread(np.ones(3), weights, ["a", "<b>", "later"], picked=1)
    for bars, axis in ((figure.data[1], figure.layout.yaxis2), (figure.data[3], figure.layout.yaxis4)):
        assert np.allclose(bars.y, weights)
        assert axis.range[0] == 0
        assert 1 <= axis.range[1] < 1.1
        assert bars.marker.color[1] == ROLES["key"]
        assert list(bars.text) == ["a", "&lt;b&gt;"]


@pytest.mark.parametrize("products", [np.zeros(1), np.zeros(9), np.array([-3.0])])
def test_scores_that_do_not_spread_are_drawn_all_the_same(products):
    figure = spread(products, np.ones(1), ["a"])
    assert np.sum(figure.data[0].y) == pytest.approx(1)
    assert np.isfinite(figure.layout.yaxis.range).all()


def test_many_keys_have_fewer_labels():
    figure = spread(np.ones(3), np.full(256, 1 / 256), ["t"] * 256)
    assert len(figure.layout.xaxis4.tickvals) <= pictures.LABELLED_UP_TO
    assert len(figure.data[3].y) == 256
