"""Schemes side by side: one head as a small square, what comes next, and the loss of every token.

The pictures of all schemes share their scales, so that only what differs looks different.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float

from viz.attention import MONO
from viz.theme import FIXED, Theme, drawn, hatched, layout, token_labels

SIDE = 64  # rows and columns that a square shows at most
LABELLED_UP_TO = 20  # tokens whose labels find room beside a small square
NUMBERED_UP_TO = 16
ROW = 38  # pixels of a table's row


def span(places: int, picked: int) -> slice:
    """Which rows or columns a square shows: all, or of a long text the stretch of `SIDE` that holds the picked one."""
    start = max(0, min(picked // SIDE * SIDE, places - SIDE))
    return slice(start, min(places, start + SIDE))


def square(
    values: Float[np.ndarray, "query key"],
    tokens: Sequence[str],
    *,
    picked: tuple[int, int],
    limit: float | None,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """A small square of a head, row = query from the top, column = key; the future is hatched.

    Weights, 0…1; or, where `limit` is given, signed numbers on the diverging scale, −limit…limit. Of a long text it
    shows the stretches that hold the picked query and key; axes count tokens of the whole text all the same.
    """
    rows, columns = (span(len(tokens), place) for place in picked)
    future = np.arange(len(tokens))[None, columns] > np.arange(len(tokens))[rows, None]
    shown = np.where(future, np.nan, values[rows, columns])
    hover = f"{words['query']} %{{y}}<br>{words['key']} %{{x}}<br>{words['value']} %{{z:.5g}}<extra></extra>"
    cells = {
        "type": "heatmap",
        "z": shown.astype(np.float32),
        "x0": columns.start,
        "y0": rows.start,
        "zmin": 0 if limit is None else -limit,
        "zmax": 1 if limit is None else limit,
        "colorscale": [list(stop) for stop in (theme.sequential if limit is None else theme.diverging)],
        "showscale": False,
        "hoverongaps": False,
        "hovertemplate": hover,
    }
    axis = FIXED | {"constrain": "domain"}
    figure_layout = layout(
        theme,
        margin={"l": 78, "r": 4, "t": 66, "b": 4},
        xaxis=axis | _ticks(tokens, columns, theme) | {"side": "top", "tickangle": -60},
        yaxis=axis | _ticks(tokens, rows, theme, down=True) | {"scaleanchor": "x", "constraintoward": "top"},
        shapes=_frames(picked, rows, columns, theme),
    )
    return drawn([cells, *_hatching(future, rows, columns, theme)], figure_layout)


def next_tokens(
    texts: Sequence[Sequence[str]],
    shares: Float[np.ndarray, "scheme rank"],
    schemes: Sequence[str],
    *,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """The likeliest next tokens, a row a scheme, the likeliest at the left; colour = probability, 0…1."""
    named = [
        [f"{token}<br>{share:.2f}" for token, share in zip(token_labels(row, 9), line, strict=True)]
        for row, line in zip(texts, shares, strict=True)
    ]
    hover = f"{words['scheme']} %{{y}}<br>%{{text}}<br>{words['probability']} %{{z:.5g}}<extra></extra>"
    cells = _table(shares, 1.0, hover, theme) | {"text": named}
    ranks = {"tickvals": list(range(shares.shape[1])), "ticktext": [str(1 + rank) for rank in range(shares.shape[1])]}
    return _rows([cells, *_written(named, shares, theme)], schemes, ranks, theme)


def losses(
    found: Float[np.ndarray, "scheme token"],
    tokens: Sequence[str],
    schemes: Sequence[str],
    expected: Sequence[Sequence[str]],
    *,
    top: float,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """How surprised each scheme was by each token, 0 … `top` nats; blank where nothing predicts it.

    `expected` says which token each scheme held likeliest there, and how likely.
    """
    hover = f"{words['scheme']} %{{y}}<br>{words['token']} %{{x}}<br>{words['loss']} %{{z:.4g}}<br>"
    cells = _table(found, top, f"{hover}{words['expected']} %{{text}}<extra></extra>", theme)
    cells |= {"text": [token_labels(row, 20) for row in expected], "hoverongaps": False}
    written = [[f"{loss:.1f}" if np.isfinite(loss) else "" for loss in row] for row in found]
    numbers = _written(written, np.nan_to_num(found) / top, theme) if len(tokens) <= NUMBERED_UP_TO else []
    return _rows([cells, *numbers], schemes, _ticks(tokens, slice(0, len(tokens)), theme, most=40), theme)


def numbers(
    found: Float[np.ndarray, "scheme column"],
    written: Sequence[Sequence[str]],
    schemes: Sequence[str],
    columns: Sequence[str],
    *,
    top: float,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """A table of losses, 0 … `top` nats, each cell with the text that goes with it; blank where there is none."""
    cells = _table(found, top, f"%{{y}}<br>%{{x}}<br>{words['loss']} %{{text}}<extra></extra>", theme)
    cells |= {"text": [list(row) for row in written], "hoverongaps": False}
    ticks = {"tickvals": list(range(len(columns))), "ticktext": token_labels(columns, 40)}
    return _rows([cells, *_written(written, np.nan_to_num(found) / top, theme)], schemes, ticks, theme)


def _table(values: Float[np.ndarray, "scheme column"], top: float, hover: str, theme: Theme) -> dict:
    return {
        "type": "heatmap",
        "z": values.astype(np.float32),
        "zmin": 0,
        "zmax": top,
        "colorscale": [list(stop) for stop in theme.sequential],
        "showscale": False,
        "xgap": 2 if values.shape[1] <= LABELLED_UP_TO else 0,
        "ygap": 3,
        "hovertemplate": hover,
    }


def _written(texts: Sequence[Sequence[str]], shares: Float[np.ndarray, "scheme column"], theme: Theme) -> list[dict]:
    """Text, already as Plotly's markup, in the cells of a table, in whichever of black and white is legible there."""
    rows, columns = np.indices(shares.shape)
    return [
        {
            "type": "scatter",
            "mode": "text",
            "x": columns.ravel(),
            "y": rows.ravel(),
            "text": [text for row in texts for text in row],
            "textfont": {"size": theme.size - 1, "color": theme.text_on(np.clip(shares, 0, 1).ravel())},
            "hoverinfo": "skip",
        }
    ]


def _rows(traces: list[dict], schemes: Sequence[str], columns: dict, theme: Theme) -> go.Figure:
    names = {"tickvals": list(range(len(schemes))), "ticktext": list(schemes)}
    figure_layout = layout(
        theme,
        margin={"l": 112, "r": 4, "t": 66 if columns.get("tickangle") else 26, "b": 4},
        xaxis=FIXED | {"side": "top", "tickangle": 0} | columns,
        yaxis=FIXED | names | {"range": [len(schemes) - 0.5, -0.5]},
    )
    return drawn(traces, figure_layout)


def _ticks(
    tokens: Sequence[str], shown: slice, theme: Theme, *, down: bool = False, most: int = LABELLED_UP_TO
) -> dict:
    """The range of the shown tokens and their labels, or every n-th where they would overlap."""
    places = list(range(shown.start, shown.stop))
    stride = -(-len(places) // most)
    ends = [shown.start - 0.5, shown.stop - 0.5]
    return {
        "range": ends[::-1] if down else ends,
        "tickvals": places[::stride],
        "ticktext": token_labels([tokens[place] for place in places[::stride]], 8),
        "tickfont": {"family": MONO, "size": theme.size - 2},
    } | ({} if down else {"tickangle": -60})


def _hatching(future: Bool[np.ndarray, "query key"], rows: slice, columns: slice, theme: Theme) -> list[dict]:
    """The staircase of keys that the queries may not see, hatched; nothing where all are seen."""
    if not future.any():
        return []
    left = columns.start + future.shape[1] - future.sum(axis=1) - 0.5
    tops = np.arange(rows.start, rows.stop) - 0.5
    right = columns.stop - 0.5
    x = np.concatenate([np.repeat(left, 2), [right, right]])
    y = np.concatenate([np.stack([tops, tops + 1], axis=1).ravel(), [rows.stop - 0.5, rows.start - 0.5]])
    return [hatched(x, y, theme)]


def _frames(picked: tuple[int, int], rows: slice, columns: slice, theme: Theme) -> list[dict]:
    """The picked query's row and the picked key's column, in their roles' colours."""
    query, key = picked
    whole = {"x0": columns.start - 0.5, "x1": columns.stop - 0.5, "y0": rows.start - 0.5, "y1": rows.stop - 0.5}
    row = whole | {"y0": query - 0.5, "y1": query + 0.5}
    column = whole | {"x0": key - 0.5, "x1": key + 0.5}
    colours = {"query": row, "key": column}
    return [
        {"type": "rect", **place, "line": {"color": theme.text[role], "width": 1.5}} for role, place in colours.items()
    ]
