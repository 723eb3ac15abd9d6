"""Tables of numbers beside each other, as heatmaps over the same rows, each on a scale of its own that is fixed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.attention import MONO
from viz.theme import Theme, drawn, layout, token_labels

LABELLED_UP_TO = 24
GAP = 0.025
LABEL_WIDTH = 7  # of a row's label, in sizes of the type


@dataclass(frozen=True, eq=False)
class Table:
    """A table: its title, the role in whose colour that stands, and the end of its scale.

    The scale is −limit…limit, or 0…limit where `signed` is off.
    """

    values: Float[np.ndarray, "row column"]
    title: str
    role: str
    limit: float = 1.0
    signed: bool = True


def beside(
    tables: Sequence[Table],
    rows: Sequence[str],
    *,
    picked: tuple[int, int] | None = None,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """The tables from left to right, row 0 at the top. A pick's trace is the table, its row and column the cell's.

    `rows` labels the rows of all of them, `picked` frames a row and a column in each; `words` gives "row" and
    "column" for what is hovered.
    """
    width = (1 - GAP * (len(tables) - 1)) / len(tables)
    traces, axes, notes, shapes = [], {}, [], []
    for place, table in enumerate(tables):
        name = str(place + 1) if place else ""
        start = place * (width + GAP)
        traces.append(_cells(table, name, words, theme))
        axes[f"xaxis{name}"] = _columns(
            table.values.shape[1], [start, start + width], name, 8 if len(tables) == 1 else 4, theme
        )
        axes[f"yaxis{name}"] = _rows(rows, place == 0, name, theme)
        notes.append(_title(table, start, theme))
        shapes += _frames(table.values.shape, picked, name, theme)
    letters = max(map(len, token_labels(rows)), default=1)
    left = round(min(LABEL_WIDTH, 0.66 * letters + 1) * theme.size) + (theme.size if letters > 2 else 0)
    margin = {"l": left, "r": 6, "t": round(1.9 * theme.size), "b": round(1.9 * theme.size)}
    return drawn(traces, layout(theme, margin=margin, annotations=notes, shapes=shapes, **axes))


def _cells(table: Table, name: str, words: Mapping[str, str], theme: Theme) -> dict:
    scale = theme.diverging if table.signed else theme.sequential
    return {
        "type": "heatmap",
        "z": table.values.astype(np.float32),
        "zmin": -table.limit if table.signed else 0,
        "zmax": table.limit,
        "colorscale": [list(stop) for stop in scale],
        "showscale": False,
        "xaxis": f"x{name}",
        "yaxis": f"y{name}",
        "hoverongaps": False,
        "hovertemplate": f"{words['row']} %{{y}}<br>{words['column']} %{{x}}<br>%{{z:.6g}}<extra></extra>",
    }


def _columns(count: int, domain: list[float], name: str, labels: int, theme: Theme) -> dict:
    """Numbered columns, at most so many of them labelled."""
    stride = max(1, 2 ** int(np.ceil(np.log2(max(count, 1) / labels))))
    ticks = {"tickvals": list(range(0, count, stride)), "tickfont": {"size": theme.size - 2, "color": theme.quiet}}
    return _bare(f"y{name}") | ticks | {"range": [-0.5, count - 0.5], "domain": domain, "tickangle": 0}


def _rows(labels: Sequence[str], named: bool, name: str, theme: Theme) -> dict:
    count = len(labels)
    stride = max(1, -(-count // LABELLED_UP_TO))
    shown = token_labels(labels)
    ticks = {"tickvals": list(range(0, count, stride)), "ticktext": shown[::stride], "showticklabels": named}
    font = {"family": MONO, "size": theme.size if count <= LABELLED_UP_TO else theme.size - 2}
    return _bare(f"x{name}") | ticks | {"range": [count - 0.5, -0.5], "tickfont": font}


def _bare(anchor: str) -> dict:
    # ticks that are not seen keep the labels off the cells
    return {
        "showgrid": False,
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": "rgba(0,0,0,0)",
        "anchor": anchor,
    }


def _title(table: Table, start: float, theme: Theme) -> dict:
    where = {"xref": "paper", "yref": "paper", "x": start, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    font = {"color": theme.text[table.role], "size": theme.size}
    return {"text": table.title, "showarrow": False, "font": font, **where}


def _frames(shape: tuple[int, int], picked: tuple[int, int] | None, name: str, theme: Theme) -> list[dict]:
    if picked is None:
        return []
    (rows, columns), (row, column) = shape, picked
    line = {"color": theme.ink, "width": 1.2}
    place = {"type": "rect", "xref": f"x{name}", "yref": f"y{name}", "line": line}
    across = {"x0": -0.5, "x1": columns - 0.5, "y0": row - 0.5, "y1": row + 0.5}
    down = {"x0": column - 0.5, "x1": column + 0.5, "y0": -0.5, "y1": rows - 0.5}
    return [place | across, place | down]
