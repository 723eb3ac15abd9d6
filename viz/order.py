"""The same tokens in two orders: who crossed whom, and how far each token's row is from itself in the other order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float

from viz.attention import LABELLED_UP_TO, MONO
from viz.theme import BARE, FIXED, ROLES, Theme, drawn, layout, token_labels

FLOOR, CEILING = 1e-8, 1.0  # the ends of every scale of relative differences, which is logarithmic
ROW, TOP = 24, 58  # pixels of one row, and over the first one for the columns' names
NUMBERED_UP_TO = 40


@dataclass(frozen=True, eq=False)
class Differences:
    """How far rows are apart: the greatest difference, the same relative to the row's greatest entry, and a verdict."""

    absolute: Float[np.ndarray, "rows columns"]
    relative: Float[np.ndarray, "rows columns"]
    same: Bool[np.ndarray, "rows columns"]


def crossing(
    tokens: Sequence[str], moved: Sequence[int], *, picked: int, words: Mapping[str, str], theme: Theme
) -> go.Figure:
    """The sentence on top, its other order below, a line a token; `moved` gives the old place at each new place.

    Lines of tokens that keep their place are faint, the picked token's is in the query's colour. `words` gives "from"
    and "to". A pick's row is the token's old place.
    """
    new = np.argsort(np.asarray(moved))
    olds = np.arange(len(tokens))
    staying, going = olds == new, olds != new
    traces = [
        _lines(olds, new, staying & (olds != picked), theme.line, 1),
        _lines(olds, new, going & (olds != picked), theme.quiet, 1.5),
        _lines(olds, new, olds == picked, ROLES["query"], 3),
        _ends(olds, new, tokens, words),
    ]
    span = [-0.5, len(tokens) - 0.5]
    room = round((4.6 if _steep(tokens) else 2.4) * theme.size)
    figure_layout = layout(
        theme,
        margin={
            "l": round(3.4 * theme.size),
            "r": round(2.6 * theme.size),
            "t": room,
            "b": room,
        },
        xaxis=BARE | {"range": span, "side": "top"} | _ticks(tokens, theme),
        xaxis2=BARE
        | {"range": span, "side": "bottom", "overlaying": "x", "matches": "x"}
        # the label of each new place
        | _ticks([tokens[place] for place in moved], theme),
        yaxis=FIXED | {"range": [1.06, -0.06], "showticklabels": False},
    )
    return drawn(traces, figure_layout)


def differences(
    found: Differences,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    picked: int | None,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """A row a token, a column a setting: shaded by relative difference, with "=" or "≠" and the greatest difference.

    The scale is logarithmic and always the same. `words` gives "difference" and "relative". A pick's row is the row.
    """
    count = len(rows)
    places = np.clip(np.log10(np.maximum(found.relative, FLOOR) / FLOOR) / np.log10(CEILING / FLOOR), 0, 1)
    traces = [_cells(found, places, words, theme)]
    if count <= NUMBERED_UP_TO:
        traces.append(_numbers(found, places, theme))
    stride = -(-count // LABELLED_UP_TO)
    shown = list(range(0, count, stride))
    labels = token_labels(rows)
    shapes = [] if picked is None else [_frame(picked, len(columns), theme)]
    figure_layout = layout(
        theme,
        margin={"l": round(6.2 * theme.size), "r": 4, "t": TOP, "b": 4},
        xaxis=FIXED
        | {"range": [-0.5, len(columns) - 0.5], "side": "top", "tickangle": 0}
        | {"tickvals": list(range(len(columns))), "ticktext": list(columns)},
        yaxis=BARE
        | {"range": [count - 0.5, -0.5], "tickvals": shown, "ticktext": [labels[place] for place in shown]}
        | {"tickfont": {"family": MONO}},
        shapes=shapes,
    )
    return drawn(traces, figure_layout)


def height(rows: int) -> int:
    """The height of a picture of differences; many rows grow thin."""
    return TOP + 8 + round(rows * max(3.0, min(ROW, 720 / rows)))


def by_layer(
    relative: Float[np.ndarray, "order layers"],
    orders: Sequence[str],
    *,
    tolerance: float,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """A dot an order and layer: how far a row is from itself; below the dotted line the two rows are the same.

    `words` gives "layer", "difference" and "same".
    """
    count, layers = relative.shape
    offsets = np.linspace(-0.28, 0.28, count) if count > 1 else np.zeros(1)
    x = np.arange(layers)[None, :] + offsets[:, None]
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": x.ravel().astype(np.float32),
        "y": np.maximum(relative, FLOOR).ravel().astype(np.float32),
        "text": np.repeat(token_labels(orders, longest=60), layers).tolist(),
        "customdata": relative.ravel().astype(np.float32),
        "marker": {"color": theme.sequential[-2][1], "size": 8},
        "hovertemplate": f"%{{text}}<br>{words['difference']} %{{customdata:.3g}}<extra></extra>",
    }
    powers = [1e-8, 1e-6, 1e-4, 1e-2, 1]
    figure_layout = layout(
        theme,
        margin={"l": round(4.4 * theme.size), "r": 8, "t": 8, "b": round(2.4 * theme.size)},
        xaxis=FIXED
        | {"range": [-0.5, layers - 0.5], "tickvals": list(range(layers))}
        | {"ticktext": [words["layer"].format(layer=layer) for layer in range(layers)]},
        yaxis=FIXED
        | {"type": "log", "range": [-8.3, 0.6], "tickvals": powers, "gridcolor": theme.line, "showgrid": True}
        | {"ticktext": ["≤10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "1"]},
        shapes=[_level(tolerance, theme)],
        annotations=[_said(words["same"], tolerance)],
    )
    return drawn([dots], figure_layout)


def short(number: float) -> str:
    """A difference in at most six signs."""
    if number == 0:
        return "0"
    if not np.isfinite(number):
        return "∞"
    if 1e-2 <= number < 1e4:
        return f"{float(f'{number:.2g}'):g}" if number < 100 else f"{number:.0f}"
    return f"{number:.0e}".replace("e-0", "e−").replace("e+0", "e").replace("e-", "e−")


def _lines(olds: np.ndarray, new: np.ndarray, chosen: np.ndarray, colour: str, width: float) -> dict:
    gap = np.full(int(chosen.sum()), np.nan)
    x = np.stack((olds[chosen], new[chosen], gap), axis=1)
    y = np.stack((np.zeros_like(gap), np.ones_like(gap), gap), axis=1)
    line = {"color": colour, "width": width}
    points = {"x": x.ravel().astype(np.float32), "y": y.ravel().astype(np.float32)}
    return {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "line": line} | points


def _ends(olds: np.ndarray, new: np.ndarray, tokens: Sequence[str], words: Mapping[str, str]) -> dict:
    """Unseen points at the upper ends and, on the second axis, at the lower ones: they are hovered and picked."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": olds.astype(np.float32),
        "y": np.zeros(len(olds), dtype=np.float32),
        "xaxis": "x2",
        "marker": {"size": 18, "opacity": 0},
        "text": token_labels(tokens, longest=30),
        "customdata": new,
        "hovertemplate": f"%{{text}}<br>{words['from']} %{{x}}<br>{words['to']} %{{customdata}}<extra></extra>",
    }


def _ticks(tokens: Sequence[str], theme: Theme) -> dict:
    stride = -(-len(tokens) // LABELLED_UP_TO)
    places, labels = list(range(0, len(tokens), stride)), token_labels(tokens)
    texts = [labels[place] for place in places]
    return {
        "tickvals": places,
        "ticktext": texts,
        "tickangle": -40 if _steep(tokens) else 0,
        "tickfont": {"family": MONO, "size": theme.size if len(tokens) <= 24 else theme.size - 3},
    }


def _steep(tokens: Sequence[str]) -> bool:
    """Whether the labels have no room side by side, also on a phone."""
    return len(tokens) > 10 or max(map(len, tokens)) * len(tokens) > 36


def _cells(found: Differences, places: np.ndarray, words: Mapping[str, str], theme: Theme) -> dict:
    return {
        "type": "heatmap",
        "z": places.astype(np.float32),
        "zmin": 0,
        "zmax": 1,
        "customdata": np.stack([found.absolute, found.relative], axis=-1).astype(np.float32),
        "colorscale": [list(stop) for stop in theme.sequential],
        "showscale": False,
        "xgap": 2,
        "ygap": 2 if len(places) <= NUMBERED_UP_TO else 0,
        "hovertemplate": f"%{{y}}<br>{words['difference']} %{{customdata[0]:.4g}}<br>"
        f"{words['relative']} %{{customdata[1]:.3g}}<extra></extra>",
    }


def _numbers(found: Differences, places: np.ndarray, theme: Theme) -> dict:
    rows, columns = np.indices(places.shape)
    signs = np.where(found.same, "=", "≠").ravel()
    texts = [f"{sign} {short(number)}" for sign, number in zip(signs, found.absolute.ravel().tolist(), strict=True)]
    return {
        "type": "scatter",
        "mode": "text",
        "x": columns.ravel(),
        "y": rows.ravel(),
        "text": texts,
        "textfont": {
            "family": MONO,
            "size": theme.size - (1 if places.shape[1] <= 4 else 3),
            "color": theme.text_on(places.ravel()),
        },
        "hoverinfo": "skip",
    }


def _frame(row: int, columns: int, theme: Theme) -> dict:
    line = {"color": theme.text["query"], "width": 2}
    return {"type": "rect", "x0": -0.5, "x1": columns - 0.5, "y0": row - 0.5, "y1": row + 0.5, "line": line}


def _level(tolerance: float, theme: Theme) -> dict:
    line = {"color": theme.quiet, "width": 1, "dash": "dot"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": tolerance, "y1": tolerance, "line": line}


def _said(text: str, tolerance: float) -> dict:
    place = {"xref": "paper", "x": 1, "y": np.log10(tolerance), "xanchor": "right", "yanchor": "top"}
    return {"text": text, "showarrow": False, **place}
