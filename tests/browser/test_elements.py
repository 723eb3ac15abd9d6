"""What the elements promise on Python's side: small stubs, clear refusals, no pick that the figure cannot have."""

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from tests.browser.harness.charts import LABELS
from tests.browser.harness.chips import WORDS, chip
from ui.chart import Pick, _limits, _pick, chart, publish_plotly
from ui.element import STUB, version
from ui.tokens import token_strip

FIGURE = go.Figure(
    {"data": [{"type": "heatmap", "z": np.zeros((3, 2), np.float32)}, {"type": "scatter", "x": [1, 2], "y": [1, 2]}]}
)


def test_the_stub_that_travels_with_every_rerun_is_below_1_kb():
    assert len(STUB.format(script="chart.js", version=version())) < 1000


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([0, 2, 1], Pick(0, 2, 1)),
        ([1, 1, 1], Pick(1, 1, 1)),
        ([0, 3, 0], None),
        ([0, 0, 2], None),
        ([1, 2, 1], None),
        ([2, 0, 0], None),
        ([0, -1, 0], None),
        ([0, 1.0, 0], None),
        ([0, True, 0], None),
        ([0, 1], None),
        ("012", None),
        ({"trace": 0}, None),
        (None, None),
    ],
)
def test_only_cells_and_points_of_the_figure_can_be_picked(value, expected):
    assert _pick(value, _limits(FIGURE)) == expected


def test_a_word_that_is_missing_is_named():
    words = {name: word for name, word in LABELS.items() if name != "npz"}
    with pytest.raises(ValueError, match="no word for npz"):
        chart(FIGURE, key="k", alt="a", height=100, labels=words)


def test_an_unknown_thing_to_take_away_is_named():
    with pytest.raises(ValueError, match="take_away has bytes"):
        chart(FIGURE, key="k", alt="a", height=100, labels=LABELS, take_away={"name": "n", "bytes": b""})


@pytest.mark.parametrize(
    ("token", "message"),
    [
        (chip(1, "a", 0), "says index 1"),
        (chip(0, "a", 0, kind="letter"), "kind 'letter'"),
        (chip(0, "a", 0, shade=1.5), "shade 1.5"),
        (chip(0, "a", 0, colour="red"), "has colour"),
    ],
)
def test_a_token_that_cannot_be_shown_is_refused_with_the_reason(token, message):
    with pytest.raises(ValueError, match=message):
        token_strip([token], key="k", picked=0, words=WORDS)


def test_plotly_is_published_whole_once_and_without_leftovers(tmp_path):
    folder = tmp_path / "static"
    path = publish_plotly(folder)
    first = path.stat()
    publish_plotly.cache_clear()
    assert publish_plotly(folder).stat().st_mtime_ns == first.st_mtime_ns
    path.write_text("half a file")
    publish_plotly.cache_clear()
    assert publish_plotly(folder).stat().st_size == first.st_size
    assert [file.name for file in folder.iterdir()] == ["plotly.min.js"]


def test_the_elements_run_without_a_browser():
    def script():
        import plotly.graph_objects as go
        import streamlit as st

        from tests.browser.harness.charts import LABELS
        from ui.chart import chart

        figure = go.Figure({"data": [{"type": "heatmap", "z": [[1, 2]]}]})
        st.text(f"{chart(figure, key='k', alt='a', height=100, labels=LABELS)}")

    app = AppTest.from_function(script, default_timeout=20).run()
    assert not app.exception
    assert app.text[0].value == "None"
    app.session_state["k"] = {"pick": [0, 0, 1]}
    app.run()
    assert app.text[0].value == "Pick(trace=0, row=0, column=1)"
