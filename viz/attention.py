"""Pictures of attention weights: one head as a square of cells, one row of it as bars."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.theme import BARE, FIXED, FONT, ROLES, Theme, drawn, hatched, layout, token_labels

NUMBERED_UP_TO = 16
LABELLED_UP_TO = 40


def head_weights(
    weights: Float[np.ndarray, "query key"],
    tokens: Sequence[str],
    *,
    picked: tuple[int, int],
    causal: bool,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """One head's weights, row = query from the top, column = key. The colour range is always 0…1.

    `picked` marks the query's row and the key's column; keys that the causal mask hides are hatched, never coloured.
    `words` gives "query", "key" and "weight" in the reader's language.
    """
    seq = len(tokens)
    shown = np.where(_future(seq), np.nan, weights) if causal else weights
    traces = [_cells(shown, seq, words, theme)]
    if causal and seq > 1:
        traces.append(_hatching(seq, theme))
    if seq <= NUMBERED_UP_TO:
        traces.append(_numbers(shown, theme))
    return _square(traces, tokens, picked, theme)


def head_difference(
    difference: Float[np.ndarray, "query key"],
    tokens: Sequence[str],
    *,
    picked: tuple[int, int],
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """What a change did to one head's weights, changed − original: on the diverging scale, always −1…1."""
    cells = _cells(difference, len(tokens), words, theme)
    cells |= {"zmin": -1, "zmax": 1, "colorscale": [list(stop) for stop in theme.diverging]}
    return _square([cells], tokens, picked, theme)


def row_bars(
    values: Mapping[str, Float[np.ndarray, " key"]],
    tokens: Sequence[str],
    *,
    picked: int,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """One query's row: a bar a key for its weight, with the score before the softmax beside the label.

    `values` holds "weights" (0…1) and "scores" of the visible keys, in their order; `picked` is the marked key.
    """
    weights, scores = values["weights"], values["scores"]
    keys = len(weights)
    colours = [ROLES["key"] if place == picked else theme.sequential[-2][1] for place in range(keys)]
    labels = token_labels(tokens[:keys])
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": weights.astype(np.float32),
        "y": np.arange(keys),
        "marker": {"color": colours},
        "text": [f"{weight:.3f}" for weight in weights],
        "textposition": "outside",
        "cliponaxis": False,
        "customdata": scores.astype(np.float32),
        "hovertemplate": f"%{{y}}<br>{words['score']} %{{customdata:.5g}}<br>"
        f"{words['weight']} %{{x:.6g}}<extra></extra>",
    }
    # the isolates U+2068 and U+2069 keep a right-to-left token from reordering its score
    ticks = [f"\u2068{label}\u2069  {score:+.2f}" for label, score in zip(labels, scores, strict=True)]
    figure_layout = layout(
        theme,
        margin={"l": 150, "r": 48, "t": 4, "b": 4},
        xaxis=FIXED | {"range": [0, 1], "showticklabels": False},
        yaxis=BARE
        | {
            "range": [keys - 0.5, -0.5],
            "tickvals": list(range(keys)),
            "ticktext": ticks,
            "tickfont": {"family": MONO, "size": theme.size},
        },
        bargap=0.35,
    )
    return drawn([bars], figure_layout)


def _square(traces: list[dict], tokens: Sequence[str], picked: tuple[int, int], theme: Theme) -> go.Figure:
    """Traces over a square of queries and keys: row 0 at the top, the picked row and column framed."""
    seq = len(tokens)
    axis = {"range": [-0.5, seq - 0.5], "showgrid": False, "zeroline": False, "ticks": "", "constrain": "domain"}
    axis |= _ticks(tokens, theme)
    figure_layout = layout(
        theme,
        margin={"l": 96, "r": 8, "t": 92, "b": 8},
        xaxis=axis | {"side": "top", "tickangle": -60, "title": None},
        yaxis=axis | {"range": [seq - 0.5, -0.5], "scaleanchor": "x", "constraintoward": "top"},
        shapes=[_frame(seq, theme, row=picked[0]), _frame(seq, theme, column=picked[1])],
    )
    return drawn(traces, figure_layout)


def _cells(shown: Float[np.ndarray, "query key"], seq: int, words: Mapping[str, str], theme: Theme) -> dict:
    gap = 2 if seq <= LABELLED_UP_TO else 0
    hover = f"{words['query']} %{{y}}<br>{words['key']} %{{x}}<br>{words['weight']} %{{z:.6g}}<extra></extra>"
    return {
        "type": "heatmap",
        "z": shown.astype(np.float32),
        "zmin": 0,
        "zmax": 1,
        "colorscale": [list(stop) for stop in theme.sequential],
        "showscale": False,
        "xgap": gap,
        "ygap": gap,
        "hoverongaps": False,
        "hovertemplate": hover,
    }


def _numbers(shown: Float[np.ndarray, "query key"], theme: Theme) -> dict:
    """The weights from 0.1 on, written in their cells in whichever of black and white is legible there."""
    rows, columns = np.nonzero(np.nan_to_num(shown) >= 0.095)
    weights = shown[rows, columns]
    return {
        "type": "scatter",
        "mode": "text",
        "x": columns,
        "y": rows,
        "text": [f"{weight:.2f}".replace("0.", ".", 1) if weight < 0.995 else "1.0" for weight in weights],
        "textfont": {"size": theme.size - 2, "color": theme.text_on(weights)},
        "hoverinfo": "skip",
    }


def _hatching(seq: int, theme: Theme) -> dict:
    """The staircase above the diagonal, hatched: keys that this query may not see."""
    steps = np.arange(seq)
    x = np.concatenate([np.repeat(steps + 0.5, 2)[:-1], [seq - 0.5, 0.5]])
    y = np.concatenate([np.repeat(steps - 0.5, 2)[1:], [-0.5, -0.5]])
    return hatched(x, y, theme)


def _future(seq: int) -> np.ndarray:
    return np.triu(np.ones((seq, seq), dtype=bool), k=1)


def _ticks(tokens: Sequence[str], theme: Theme) -> dict:
    """Every token's label, or every n-th where they would overlap."""
    stride = -(-len(tokens) // LABELLED_UP_TO)
    places = list(range(0, len(tokens), stride))
    labels = token_labels(tokens)
    font = {"family": MONO, "size": theme.size if len(tokens) <= 24 else theme.size - 3}
    return {"tickmode": "array", "tickvals": places, "ticktext": [labels[place] for place in places], "tickfont": font}


def _frame(seq: int, theme: Theme, row: int | None = None, column: int | None = None) -> dict:
    """A frame round one row in the query's colour, or round one column in the key's."""
    across = (-0.5, seq - 0.5)
    x = across if column is None else (column - 0.5, column + 0.5)
    y = across if row is None else (row - 0.5, row + 0.5)
    colour = theme.text["query" if column is None else "key"]
    return {"type": "rect", "x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1], "line": {"color": colour, "width": 2}}


MONO = "ui-monospace, 'Cascadia Mono', 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', " + FONT
