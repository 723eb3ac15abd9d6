"""One row of a head as bars, a key each: numbers before and after a stage, masked keys hatched."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float, Int

from viz.attention import MONO
from viz.stepper import largest
from viz.theme import FIXED, ROLES, Theme, drawn, layout, token_labels


@dataclass(frozen=True, eq=False)
class RowOfKeys:
    """One number a key, perhaps with the one it came from (`before`), for the keys that are shown.

    `places` are the keys' places in the sentence. The values of `hidden` keys are never drawn.
    """

    places: Int[np.ndarray, " shown"]
    values: Float[np.ndarray, " shown"]
    hidden: Bool[np.ndarray, " shown"]
    before: Float[np.ndarray, " shown"] | None = None


def row_of_keys(
    row: RowOfKeys,
    tokens: Sequence[str],
    *,
    picked: int,
    share: bool,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """A bar a key, `before` pale behind it. Shares go from 0 to 1, other numbers are symmetric about 0.

    `tokens` is the whole sentence, `picked` the key's place in it. `words` gives "value", "before" and "masked".
    A pick's row counts the shown keys.
    """
    seen = ~row.hidden
    numbers = [row.values[seen]] if row.before is None else [row.values[seen], row.before[seen]]
    low, high = (0.0, 1.0) if share else (-largest(*numbers), largest(*numbers))
    traces = [_key_bars(row, picked, words, theme)]
    if row.before is not None:
        traces.append(_before_bars(row, words, theme))
    if row.hidden.any():
        traces.append(_hidden_bars(row, low, high, words, theme))
    slots = max(len(row.places), 6)  # few keys leave room below, so that bars keep their height
    room = 0.02 * (high - low)
    figure_layout = layout(
        theme,
        margin={"l": round(12.4 * theme.size), "r": 8, "t": 4, "b": 4},
        barmode="overlay",
        bargap=0.3,
        hovermode="y",  # a bar of weight 0.001 is picked anywhere in its row
        xaxis=FIXED
        | {"range": [low if share else low - room, high + room], "showticklabels": False}
        | {"zeroline": True, "zerolinecolor": theme.quiet},
        yaxis=FIXED
        | {"range": [slots - 0.5, -0.5], "tickvals": list(range(len(row.places))), "tickfont": {"family": MONO}}
        | {"ticktext": _labels(row, tokens, picked, share, theme)},
    )
    return drawn(traces, figure_layout)


def _labels(row: RowOfKeys, tokens: Sequence[str], picked: int, share: bool, theme: Theme) -> list[str]:
    """Each key's token and its number; the picked one in its role's tone."""
    labels = token_labels([tokens[place] for place in row.places], longest=10)
    colour, told = theme.text["key"], []
    for label, place, value, hidden in zip(labels, row.places, row.values, row.hidden, strict=True):
        number = f"{value:.3f}" if share else f"{value:+.2f}"
        number = ("0" if share else "−∞") if hidden else number
        # the isolates U+2068 and U+2069 keep a right-to-left token from reordering its number
        text = f"\u2068{label}\u2069 {number.rjust(7).replace(' ', chr(160))}\u00a0"
        told.append(f"<b><span style='color:{colour}'>{text}</span></b>" if place == picked else text)
    return told


def _key_bars(row: RowOfKeys, picked: int, words: Mapping[str, str], theme: Theme) -> dict:
    values = np.where(row.hidden, np.nan, row.values)
    return {
        "type": "bar",
        "orientation": "h",
        "x": values.astype(np.float32),
        "y": np.arange(len(values)),
        "marker": {"color": [ROLES["key"] if place == picked else theme.sequential[-2][1] for place in row.places]},
        "hovertemplate": f"%{{y}}<br>{words['value']} %{{x:.6g}}<extra></extra>",
    }


def _before_bars(row: RowOfKeys, words: Mapping[str, str], theme: Theme) -> dict:
    return {
        "type": "bar",
        "orientation": "h",
        "x": np.where(row.hidden, np.nan, row.before).astype(np.float32),
        "y": np.arange(len(row.values)),
        "width": 0.86,
        "marker": {"color": "rgba(0,0,0,0)", "line": {"color": theme.quiet, "width": 1}},
        "hovertemplate": f"%{{y}}<br>{words['before']} %{{x:.6g}}<extra></extra>",
    }


def _hidden_bars(row: RowOfKeys, low: float, high: float, words: Mapping[str, str], theme: Theme) -> dict:
    places = np.flatnonzero(row.hidden)
    return {
        "type": "bar",
        "orientation": "h",
        "base": low,
        "x": np.full(len(places), high - low, dtype=np.float32),
        "y": places,
        "marker": {
            "color": "rgba(0,0,0,0)",
            "pattern": {"shape": "/", "fgcolor": theme.quiet, "size": 7, "solidity": 0.14, "fillmode": "replace"},
        },
        "hovertemplate": f"%{{y}}<br>{words['masked']}<extra></extra>",
    }
