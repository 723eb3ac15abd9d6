"""E + P = X: a token's own vector, the vector of its position, and the sum that block 0 reads, cell by cell."""

import numpy as np
import streamlit as st

from ui import controls, formulas, picks, proof, theme
from ui import position_formulas as latex
from ui.chart import Pick, chart
from ui.picks import Boxes, Place
from ui.session import Run
from ui.text import t, words
from viz import lines, tables
from viz.lines import Axis, Line, Mark
from viz.projections import window
from viz.tables import Table
from viz.theme import ROLES

LONGEST = 8.5  # the end of the scale of lengths: longer than any row of the lab's models
LIMITS = {"token": 1.0, "position": 1.0, "residual": 2.0}
LETTERS = {"token": "E", "position": "P", "residual": "X"}


def show(run: Run, at: Place, boxes: Boxes) -> None:
    """The three tables of the lab's model that adds the chosen kind of position vectors, one cell, the lengths."""
    with boxes[1]:
        scheme = _scheme()
    added = picks.lab_run(f"lab-{scheme}", run.text)
    if isinstance(added, str):
        theme.heading(t("position.sum.refused"))
        theme.caption(t("position.decoder_says"), warning=True)
        st.code(added, language=None, wrap_lines=True)
        theme.caption(t("position.sum.refused_why"))
        return
    parts = {
        "token": added.kept.embeddings.numpy(),
        "position": added.kept.position_part.numpy(),
        "residual": added.kept.inputs[0].numpy(),
    }
    label = t("position.dimension", last=_last(added))
    dimension = picks.number("pe_dimension", label, _last(added), 0, highest=511, where=boxes[0])
    left, right = st.columns([1.7, 1], gap="medium")
    with right:
        _cell(added, at, dimension, parts)
    with left:
        _tables(added, at, dimension, parts)
    _lengths(added, at, parts)


def _last(run: Run) -> int:
    return run.model.config.d_model - 1


def _scheme() -> str:
    names = words("position.sum.schemes")
    return picks.choose("added", t("position.sum.scheme"), names, "sinusoidal")


def _tables(run: Run, at: Place, dimension: int, parts: dict[str, np.ndarray]) -> None:
    seen = window(len(run.tokens), at.query)
    shown = [
        Table(parts[role][seen.start : seen.stop], f"{LETTERS[role]} {_scale(limit)}", role, limit)
        for role, limit in LIMITS.items()
    ]
    labels = [f"{place} {run.labels[place]}" for place in range(seen.start, seen.stop)]
    theme.heading(t("position.sum.title"))
    theme.caption(_caption(run, seen))
    figure = tables.beside(
        shown,
        labels,
        picked=(at.query - seen.start, dimension),
        words={"row": t("position.token_word"), "column": t("position.dimension_word")},
        theme=theme.current(),
    )

    def pick(found: Pick) -> None:
        st.session_state["query"] = seen.start + found.row
        st.session_state["pe_dimension"] = found.column

    chart(
        figure,
        key="position-sum",
        alt=t("position.sum.alt", tokens=len(run.tokens), d_model=run.model.config.d_model),
        height=280,
        labels=words("chart"),
        view=f"{controls.view(run)}-{run.model.name}-{seen.start}",
        on_pick=pick,
        take_away={"name": "position-sum", "code": _code(run, at, dimension)},
    )
    proof.badge(run, 0, "input", key="position-sum")


def _caption(run: Run, seen) -> str:
    told = t("position.sum.caption", tokens=len(run.tokens), d_model=run.model.config.d_model)
    if seen.stop - seen.start == len(run.tokens):
        return told
    return told + t("position.window", first=seen.start, last=seen.stop - 1)


def _cell(run: Run, at: Place, dimension: int, parts: dict[str, np.ndarray]) -> None:
    token = run.labels[at.query]
    theme.heading(t("position.sum.cell", token=token, position=at.query, dimension=dimension))
    values = tuple(float(part[at.query, dimension]) for part in parts.values())
    st.latex(formulas.lines(latex.added(theme.current(), (at.query, dimension), values)))
    lengths = {role: float(np.linalg.norm(part[at.query])) for role, part in parts.items()}
    shown = {LETTERS[role]: f"{length:.3g}" for role, length in lengths.items()}
    theme.caption(t("position.sum.cell_lengths", token=token, **shown))
    theme.caption(t("position.sum.same"))
    theme.caption(t("position.sum.unscaled", d_model=run.model.config.d_model))


def _lengths(run: Run, at: Place, parts: dict[str, np.ndarray]) -> None:
    places = np.arange(len(run.tokens))
    lengths = {role: np.linalg.norm(part, axis=-1) for role, part in parts.items()}
    names = words("position.sum.names")
    curves = [
        Line(places, values, f"|{LETTERS[role]}| {names[role]}", ROLES[role], dots=True)
        for role, values in lengths.items()
    ]
    ratio = lengths["position"].mean() / lengths["token"].mean()
    theme.heading(t("position.sum.lengths"))
    theme.caption(t("position.sum.lengths_caption", ratio=f"{ratio:.2f}"))
    axes = words("position.axes")
    chart(
        lines.lines(
            curves,
            x=Axis(axes["position"], (-0.5, max(8, len(places)) - 0.5)),
            y=Axis(axes["length"], (0, LONGEST)),
            marks=[Mark(at.query)],
            theme=theme.current(),
        ),
        key="position-lengths",
        alt=t("position.sum.lengths_alt", tokens=len(places)),
        height=240,
        labels=words("chart"),
        table=lines.table(curves, axes["position"]),
        view=f"{controls.view(run)}-{run.model.name}",
        on_pick=lambda found: st.session_state.update(query=found.row),
        take_away={"name": "position-lengths", "code": _code(run, at, 0)},
    )


def _scale(limit: float) -> str:
    return f"−{limit:g}…{limit:g}"


def _code(run: Run, at: Place, dimension: int) -> str:
    return t("position.sum.code", text=repr(run.text), model=run.model.name, token=at.query, dimension=dimension)
