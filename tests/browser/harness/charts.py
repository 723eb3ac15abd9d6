"""A page for tests/browser/test_chart.py: charts whose size and labels follow the typing."""

import html

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from ui.chart import Pick, chart

LABELS = {
    "take_away": "Take away",
    "png": "PNG",
    "svg": "SVG",
    "csv": "CSV",
    "npz": "NPZ",
    "code": "code",
    "keyboard": "Arrow keys move, Enter picks, Escape leaves.",
    "failed": "The chart cannot be drawn here.",
}
LIGHT = {"ink": "#1B2035", "scale": [[0, "#FBFAF6"], [1, "#171D55"]]}
DARK = {"ink": "#ECE9E1", "scale": [[0, "#15171E"], [1, "#9FB2FF"]]}

st.set_page_config(layout="wide")


def weights(tokens: list[str]) -> np.ndarray:
    """Weights that differ from cell to cell and are blank in the future, as in a causal head."""
    length = len(tokens)
    place = np.arange(length, dtype=np.float32)
    scores = np.sin(1.7 * place[:, None] + 0.6 * place[None, :])
    scores = np.where(place[None, :] > place[:, None], -np.inf, scores)
    exponentials = np.exp(scores)
    rows = (exponentials / exponentials.sum(axis=1, keepdims=True)).astype(np.float32)
    return np.where(place[None, :] > place[:, None], np.float32(np.nan), rows)


def axis(tokens: list[str], **settings) -> dict:
    ticks = {"tickmode": "array", "tickvals": list(range(len(tokens)))}
    ticks["ticktext"] = [html.escape(token) for token in tokens]
    return {**ticks, "range": [-0.5, len(tokens) - 0.5], "showgrid": False, "zeroline": False, **settings}


def heatmap(tokens: list[str], look: dict) -> go.Figure:
    cells = {"type": "heatmap", "z": weights(tokens), "zmin": 0, "zmax": 1, "colorscale": look["scale"]}
    cells |= {
        "xgap": 1,
        "ygap": 1,
        "showscale": False,
        "hovertemplate": "query %{y}<br>key %{x}<br>%{z:.3f}<extra></extra>",
    }
    layout = {"template": {}, "font": {"color": look["ink"]}, "margin": {"l": 90, "r": 10, "t": 70, "b": 10}}
    layout["xaxis"] = axis(tokens, side="top")
    layout["yaxis"] = axis(tokens, range=[len(tokens) - 0.5, -0.5])
    return go.Figure({"data": [cells], "layout": layout})


def wall(look: dict) -> go.Figure:
    cells = {"type": "heatmap", "z": np.arange(12 * 16, dtype=np.float32).reshape(12, 16), "colorscale": look["scale"]}
    layout = {"template": {}, "margin": {"l": 40, "r": 10, "t": 10, "b": 30}, "font": {"color": look["ink"]}}
    return go.Figure({"data": [cells | {"showscale": False}], "layout": layout | {"yaxis": {"autorange": "reversed"}}})


def curves(look: dict) -> go.Figure:
    x = np.arange(6, dtype=np.float32)
    line = {"type": "scatter", "x": x, "y": x**2, "name": "square", "mode": "lines+markers"}
    bars = {"type": "bar", "x": x, "y": 30 - x, "name": "bars"}
    layout = {"template": {}, "font": {"color": look["ink"]}, "hovermode": "closest", "showlegend": False}
    layout["xaxis"] = {"tickvals": list(range(6)), "ticktext": ["a", "&lt;b&gt;", "c", "d", "e", "f"]}
    return go.Figure({"data": [line, bars], "layout": layout | {"margin": {"l": 30, "r": 10, "t": 10, "b": 30}}})


def space(look: dict) -> go.Figure:
    x = np.arange(5, dtype=np.float32)
    cloud = {"type": "scatter3d", "x": x, "y": x % 2, "z": x**2, "mode": "markers"}
    return go.Figure(
        {
            "data": [cloud],
            "layout": {"template": {}, "font": {"color": look["ink"]}, "margin": {"l": 0, "r": 0, "t": 0, "b": 0}},
        }
    )


def remember(pick: Pick) -> None:
    st.session_state["row"] = pick.row  # the key of a widget: only a callback may set it
    st.session_state["calls"] = st.session_state.get("calls", 0) + 1


@st.fragment
def page() -> None:
    look = DARK if st.context.theme.type == "dark" else LIGHT
    sentence = st.text_input("Sentence", value="the cat sat on the mat", key="sentence", live="0", bind="query-params")
    view = st.text_input("View", value="first", key="view")
    st.number_input("Row", value=0, key="row")
    tokens = sentence.split() or ["?"]
    figure = heatmap(tokens, look)
    settings = {"labels": LABELS, "view": view}
    take_away = {"name": "weights", "code": "weights = softmax(scores)\n# 权重"}
    alt = f"Weights of {len(tokens)} queries and {len(tokens)} keys"
    pick = chart(figure, key="heat", alt=alt, height=420, on_pick=remember, take_away=take_away, **settings)
    st.text(f"pick: {pick}")
    st.text(f"calls: {st.session_state.get('calls', 0)}, tokens: {len(tokens)}")
    if "more" in st.query_params:
        st.button("next", shortcut="right", on_click=lambda: st.session_state.update(stepped=True))
        st.text(f"stepped: {st.session_state.get('stepped', False)}")
        table = [["", "a"], ["<b>", "1"]]
        if st.toggle("Shown", value=True):
            other = chart(
                wall(look), key="wall", alt="A wall of tiles", height=300, tile=(4, 4), table=table, **settings
            )
            st.text(f"wall: {other}")
        _, second = st.tabs(["first", "second"])
        with second:
            chart(curves(look), key="hidden", alt="In a tab", height=200, **settings)
        curve = chart(curves(look), key="curves", alt="Curves", height=250, take_away={"name": "curves"}, **settings)
        st.text(f"curves: {curve}")
        st.text(f"space: {chart(space(look), key='space', alt='Points in space', height=250, **settings)}")


page()
