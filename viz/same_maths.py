"""Pairs of conventions: all verdicts as one list, and the two tables of one pair with their difference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz import projections
from viz.attention import LABELLED_UP_TO, MONO
from viz.order import short
from viz.theme import BARE, FIXED, ROLES, Theme, drawn, layout, panel_title, token_labels

SIGNS = {"equal": "=", "permutation": "⇄", "softmax": "σ", "different": "≠"}
ROW = 25  # pixels of one line of the list
SHOWN = projections.ROWS  # rows and columns of a table that are drawn
PANELS = ("first", "second", "difference")
GAP = 0.025


@dataclass(frozen=True)
class Line:
    """One pair in the list: its name, its verdict and the greatest difference."""

    name: str
    verdict: str
    difference: float


@dataclass(frozen=True)
class Window:
    """The rows and columns that are drawn."""

    rows: slice
    columns: slice


def verdicts(lines: Sequence[Line], *, picked: int, words: Mapping[str, str], theme: Theme) -> go.Figure:
    """A line a pair: name, sign and word of the verdict, greatest difference. A pick's row is the line.

    `words` gives a word for each verdict.
    """
    count = len(lines)
    columns = [
        (0.0, [line.name for line in lines], "middle right", None),
        (0.60, [f"{SIGNS[line.verdict]} {words[line.verdict]}" for line in lines], "middle right", None),
        (1.0, [short(line.difference) for line in lines], "middle left", MONO),
    ]
    traces = [_line_targets(count)]
    for x, texts, position, family in columns:
        bold = [f"<b>{text}</b>" if place == picked else text for place, text in enumerate(texts)]
        font = {"size": theme.size, "color": theme.ink} | ({"family": family} if family else {})
        traces.append(
            {
                "type": "scatter",
                "mode": "text",
                "x": np.full(count, x, dtype=np.float32),
                "y": np.arange(count),
                "text": bold,
                "textposition": position,
                "textfont": font,
                "cliponaxis": False,
                "hoverinfo": "skip",
            }
        )
    figure_layout = layout(
        theme,
        margin={"l": 2, "r": 2, "t": 2, "b": 2},
        hovermode="y",
        xaxis=FIXED | {"range": [0, 1], "showticklabels": False},
        yaxis=FIXED | {"range": [count - 0.5, -0.5], "showticklabels": False},
        shapes=[_band(picked, theme)],
    )
    return drawn(traces, figure_layout)


def window(shape: tuple[int, int], place: tuple[int, int]) -> Window:
    """All of a table, or, of a large one, the part round one place."""
    rows, columns = (projections.window(size, at) for size, at in zip(shape, place, strict=True))
    return Window(slice(rows.start, rows.stop), slice(columns.start, columns.stop))


def tables(
    first: Float[np.ndarray, "rows columns"],
    second: Float[np.ndarray, "rows columns"],
    *,
    holds: str,
    rows: Sequence[str],
    columns: Sequence[str],
    place: tuple[int, int],
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """The two tables and first − second side by side; entries that are no number, such as −∞, are left blank.

    "weights" are shaded from 0 to 1, "waves" from −1 to 1, others symmetrically up to the first table's greatest
    entry. `place` is framed. `words` gives "first", "second", "difference", "row" and "column".
    """
    seen = window(first.shape, place)
    with np.errstate(invalid="ignore"):
        panels = dict(zip(PANELS, (first, second, first - second), strict=True))
    ends = {"first": end_of(first, holds), "second": end_of(first, holds)}
    ends["difference"] = _end_of_difference(panels["difference"], ends["first"])
    traces, axes, notes, shapes = [], {}, [], []
    width = (1 - 2 * GAP) / 3
    for number, (panel, table) in enumerate(panels.items()):
        name = str(number + 1) if number else ""
        weights = holds == "weights" and panel != "difference"
        traces.append(_heatmap(table, seen, name, ends[panel], weights, words, theme))
        domain = [number * (width + GAP), number * (width + GAP) + width]
        axes[f"xaxis{name}"] = _labels(columns, seen.columns, theme) | {"domain": domain, "tickangle": -60}
        axes[f"yaxis{name}"] = _labels(rows, seen.rows, theme, down=True) | {"anchor": f"x{name}"}
        axes[f"yaxis{name}"] |= {"showticklabels": number == 0}
        low = "0…" if weights else "±"
        notes.append(panel_title(f"{words[panel]}  {low}{ends[panel]:.3g}", domain[0]))
        shapes.append(_frame(place, name, theme))
    margin = {"l": round(6.2 * theme.size), "r": 4, "t": 2 * theme.size, "b": round(4.6 * theme.size)}
    return drawn(traces, layout(theme, margin=margin, annotations=notes, shapes=shapes, **axes))


def _end_of_difference(difference: np.ndarray, end: float) -> float:
    """Its own greatest magnitude; where that is only rounding, the end of the tables' own scale."""
    own = float(np.abs(difference[np.isfinite(difference)]).max(initial=0.0))
    return own if own > 1e-6 * end else end


def end_of(table: np.ndarray, holds: str) -> float:
    """Where the colour scale of a table ends; entries that are no number do not count."""
    return 1.0 if holds in ("weights", "waves") else projections.greatest(table[np.isfinite(table)])


def _line_targets(count: int) -> dict:
    """An unseen bar over each line, to be picked anywhere in it."""
    return {
        "type": "bar",
        "orientation": "h",
        "x": np.ones(count, dtype=np.float32),
        "y": np.arange(count),
        "width": 1,
        "marker": {"color": "rgba(0,0,0,0)"},
        "hoverinfo": "none",
    }


def _band(row: int, theme: Theme) -> dict:
    place = {"xref": "paper", "x0": 0, "x1": 1, "y0": row - 0.5, "y1": row + 0.5}
    return {"type": "rect", "layer": "below", "line": {"color": theme.quiet, "width": 1.5}, **place}


def _heatmap(
    table: np.ndarray, seen: Window, name: str, end: float, weights: bool, words: Mapping[str, str], theme: Theme
) -> dict:
    shown = table[seen.rows, seen.columns]
    scale = theme.sequential if weights else theme.diverging
    return {
        "type": "heatmap",
        "z": np.where(np.isfinite(shown), shown, np.nan).astype(np.float32),
        "x0": seen.columns.start,
        "dx": 1,
        "y0": seen.rows.start,
        "dy": 1,
        "xaxis": f"x{name}",
        "yaxis": f"y{name}",
        "zmin": 0 if weights else -end,
        "zmax": end,
        "colorscale": [list(stop) for stop in scale],
        "showscale": False,
        "xgap": 1 if shown.shape[1] <= 24 else 0,
        "ygap": 1,
        "hoverongaps": False,
        "hovertemplate": f"{words['row']} %{{y}}<br>{words['column']} %{{x}}<br>%{{z:.6g}}<extra></extra>",
    }


def _labels(texts: Sequence[str], seen: slice, theme: Theme, down: bool = False) -> dict:
    stride = -(-(seen.stop - seen.start) // (LABELLED_UP_TO if down else 8))
    places = list(range(seen.start, seen.stop, stride))
    labels = token_labels(texts, longest=9)
    span = [seen.start - 0.5, seen.stop - 0.5]
    large = down and seen.stop - seen.start <= 24
    font = {"family": MONO, "size": theme.size - (1 if large else 3)}
    ticks = {"tickvals": places, "ticktext": [labels[place] for place in places], "tickfont": font}
    return BARE | ticks | {"range": span[::-1] if down else span}


def _frame(place: tuple[int, int], name: str, theme: Theme) -> dict:
    x = {"xref": f"x{name}", "x0": place[1] - 0.5, "x1": place[1] + 0.5}
    y = {"yref": f"y{name}", "y0": place[0] - 0.5, "y1": place[0] + 0.5}
    return {"type": "rect", **x, **y, "line": {"color": ROLES["residual"], "width": 2}}
