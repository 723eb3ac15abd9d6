"""The fixed table of sines and cosines: one cell by its formula, the waves of its pairs, and their wavelengths."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import numpy_decoder
from model.position import rotary_frequencies
from model.position_table import table, wavelengths
from ui import formulas, picks, proof, theme
from ui import position_formulas as latex
from ui.chart import Pick, chart
from ui.picks import Boxes, Place
from ui.session import Run
from ui.text import t, words
from viz import lines, tables
from viz.lines import Axis, Line, Mark
from viz.tables import Table
from viz.waves import shown_pairs, waves

WIDTHS = [4, 8, 16, 32, 64, 128, 256, 512]
LAST = 1023  # the last position that can be asked for
SHOWN = 64  # positions drawn at once, as far as CELLS allow
CELLS = 16_384
TOLERANCE = 1e-6


def show(run: Run, at: Place, boxes: Boxes) -> None:
    """Width, position and dimension to pick; the table; the picked cell; the waves; the wavelengths."""
    width = width_picker(boxes[2])
    position = picks.number("pe_position", t("position.position", last=LAST), LAST, 5, where=boxes[0])
    label = t("position.dimension", last=width - 1)
    dimension = picks.number("pe_dimension", label, width - 1, 0, highest=511, where=boxes[1])
    left, right = st.columns([1, 1], gap="medium")
    with left:
        _table(width, position, dimension)
        theme.heading(t("position.waves.cell", position=position, dimension=dimension))
        st.latex(formulas.lines(latex.sinusoid(theme.current(), position, dimension, width)))
        theme.caption(t("position.waves.pairs", first=dimension // 2 * 2, second=dimension // 2 * 2 + 1))
    with right:
        _waves(width, position, dimension // 2)
        _wavelengths(width, dimension // 2)


def width_picker(where: DeltaGenerator) -> int:
    """How wide the table is."""
    return where.selectbox(
        t("position.waves.width"), WIDTHS, index=WIDTHS.index(8), key="pe_width", bind="query-params"
    )


def seen(position: int, width: int) -> range:
    """The positions that are drawn: 64 in a row, of very wide tables 32, the picked one among them."""
    count = min(SHOWN, CELLS // width)
    start = position // count * count
    return range(start, start + count)


def _table(width: int, position: int, dimension: int) -> None:
    shown = seen(position, width)
    rows = table("sinusoidal", shown, width).numpy()
    theme.heading(t("position.waves.title"))
    theme.caption(t("position.waves.caption", first=shown.start, last=shown.stop - 1, width=width))
    figure = tables.beside(
        [Table(rows, "PE −1…1", "position")],
        [str(place) for place in shown],
        picked=(position - shown.start, dimension),
        words={"row": t("position.position_word"), "column": t("position.dimension_word")},
        theme=theme.current(),
    )

    def pick(found: Pick) -> None:
        st.session_state["pe_position"] = shown.start + found.row
        st.session_state["pe_dimension"] = found.column

    code = t("position.waves.code", width=width, first=shown.start, stop=shown.stop)
    chart(
        figure,
        key="sinusoid-table",
        alt=t("position.waves.alt", first=shown.start, last=shown.stop - 1, width=width),
        height=430,
        labels=words("chart"),
        view=f"{width}-{shown.start}",
        on_pick=pick,
        take_away={"name": f"sinusoids-{width}", "code": code},
    )

    def numpy_rows() -> np.ndarray:
        return numpy_decoder.sinusoid(np.array(shown), width)

    proof.compare("sinusoid-table", rows, numpy_rows, TOLERANCE, (width, shown.start))


def _waves(width: int, position: int, pair: int) -> None:
    shown = seen(position, width)
    frequencies = np.array(rotary_frequencies(width, 10000.0))
    pairs = shown_pairs(width // 2, pair)
    lengths = wavelengths(width).tolist()
    names = [f"{2 * one}, {2 * one + 1} · λ {_length(lengths[one])}" for one in pairs]
    theme.heading(t("position.waves.by_pair"))
    told = t("position.waves.by_pair_caption", pairs=width // 2)
    if len(pairs) < width // 2:
        told += t("position.waves.some_pairs", shown=len(pairs))
    theme.caption(told)

    def pick(found: Pick) -> None:
        place, lane = divmod(found.row, len(pairs))
        st.session_state["pe_position"] = shown.start + place
        st.session_state["pe_dimension"] = 2 * pairs[lane]

    chart(
        waves(
            frequencies,
            pairs,
            names,
            positions=shown,
            picked=(position, pair),
            words=words("position.axes"),
            theme=theme.current(),
        ),
        key="sinusoid-waves",
        alt=t("position.waves.by_pair_alt", shown=len(pairs)),
        height=320,
        labels=words("chart"),
        table=[[t("position.axes.position"), *names], *_values(shown, frequencies[pairs])],
        view=f"{width}-{shown.start}",
        on_pick=pick,
        take_away={
            "name": f"waves-{width}",
            "code": t("position.waves.code", width=width, first=shown.start, stop=shown.stop),
        },
    )


def _values(positions: range, frequencies: np.ndarray) -> list[list[str]]:
    """Sine and cosine of these frequencies at every position, as text."""
    angles = np.array(positions)[:, None] * frequencies
    told = zip(positions, np.sin(angles), np.cos(angles), strict=True)
    return [
        [str(position), *(f"{one:.3f} / {other:.3f}" for one, other in zip(sine, cosine, strict=True))]
        for position, sine, cosine in told
    ]


def _length(wavelength: float) -> str:
    return f"{wavelength:.4g}" if wavelength < 1000 else f"{wavelength:,.0f}"


def _wavelengths(width: int, pair: int) -> None:
    lengths = wavelengths(width).numpy()
    places = np.arange(len(lengths))
    axes = words("position.axes")
    curve = Line(places, lengths, axes["wavelength"], theme.current().text["position"], dots=True)
    theme.heading(t("position.waves.lengths"))
    st.latex(formulas.lines(latex.wavelength(pair, width)))
    theme.caption(t("position.waves.lengths_caption", last=f"{lengths[-1]:,.1f}", limit=f"{2 * np.pi * 10000:,.1f}"))
    chart(
        lines.lines(
            [curve],
            x=Axis(axes["pair"], (-0.5, max(3, len(lengths)) - 0.5)),
            y=Axis(axes["wavelength"], (5, 100_000), log=True),
            marks=[Mark(pair)],
            theme=theme.current(),
        ),
        key="sinusoid-lengths",
        alt=t("position.waves.lengths_alt", pairs=len(lengths), last=f"{lengths[-1]:.4g}"),
        height=200,
        labels=words("chart"),
        table=lines.table([curve], axes["pair"]),
        view=str(width),
        on_pick=lambda found: st.session_state.update(pe_dimension=2 * found.row),
        take_away={"name": f"wavelengths-{width}", "code": t("position.waves.lengths_code", width=width)},
    )

    def numpy_lengths() -> np.ndarray:
        return 2 * np.pi / (10000.0 ** (-np.arange(0, width, 2) / width))

    proof.compare("sinusoid-lengths", lengths, numpy_lengths, TOLERANCE, width)
