"""A page for tests/browser/test_link.py: charts of one link group, one of another, one of none."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from ui.chart import LABELS, chart

st.set_page_config(layout="wide")


def square(factor: float) -> go.Figure:
    cells = {"type": "heatmap", "z": factor * np.arange(25, dtype=np.float32).reshape(5, 5), "showscale": False}
    layout = {"template": {}, "margin": {"l": 30, "r": 10, "t": 10, "b": 30}, "yaxis": {"autorange": "reversed"}}
    return go.Figure({"data": [cells | {"hovertemplate": "%{y}, %{x}: %{z}<extra></extra>"}], "layout": layout})


def table() -> go.Figure:
    cells = {"type": "heatmap", "z": np.zeros((2, 5), dtype=np.float32), "showscale": False}
    return go.Figure({"data": [cells], "layout": {"template": {}, "margin": {"l": 30, "r": 10, "t": 10, "b": 30}}})


def line(factor: float) -> go.Figure:
    points = {"type": "scatter", "x": np.arange(5, dtype=np.float32), "y": factor * np.arange(5, dtype=np.float32)}
    layout = {"template": {}, "hovermode": "x", "margin": {"l": 30, "r": 10, "t": 10, "b": 30}}
    return go.Figure({"data": [points | {"mode": "lines+markers"}], "layout": layout})


def show(name: str, figure: go.Figure, link: dict[str, str] | None) -> None:
    chart(figure, key=name, alt=name, height=200, labels=dict.fromkeys(LABELS, "word"), link=link)


st.text_input("Sentence", key="sentence")
left, right = st.columns(2)
with left:
    show("one", square(1), {"group": "a", "x": "key", "y": "query"})
    show("table", table(), {"group": "a", "x": "query"})
    show("first", line(1), {"group": "b", "x": "place"})
with right:
    show("other", square(2 + len(st.session_state["sentence"])), {"group": "a", "x": "key", "y": "query"})
    show("alone", square(3), None)
    show("second", line(2), {"group": "b", "x": "place"})
