"""Attention: where each token reads from, one head at a time, down to the numbers of one cell."""

import math

import streamlit as st

from model.analysis import cell
from ui import controls, formulas, proof, theme
from ui.chart import Pick, chart
from ui.controls import Place
from ui.session import Run
from ui.text import t, words
from viz import attention as pictures


@st.fragment
def page() -> None:
    """The page reads downward: sentence, tokens, the head, the row, the cell."""
    model = controls.model()
    if model is None:
        return
    run, earlier = controls.sentence(model)
    if run is None:
        return
    theme.dim("picture", earlier)
    with st.container(key="picture"):
        tokens = st.container()
        left, right = st.columns([1.15, 1], gap="large")
        with right:
            at = controls.place(run)
        weights = run.kept.weights[at.layer][at.head].numpy()
        with tokens:
            controls.strip(run, at, weights[at.query].tolist())
        with left:
            head(run, at, weights)
        with right:
            row(run, at)
            numbers(run, at)


def head(run: Run, at: Place, weights) -> None:
    """One head's weights as a square, with its caption and its proof."""
    seq = len(run.tokens)
    theme.heading(t("attention.head", layer=at.layer, head=at.head))
    theme.caption(t("attention.head_caption", tokens=seq))
    figure = pictures.head_weights(
        weights,
        run.labels,
        picked=(at.query, at.key),
        causal=run.knobs.causal,
        words=words("attention.axes"),
        theme=theme.current(),
    )
    name = f"blocks.{at.layer}.attention.weights"
    code = t("attention.code", name=name, head=at.head, text=repr(run.text), model=run.model.name)
    chart(
        figure,
        key="head-chart",
        alt=t("attention.head_alt", layer=at.layer, head=at.head, tokens=seq),
        height=470,
        labels=words("chart"),
        view=controls.view(run),
        on_pick=pick_cell,
        take_away={"name": f"attention-{at.layer}-{at.head}", "code": code},
    )
    proof.badge(run, at.layer, "attention.weights", key="head")


def row(run: Run, at: Place) -> None:
    """The query's row of weights as bars, with the scores they come from."""
    theme.heading(t("attention.row", token=run.labels[at.query]))
    theme.caption(t("attention.row_caption", d_head=run.model.config.d_head))
    trace = run.block(at.layer).attention
    seen = at.query + 1 if run.knobs.causal else len(run.tokens)
    values = {
        "weights": trace.weights[at.head, at.query, :seen].numpy(),
        "scores": trace.scores[at.head, at.query, :seen].numpy(),
    }
    figure = pictures.row_bars(values, run.labels, picked=at.key, words=words("attention.axes"), theme=theme.current())
    chart(
        figure,
        key="row-chart",
        alt=t("attention.row_alt", token=run.labels[at.query]),
        height=max(120, 24 * seen + 8),
        labels=words("chart"),
        view=controls.view(run),
        on_pick=pick_bar,
    )


def numbers(run: Run, at: Place) -> None:
    """The picked cell: q·k, the score, the softmax, the weight, each as symbols and with its live numbers."""
    d_head = run.model.config.d_head
    theme.heading(t("attention.cell", query=run.labels[at.query], key=run.labels[at.key]))
    found = cell(run.block(at.layer).attention, at.head, at.query, at.key, run.knobs.scale / math.sqrt(d_head))
    if not found.visible:
        theme.caption(t("attention.masked", query=at.query, key=at.key))
        return
    symbols = formulas.Symbols(theme.current(), at.query, at.key)
    st.latex(formulas.product(symbols, found))
    st.latex(formulas.score(symbols, found, d_head, run.knobs.scale, run.knobs.temperature))
    st.latex(formulas.softmax(symbols, found))
    theme.caption(t("attention.peak", peak=f"{found.peak:.4g}"))


def pick_cell(pick: Pick) -> None:
    """A click on a cell of the head."""
    st.session_state["query"], st.session_state["key"] = pick.row, pick.column


def pick_bar(pick: Pick) -> None:
    """A click on a bar of the row."""
    st.session_state["key"] = pick.row


page()
