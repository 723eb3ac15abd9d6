"""A few amounts, each twice: bars of two colours beside each other, from 0."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.theme import FIXED, Theme, drawn, layout


def pairs(
    amounts: Sequence[tuple[str, str, Float[np.ndarray, " part"]]],
    parts: Sequence[str],
    *,
    most: float,
    digits: str,
    texts: Sequence[str] | None = None,
    theme: Theme,
) -> go.Figure:
    """A group of bars a part, from the top; `amounts` are (name, colour, one amount a part), drawn from 0 to `most`.

    `digits` formats the number at a bar's end, such as ",.0f"; `texts`, one a part, stand there instead. A pick's row
    is the part, its column the amount.
    """
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "x": values.astype(np.float32),
            "y": np.arange(len(parts)),
            "name": name,
            "marker": {"color": colour},
            "text": texts or [format(value, digits) for value in values],
            "textposition": "outside",
            "cliponaxis": False,
            "hovertemplate": f"%{{y}}<br>%{{text}}<extra>{name}</extra>",
        }
        for name, colour, values in amounts
    ]
    letters = max(map(_width, parts))
    figure_layout = layout(
        theme,
        margin={"l": round(0.62 * letters * theme.size) + 10, "r": 8, "t": round(2 * theme.size), "b": 4},
        showlegend=len(amounts) > 1,
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "traceorder": "normal"},
        bargap=0.3,
        xaxis=FIXED | {"range": [0, 1.5 * most], "showticklabels": False},
        yaxis=FIXED | {"range": [len(parts) - 0.5, -0.5], "tickvals": list(range(len(parts))), "ticktext": list(parts)},
    )
    return drawn(traces, figure_layout)


def _width(text: str) -> int:
    """The width of a label in letters; a Chinese character is two."""
    return sum(2 if ord(letter) > 0x2E7F else 1 for letter in text)
