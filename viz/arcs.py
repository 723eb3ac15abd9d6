"""Arcs from the query's token to the keys it reads: along a line of tokens, across it by their distance."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.attention import MONO
from viz.theme import Theme, drawn, layout, token_labels

ARCS, FAINTEST = 8, 0.005  # at most so many arcs, none for a weight below
LABELS = 24  # at most so many tokens carry their label
TOUCH = 0.22  # the share of the height, at the foot, where the labels stand


def arcs(
    weights: Float[np.ndarray, " seq"], query: int, theme: Theme, *, foot: float, top: float, upright: bool = False
) -> list[dict]:
    """The strongest keys' arcs, each half an ellipse as wide in stroke as its weight; the query's own is a dot.

    Tokens stand at 0, 1, 2 … along the line; arcs rise from `foot` to at most `top` across it. `upright`: the line runs
    down the page and arcs go sideways.
    """
    strongest = np.argsort(-weights, kind="stable")[:ARCS]
    keys = [int(key) for key in strongest if weights[key] >= FAINTEST]
    return [_arc(float(weights[key]), key, query, len(weights), theme, (foot, top), upright) for key in reversed(keys)]


def over_sentence(
    weights: Float[np.ndarray, " seq"],
    tokens: Sequence[str],
    *,
    picked: tuple[int, int],
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """The sentence on one line, and over it the arcs from the query's token; `weights` are the query's row.

    `picked` is the query's and the key's place, `words` gives "weight".
    """
    seq = len(tokens)
    figure_layout = layout(
        theme,
        margin={"l": 4, "r": 4, "t": 2, "b": 2},
        xaxis=BARE | {"range": [-0.6, seq - 0.4]},
        yaxis=BARE | {"range": [0, 1]},
        bargap=0,
    )
    traces = [_touch(weights, tokens, words), _labels(tokens, picked, theme)]
    traces += arcs(weights, picked[0], theme, foot=TOUCH, top=0.97)
    return drawn(traces, figure_layout)


def _arc(
    weight: float, key: int, query: int, seq: int, theme: Theme, across: tuple[float, float], upright: bool
) -> dict:
    foot, top = across
    turns = np.linspace(0, np.pi, 24)
    reach = (top - foot) * (0.3 + 0.7 * abs(key - query) / max(seq - 1, 1))
    middle, half = (key + query) / 2, (query - key) / 2
    own = key == query
    along = np.array([query]) if own else (middle - half * np.cos(turns)).astype(np.float32)
    rising = np.array([foot]) if own else (foot + reach * np.sin(turns)).astype(np.float32)
    red, green, blue = theme.cell_colours(np.array([max(weight, 0.35)]))[0].round().astype(int)
    colour = f"rgb({red},{green},{blue})"
    return {
        "type": "scatter",
        "mode": "markers" if own else "lines",
        "x": rising if upright else along,
        "y": along if upright else rising,
        "line": {"color": colour, "width": 0.8 + 6 * weight},
        "marker": {"color": colour, "size": 4 + 6 * weight},
        "hoverinfo": "skip",
    }


def _touch(weights: np.ndarray, tokens: Sequence[str], words: Mapping[str, str]) -> dict:
    """An unseen bar over each token: it takes the click, and tells the exact weight."""
    labels = token_labels(tokens, longest=40)
    return {
        "type": "bar",
        "x": np.arange(len(tokens), dtype=np.int16),
        "y": np.ones(len(tokens), dtype=np.float32),
        "marker": {"color": "rgba(0,0,0,0)", "line": {"width": 0}},
        "hovertext": [
            f"{place}: {label}<br>{words['weight']} {weight:.6g}"
            for place, (label, weight) in enumerate(zip(labels, weights, strict=True))
        ],
        "hoverinfo": "text",
    }


def _labels(tokens: Sequence[str], picked: tuple[int, int], theme: Theme) -> dict:
    """The tokens under the arcs, every n-th where there are many, query and key always and in their colours."""
    seq = len(tokens)
    stride = -(-seq // LABELS)
    tones = {picked[1]: theme.text["key"], picked[0]: theme.text["query"]}
    shown = [place for place in range(seq) if place in tones or (place % stride == 0 and _free(place, tones, stride))]
    texts = token_labels(tokens, longest=max(2, min(9, 52 // min(seq, LABELS))))
    return {
        "type": "scatter",
        "mode": "text",
        "x": np.array(shown, dtype=np.int16),
        "y": np.full(len(shown), TOUCH / 2, dtype=np.float32),
        "text": [f"<b>{texts[place]}</b>" if place in tones else texts[place] for place in shown],
        "textfont": {"family": MONO, "size": theme.size - 2, "color": [tones.get(p, theme.quiet) for p in shown]},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def _free(place: int, tones: Mapping[int, str], stride: int) -> bool:
    return stride == 1 or all(abs(place - other) >= stride for other in tones)


BARE = {"showgrid": False, "zeroline": False, "ticks": "", "showticklabels": False, "fixedrange": True}
