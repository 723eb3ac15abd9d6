"""Serial and parallel: when each token is ready, the way from one token to another, and both by the text's length."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Int

from viz.attention import LABELLED_UP_TO, MONO
from viz.theme import BARE, FIXED, ROLES, Theme, drawn, layout, panel_title, token_labels

KINDS = ("recurrent", "attention")
DASHES = {"recurrent": "solid", "attention": "dot"}
SYMBOLS = {"recurrent": "circle", "attention": "square"}


def ready(
    steps: Mapping[str, Int[np.ndarray, " token"]],
    tokens: Sequence[str],
    *,
    first_step: int,
    picked: tuple[int, int],
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """Two panels, a column a token: after which step its row is ready, downwards; the way from key to query is drawn.

    `steps`, one array a kind, are of one layer, and the axis begins at `first_step`. `picked` counts the shown tokens;
    a key before the first of them is −1. `words` gives "recurrent", "attention", "step" and "token". A pick's row is
    the shown token.
    """
    span = int(steps["recurrent"].max()) - first_step
    traces, axes, notes = [], {}, []
    for place, kind in enumerate(KINDS):
        name = str(place + 1) if place else ""
        domain = [0.53 * place, 0.47 + 0.53 * place]
        top = first_step if kind == "recurrent" else 0
        traces += [_way(kind, steps[kind], top, picked, name), _states(steps[kind], tokens, picked, name, words, theme)]
        axes[f"xaxis{name}"] = BARE | {"range": [-0.6, len(tokens) - 0.4], "domain": domain} | _ticks(tokens, theme)
        axes[f"yaxis{name}"] = _steps_axis(top, top + span, theme) | {"anchor": f"x{name}"}
        notes.append(panel_title(words[kind], domain[0]))
    margin = {"l": round(2.6 * theme.size), "r": 8, "t": 2 * theme.size, "b": 5 * theme.size}
    return drawn(traces, layout(theme, margin=margin, annotations=notes, **axes))


def by_length(
    lengths: Int[np.ndarray, " length"],
    counts: Mapping[str, Int[np.ndarray, " length"]],
    here: int,
    *,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """Both counts by the number of tokens, on two logarithmic axes; the sentence's own length is marked.

    `words` gives "recurrent", "attention", "tokens" and "steps".
    """
    traces = []
    for kind in KINDS:
        colour = theme.sequential[-1][1] if kind == "recurrent" else theme.text["query"]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": words[kind],
                "x": lengths.astype(np.float32),
                "y": counts[kind].astype(np.float32),
                "line": {"color": colour, "width": 2.5, "dash": DASHES[kind]},
                "hovertemplate": f"{words[kind]}<br>{words['tokens']} %{{x}}<br>{words['steps']} %{{y}}<extra></extra>",
            }
        )
        traces.append(_here(here, int(counts[kind][np.searchsorted(lengths, here)]), kind, colour))
    powers = [1, 4, 16, 64, 256]
    ticks = {"type": "log", "tickvals": powers, "ticktext": [str(power) for power in powers]}
    figure_layout = layout(
        theme,
        margin={"l": 3 * theme.size, "r": round(2.2 * theme.size), "t": 8, "b": round(3.4 * theme.size)},
        xaxis=FIXED
        | ticks
        | {
            "range": [0, np.log10(lengths[-1])],
            "title": {"text": words["tokens"], "standoff": 6, "font": {"size": theme.size}},
        },
        yaxis=FIXED
        | ticks
        | {"range": [-0.15, np.log10(lengths[-1]) + 0.15], "showgrid": True, "gridcolor": theme.line},
        annotations=[_name(words[kind], lengths[-1], counts[kind][-1]) for kind in KINDS],
    )
    return drawn(traces, figure_layout)


def _way(kind: str, steps: np.ndarray, top: int, picked: tuple[int, int], name: str) -> dict:
    """The way from the key's input, on the top edge, to the query's row; nothing where the key stands later."""
    query, key = picked
    if key > query:
        x, y = [], []
    elif kind == "recurrent":
        x, y = [key, *range(max(key, 0), query + 1)], [top, *steps[max(key, 0) : query + 1]]
    else:
        x, y = [key, query], [top, steps[query]]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": np.array(x, dtype=np.float32),
        "y": np.array(y, dtype=np.float32),
        "xaxis": f"x{name}",
        "yaxis": f"y{name}",
        "line": {"color": ROLES["key"], "width": 3},
        "hoverinfo": "skip",
    }


def _states(
    steps: np.ndarray, tokens: Sequence[str], picked: tuple[int, int], name: str, words: Mapping[str, str], theme: Theme
) -> dict:
    """The inputs at step 0 and the rows at their steps: one point each, the query's and the key's larger."""
    colours = {picked[1]: ROLES["key"], picked[0]: ROLES["query"]}
    drawn = [colours.get(place, theme.sequential[-2][1]) for place in range(len(tokens))]
    sizes = [11 if place in picked else 6 for place in range(len(tokens))]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": np.arange(len(tokens), dtype=np.float32),
        "y": steps.astype(np.float32),
        "xaxis": f"x{name}",
        "yaxis": f"y{name}",
        "marker": {"color": drawn, "size": sizes, "symbol": "circle"},
        "text": token_labels(tokens, longest=30),
        "hovertemplate": f"{words['token']} %{{text}}<br>{words['step']} %{{y}}<extra></extra>",
    }


def _ticks(tokens: Sequence[str], theme: Theme) -> dict:
    stride = -(-len(tokens) // (LABELLED_UP_TO // 2))
    places, labels = list(range(0, len(tokens), stride)), token_labels(tokens, longest=8)
    font = {"family": MONO, "size": theme.size - 1 if len(tokens) <= 16 else theme.size - 3}
    return {"tickvals": places, "ticktext": [labels[place] for place in places], "tickangle": -60, "tickfont": font}


def _steps_axis(first: int, most: int, theme: Theme) -> dict:
    """Steps from the top down, at most nine of them numbered."""
    stride = -(-(most - first) // 8) or 1
    axis = {"range": [most + 0.6, first - 0.6], "tickvals": list(range(first, most + 1, stride))}
    return FIXED | axis | {"showgrid": True, "gridcolor": theme.line}


def _here(length: int, count: int, kind: str, colour: str) -> dict:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": np.array([length], dtype=np.float32),
        "y": np.array([count], dtype=np.float32),
        "marker": {"color": colour, "size": 11, "symbol": SYMBOLS[kind]},
        "hoverinfo": "skip",
    }


def _name(text: str, length: int, count: int) -> dict:
    place = {"x": np.log10(length), "y": np.log10(count), "xanchor": "right", "yanchor": "bottom"}
    return {"text": text, "showarrow": False, **place}
