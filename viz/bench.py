"""The softmax bench: a table and its bars in one picture, a row an entry."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float

from viz.attention import MONO
from viz.theme import FIXED, Theme, drawn, layout, token_labels

TABLE_SHARE = 0.72  # of the width; the bars have the rest


@dataclass(frozen=True, eq=False)
class Table:
    """The numbers of each entry: score, scaled score, exponential, weight; `hidden` ones have only a score."""

    scores: Float[np.ndarray, " entry"]
    scaled: Float[np.ndarray, " entry"]
    exponentials: Float[np.ndarray, " entry"]
    weights: Float[np.ndarray, " entry"]
    hidden: Bool[np.ndarray, " entry"]


def bench(table: Table, names: Sequence[str], *, words: Mapping[str, str], theme: Theme) -> go.Figure:
    """A row an entry: its four numbers, then a bar from 0 to 1 for its weight; hidden entries are hatched, not 0.

    `names` are the entries' names; `words` gives "score", "scaled", "exponential", "weight", "sum" and "masked".
    The last row sums the exponentials and the weights.
    """
    count = len(names)
    columns = {
        "score": [_written(score) for score in table.scores],
        "scaled": [_written(score) for score in table.scaled],
        "exponential": [_written(number) for number in table.exponentials],
        "weight": [f"{weight:.4f}" if weight else "0" for weight in table.weights],
    }
    sums = {
        "exponential": _written(table.exponentials.sum()),
        "weight": "0" if table.hidden.all() else f"{table.weights.sum():.4f}",
    }
    texts = [
        _column(columns[name], words[name], sums.get(name, ""), place, theme) for place, name in enumerate(columns)
    ]
    traces = [_bars(table, words, theme), *texts]
    if table.hidden.any():
        traces.append(_hatched(table.hidden, words, theme))
    labels = [*token_labels(names, longest=9), f"<b>{words['sum']}</b>"]
    figure_layout = layout(
        theme,
        margin={"l": round(5.7 * theme.size), "r": 4, "t": 4, "b": 4},
        bargap=0.35,
        barmode="overlay",
        xaxis=FIXED | {"domain": [TABLE_SHARE + 0.02, 1], "range": [0, 1], "showticklabels": False},
        xaxis2=FIXED | {"domain": [0, TABLE_SHARE], "range": [0, len(columns)], "showticklabels": False},
        yaxis=FIXED
        | {"anchor": "x2", "range": [count + 0.6, -1.6], "tickvals": list(range(count + 1)), "ticktext": labels},
        shapes=[_rule(count - 0.5, theme), _rule(-0.5, theme)],
    )
    return drawn(traces, figure_layout)


def _written(number: float) -> str:
    """At most six signs, so that four columns fit on a phone; the table for screen readers has more digits."""
    if np.isneginf(number):
        return "−∞"
    if number == 0:
        return "0"
    if 1e-2 <= abs(number) < 1:
        written = f"{number:.4f}".rstrip("0")
    elif 1 <= abs(number) < 1e5:
        written = f"{float(f'{number:.4g}'):g}"
    else:
        written = f"{number:.1e}".replace("e-0", "e-").replace("e+0", "e")
    return written.replace("-", "−")


def _column(texts: Sequence[str], title: str, total: str, place: int, theme: Theme) -> dict:
    rows = np.arange(-1, len(texts) + 1)
    return {
        "type": "scatter",
        "mode": "text",
        "xaxis": "x2",
        "x": np.full(len(rows), place + 0.96, dtype=np.float32),
        "y": rows,
        "text": [f"<b>{title}</b>", *texts, f"<b>{total}</b>"],
        "textposition": "middle left",
        "textfont": {"family": MONO, "size": theme.size - 1, "color": theme.ink},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def _bars(table: Table, words: Mapping[str, str], theme: Theme) -> dict:
    return {
        "type": "bar",
        "orientation": "h",
        "x": np.where(table.hidden, np.nan, table.weights).astype(np.float32),
        "y": np.arange(len(table.weights)),
        "marker": {"color": theme.sequential[-2][1]},
        "hovertemplate": f"%{{y}}<br>{words['weight']} %{{x:.6g}}<extra></extra>",
    }


def _hatched(hidden: Bool[np.ndarray, " entry"], words: Mapping[str, str], theme: Theme) -> dict:
    places = np.flatnonzero(hidden)
    pattern = {"shape": "/", "fgcolor": theme.quiet, "size": 7, "solidity": 0.14, "fillmode": "replace"}
    return {
        "type": "bar",
        "orientation": "h",
        "x": np.ones(len(places), dtype=np.float32),
        "y": places,
        "marker": {"color": "rgba(0,0,0,0)", "pattern": pattern},
        "hovertemplate": f"%{{y}}<br>{words['masked']}<extra></extra>",
    }


def _rule(y: float, theme: Theme) -> dict:
    line = {"color": theme.line, "width": 1}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}
