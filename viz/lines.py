"""Curves over one axis: values by position, by distance, by dimension pair."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.theme import Theme, axis_title, drawn, layout


@dataclass(frozen=True, eq=False)
class Line:
    """A curve with its name in the reader's language. `dots` draws its points as well, `steps` no slopes.

    `legend` off keeps its name out of the legend; it is still told when the curve is hovered.
    """

    x: Float[np.ndarray, " point"]
    y: Float[np.ndarray, " point"]
    name: str
    colour: str
    dash: str = "solid"
    width: float = 2
    dots: bool = False
    steps: bool = False
    legend: bool = True


@dataclass(frozen=True)
class Axis:
    """What an axis shows, the range that it always has, and whether it is logarithmic."""

    title: str
    range: tuple[float, float]
    log: bool = False


@dataclass(frozen=True)
class Mark:
    """A place of the x axis that is marked by an upright line, with a word beside it."""

    x: float
    text: str = ""
    role: str = "position"


def lines(curves: Sequence[Line], *, x: Axis, y: Axis, marks: Sequence[Mark] = (), theme: Theme) -> go.Figure:
    """The curves over each other, with a legend above them. A pick's row is the point, its column the curve."""
    figure_layout = layout(
        theme,
        margin={"l": round(4.2 * theme.size), "r": 10, "t": round(2 * theme.size), "b": round(3.2 * theme.size)},
        showlegend=sum(curve.legend for curve in curves) > 1,
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "font": {"size": theme.size - 1}},
        xaxis=_axis(x, theme),
        yaxis=_axis(y, theme),
        shapes=[_upright(mark, theme) for mark in marks],
        annotations=[_word(mark, theme) for mark in marks if mark.text],
    )
    return drawn([_trace(curve, x, y) for curve in curves], figure_layout)


def table(curves: Sequence[Line], x: str) -> list[list[str]]:
    """The curves' points as text, for curves over the same x."""
    header = [x, *(curve.name for curve in curves)]
    columns = [curve.y for curve in curves]
    rows = ([f"{place:g}", *(f"{column[at]:.6g}" for column in columns)] for at, place in enumerate(curves[0].x))
    return [header, *rows]


def _trace(curve: Line, x: Axis, y: Axis) -> dict:
    hover = f"{x.title} %{{x}}<br>{y.title} %{{y:.6g}}<extra>{curve.name}</extra>"
    shape = "hv" if curve.steps else "linear"
    trace = {
        "type": "scatter",
        "mode": "lines+markers" if curve.dots else "lines",
        "x": curve.x.astype(np.float32),
        "y": curve.y.astype(np.float32),
        "name": curve.name,
        "showlegend": curve.legend,
        "line": {"color": curve.colour, "width": curve.width, "dash": curve.dash, "shape": shape},
        "hovertemplate": hover,
    }
    return trace | ({"marker": {"size": 5, "color": curve.colour}} if curve.dots else {})


def _axis(axis: Axis, theme: Theme) -> dict:
    ends = [float(np.log10(end)) for end in axis.range] if axis.log else list(axis.range)
    return {
        "type": "log" if axis.log else "linear",
        "range": ends,
        "title": axis_title(axis.title, theme),
        "tickfont": {"size": theme.size - 2, "color": theme.quiet},
        "gridcolor": theme.line,
        "zeroline": not axis.log,
        "zerolinecolor": theme.quiet,
        "ticks": "",
        "dtick": 1 if axis.log else None,
    }


def _upright(mark: Mark, theme: Theme) -> dict:
    line = {"color": theme.text[mark.role], "width": 1.5, "dash": "dot"}
    return {"type": "line", "xref": "x", "yref": "paper", "x0": mark.x, "x1": mark.x, "y0": 0, "y1": 1, "line": line}


def _word(mark: Mark, theme: Theme) -> dict:
    font = {"color": theme.text[mark.role], "size": theme.size - 1}
    where = {"xref": "x", "yref": "paper", "x": mark.x, "y": 1, "xanchor": "left", "yanchor": "top"}
    return {"text": mark.text, "showarrow": False, "font": font, "bgcolor": theme.background, "xshift": 4, **where}
