"""One head's queries, keys and values side by side, and one dot product term by term."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.attention import MONO
from viz.theme import Theme, drawn, layout, token_labels

ROWS = 64  # tokens drawn at once
LABELLED_UP_TO = 32
ROLE_ROWS = ("query", "key", "value")
GAP = 0.03
LABEL_WIDTH = 7  # of a token's label, in sizes of the type


@dataclass(frozen=True)
class Window:
    """The tokens that are drawn, `start` to before `stop`."""

    start: int
    stop: int


def window(seq: int, picked: int) -> Window:
    """All tokens, or, of a long text, 64 around the picked one."""
    start = min(max(0, picked - ROWS // 2), max(0, seq - ROWS))
    return Window(start, min(seq, start + ROWS))


def side_by_side(
    rows: Mapping[str, Float[np.ndarray, "seq d_head"]],
    tokens: Sequence[str],
    *,
    picked: tuple[int, int],
    titles: Mapping[str, str],
    dimension: str,
    theme: Theme,
) -> go.Figure:
    """Three heatmaps, a row a token from the top, a column a dimension; each symmetric about 0 up to its own greatest.

    `rows` and `titles` have "query", "key" and "value". The picked query's row and the picked key's are framed in
    their roles' colours. Of a long text, only the window round the query is drawn.
    """
    seen = window(len(tokens), picked[0])
    traces, axes, notes, shapes = [], {}, [], []
    width = (1 - 2 * GAP) / 3
    for place, role in enumerate(ROLE_ROWS):
        shown = rows[role][seen.start : seen.stop]
        name = str(place + 1) if place else ""
        domain = [place * (width + GAP), place * (width + GAP) + width]
        traces.append(_heatmap(shown, rows[role], name, seen, dimension, theme))
        axes[f"xaxis{name}"] = _dimensions(shown.shape[1], domain, theme)
        axes[f"yaxis{name}"] = _tokens(tokens, seen, place == 0, theme) | {"anchor": f"x{name}"}
        notes.append(_title(titles[role], domain[0], theme.text[role]))
        marked = picked[0] if role == "query" else picked[1]
        if seen.start <= marked < seen.stop:
            shapes.append(_row_frame(marked, shown.shape[1], name, theme.text["query" if role == "query" else "key"]))
    margin = {"l": LABEL_WIDTH * theme.size, "r": 4, "t": 2 * theme.size, "b": 2 * theme.size}
    return drawn(traces, layout(theme, margin=margin, annotations=notes, shapes=shapes, **axes))


def dot_product(
    query: Float[np.ndarray, " d_head"],
    key: Float[np.ndarray, " d_head"],
    products: Float[np.ndarray, " d_head"],
    *,
    names: tuple[str, str, str],
    dimension: str,
    theme: Theme,
) -> go.Figure:
    """Three strips over the same dimensions: the query's row, the key's, and their products as bars from 0."""
    size = len(query)
    strips = [
        _strip(query, "", theme, f"{dimension} %{{x}}<br>%{{z:.5g}}<extra></extra>"),
        _strip(key, "2", theme, f"{dimension} %{{x}}<br>%{{z:.5g}}<extra></extra>"),
    ]
    colours = np.where(products >= 0, theme.diverging[3][1], theme.diverging[1][1]).tolist()
    bars = {
        "type": "bar",
        "x": np.arange(size, dtype=np.float32),
        "y": products.astype(np.float32),
        "yaxis": "y3",
        "marker": {"color": colours, "line": {"width": 0}},
        "hovertemplate": f"{dimension} %{{x}}<br>%{{y:.5g}}<extra></extra>",
    }
    most = float(np.abs(products).max(initial=0)) or 1.0
    bare = {"showgrid": False, "zeroline": False, "ticks": "", "fixedrange": True, "range": [0.5, -0.5]}
    labels = [_coloured(names[0], theme.text["query"]), _coloured(names[1], theme.text["key"]), names[2]]
    axes = {
        "xaxis": _dimensions(size, [0, 1], theme) | {"anchor": "y3"},
        "yaxis": bare | _label(labels[0]) | {"domain": [0.86, 1]},
        "yaxis2": bare | _label(labels[1]) | {"domain": [0.68, 0.82]},
        "yaxis3": bare
        | _label(labels[2])
        | {"domain": [0, 0.62], "range": [-1.08 * most, 1.08 * most], "zeroline": True, "zerolinecolor": theme.line},
    }
    margin = {"l": LABEL_WIDTH * theme.size, "r": 4, "t": 4, "b": 2 * theme.size}
    figure_layout = layout(theme, margin=margin, bargap=0.15, **axes)
    return drawn([*strips, bars], figure_layout)


def greatest(values: np.ndarray) -> float:
    """The end of a scale that is symmetric about 0; 1 where all is 0."""
    return float(np.abs(values).max(initial=0)) or 1.0


def _heatmap(shown: np.ndarray, whole: np.ndarray, name: str, seen: Window, dimension: str, theme: Theme) -> dict:
    return {
        "type": "heatmap",
        "z": shown.astype(np.float32),
        "y": np.arange(seen.start, seen.stop),
        "xaxis": f"x{name}",
        "yaxis": f"y{name}",
        "zmin": -greatest(whole),
        "zmax": greatest(whole),
        "colorscale": [list(stop) for stop in theme.diverging],
        "showscale": False,
        "ygap": 1,
        "hovertemplate": f"%{{y}}<br>{dimension} %{{x}}<br>%{{z:.5g}}<extra></extra>",
    }


def _strip(values: np.ndarray, name: str, theme: Theme, hover: str) -> dict:
    return {
        "type": "heatmap",
        "z": values[None].astype(np.float32),
        "yaxis": f"y{name}",
        "zmin": -greatest(values),
        "zmax": greatest(values),
        "colorscale": [list(stop) for stop in theme.diverging],
        "showscale": False,
        "hovertemplate": hover,
    }


def _dimensions(count: int, domain: list[float], theme: Theme) -> dict:
    """The dimensions from 0, numbered at quarters."""
    places = [*range(0, count, max(1, count // 4))]
    ticks = {"tickvals": places, "ticktext": [str(place) for place in places], "tickangle": 0}
    bare = {"showgrid": False, "zeroline": False, "ticks": "", "tickfont": {"size": theme.size - 3}}
    return {"domain": domain, "range": [-0.5, count - 0.5]} | bare | ticks


def _tokens(tokens: Sequence[str], seen: Window, labelled: bool, theme: Theme) -> dict:
    stride = -(-(seen.stop - seen.start) // LABELLED_UP_TO)
    places = list(range(seen.start, seen.stop, stride))
    labels = token_labels(tokens)
    texts = {
        "tickvals": places,
        "ticktext": [labels[place] for place in places],
        "tickfont": {"family": MONO, "size": theme.size - 2},
    }
    bare = {"showgrid": False, "zeroline": False, "ticks": "", "showticklabels": labelled}
    return {"range": [seen.stop - 0.5, seen.start - 0.5]} | bare | texts


def _title(text: str, left: float, colour: str) -> dict:
    place = {"xref": "paper", "yref": "paper", "x": left, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    return {"text": f"<b>{text}</b>", "font": {"color": colour}, "showarrow": False, **place}


def _label(text: str) -> dict:
    return {"tickvals": [0], "ticktext": [text], "tickfont": {"family": MONO}}


def _coloured(text: str, colour: str) -> str:
    return f'<span style="color:{colour}">{text}</span>'


def _row_frame(row: int, size: int, name: str, colour: str) -> dict:
    x = {"xref": f"x{name}", "x0": -0.5, "x1": size - 0.5}
    y = {"yref": f"y{name}", "y0": row - 0.5, "y1": row + 0.5}
    return {"type": "rect", **x, **y, "line": {"color": colour, "width": 2}}
