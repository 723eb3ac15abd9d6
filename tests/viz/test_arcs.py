"""Arcs: from the query to its strongest keys, in both directions of drawing, and bounded."""

import numpy as np
import pytest

from viz.arcs import ARCS, arcs, over_sentence
from viz.theme import LIGHT

WORDS = {"weight": "weight"}


def test_arcs_stand_on_query_and_key_and_widen_with_the_weight():
    weights = np.array([0.1, 0.6, 0.0, 0.3])
    lines = arcs(weights, 3, LIGHT, foot=0.2, top=1.0)
    ends = {round(float(line["x"][0])): line["line"]["width"] for line in lines if line["mode"] == "lines"}
    assert set(ends) == {0, 1}
    assert ends[1] > ends[0]
    for line in lines:
        assert float(line["y"].min()) == pytest.approx(0.2, abs=1e-6)
        assert float(line["y"].max()) <= 1.0
        if line["mode"] == "lines":
            assert float(line["x"][-1]) == pytest.approx(3, abs=1e-5)


def test_upright_arcs_are_the_same_turned():
    weights = np.array([0.5, 0.2, 0.3])
    flat, upright = (arcs(weights, 2, LIGHT, foot=0.1, top=0.9, upright=turned) for turned in (False, True))
    for one, other in zip(flat, upright, strict=True):
        assert np.array_equal(one["x"], other["y"])
        assert np.array_equal(one["y"], other["x"])


@pytest.mark.parametrize("seq", [1, 2, 24, 25, 256])
def test_every_token_can_be_picked_and_drawing_is_bounded(seq):
    weights = np.full(seq, 1 / seq, dtype=np.float32)
    figure = over_sentence(weights, ["<b>"] * seq, picked=(seq - 1, 0), words=WORDS, theme=LIGHT)
    assert len(figure.data[0].x) == seq
    assert len(figure.data) <= 2 + ARCS
    assert not any("<b><b>" in text for text in figure.data[1].text)
