"""The machine's right side: what the picked lane reads from the others, and what comes next after each lane.

viz/overview.py draws the left side with the same lanes.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.arcs import arcs
from viz.lanes import FOOT, TOP, Lanes, heading, mono
from viz.theme import FIXED, Theme, drawn, layout, token_labels

# Shares of the width, from left to right: where labels end, arcs begin and end, bars are 0 and 1, texts begin.
LABELS, ARC, ARC_END, BAR, BAR_END, TEXTS = 0.165, 0.175, 0.27, 0.285, 0.41, 0.425


def answers(
    lanes: Lanes,
    weights: Float[np.ndarray, " seq"],
    next_tokens: Sequence[Sequence[str]],
    probabilities: Float[np.ndarray, "seq count"],
    *,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """Arcs from the picked lane to the keys it reads, as wide as their weights; then what comes next after each lane.

    `words` gives "attention", "place" (which head), "next", "likeliest" and "weight".
    """
    traces = [_touch(lanes, weights, next_tokens, probabilities, words), _bars(probabilities[:, 0], theme)]
    traces += [_labels(lanes, theme), _texts(lanes, next_tokens, probabilities, theme)]
    traces += arcs(weights, lanes.picked, theme, foot=ARC, top=ARC_END, upright=True)
    figure_layout = layout(
        theme,
        margin={"l": 2, "r": 2, "t": TOP, "b": FOOT},
        xaxis=FIXED | {"range": [0, 1], "showticklabels": False},
        yaxis=lanes.axis(),
        barmode="overlay",
        annotations=[
            heading(words["attention"], words["place"], theme, axis="x domain"),
            heading(words["next"], words["likeliest"], theme, axis="x domain", x=BAR),
        ],
        shapes=[_limit(BAR, len(lanes), theme), _limit(BAR_END, len(lanes), theme), lanes.frame(theme)],
    )
    return drawn(traces, figure_layout)


def table(
    lanes: Lanes,
    next_tokens: Sequence[Sequence[str]],
    probabilities: Float[np.ndarray, "seq count"],
    words: Mapping[str, str],
) -> list[list[str]]:
    """The lanes as text: token, and the likeliest next tokens with their probabilities."""
    rows = []
    for token, follow, shares in zip(lanes.tokens, next_tokens, probabilities, strict=True):
        rows.append([token, *(f"{text} {share:.3g}" for text, share in zip(follow, shares, strict=True))])
    return [["", *(f"{words['next']} {rank + 1}" for rank in range(probabilities.shape[1]))], *rows]


def chance(probability: float) -> str:
    """A probability in three signs: .42; <.01 where it is less; 1.0 where it rounds to 1."""
    if probability < 0.005:
        return "<.01"
    return "1.0" if probability >= 0.995 else f"{probability:.2f}"[1:]


def _touch(lanes: Lanes, weights: np.ndarray, next_tokens, probabilities: np.ndarray, words) -> dict:
    """An unseen bar over each whole lane: it takes the click, and tells the lane's exact numbers."""
    told = []
    for lane, text in enumerate(token_labels(lanes.tokens, longest=40)):
        follow = zip(token_labels(next_tokens[lane], longest=40), probabilities[lane], strict=True)
        lines = [f"{lane}: {text}", *(f"→ {token} {share:.4g}" for token, share in follow)]
        told.append("<br>".join([*lines, f"{words['weight']} {weights[lane]:.4g}"]))
    return {
        "type": "bar",
        "orientation": "h",
        "x": np.ones(len(lanes), dtype=np.float32),
        "y": np.arange(len(lanes), dtype=np.int16),
        "width": 1,
        "marker": {"color": "rgba(0,0,0,0)", "line": {"width": 0}},
        "hovertext": told,
        "hoverinfo": "text",
    }


def _bars(shares: np.ndarray, theme: Theme) -> dict:
    return {
        "type": "bar",
        "orientation": "h",
        "base": np.full(len(shares), BAR, dtype=np.float32),
        "x": (shares * (BAR_END - BAR)).astype(np.float32),
        "y": np.arange(len(shares), dtype=np.int16),
        "width": 0.5,
        "marker": {"color": theme.sequential[-2][1], "line": {"width": 0}},
        "hoverinfo": "skip",
    }


def _texts(lanes: Lanes, next_tokens: Sequence[Sequence[str]], probabilities: np.ndarray, theme: Theme) -> dict:
    """The likeliest tokens with their probabilities, in columns; larger type leaves room for two."""
    columns = 2 if theme.size > 15 else probabilities.shape[1]
    starts = np.linspace(TEXTS, 1, columns, endpoint=False)
    places, texts, colours = [], [], []
    for lane in lanes.labelled(theme):
        labels = token_labels(next_tokens[lane], longest=7)
        for column, start in enumerate(starts):
            places.append((start, lane))
            # the isolates U+2068 and U+2069 keep a right-to-left token from reordering its number
            texts.append(f"\u2068{labels[column]}\u2069 {chance(probabilities[lane, column])}")
            colours.append(theme.quiet if column else theme.ink)
    x, y = np.array(places, dtype=np.float32).T
    return {
        "type": "scatter",
        "mode": "text",
        "x": x,
        "y": y,
        "text": texts,
        "textposition": "middle right",
        "textfont": mono(theme, colours, 2),
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def _labels(lanes: Lanes, theme: Theme) -> dict:
    """The lanes' tokens once more, between which the arcs run; query and key in their colours."""
    shown = lanes.labelled(theme)
    texts = lanes.labels()
    tones = {lanes.key: theme.text["key"], lanes.picked: theme.text["query"]}
    return {
        "type": "scatter",
        "mode": "text",
        "x": np.full(len(shown), LABELS, dtype=np.float32),
        "y": np.array(shown, dtype=np.int16),
        "text": [f"<b>{texts[lane]}</b>" if lane in tones else texts[lane] for lane in shown],
        "textposition": "middle left",
        "textfont": mono(theme, [tones.get(lane, theme.ink) for lane in shown], 2),
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def _limit(place: float, lanes: int, theme: Theme) -> dict:
    """A faint line at a probability of 0 or 1."""
    ends = {"x0": place, "x1": place, "y0": -0.5, "y1": lanes - 0.5}
    return {
        "type": "line",
        "xref": "x",
        "yref": "y",
        **ends,
        "line": {"color": theme.line, "width": 1},
        "layer": "below",
    }
