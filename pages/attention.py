"""Attention: where each token reads from, one head at a time, down to the numbers of one cell."""

import math

import streamlit as st

from model.analysis import cell
from ui import changes, controls, formulas, head, theme
from ui.controls import Place
from ui.session import Run
from ui.text import t


@st.fragment
def page() -> None:
    """The page reads downward: sentence, tokens, the head, the row, the cell."""
    model = controls.model()
    if model is None:
        return
    said = controls.sentence(model)
    run = said.run
    if run is None:
        return
    theme.dim("picture", said.earlier)
    with st.container(key="picture"):
        tokens = st.container()
        left, right = st.columns([1.15, 1], gap="large")
        with right:
            at = controls.place(run)
        with tokens:
            controls.strip(run, at, run.kept.weights[at.layer][at.head, at.query].tolist())
        with left:
            head.show(run, at)
        with right:
            head.row(run, at)
            numbers(run, at)
        if st.toggle(t("attention.change"), key="change", bind="query-params"):
            changes.show(run, at)
    controls.share(said)


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


page()
