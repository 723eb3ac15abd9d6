"""Pictures of attention: every cell is there, in its place, on a fixed scale."""

import numpy as np
import pytest

from viz import attention
from viz.theme import THEMES

WORDS = {"query": "query", "key": "key", "weight": "weight", "score": "score"}
each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


def causal_weights(seq: int) -> np.ndarray:
    raw = np.tril(np.random.default_rng(seq).random((seq, seq)).astype(np.float32))
    return raw / raw.sum(axis=1, keepdims=True)


def draw(weights, tokens=None, causal=True, theme=THEMES["light"]):
    tokens = tokens or [f"t{index}" for index in range(len(weights))]
    return attention.head_weights(weights, tokens, picked=(0, 0), causal=causal, words=WORDS, theme=theme)


@each_theme
@pytest.mark.parametrize("seq", [1, 2, 11, 16, 17, 40, 41, 256])
def test_the_cells_are_the_weights_and_the_scale_is_fixed(theme, seq):
    weights = causal_weights(seq)
    cells = draw(weights, theme=theme).data[0]
    visible = np.tril(np.ones((seq, seq), dtype=bool))
    assert cells.z.dtype == np.float32
    assert np.array_equal(cells.z[visible], weights[visible])
    assert np.isnan(cells.z[~visible]).all()
    assert (cells.zmin, cells.zmax) == (0, 1)


def test_without_the_mask_no_cell_is_left_out_and_nothing_is_hatched():
    figure = draw(np.full((4, 4), 0.25, dtype=np.float32), causal=False)
    assert not np.isnan(figure.data[0].z).any()
    assert not any(trace.fillpattern.shape for trace in figure.data if trace.type == "scatter")


@pytest.mark.parametrize(
    "tokens", [["the", "cat", "the", "cat"], ["1", "2", "10", "1E1"], ["<s>", "<b>", "$x$", "a&b"]]
)
def test_axes_are_numeric_with_one_label_a_token(tokens):
    layout = draw(causal_weights(4), tokens).layout
    for axis in (layout.xaxis, layout.yaxis):
        assert list(axis.tickvals) == [0, 1, 2, 3]
        assert len(axis.ticktext) == 4
    assert layout.yaxis.range[0] > layout.yaxis.range[1]
    assert layout.xaxis.range[0] < layout.xaxis.range[1]


def test_hatching_covers_exactly_the_future():
    seq = 6
    hatch = next(trace for trace in draw(causal_weights(seq)).data if trace.type == "scatter" and trace.fill)
    x, y = np.array(hatch.x), np.array(hatch.y)
    doubled_area = np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))
    assert abs(doubled_area) / 2 == pytest.approx(seq * (seq - 1) / 2)
    assert (x.min(), x.max(), y.min(), y.max()) == (0.5, seq - 0.5, -0.5, seq - 1.5)


def test_numbers_stand_in_their_own_cells():
    weights = causal_weights(9)
    texts = next(trace for trace in draw(weights).data if trace.type == "scatter" and trace.mode == "text")
    for x, y, text in zip(texts.x, texts.y, texts.text, strict=True):
        assert float(text) == pytest.approx(weights[y, x], abs=0.006)


def test_many_tokens_have_fewer_labels_and_no_numbers():
    figure = draw(causal_weights(200))
    assert len(figure.layout.xaxis.tickvals) <= attention.LABELLED_UP_TO
    assert not any(trace.type == "scatter" and trace.mode == "text" for trace in figure.data)


@each_theme
def test_a_row_has_a_bar_a_key_on_the_scale_of_a_weight(theme):
    values = {"weights": np.array([0.2, 0.5, 0.3]), "scores": np.array([-1.0, 2.0, 1e-9])}
    figure = attention.row_bars(values, ["a", "<b>", "a", "later"], picked=1, words=WORDS, theme=theme)
    assert np.allclose(figure.data[0].x, values["weights"])
    assert list(figure.layout.xaxis.range) == [0, 1]
    assert len(figure.layout.yaxis.ticktext) == 3
