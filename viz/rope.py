"""Pictures of RoPE: one plane large, what each plane adds to a score, and both of them by distance and by fault."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.stepper import largest
from viz.theme import FIXED, ROLES, Theme, axis_title, drawn, layout

ARC_POINTS = 48


@dataclass(frozen=True, eq=False)
class Arrow:
    """A query or key in one plane: before its turn, after it, and the angle between, in radians."""

    role: str
    name: str
    before: Float[np.ndarray, " 2"]
    after: Float[np.ndarray, " 2"]
    angle: float


def one_plane(arrows: Sequence[Arrow], *, radius: float, words: Mapping[str, str], theme: Theme) -> go.Figure:
    """One plane to scale: each arrow dotted before its turn and solid after it, an arc for the turn, no more than once
    round. `radius` is the length at the picture's edge; `words` gives "turned", with {radians}.
    """
    edge = radius or 1.0
    traces = []
    for number, arrow in enumerate(arrows):
        traces += [
            _circle(float(np.hypot(*arrow.before)), theme),
            _arrow(arrow.before, ROLES[arrow.role], dotted=True),
            _arc(arrow, edge * (0.3, 0.42)[number % 2]),
            _arrow(arrow.after, ROLES[arrow.role], dotted=False) | _told(arrow, words),
        ]
    axis = FIXED | {"range": [-1.18 * edge, 1.18 * edge], "zeroline": True, "zerolinecolor": theme.line, "nticks": 5}
    figure_layout = layout(
        theme,
        margin={"l": round(3.2 * theme.size), "r": 4, "t": 4, "b": round(1.8 * theme.size)},
        xaxis=axis | {"constrain": "domain"},
        yaxis=axis | {"scaleanchor": "x"},
        annotations=[_tip(arrow, edge, theme) for arrow in arrows],
    )
    return drawn(traces, figure_layout)


def plane_parts(
    now: Float[np.ndarray, " plane"],
    before: Float[np.ndarray, " plane"],
    bounds: Float[np.ndarray, " plane"],
    *,
    picked: int,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """What each plane adds to q·k: bars now, outlines before, and ticks at ±|q||k| of the plane, which no turn passes.

    `words` gives "plane", "now", "before" and "bound". A pick's row is the plane.
    """
    scale, places = largest(bounds), np.arange(len(now))
    signs = [theme.diverging[-1][1] if part > 0 else theme.diverging[0][1] for part in now]
    bars = {"type": "bar", "x": places, "hoverinfo": "skip"}
    told = np.stack([before, bounds], axis=1).astype(np.float32)
    hover = f"{words['plane']} %{{x}}<br>{words['now']} %{{y:.6g}}<br>{words['before']} %{{customdata[0]:.6g}}"
    hover += f"<br>{words['bound']} ±%{{customdata[1]:.6g}}<extra></extra>"
    solid = {"y": now.astype(np.float32), "marker": {"color": signs}, "customdata": told, "hovertemplate": hover}
    outline = {"color": "rgba(0,0,0,0)", "line": {"color": theme.ink, "width": 1.2}}
    limits = {
        "type": "scatter",
        "mode": "markers",
        "x": np.concatenate([places, places]),
        "y": np.concatenate([bounds, -bounds]).astype(np.float32),
        "marker": {"symbol": "line-ew", "size": 9, "line": {"color": theme.quiet, "width": 1}},
        "hoverinfo": "skip",
    }
    frame = {"x0": picked - 0.5, "x1": picked + 0.5, "y0": 0, "y1": 1, "line": {"color": theme.ink, "width": 1}}
    figure_layout = layout(
        theme,
        margin={"l": round(3.7 * theme.size), "r": 8, "t": 4, "b": round(1.7 * theme.size)},
        barmode="overlay",
        bargap=0.15,
        hovermode="x",  # a short bar is picked anywhere in its column
        xaxis=FIXED | {"range": [-0.7, len(now) - 0.3], "nticks": 9},
        yaxis=FIXED | {"range": [-scale, scale], "zeroline": True, "zerolinecolor": theme.quiet, "nticks": 5},
        shapes=[{"type": "rect", "xref": "x", "yref": "paper", **frame}],
    )
    traces = [bars | solid, bars | {"y": before.astype(np.float32), "marker": outline}, limits]
    return drawn(traces, figure_layout)


def planes_by_distance(
    parts: Float[np.ndarray, "plane distance"],
    distances: Float[np.ndarray, " distance"],
    *,
    edge: float,
    here: int,
    picked: int,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """What each plane adds to q·k at each distance, on one scale from −edge to edge, fast planes at the top.

    `here` marks a distance, `picked` a plane; `words` gives "plane", "distance" and "part". A pick's row is the plane.
    """
    hover = f"{words['plane']} %{{y}}<br>{words['distance']} %{{x}}<br>{words['part']} %{{z:.6g}}<extra></extra>"
    cells = _cells(parts, hover) | {
        "x": distances.astype(np.float32),
        "zmin": -edge,
        "zmax": edge,
        "colorscale": [list(stop) for stop in theme.diverging],
    }
    first, last = float(distances[0]) - 0.5, float(distances[-1]) + 0.5
    row = {"x0": first, "x1": last, "y0": picked - 0.5, "y1": picked + 0.5}
    column = {"x0": here, "x1": here, "y0": -0.5, "y1": len(parts) - 0.5}
    shapes = [{"type": "rect", "line": {"color": theme.ink, "width": 1}, **row}]
    shapes.append({"type": "line", "line": {"color": theme.text["position"], "width": 1.5}, **column})
    names = [str(place) for place in range(len(parts))]
    return _grid([cells], (first, last), names, words["distance"], shapes, theme, left=2.6)


def errors_by_position(
    errors: Float[np.ndarray, "fault bin"],
    starts: Float[np.ndarray, " bin"],
    names: Sequence[str],
    *,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """The greatest error of a cosine in each stretch of positions, a row a way of rounding, 0 to 2; NaN stays blank.

    `words` gives "position" and "error".
    """
    width = float(starts[1] - starts[0]) if len(starts) > 1 else 1.0
    hover = f"%{{y}}<br>{words['position']} %{{customdata}} +<br>{words['error']} %{{z:.3g}}<extra></extra>"
    cells = _cells(errors, hover) | {
        "x": (starts + width / 2).astype(np.float32),
        "zmin": 0,
        "zmax": 2,
        "ygap": 4,
        "colorscale": [list(stop) for stop in theme.sequential],
        "customdata": np.broadcast_to(starts, errors.shape).astype(np.float32),
    }
    return _grid([cells], (0, float(starts[-1]) + width), names, words["position"], [], theme, left=11.5)


def _cells(values: np.ndarray, hover: str) -> dict:
    return {"type": "heatmap", "z": values.astype(np.float32), "showscale": False, "hovertemplate": hover}


def _grid(traces, across, names, title, shapes, theme: Theme, left: float) -> go.Figure:
    """Rows with names at the left, and a numbered axis below."""
    stride = -(-len(names) // 16)
    rows = list(range(0, len(names), stride))
    figure_layout = layout(
        theme,
        margin={"l": round(left * theme.size), "r": 10, "t": 4, "b": round(3.2 * theme.size)},
        xaxis=FIXED | {"range": list(across), "title": axis_title(title, theme), "nticks": 8},
        yaxis=FIXED | {"range": [len(names) - 0.5, -0.5], "tickvals": rows, "ticktext": [names[row] for row in rows]},
        shapes=shapes,
    )
    return drawn(traces, figure_layout)


def _circle(radius: float, theme: Theme) -> dict:
    around = np.linspace(0, 2 * np.pi, 2 * ARC_POINTS)
    line = {"color": theme.line, "width": 1}
    return _line(radius * np.cos(around), radius * np.sin(around), line)


def _arc(arrow: Arrow, radius: float) -> dict:
    """From the direction before to the one after, the way it turned, whole rounds left out."""
    start = np.arctan2(arrow.before[1], arrow.before[0])
    turned = np.fmod(arrow.angle, 2 * np.pi)
    around = start + np.linspace(0, turned, ARC_POINTS)
    line = {"color": ROLES[arrow.role], "width": 2}
    return _line(radius * np.cos(around), radius * np.sin(around), line)


def _arrow(tip: np.ndarray, colour: str, *, dotted: bool) -> dict:
    line = {"color": colour, "width": 1.5 if dotted else 3, "dash": "dot" if dotted else "solid"}
    arrow = _line(np.array([0, tip[0]]), np.array([0, tip[1]]), line)
    if dotted:
        return arrow
    head = {"symbol": "arrow", "angleref": "previous", "size": [0, 14], "color": colour, "line": {"width": 0}}
    return arrow | {"mode": "lines+markers", "marker": head}


def _told(arrow: Arrow, words: Mapping[str, str]) -> dict:
    turned = words["turned"].format(radians=f"{arrow.angle:.6g}")
    length = float(np.hypot(*arrow.after))
    template = f"{arrow.name} {turned}<br>(%{{x:.6g}}, %{{y:.6g}})<br>|·| {length:.6g}<extra></extra>"
    return {"hoverinfo": "all", "hovertemplate": template}


def _tip(arrow: Arrow, edge: float, theme: Theme) -> dict:
    """The arrow's letter, a little beyond its tip."""
    length = float(np.hypot(*arrow.after))
    direction = arrow.after / length if length else np.array([1.0, 0.0])
    x, y = arrow.after + 0.09 * edge * direction
    font = {"color": theme.text[arrow.role], "size": theme.size + 2}
    return {"x": float(x), "y": float(y), "text": f"<b>{arrow.name}</b>", "showarrow": False, "font": font}


def _line(x: np.ndarray, y: np.ndarray, line: dict) -> dict:
    points = {"x": x.astype(np.float32), "y": y.astype(np.float32)}
    return {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "line": line} | points
