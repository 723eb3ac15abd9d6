"""The dot product of two sinusoids by their distance: it does not depend on the start, and it does not simply fall."""

import numpy as np
import streamlit as st

from model import numpy_decoder
from model.shift_map import first_rise, similarities
from ui import formulas, picks, proof, sinusoids, theme
from ui import position_formulas as latex
from ui.chart import Pick, chart
from ui.picks import Boxes, Place
from ui.session import Run
from ui.text import t, words
from viz import lines
from viz.lines import Axis, Line, Mark

SHOWN = 100  # the greatest distance drawn
TOLERANCE = 1e-6


def show(run: Run, at: Place, boxes: Boxes) -> None:
    """Width and distance to pick; the curve with its first rise; the sum of cosines with the live numbers."""
    width = sinusoids.width_picker(boxes[1])
    apart = picks.number("apart", t("relative.similarity.apart", last=SHOWN), SHOWN, 10, where=boxes[0])
    values = similarities(SHOWN + 1, width)
    rise = first_rise(values)
    theme.heading(t("relative.similarity.title"))
    theme.caption(t("relative.similarity.caption", width=width, half=width // 2))
    _curve(values.numpy(), width, apart, rise)
    if rise is not None:
        theme.caption(t("relative.similarity.rise", width=width, rise=rise, next=rise + 1))
    st.latex(formulas.lines(latex.similarity(theme.current(), apart, width)))
    theme.caption(t("relative.similarity.even"))
    theme.caption(t("relative.similarity.projected"))


def _curve(values: np.ndarray, width: int, apart: int, rise: int | None) -> None:
    axes = words("relative.axes")
    places = np.arange(len(values))
    curve = Line(places, values, axes["product"], theme.current().text["position"], dots=True)
    marks = [Mark(apart, "", "residual")]
    if rise is not None:
        marks.append(Mark(rise, t("relative.similarity.rise_mark", rise=rise), "key"))
    half = width / 2

    def pick(found: Pick) -> None:
        st.session_state["apart"] = found.row

    chart(
        lines.lines(
            [curve],
            x=Axis(axes["distance"], (-1, SHOWN + 1)),
            y=Axis(axes["product"], (-half / 2, 1.04 * half)),
            marks=marks,
            theme=theme.current(),
        ),
        key="similarity",
        alt=t("relative.similarity.alt", width=width, half=width // 2, rise=rise),
        height=360,
        labels=words("chart"),
        table=lines.table([curve], axes["distance"]),
        view=str(width),
        on_pick=pick,
        take_away={"name": f"similarity-{width}", "code": t("relative.similarity.code", width=width, shown=SHOWN)},
    )

    def numpy_values() -> np.ndarray:
        """From the rows themselves, and from a start that is not 0."""
        rows = numpy_decoder.sinusoid(np.arange(7, SHOWN + 8), width)
        return rows @ rows[0]

    proof.compare("similarity", values, numpy_values, TOLERANCE, width)
