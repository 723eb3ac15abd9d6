"""Curves of several seeds as small multiples: one scheme's mean and band, the other schemes faint behind it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.theme import ROLES, Theme, drawn, hatched, layout


@dataclass(frozen=True, eq=False)
class Axes:
    """What a curve is drawn over: the range upward, the ticks along it, and how a point is told.

    `hover` is a template with %{x}, %{y} (the mean) and %{customdata[0]}, %{customdata[1]} (least and greatest);
    `mark` is a place along the axis that gets a line, such as the end of the trained length.
    """

    top: float
    range: tuple[float, float]
    ticks: Sequence[float]
    names: Sequence[str]
    hover: str
    mark: float | None = None


def curve(
    x: Float[np.ndarray, " point"],
    seeds: Float[np.ndarray, "seed point"],
    others: Sequence[Float[np.ndarray, " point"]],
    axes: Axes,
    theme: Theme,
) -> go.Figure:
    """The seeds' mean as a line and from the least to the greatest as a band; NaN where the scheme cannot run.

    Trace 0 is the mean, which hover meets. `others` are the means of the schemes that stand beside it.
    """
    runs = np.isfinite(seeds).all(axis=0)
    mean, least, most = seeds.mean(axis=0), seeds.min(axis=0), seeds.max(axis=0)
    line = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": x[runs].astype(np.float32),
        "y": mean[runs].astype(np.float32),
        "customdata": np.stack([least[runs], most[runs]], axis=1).astype(np.float32),
        "line": {"color": theme.text["position"], "width": 2.5},
        "marker": {"size": 6},
        "hovertemplate": f"{axes.hover}<extra></extra>",
    }
    band = {
        "type": "scatter",
        "mode": "lines",
        "x": np.concatenate([x[runs], x[runs][::-1]]).astype(np.float32),
        "y": np.concatenate([most[runs], least[runs][::-1]]).astype(np.float32),
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": f"{ROLES['position']}55",
        "hoverinfo": "skip",
    }
    behind = [_faint(x, other, theme) for other in others]
    traces = [line, band, *behind, *([] if runs.all() else [_undefined(x[runs], axes, theme)])]
    return drawn(traces, _layout(axes, theme))


def _faint(x: Float[np.ndarray, " point"], mean: Float[np.ndarray, " point"], theme: Theme) -> dict:
    runs = np.isfinite(mean)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x[runs].astype(np.float32),
        "y": mean[runs].astype(np.float32),
        "line": {"color": theme.quiet, "width": 1},
        "opacity": 0.45,
        "hoverinfo": "skip",
    }


def _undefined(runs: Float[np.ndarray, " point"], axes: Axes, theme: Theme) -> dict:
    """Hatching from where the scheme stops to the end."""
    start = axes.range[0] if not len(runs) else axes.mark if axes.mark is not None else float(runs[-1])
    end = axes.range[1]
    return hatched([start, end, end, start], [0, 0, axes.top, axes.top], theme, size=8, solidity=0.2)


def _layout(axes: Axes, theme: Theme) -> dict:
    axis = {
        "zeroline": False,
        "ticks": "",
        "fixedrange": True,
        "gridcolor": theme.line,
        "tickfont": {"size": theme.size - 2},
    }
    mark = {"type": "line", "x0": axes.mark, "x1": axes.mark, "yref": "paper", "y0": 0, "y1": 1}
    return layout(
        theme,
        margin={"l": 36, "r": 20, "t": 6, "b": 26},
        hovermode="x",
        xaxis=axis | {"range": list(axes.range), "tickvals": list(axes.ticks), "ticktext": list(axes.names)},
        yaxis=axis | {"range": [0, axes.top], "nticks": 5},
        shapes=[] if axes.mark is None else [mark | {"line": {"color": theme.quiet, "width": 1.5, "dash": "dot"}}],
    )
