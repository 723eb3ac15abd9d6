"""The machine's left side: a lane a token, from its piece of text through its vector to the blocks.

viz/answers.py draws the right side with the same lanes. Side by side they are one picture; on a narrow screen they
stand below each other.
"""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz import strip
from viz.lanes import FOOT, TOP, Lanes, heading, mono
from viz.theme import FIXED, ROLES, Theme, drawn, layout, token_labels

BLOCKS = 0  # the trace of `machine` whose columns are the blocks
SHARES = {"token": 20, "id": 10, "embedding": 15, "position": 13, "blocks": 55}  # of the width, where all are shown
AXES = {"token": "x", "id": "x2", "embedding": "x3", "position": "x5", "blocks": "x4"}
GAP = 0.02
SHORTEST = 1e-6  # a vector that is all zeros has no logarithm
DECADE_STEP = 2  # the norms' scale ends at whole and half powers of ten, so that typing on rarely moves it


def machine(
    lanes: Lanes,
    embedding: Float[np.ndarray, "seq d_model"],
    depth: Float[np.ndarray, "seq layers"],
    *,
    kind: str,
    layer: int,
    ends: Mapping[str, float],
    words: Mapping[str, str],
    theme: Theme,
    position: Float[np.ndarray, "seq d_model"] | None = None,
) -> go.Figure:
    """Token, id, embedding, the part added for the position where there is one, and a cell a block.

    `depth` holds residual norms (`kind` "norm") or probabilities ("answer"; NaN: not computed, left blank). `ends` are
    the greatest values of the scales of "embedding" and "position". `layer` is the framed block.
    `words` gives "token", "id", "embedding", "position", "blocks", "norm", "answer", "block" and "dimension".
    """
    strips = {"embedding": embedding} | ({} if position is None else {"position": position})
    domains = _domains({"token", "id", "blocks", *strips})
    traces = [_cells(depth, kind, lanes, words, theme), _chips(lanes, words, theme), _ids(lanes, words, theme)]
    traces += [
        strip.trace(values, AXES[name], ends[name], lanes, name=words[name], dimension=words["dimension"], theme=theme)
        for name, values in strips.items()
    ]
    figure_layout = layout(
        theme,
        margin={"l": 2, "r": 2, "t": TOP, "b": FOOT},
        yaxis=lanes.axis(),
        **_axes(domains, depth.shape[1], layer, theme),
        annotations=_headings(list(domains), embedding.shape[1], words, theme),
        shapes=[*_bed(depth, theme), _column(layer, len(lanes), theme), lanes.frame(theme)],
    )
    return drawn(traces, figure_layout)


def table(
    lanes: Lanes, depth: Float[np.ndarray, "seq layers"], layer: int, words: Mapping[str, str]
) -> list[list[str]]:
    """The lanes as text: token, id, and the number of the framed block."""
    head = ["", words["token"], words["id"], f"{words['block']} {layer}"]
    rows = zip(lanes.tokens, lanes.ids, depth[:, layer], strict=True)
    return [head] + [[str(lane), token, str(id_), f"{value:.3g}"] for lane, (token, id_, value) in enumerate(rows)]


def norm_scale(norms: Float[np.ndarray, "seq layers"]) -> tuple[float, float]:
    """The ends of the norms' logarithmic scale, as powers of ten: the half powers just outside."""
    logarithms = _logarithm(norms) * DECADE_STEP
    low, high = np.floor(logarithms.min()), np.ceil(logarithms.max())
    return float(low) / DECADE_STEP, float(max(high, low + 1)) / DECADE_STEP


def _logarithm(norms: np.ndarray) -> np.ndarray:
    return np.log10(np.maximum(norms, SHORTEST))


def _domains(shown: set[str]) -> dict[str, list[float]]:
    """The stages' places, from left to right; the blocks take what a missing stage leaves."""
    missing = sum(share for name, share in SHARES.items() if name not in shown)
    shares = {name: share for name, share in SHARES.items() if name in shown}
    shares["blocks"] += missing
    ends = np.cumsum(list(shares.values())) / sum(shares.values())
    begins = [0.0, *ends[:-1]]
    last = len(ends) - 1
    return {
        name: [float(begin), float(end) - (GAP if number < last else 0)]
        for number, (name, begin, end) in enumerate(zip(shares, begins, ends, strict=True))
    }


def _headings(stages: list[str], d_model: int, words: Mapping[str, str], theme: Theme) -> list[dict]:
    """The stages' names; where the screen is narrow, a name is wider than its stage and must not meet the next."""
    lines = {name: (words[name], "") for name in stages}
    lines["embedding"] = (words["embedding"], str(d_model))
    if "position" in stages:
        lines["position"] = ("", words["position"])
    headings = [heading(*lines[name], theme, axis=f"{AXES[name]} domain") for name in stages]
    return [
        line | {"x": 0.5, "xanchor": "center"} if name == "blocks" else line
        for name, line in zip(stages, headings, strict=True)
    ]


def _axes(domains: Mapping[str, list[float]], layers: int, layer: int, theme: Theme) -> dict[str, dict]:
    """A stage's own axis each; only the blocks' has numbers."""
    columns = {"range": [-0.5, strip.COLUMNS - 0.5], "showticklabels": False}
    own = {
        "token": {"range": [-0.02, 1.02], "showticklabels": False},  # room for the chips' edges
        "id": {"range": [0, 1], "showticklabels": False},
        "embedding": columns,
        "position": columns,
        "blocks": _block_axis(layers, layer, theme),
    }
    return {f"xaxis{AXES[name][1:]}": FIXED | {"domain": domain} | own[name] for name, domain in domains.items()}


def _cells(depth: np.ndarray, kind: str, lanes: Lanes, words: Mapping[str, str], theme: Theme) -> dict:
    """A cell a lane and block. Norms are coloured by their logarithm; the hover tells the norm itself."""
    if kind == "norm":
        values, (low, high), scale = _logarithm(depth), norm_scale(depth), _residual_scale(theme)
    else:
        values, (low, high), scale = depth, (0, 1), [list(stop) for stop in theme.sequential]
    told = f"%{{y}}<br>{words['block']} %{{x}}<br>{words[kind]} %{{customdata:.5g}}<extra></extra>"
    return {
        "type": "heatmap",
        "name": f"log10 {words[kind]}" if kind == "norm" else words[kind],
        "xaxis": AXES["blocks"],
        "z": values.astype(np.float32),
        "customdata": depth.astype(np.float32),
        "zmin": low,
        "zmax": high,
        "colorscale": scale,
        "showscale": False,
        "xgap": 1,
        "ygap": 3 if lanes.pixels >= 14 else 0,
        "hovertemplate": told,
    }


def _residual_scale(theme: Theme) -> list[list]:
    return [[0, theme.background], [0.6, ROLES["residual"]], [1, theme.text["residual"]]]


def _chips(lanes: Lanes, words: Mapping[str, str], theme: Theme) -> dict:
    """The tokens as chips; the picked one has the query's colour."""
    roomy = lanes.roomy(theme)
    picked = [lane == lanes.picked for lane in range(len(lanes))]
    shown = set(lanes.labelled(theme))
    labels = lanes.labels()
    return {
        "type": "bar",
        "orientation": "h",
        "xaxis": AXES["token"],
        "x": np.ones(len(lanes), dtype=np.float32),
        "y": np.arange(len(lanes), dtype=np.int16),
        "width": 0.78,
        "text": [f"<b>{text}</b>" if here else text for text, here in zip(labels, picked, strict=True)]
        if roomy
        else [text if lane in shown else "" for lane, text in enumerate(labels)],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "none",
        "cliponaxis": False,
        "insidetextfont": mono(theme, [theme.text["query"] if here else theme.ink for here in picked], 2),
        "marker": {
            "color": theme.background if roomy else "rgba(0,0,0,0)",  # it would cover the text of the next lane
            "line": {
                "color": [theme.text["query"] if here else theme.line for here in picked],
                "width": [(2 if here else 1) * roomy for here in picked],
            },
        },
        "hovertext": _told(lanes, words),
        "hoverinfo": "text",
    }


def _ids(lanes: Lanes, words: Mapping[str, str], theme: Theme) -> dict:
    shown = set(lanes.labelled(theme))
    return {
        "type": "scatter",
        "mode": "text",
        "xaxis": AXES["id"],
        "x": np.ones(len(lanes), dtype=np.float32),
        "y": np.arange(len(lanes), dtype=np.int16),
        "text": [str(number) if lane in shown else "" for lane, number in enumerate(lanes.ids)],
        "textposition": "middle left",
        "textfont": mono(theme, theme.quiet, 2),
        "cliponaxis": False,
        "hovertext": _told(lanes, words),
        "hoverinfo": "text",
    }


def _told(lanes: Lanes, words: Mapping[str, str]) -> list[str]:
    labels = token_labels(lanes.tokens, longest=40)
    return [f"{lane}: {text}<br>{words['id']} {lanes.ids[lane]}" for lane, text in enumerate(labels)]


def _block_axis(layers: int, layer: int, theme: Theme) -> dict:
    """Numbers over every fifth block, and over the framed one in the residual stream's colour."""
    step = 1 if layers <= 6 else 5
    places = sorted([*(place for place in range(0, layers, step) if abs(place - layer) * 2 > step), layer])
    texts = [str(place) for place in places]
    texts[places.index(layer)] = f'<b><span style="color:{theme.text["residual"]}">{layer}</span></b>'
    ticks = {"tickmode": "array", "tickvals": places, "ticktext": texts, "tickangle": 0, "ticklabelstandoff": -2}
    return {"range": [-0.5, layers - 0.5], "side": "top", "tickfont": mono(theme, theme.quiet, 2), **ticks}


def _bed(depth: np.ndarray, theme: Theme) -> list[dict]:
    """What shows between the cells, so that a cell near zero is still seen to be one; not where lanes are left out."""
    lanes = np.flatnonzero(np.isfinite(depth).any(axis=1))
    first, last = int(lanes[0]), int(lanes[-1])
    if last - first + 1 > len(lanes):
        return []
    edges = {"x0": -0.5, "x1": depth.shape[1] - 0.5, "y0": first - 0.44, "y1": last + 0.44}
    look = {"fillcolor": theme.line, "opacity": 0.6, "line": {"width": 0}, "layer": "below"}
    return [{"type": "rect", "xref": AXES["blocks"], "yref": "y", **edges, **look}]


def _column(layer: int, lanes: int, theme: Theme) -> dict:
    line = {"color": theme.text["residual"], "width": 2}
    edges = {"x0": layer - 0.5, "x1": layer + 0.5, "y0": -0.5, "y1": lanes - 0.5}
    return {"type": "rect", "xref": AXES["blocks"], "yref": "y", **edges, "line": line}
