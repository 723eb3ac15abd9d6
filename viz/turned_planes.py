"""The turn of RoPE: every plane of a query and a key as a circle with arrows, before and after."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.theme import FIXED, ROLES, Theme, drawn, layout

PLANES_SHOWN = 64


def turned_planes(
    before: Mapping[str, Float[np.ndarray, "plane 2"]],
    after: Mapping[str, Float[np.ndarray, "plane 2"]],
    angles: Mapping[str, Float[np.ndarray, " plane"]],
    *,
    picked: int,
    words: Mapping[str, str],
    theme: Theme,
    wide: bool = False,
) -> go.Figure:
    """Every plane as a circle with its query and its key, dotted before the turn and solid after it.

    The mappings hold "query" and "key"; angles are in radians. Arrows show directions, not lengths, and the first
    `PLANES_SHOWN` planes. `words` gives "plane", "query" and "key"; `wide` is for a picture that has the room for
    eight in a row. A pick's row is the plane.
    """
    count = min(len(after["query"]), PLANES_SHOWN)
    columns = 4 if count <= 8 and not wide else 8 if count <= 32 else 16
    centres = np.stack((np.arange(count) % columns, -(np.arange(count) // columns)), axis=1).astype(np.float32)
    traces = [_plane_centres(centres, angles, words), _circles(centres, theme), _plane_numbers(centres, theme)]
    for role in ("query", "key"):
        traces.append(_arrows(centres, before[role][:count], ROLES[role], dotted=True))
        traces.append(_arrows(centres, after[role][:count], ROLES[role], dotted=False))
    rows = -(-count // columns)
    shape = _frame(*centres[min(picked, count - 1)], theme)
    figure_layout = layout(
        theme,
        margin={"l": 2, "r": 2, "t": 2, "b": 2},
        xaxis=FIXED | {"range": [-0.52, columns - 0.48], "showticklabels": False, "constrain": "domain"},
        yaxis=FIXED | {"range": [-rows + 0.48, 0.52], "showticklabels": False, "scaleanchor": "x"},
        shapes=[shape],
    )
    return drawn(traces, figure_layout)


def _frame(x: float, y: float, theme: Theme) -> dict:
    line = {"color": theme.ink, "width": 1.5}
    return {"type": "rect", "x0": x - 0.49, "x1": x + 0.49, "y0": y - 0.49, "y1": y + 0.49, "line": line}


def _plane_centres(centres: np.ndarray, angles: Mapping[str, np.ndarray], words: Mapping[str, str]) -> dict:
    """Unseen points that are hovered and picked."""
    turns = np.stack([angles[role][: len(centres)] for role in ("query", "key")], axis=1)
    hover = "<br>".join(
        f"{words[role]} {words['turned'].format(radians=f'%{{customdata[{place}]:.4g}}')}"
        for place, role in enumerate(("query", "key"))
    )
    return {
        "type": "scatter",
        "mode": "markers",
        "x": centres[:, 0],
        "y": centres[:, 1],
        "marker": {"size": 34, "opacity": 0},
        "customdata": turns.astype(np.float32),
        "hovertemplate": f"{words['plane']} %{{pointNumber}}<br>{hover}<extra></extra>",
    }


def _circles(centres: np.ndarray, theme: Theme) -> dict:
    round_ = np.append(np.linspace(0, 2 * np.pi, 25), np.nan)
    x = centres[:, 0, None] + 0.44 * np.cos(round_)
    y = centres[:, 1, None] + 0.44 * np.sin(round_)
    line = {"color": theme.line, "width": 1}
    return {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "line": line} | _points(x, y)


def _plane_numbers(centres: np.ndarray, theme: Theme) -> dict:
    return {
        "type": "scatter",
        "mode": "text",
        "x": centres[:, 0] - 0.4,
        "y": centres[:, 1] + 0.38,
        "text": [str(place) for place in range(len(centres))],
        "textfont": {"size": theme.size - 4, "color": theme.quiet},
        "hoverinfo": "skip",
    }


def _arrows(centres: np.ndarray, vectors: Float[np.ndarray, "plane 2"], colour: str, *, dotted: bool) -> dict:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    tips = centres + 0.42 * vectors / np.where(lengths == 0, 1, lengths)
    gap = np.full(len(centres), np.nan)
    x = np.stack((centres[:, 0], tips[:, 0], gap), axis=1)
    y = np.stack((centres[:, 1], tips[:, 1], gap), axis=1)
    arrow = {
        "type": "scatter",
        "mode": "lines" if dotted else "lines+markers",
        "hoverinfo": "skip",
        "line": {"color": colour, "width": 1.2 if dotted else 2, "dash": "dot" if dotted else "solid"},
    }
    if not dotted:
        sizes = np.tile(np.array([0, 7, 0], dtype=np.float32), len(centres))
        arrow["marker"] = {"symbol": "arrow", "angleref": "previous", "size": sizes, "color": colour}
    return arrow | _points(x, y)


def _points(x: np.ndarray, y: np.ndarray) -> dict:
    return {"x": x.ravel().astype(np.float32), "y": y.ravel().astype(np.float32)}
