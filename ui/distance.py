"""Absolute and relative: every position moves with the start, no distance does; and what six models make of that."""

import numpy as np
import streamlit as st

from model.knobs import Knobs
from model.position import SCHEMES
from model.position_bias import greatest_change
from ui import controls, formulas, picks, proof, theme
from ui import position_formulas as latex
from ui.chart import Pick, chart
from ui.picks import Boxes, Place
from ui.session import Run
from ui.text import t, words
from viz import pairs
from viz.theme import ROLES
from viz.triangles import distances

EXAMPLE = "小明 喜欢 吃 苹果"
MOST = 1000  # the greatest start that can be asked for
SHOWN = 32  # tokens drawn at once


def show(run: Run, at: Place, boxes: Boxes) -> None:
    """The start to pick; every distance; the picked token's row of them; six models with shifted positions."""
    start = picks.number("start", t("relative.distance.start", last=MOST), MOST, 20, where=boxes[0])
    boxes[1].button(
        t("relative.distance.example", text=EXAMPLE), key="distance-example", on_click=_example, icon=":material/edit:"
    )
    left, right = st.columns([1.1, 1], gap="medium")
    with left:
        _square(run, at, start)
    with right:
        _row(run, at, start)
        _models(run, start)


def _example() -> None:
    st.session_state["text"] = EXAMPLE
    st.session_state["query"], st.session_state["key"] = 4, 3


def _square(run: Run, at: Place, start: int) -> None:
    seen = slice(max(0, at.query + 1 - SHOWN), max(SHOWN, at.query + 1))
    first = seen.start
    tokens = run.labels[seen]
    positions = start + first + np.arange(len(tokens))
    theme.heading(t("relative.distance.title", start=start))
    told = t("relative.distance.caption", tokens=len(tokens))
    if len(tokens) < len(run.tokens):
        told += t("position.window", first=first, last=first + len(tokens) - 1)
    theme.caption(told)

    def pick(found: Pick) -> None:
        st.session_state["query"], st.session_state["key"] = first + found.row, first + found.column

    apart = np.where(np.tri(len(tokens), dtype=bool), positions[:, None] - positions[None, :], 0)
    chart(
        distances(
            positions,
            tokens,
            picked=(at.query - first, max(0, at.key - first)),
            words=words("relative.axes"),
            theme=theme.current(),
        ),
        key="distances",
        alt=t("relative.distance.alt", tokens=len(tokens)),
        height=430,
        labels=words("chart"),
        view=f"{controls.view(run)}-{first}",
        on_pick=pick,
        take_away={"name": "distances", "code": t("relative.distance.code", start=start + first, count=len(tokens))},
    )

    def numpy_apart() -> np.ndarray:
        """From the places alone, without a start."""
        return np.array([[max(0, i - j) for j in range(len(tokens))] for i in range(len(tokens))])

    proof.compare("distances", apart, numpy_apart, 0.0, (*run.key, first, start))


def _row(run: Run, at: Place, start: int) -> None:
    query = run.labels[at.query]
    theme.heading(t("relative.distance.row", token=query, position=start + at.query))
    keys = [
        t("relative.distance.to", token=run.labels[key], position=start + key, apart=at.query - key)
        for key in range(at.query, max(-1, at.query - 8), -1)
    ]
    theme.caption(t("relative.distance.join").join(keys))
    st.latex(formulas.lines(latex.distance(theme.current(), start, at.query, at.key)))
    if at.key > at.query:
        theme.caption(t("relative.hidden"))


def _models(run: Run, start: int) -> None:
    names = words("position.schemes")
    found = {scheme: moved(scheme, run, start) for scheme in SCHEMES}
    refused = {scheme: problem for scheme, problem in found.items() if isinstance(problem, str)}
    changes = np.array([0.0 if isinstance(value, str) else value for value in found.values()])
    texts = [t("relative.distance.refused") if scheme in refused else _small(found[scheme]) for scheme in SCHEMES]
    theme.heading(t("relative.distance.models", start=start))
    theme.caption(t("relative.distance.models_caption", start=start))
    chart(
        pairs.pairs(
            [(t("relative.axes.change"), ROLES["position"], changes)],
            list(names.values()),
            most=1.0,
            digits=".1e",
            texts=texts,
            theme=theme.current(),
        ),
        key="moved",
        alt=t("relative.distance.models_alt", start=start),
        height=230,
        labels=words("chart"),
        table=[
            [t("position.entry.scheme"), t("relative.axes.change")],
            *([names[scheme], text] for scheme, text in zip(SCHEMES, texts, strict=True)),
        ],
        view="",
        take_away={"name": "moved", "code": t("relative.distance.models_code", text=repr(run.text), start=start)},
    )
    for problem in refused.values():
        theme.caption(t("position.decoder_says"), warning=True)
        st.code(problem, language=None, wrap_lines=True)


def moved(scheme: str, run: Run, start: int) -> float | str:
    """How far a lab model's attention weights move when all positions begin at `start`; or why it cannot say."""
    positions = tuple(range(start, start + len(run.tokens)))
    before = picks.lab_run(f"lab-{scheme}", run.text)
    after = picks.lab_run(f"lab-{scheme}", run.text, Knobs(positions=positions))
    for found in (before, after):
        if isinstance(found, str):
            return found
    return greatest_change(before.kept, after.kept)


def _small(value: float) -> str:
    return "0" if value == 0 else f"{value:.2g}"
