"""The one element that shows a figure: Plotly in a Streamlit element of ours, updated in place.

Streamlit's own chart is made anew whenever its data change (zoom and hover are lost) and cannot report a click on a
heatmap cell. This one keeps its DOM node, its zoom and its hover while the reader types, and reports cells.
"""

import filecmp
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go
import streamlit as st

from ui.element import PLOTLY_SCRIPT, STATIC, register, require_words

LABELS = ("take_away", "png", "svg", "csv", "npz", "code", "keyboard", "failed")
TAKE_AWAY = ("name", "code")
SENDING, DRAWING = 0.01, 0.03  # seconds until a chart is on its way, and until a browser has drawn it
DONE = object()
GRIDS = ("heatmap", "image", "contour")

_ELEMENT = register("glass-chart", "chart.js")


@dataclass(frozen=True)
class Pick:
    """One thing the reader picked, counted from 0.

    In a heatmap (or image): the trace, and the row and column of the cell in the trace's `z`.
    In every other trace: `row` is the number of the point and `column` is again the trace.
    """

    trace: int
    row: int
    column: int


@cache
def publish_plotly(folder: Path = STATIC) -> Path:
    """Puts the installed package's plotly.min.js into `folder` (once; whole or not at all) and returns its path."""
    source = Path(plotly.__file__).parent / "package_data" / PLOTLY_SCRIPT
    target = folder / PLOTLY_SCRIPT
    if target.exists() and filecmp.cmp(source, target, shallow=False):
        return target
    folder.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=folder, suffix=".part")
    os.close(handle)
    shutil.copyfile(source, part)
    os.chmod(part, 0o644)
    os.replace(part, target)  # another process may do the same at this moment: the last one wins, both are right
    return target


def chart(
    figure: go.Figure,
    *,
    key: str,
    alt: str,
    height: int,
    labels: dict[str, str],
    table: list[list[str]] | None = None,
    view: str = "",
    on_pick: Callable[[Pick], None] | None = None,
    take_away: dict[str, str] | None = None,
    tile: tuple[int, int] | None = None,
    link: dict[str, str] | None = None,
) -> Pick | None:
    """Shows `figure`, full width, `height` pixels high, and returns what the reader picked since the last run.

    Args:
        figure: finished, with its own colours; arrays should be float32 NumPy arrays (they travel as base64).
        key: the element's name; one key is one DOM node for as long as it is shown.
        alt: what the picture shows, in a sentence, for readers who do not see it.
        labels: the words under the chart, all of `LABELS`, in the reader's language.
        table: the same values as text, first row and first column are headers. Without it a heatmap tells its own.
        view: zoom, camera and hover stay while this string stays; another string shows the whole figure again.
        on_pick: called with the Pick before the rerun, so that it may set the keys of widgets.
        take_away: {"name": file name without ending, "code": NumPy lines}. Without it the menu is not shown.
        tile: (rows, columns) of one tile, when a heatmap is a wall of equal tiles; the keyboard then steps by tiles.
        link: {"group": name, "x": what that axis counts, "y": the same}. Pointing at a place in one chart of a group
            marks it in all its other charts whose axes count the same; an axis may be left out.

    Returns:
        The pick in the run that it caused, else None (a later run does not repeat it).
    """
    require_words(labels, LABELS, "The chart")
    unknown = sorted(set(take_away or {}) - set(TAKE_AWAY))
    if unknown:
        raise ValueError(f"take_away has {', '.join(unknown)}; it may have only {' and '.join(TAKE_AWAY)}.")
    publish_plotly()
    limits = _limits(figure)

    def report() -> None:
        pick = _pick(st.session_state[key].get("pick"), limits)
        if pick and on_pick:
            on_pick(pick)

    data = {
        "figure": figure.to_json(),  # one string: the browser sees at once when nothing has changed
        "key": key,
        "alt": alt,
        "height": int(height),
        "view": view,
        "table": table,
        "takeAway": take_away,
        "tile": tile,
        "link": link,
        "words": {name: labels[name] for name in LABELS},
    }
    result = _ELEMENT(key=key, data=data, on_pick_change=report)
    return _pick(result.get("pick"), limits)


def let_draw(meanwhile: Iterator[object]) -> None:
    """Leaves the browser alone for a moment, so that it draws what it has been sent before more arrives.

    What is most looked at comes sooner, and the whole page is not later: server and browser no longer hold each other
    up (benchmarks/keystroke.py). `meanwhile` computes what is shown next, piece by piece, as long as the moment lasts.
    """
    until = time.monotonic() + DRAWING
    time.sleep(SENDING)
    while time.monotonic() < until and next(meanwhile, DONE) is not DONE:
        pass
    time.sleep(max(0.0, until - time.monotonic()))


def _limits(figure: go.Figure) -> list[tuple[int, int] | None]:
    """Rows and columns of each trace, as far as they can be read off; None where they cannot."""
    return [_shape(trace, number) for number, trace in enumerate(figure.data)]


def _shape(trace: Any, number: int) -> tuple[int, int] | None:
    if trace.type in GRIDS and trace.z is not None:
        rows = len(trace.z)
        return rows, len(trace.z[0]) if rows else 0
    for name in ("x", "y", "ids", "labels"):
        points = getattr(trace, name, None) if name in trace else None
        if points is not None:
            return len(points), number + 1
    return None


def _pick(value: Any, limits: list[tuple[int, int] | None]) -> Pick | None:
    """What the browser reported, if it can be meant of this figure: it may be older than it, or forged."""
    if not isinstance(value, list) or len(value) != 3:
        return None
    if not all(type(number) is int and number >= 0 for number in value):
        return None
    pick = Pick(*value)
    if pick.trace >= len(limits):
        return None
    limit = limits[pick.trace]
    if limit is not None and (pick.row >= limit[0] or pick.column >= limit[1]):
        return None
    return pick
