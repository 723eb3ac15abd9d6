"""What the heads of a layer add to one token, and how the scores of a layer spread with √d_head and without."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.attention import MONO
from viz.projections import greatest
from viz.strip import pooled
from viz.theme import FIXED, ROLES, Theme, drawn, layout, panel_title, token_labels

COLUMNS = 96  # of a vector drawn; a wider one is pooled
BINS = 61
LABELLED_UP_TO = 16
DOMAINS = {"concat": [0, 0.3], "added": [0.34, 0.76], "norms": [0.79, 1]}
SIDES = ("without", "divided")


@dataclass(frozen=True, eq=False)
class Parts:
    """One token's attention output, in parts: each head's mixed values, what it adds, and what else is added.

    `rows` names all rows of `added`: the heads, W_O's bias where there is one, and the sum, which is the output.
    """

    concat: Float[np.ndarray, "heads d_head"]
    added: Float[np.ndarray, "rows d_model"]
    rows: Sequence[str]


def contributions(parts: Parts, *, picked: int, titles: Mapping[str, str], theme: Theme) -> go.Figure:
    """A row a head: its piece of Concat, what W_O makes of it, and the length of that; below them their sum.

    `titles` has "concat", "added" and "norms". The picked head is framed.
    """
    heads, rows = len(parts.concat), len(parts.rows)
    added, _ = pooled(parts.added, COLUMNS)
    norms = np.linalg.norm(parts.added, axis=1)
    traces = [
        _heatmap(parts.concat, "", theme, "%{y} · %{x}<br>%{z:.5g}<extra></extra>"),
        _heatmap(added, "2", theme, "%{y}<br>%{z:.5g}<extra></extra>"),
        _bars(norms, heads, picked, theme),
    ]
    down = FIXED | {"range": [rows - 0.5, -0.5], "tickvals": list(range(rows)), "ticktext": list(parts.rows)}
    across = FIXED | {"showticklabels": False}
    axes = {
        "xaxis": across | {"domain": DOMAINS["concat"], "range": [-0.5, parts.concat.shape[1] - 0.5]},
        "xaxis2": across | {"domain": DOMAINS["added"], "range": [-0.5, added.shape[1] - 0.5]},
        "xaxis3": across | {"domain": DOMAINS["norms"], "range": [0, 1.9 * greatest(norms)]},
        "yaxis": down,
        "yaxis2": down | {"anchor": "x2", "showticklabels": False},
        "yaxis3": down | {"anchor": "x3", "showticklabels": False},
    }
    notes = [panel_title(titles[name], domain[0]) for name, domain in DOMAINS.items()]
    marks = [_frame(picked, parts.concat.shape[1], "", theme), _frame(picked, added.shape[1], "2", theme)]
    line = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": heads - 0.5, "y1": heads - 0.5}
    marks.append(line | {"line": {"color": theme.quiet, "width": 1}})
    margin = {"l": round(6.5 * theme.size), "r": 4, "t": 2 * theme.size, "b": 4}
    return drawn(traces, layout(theme, margin=margin, annotations=notes, shapes=marks, **axes))


def spread(
    products: Mapping[str, Float[np.ndarray, " pair"]],
    weights: Mapping[str, Float[np.ndarray, " key"]],
    tokens: Sequence[str],
    *,
    picked: int,
    titles: Mapping[str, str],
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """Two rows, without √d_head and with it: on the left how the scores spread, on the right one query's weights.

    All mappings but `words` have "without" and "divided"; `words` has "score", "share" and "weight". The two histograms
    share their bins, symmetric about 0 as far as the undivided scores reach. Weights are on 0…1, that of the `picked`
    key in the key's colour.
    """
    most = greatest(products["without"])
    edges = np.linspace(-most, most, BINS + 1)
    traces, axes, notes = [], {}, []
    for row, side in enumerate(SIDES):
        left, right = ("", "2") if row == 0 else ("3", "4")
        down = [0.56, 0.94] if row == 0 else [0, 0.38]
        shares = np.histogram(products[side], edges)[0] / max(1, len(products[side]))
        traces.append(_histogram(shares, edges, left, words, theme))
        traces.append(_weights(weights[side], tokens, picked, right, words, theme))
        axes |= _score_axes(left, down, most, float(shares.max()), theme)
        axes |= _key_axes(right, down, tokens[: len(weights[side])], theme, labelled=row == 1)
        notes.append(panel_title(titles[side], 0, down[1]))
    margin = {"l": 8, "r": 8, "t": 6, "b": 5 * theme.size}
    return drawn(traces, layout(theme, margin=margin, annotations=notes, bargap=0.1, **axes))


def _heatmap(values: np.ndarray, name: str, theme: Theme, hover: str) -> dict:
    most = greatest(values)
    return {
        "type": "heatmap",
        "z": values.astype(np.float32),
        "xaxis": f"x{name}",
        "yaxis": f"y{name}",
        "zmin": -most,
        "zmax": most,
        "colorscale": [list(stop) for stop in theme.diverging],
        "showscale": False,
        "ygap": 2,
        "hovertemplate": hover,
    }


def _bars(norms: np.ndarray, heads: int, picked: int, theme: Theme) -> dict:
    colours = [theme.sequential[-2][1] if row < heads else theme.quiet for row in range(len(norms))]
    colours[picked] = ROLES["residual"]
    return {
        "type": "bar",
        "orientation": "h",
        "x": norms.astype(np.float32),
        "y": np.arange(len(norms), dtype=np.float32),
        "xaxis": "x3",
        "yaxis": "y3",
        "marker": {"color": colours, "line": {"width": 0}},
        "width": 0.6,
        "text": [f"{norm:.3g}" for norm in norms],
        "textposition": "outside",
        "textfont": {"color": theme.ink, "size": theme.size - 1},
        "cliponaxis": False,
        "hovertemplate": "%{y}<br>%{x:.5g}<extra></extra>",
    }


def _histogram(shares: np.ndarray, edges: np.ndarray, name: str, words: Mapping[str, str], theme: Theme) -> dict:
    return {
        "type": "bar",
        "x": ((edges[1:] + edges[:-1]) / 2).astype(np.float32),
        "y": shares.astype(np.float32),
        "width": float(edges[1] - edges[0]),
        "xaxis": f"x{name}",
        "yaxis": f"y{name}",
        "marker": {"color": theme.sequential[-2][1], "line": {"width": 0}},
        "hovertemplate": f"{words['score']} %{{x:.3g}}<br>{words['share']} %{{y:.1%}}<extra></extra>",
    }


def _weights(
    weights: np.ndarray, tokens: Sequence[str], picked: int, name: str, words: Mapping[str, str], theme: Theme
) -> dict:
    colours = [ROLES["key"] if place == picked else theme.sequential[-2][1] for place in range(len(weights))]
    return {
        "type": "bar",
        "x": np.arange(len(weights), dtype=np.float32),
        "y": weights.astype(np.float32),
        "xaxis": f"x{name}",
        "yaxis": f"y{name}",
        "marker": {"color": colours, "line": {"width": 0}},
        "text": token_labels(tokens[: len(weights)]),
        "textposition": "none",
        "hovertemplate": f"%{{text}}<br>{words['weight']} %{{y:.5g}}<extra></extra>",
    }


def _score_axes(name: str, down: list[float], most: float, highest: float, theme: Theme) -> dict:
    bare = {"showgrid": False, "ticks": "", "fixedrange": True, "tickfont": {"size": theme.size - 3}}
    x = {
        "domain": [0, 0.47],
        "anchor": f"y{name}",
        "range": [-1.02 * most, 1.02 * most],
        "nticks": 5,
        "zeroline": False,
    }
    y = {"domain": down, "anchor": f"x{name}", "range": [0, 1.05 * highest or 1], "showticklabels": False}
    return {f"xaxis{name}": bare | x, f"yaxis{name}": bare | y | {"zeroline": True, "zerolinecolor": theme.line}}


def _key_axes(name: str, down: list[float], tokens: Sequence[str], theme: Theme, labelled: bool) -> dict:
    stride = -(-len(tokens) // LABELLED_UP_TO)
    places, labels = list(range(0, len(tokens), stride)), token_labels(tokens)
    ticks = {"tickvals": places, "ticktext": [labels[place] for place in places], "tickangle": -60}
    bare = {"showgrid": False, "ticks": "", "fixedrange": True, "tickfont": {"size": theme.size - 3, "family": MONO}}
    x = {"domain": [0.55, 1], "anchor": f"y{name}", "range": [-0.6, len(tokens) - 0.4], "zeroline": False}
    y = {"domain": down, "anchor": f"x{name}", "range": [0, 1.02], "tickvals": [0, 1], "zeroline": True}
    return {
        f"xaxis{name}": bare | x | ticks | {"showticklabels": labelled},
        f"yaxis{name}": bare | y | {"zerolinecolor": theme.line},
    }


def _frame(row: int, width: int, name: str, theme: Theme) -> dict:
    x = {"xref": f"x{name}", "x0": -0.5, "x1": width - 0.5}
    y = {"yref": f"y{name}", "y0": row - 0.5, "y1": row + 0.5}
    return {"type": "rect", **x, **y, "line": {"color": ROLES["residual"], "width": 2}}
