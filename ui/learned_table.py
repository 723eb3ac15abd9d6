"""The learned table of positions beside the fixed one: their rows, which rows are alike, and where the learned ends."""

import numpy as np
import streamlit as st

from model import numpy_decoder
from model.position_table import cosines, table, vector
from model.zoo import Model
from ui import picks, proof, session, theme
from ui.chart import Pick, chart
from ui.picks import Boxes, Place
from ui.session import Run
from ui.text import t, words
from viz import tables
from viz.tables import Table

ASKED_UP_TO = 4095
TOLERANCE = 1e-6
NEAR_AND_FAR = (1, 32)  # distances whose rows are compared in words


def show(run: Run, at: Place, boxes: Boxes) -> None:
    """Both tables, what is alike in them, and any position asked of both."""
    try:
        model = session.ready("lab-learned")
    except ValueError as error:
        st.info(str(error))
        return
    learned = model.decoder.position.weight
    fixed = table("sinusoidal", range(len(learned)), learned.shape[1])
    left, right = st.columns([1, 1], gap="medium")
    with left:
        _tables(learned.numpy(), fixed.numpy())
        _end(model)
    with right:
        _alike(cosines(learned.double()).numpy(), cosines(fixed).numpy())


def _tables(learned: np.ndarray, fixed: np.ndarray) -> None:
    rows, width = learned.shape
    theme.heading(t("position.learned.title"))
    theme.caption(t("position.learned.caption", rows=rows, width=width))
    with st.container(key="learned-switch"):
        stretched = st.toggle(t("position.learned.stretch"), key="stretch", bind="query-params")
    limit = float(np.abs(learned).max()) if stretched else 1.0
    names = words("position.learned.names")
    shown = [
        Table(learned, f"{names['learned']} ±{limit:.3g}", "position", limit),
        Table(fixed, f"{names['fixed']} ±1", "query"),
    ]
    chart(
        tables.beside(
            shown,
            [str(place) for place in range(rows)],
            words={"row": t("position.position_word"), "column": t("position.dimension_word")},
            theme=theme.current(),
        ),
        key="learned-tables",
        alt=t("position.learned.alt", rows=rows, width=width),
        height=360,
        labels=words("chart"),
        view="",
        on_pick=_ask,
        take_away={"name": "learned-and-fixed", "code": t("position.learned.code")},
    )
    both = np.stack([learned, fixed])
    proof.compare("learned-tables", both, lambda: _numpy_tables(), TOLERANCE, "learned")


def _ask(found: Pick) -> None:
    st.session_state["asked"] = found.row


def _numpy_tables() -> np.ndarray:
    """The learned table as the proof's decoder reads it, row by row, and the sinusoids by its own formula."""
    model = session.ready("lab-learned")
    weights = model.decoder.arrays()
    positions = np.arange(model.config.context)
    added, _ = numpy_decoder.position_terms(model.config, weights, positions)
    return np.stack([added, numpy_decoder.sinusoid(positions, model.config.d_model)])


def _alike(learned: np.ndarray, fixed: np.ndarray) -> None:
    """Squares of cosines, of the learned rows and of the fixed ones."""
    names = words("position.learned.names")
    theme.heading(t("position.learned.alike"))
    near, far = (float(np.diagonal(learned, distance).mean()) for distance in NEAR_AND_FAR)
    told = {"one": NEAR_AND_FAR[0], "near": f"{near:.2f}", "other": NEAR_AND_FAR[1], "far": f"{far:.2f}"}
    theme.caption(t("position.learned.alike_caption", **told))
    shown = [
        Table(learned, f"{names['learned']} −1…1", "position"),
        Table(fixed, f"{names['fixed']} −1…1", "query"),
    ]
    place = t("position.position_word")
    chart(
        tables.beside(
            shown,
            [str(row) for row in range(len(learned))],
            words={"row": place, "column": place},
            theme=theme.current(),
        ),
        key="learned-alike",
        alt=t("position.learned.alike_alt", rows=len(learned)),
        height=360,
        labels=words("chart"),
        view="",
        take_away={"name": "rows-alike", "code": t("position.learned.alike_code")},
    )
    proof.compare("learned-alike", np.stack([learned, fixed]), _numpy_alike, TOLERANCE, "alike")


def _numpy_alike() -> np.ndarray:
    tables_ = _numpy_tables().astype(np.float64)
    lengths = np.sqrt((tables_**2).sum(-1))
    return tables_ @ tables_.swapaxes(1, 2) / (lengths[:, :, None] * lengths[:, None, :])


def _end(model: Model) -> None:
    """Any position asked of both tables: past its end the learned one refuses, in the decoder's own words."""
    rows = model.config.context
    theme.heading(t("position.learned.end"))
    asked = picks.number("asked", t("position.learned.asked", last=ASKED_UP_TO), ASKED_UP_TO, rows)
    fixed = table("sinusoidal", [asked], model.config.d_model)[0].tolist()
    theme.caption(t("position.learned.fixed_row", position=asked, row=_first(fixed)))
    try:
        theme.caption(
            t("position.learned.learned_row", position=asked, row=_first(vector(model.decoder, asked).tolist()))
        )
    except ValueError as error:
        theme.caption(t("position.decoder_says"), warning=True)
        st.code(str(error), language=None, wrap_lines=True)
        theme.caption(t("position.learned.no_row", position=asked, rows=rows))


def _first(row: list[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in row[:6]) + ", …"
