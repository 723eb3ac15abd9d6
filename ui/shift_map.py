"""The map M_k that moves every position by k: the matrix, applied to several positions, and one of its rotations."""

import numpy as np
import streamlit as st

from model import numpy_decoder
from model.position_table import table
from model.shift_map import shift_map
from ui import formulas, picks, proof, theme
from ui import position_formulas as latex
from ui.chart import Pick, chart
from ui.picks import Boxes, Place
from ui.session import Run
from ui.text import t, words
from viz import tables
from viz.tables import Table

STARTS = (10, 11, 12, 20)
MOST = 1000  # the greatest shift and start that can be asked for
WIDTHS = [4, 8, 16, 32, 64]
TOLERANCE = 1e-6


def show(run: Run, at: Place, boxes: Boxes) -> None:
    """How far, from where and how wide; the matrix; what it makes of each start, beside what the table says."""
    with boxes[0]:
        width = st.selectbox(t("relative.width"), WIDTHS, index=WIDTHS.index(8), key="shift_width", bind="query-params")
    shift = picks.number("shift_by", t("relative.shift.by", last=MOST), MOST, 3, where=boxes[1])
    start = picks.number("shift_from", t("relative.shift.from", last=MOST), MOST, STARTS[0], where=boxes[2])
    dimension = picks.number(
        "pe_dimension", t("position.dimension", last=width - 1), width - 1, 0, highest=511, where=boxes[3]
    )
    left, right = st.columns([1, 1.4], gap="medium")
    with left:
        _matrix(width, shift, dimension)
    with right:
        _applied(width, shift, start, dimension)
    theme.heading(t("relative.shift.block", first=dimension // 2 * 2, second=dimension // 2 * 2 + 1))
    st.latex(formulas.lines(latex.shift(theme.current(), dimension // 2, width, shift, start)))
    theme.caption(t("relative.shift.rotation"))


def _matrix(width: int, shift: int, dimension: int) -> None:
    matrix = shift_map(shift, width).numpy()
    theme.heading(t("relative.shift.title", shift=shift))
    theme.caption(t("relative.shift.caption", width=width, pairs=width // 2))
    even = dimension // 2 * 2

    def pick(found: Pick) -> None:
        st.session_state["pe_dimension"] = found.row

    chart(
        tables.beside(
            [Table(matrix, f"M_{shift} −1…1", "position")],
            [str(row) for row in range(width)],
            picked=(dimension, even),
            words={"row": t("relative.shift.to"), "column": t("relative.shift.of")},
            theme=theme.current(),
        ),
        key="shift-matrix",
        alt=t("relative.shift.alt", width=width, shift=shift),
        height=340,
        labels=words("chart"),
        view=str(width),
        on_pick=pick,
        take_away={"name": f"shift-by-{shift}", "code": _code(width, shift)},
    )
    proof.compare("shift-matrix", matrix, lambda: _numpy_map(width, shift), TOLERANCE, (width, shift))


def _applied(width: int, shift: int, start: int, dimension: int) -> None:
    starts = sorted({*STARTS, start})
    matrix = shift_map(shift, width)
    before = table("sinusoidal", starts, width)
    moved = before @ matrix.T
    after = table("sinusoidal", [one + shift for one in starts], width)
    difference = float((moved - after).abs().max())
    theme.heading(t("relative.shift.applied", shift=shift))
    told = {"starts": ", ".join(map(str, starts)), "difference": f"{difference:.1e}"}
    theme.caption(t("relative.shift.applied_caption", shift=shift, **told))
    shown = [
        Table(before.numpy(), "PE(p)", "position"),
        Table(moved.numpy(), f"M_{shift} · PE(p)", "residual"),
        Table(after.numpy(), f"PE(p + {shift})", "position"),
    ]

    def pick(found: Pick) -> None:
        st.session_state["shift_from"] = starts[found.row]
        st.session_state["pe_dimension"] = found.column

    chart(
        tables.beside(
            shown,
            [f"p = {one}" for one in starts],
            picked=(starts.index(start), dimension),
            words={"row": "", "column": t("position.dimension_word")},
            theme=theme.current(),
        ),
        key="shift-applied",
        alt=t("relative.shift.applied_alt", shift=shift, **told),
        height=240,
        labels=words("chart"),
        view=str(width),
        on_pick=pick,
        take_away={"name": f"shifted-by-{shift}", "code": _code(width, shift)},
    )

    def numpy_rows() -> np.ndarray:
        return numpy_decoder.sinusoid(np.array(starts) + shift, width)

    proof.compare("shift-applied", moved.numpy(), numpy_rows, TOLERANCE, (width, shift, tuple(starts)))


def _numpy_map(width: int, shift: int) -> np.ndarray:
    """The map once more, block by block along the diagonal."""
    matrix = np.zeros((width, width))
    for even, angle in zip(range(0, width, 2), shift * 10000.0 ** (-np.arange(0, width, 2) / width), strict=True):
        block = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
        matrix[even : even + 2, even : even + 2] = block
    return matrix


def _code(width: int, shift: int) -> str:
    return t("relative.shift.code", width=width, shift=shift, starts=list(STARTS))
