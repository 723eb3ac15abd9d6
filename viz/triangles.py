"""What is added to the scores, head by head: small triangles of queries and keys on one scale; and plain distances."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Int

from viz.attention import MONO
from viz.theme import Theme, drawn, layout, token_labels

ACROSS = 4  # triangles to a row
NUMBERED_UP_TO = 12
LABELLED_UP_TO = 24


def triangles(
    bias: Float[np.ndarray, "heads query key"],
    names: Sequence[str],
    *,
    limit: float,
    picked: tuple[int, int, int],
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """Each head's bias, row = query from the top, column = key; the future is left blank. Scale −limit…limit for all.

    `picked` is a head, whose triangle is framed, and the query and key of a cell, framed in it. `words` gives "query"
    and "key". A pick's trace is the head, its row and column the cell's.
    """
    heads, seq = bias.shape[:2]
    step = seq + max(1.0, 0.1 * seq)  # from one triangle to the next
    below = step + 0.16 * seq
    across, down = min(ACROSS, heads), -(-heads // ACROSS)
    corners = [(head % ACROSS * step, head // ACROSS * below) for head in range(heads)]
    traces = [_tile(bias[head], corners[head], names[head], limit, words, theme) for head in range(heads)]
    axis = {"showgrid": False, "zeroline": False, "ticks": "", "showticklabels": False}
    head, query, key = picked
    left, top = corners[head]
    frames = [_frame(left, top, seq, seq, theme.text["residual"])]
    if query < seq and key < seq:
        frames.append(_frame(left + key, top + query, 1, 1, theme.ink))
    figure_layout = layout(
        theme,
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
        xaxis=axis | {"range": [-0.8, across * step - 1], "constrain": "domain"},
        yaxis=axis | {"range": [down * below - 0.9, -0.5 - 0.16 * seq], "scaleanchor": "x", "constraintoward": "top"},
        shapes=frames,
        annotations=[_name(name, corner, theme) for name, corner in zip(names, corners, strict=True)],
    )
    return drawn(traces, figure_layout)


def distances(
    positions: Int[np.ndarray, " seq"],
    tokens: Sequence[str],
    *,
    picked: tuple[int, int],
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """Query position − key position for every visible pair, in its cell; the labels give each token's position.

    `picked` is a query, whose row is framed, and a key. `words` gives "query", "key" and "distance".
    """
    seq = len(positions)
    apart = (positions[:, None] - positions[None, :]).astype(np.float32)
    shown = np.where(np.tri(seq, dtype=bool), apart, np.nan)
    cells = _heat(shown, 0.0, max(1.0, float(np.nanmax(shown))), theme.sequential)
    hover = f"{words['query']} %{{y}}<br>{words['key']} %{{x}}<br>{words['distance']} %{{z}}<extra></extra>"
    traces = [cells | {"hovertemplate": hover, "xgap": 1, "ygap": 1}]
    if seq <= NUMBERED_UP_TO:
        traces.append(_numbers(shown, theme))
    stride = -(-seq // LABELLED_UP_TO)
    labels = [f"{label} @{position}" for label, position in zip(token_labels(tokens), positions, strict=True)]
    ticks = {"tickvals": list(range(0, seq, stride)), "ticktext": labels[::stride]}
    ticks["tickfont"] = {"family": MONO, "size": theme.size - 1 if seq <= LABELLED_UP_TO else theme.size - 3}
    axis = {"showgrid": False, "zeroline": False, "ticks": "", "constrain": "domain", **ticks}
    query, key = picked
    figure_layout = layout(
        theme,
        margin={"l": round(8.2 * theme.size), "r": 8, "t": round(7 * theme.size), "b": 6},
        xaxis=axis | {"range": [-0.5, seq - 0.5], "side": "top", "tickangle": -60},
        yaxis=axis | {"range": [seq - 0.5, -0.5], "scaleanchor": "x", "constraintoward": "top"},
        shapes=[
            _frame(0, query, seq, 1, theme.text["query"]),
            _frame(key, 0, 1, seq, theme.text["key"]),
        ],
    )
    return drawn(traces, figure_layout)


def _tile(
    bias: Float[np.ndarray, "query key"],
    corner: tuple[float, float],
    name: str,
    limit: float,
    words: Mapping[str, str],
    theme: Theme,
) -> dict:
    seq = len(bias)
    places = np.arange(seq)
    indices = np.stack(np.meshgrid(places, places, indexing="ij"), axis=-1).astype(np.uint8)
    hover = f"{words['query']} %{{customdata[0]}}<br>{words['key']} %{{customdata[1]}}<br>%{{z:.5g}}"
    shown = np.where(np.tri(seq, dtype=bool), bias, np.nan)
    return _heat(shown, -limit, limit, theme.diverging) | {
        "x0": corner[0],
        "dx": 1,
        "y0": corner[1],
        "dy": 1,
        "customdata": indices,
        "hovertemplate": f"{hover}<extra>{name}</extra>",
    }


def _heat(shown: np.ndarray, low: float, high: float, scale: Sequence[tuple[float, str]]) -> dict:
    return {
        "type": "heatmap",
        "z": shown.astype(np.float32),
        "zmin": low,
        "zmax": high,
        "colorscale": [list(stop) for stop in scale],
        "showscale": False,
        "hoverongaps": False,
    }


def _numbers(shown: Float[np.ndarray, "query key"], theme: Theme) -> dict:
    rows, columns = np.nonzero(~np.isnan(shown))
    values = shown[rows, columns]
    shares = values / max(1.0, float(values.max()))
    return {
        "type": "scatter",
        "mode": "text",
        "x": columns,
        "y": rows,
        "text": [f"{value:.0f}" for value in values],
        "textfont": {"size": theme.size, "color": theme.text_on(shares)},
        "hoverinfo": "skip",
    }


def _frame(left: float, top: float, width: float, height: float, colour: str) -> dict:
    edges = {"x0": left - 0.5, "x1": left + width - 0.5, "y0": top - 0.5, "y1": top + height - 0.5}
    return {"type": "rect", "line": {"color": colour, "width": 2}, **edges}


def _name(name: str, corner: tuple[float, float], theme: Theme) -> dict:
    font = {"size": theme.size - 1, "color": theme.ink}
    where = {"x": corner[0] - 0.5, "y": corner[1] - 0.5, "xanchor": "left", "yanchor": "bottom"}
    return {"text": name, "showarrow": False, "font": font, **where}
