"""Pictures for one cell taken apart: two vectors, the products of their planes, what reaches the residual stream."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.theme import FIXED, ROLES, Theme, drawn, layout


@dataclass(frozen=True, eq=False)
class Bars:
    """One vector to be drawn as bars: its values, its name in the reader's language, its role's colour."""

    values: Float[np.ndarray, " dimension"]
    name: str
    role: str


def vectors(upper: Bars, lower: Bars, *, picked: int | None, words: Mapping[str, str], theme: Theme) -> go.Figure:
    """Two vectors of equal width one above the other, a bar a dimension, on one scale symmetric about 0.

    `picked` frames one dimension in both; `words` gives "dimension".
    """
    scale = largest(upper.values, lower.values)
    traces = []
    for number, bars in enumerate((upper, lower)):
        traces.append(
            {
                "type": "bar",
                "x": np.arange(len(bars.values)),
                "y": bars.values.astype(np.float32),
                "name": bars.name,
                "yaxis": ("y", "y2")[number],
                "marker": {"color": ROLES[bars.role], "line": {"width": 0}},
                "hovertemplate": f"{words['dimension']} %{{x}}<br>{bars.name} %{{y:.6g}}<extra></extra>",
            }
        )
    axis = FIXED | {"range": [-scale, scale], "zeroline": True, "zerolinecolor": theme.quiet, "nticks": 5}
    width = len(upper.values)
    figure_layout = layout(
        theme,
        margin=_margin(3.7, theme),
        bargap=0.15,
        hovermode="x",  # a short bar is picked anywhere in its column
        xaxis=FIXED | {"range": [-0.7, width - 0.3], "anchor": "y2", "nticks": 9},
        yaxis=axis | {"domain": [0.54, 1]},
        yaxis2=axis | {"domain": [0, 0.46]},
        shapes=[] if picked is None else [_column(picked, theme)],
        annotations=[_corner(bars, top, theme) for bars, top in ((upper, 1), (lower, 0.46))],
    )
    return drawn(traces, figure_layout)


def plane_products(
    products: Float[np.ndarray, " plane"], *, picked: int, words: Mapping[str, str], theme: Theme
) -> go.Figure:
    """What each plane adds to q·k: a bar a plane, symmetric about 0. A pick's row is the plane."""
    scale = largest(products)
    bars = {
        "type": "bar",
        "x": np.arange(len(products)),
        "y": products.astype(np.float32),
        "marker": {"color": [theme.diverging[-1][1] if product > 0 else theme.diverging[0][1] for product in products]},
        "hovertemplate": f"{words['plane']} %{{x}}<br>%{{y:.6g}}<extra></extra>",
    }
    figure_layout = layout(
        theme,
        margin=_margin(3.7, theme),
        bargap=0.15,
        hovermode="x",  # a short bar is picked anywhere in its column
        xaxis=FIXED | {"range": [-0.7, len(products) - 0.3], "nticks": 9},
        yaxis=FIXED | {"range": [-scale, scale], "zeroline": True, "zerolinecolor": theme.quiet, "nticks": 5},
        shapes=[_column(picked, theme)],
    )
    return drawn([bars], figure_layout)


def strips(
    rows: Float[np.ndarray, "strip d_model"],
    names: Sequence[str],
    *,
    picked: int,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """Vectors of the residual stream's width as strips of cells, all on one scale symmetric about 0.

    `picked` marks a dimension; `words` gives "dimension". A pick's column is the dimension.
    """
    scale = largest(rows) / 1.08
    cells = {
        "type": "heatmap",
        "z": rows.astype(np.float32),
        "zmin": -scale,
        "zmax": scale,
        "ygap": 10,
        "colorscale": [list(stop) for stop in theme.diverging],
        "showscale": False,
        "hovertemplate": f"{words['dimension']} %{{x}}<br>%{{y}} %{{z:.6g}}<extra></extra>",
    }
    figure_layout = layout(
        theme,
        margin=_margin(8.6, theme),
        xaxis=FIXED | {"range": [-0.5, rows.shape[1] - 0.5], "nticks": 7},
        yaxis=FIXED | {"range": [len(rows) - 0.5, -0.5], "tickvals": list(range(len(rows))), "ticktext": list(names)},
        shapes=[_column(picked, theme)],
    )
    return drawn([cells], figure_layout)


def largest(*values: Float[np.ndarray, "..."]) -> float:
    """The end of a scale symmetric about 0: a little beyond the greatest absolute value, 1 when all are 0."""
    greatest = max((float(np.abs(part).max(initial=0.0)) for part in values), default=0.0)
    return 1.08 * greatest or 1.0


def _margin(letters: float, theme: Theme) -> dict:
    """Room at the left for so many heights of a letter, and for one line of ticks below."""
    return {"l": round(letters * theme.size), "r": 8, "t": 4, "b": round(1.7 * theme.size)}


def _column(place: int, theme: Theme) -> dict:
    line = {"color": theme.ink, "width": 1}
    edges = {"x0": place - 0.5, "x1": place + 0.5, "y0": 0, "y1": 1}
    return {"type": "rect", "xref": "x", "yref": "paper", "line": line, **edges}


def _corner(bars: Bars, top: float, theme: Theme) -> dict:
    where = {"xref": "paper", "yref": "paper", "x": 1, "y": top, "xanchor": "right", "yanchor": "top"}
    font = {"color": theme.text[bars.role], "size": theme.size - 1}
    return {"text": bars.name, "showarrow": False, "font": font, "bgcolor": theme.background, **where}
