"""The waves of a sinusoid table: each pair of dimensions in a lane of its own, over the positions."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.theme import ROLES, Theme, axis_title, drawn, layout

BETWEEN = 4  # points drawn from one position to the next: the wave goes on between them
LANE = 0.42  # half the height of a lane, for a value of 1


def waves(
    frequencies: Float[np.ndarray, " pair"],
    pairs: Sequence[int],
    names: Sequence[str],
    *,
    positions: range,
    picked: tuple[int, int],
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """These pairs from the fastest down over some positions: sine solid, cosine dotted, a dot at every position.

    `picked` is a position, marked in every lane, and a pair, in the colour of positions; `names` labels the lanes.
    `words` gives "position", "sine" and "cosine". A pick's row is (position − first) × lanes + lane.
    """
    fine = positions.start + np.arange((len(positions) - 1) * BETWEEN + 1) / BETWEEN
    traces = [_dots(frequencies, pairs, positions, picked[1], words, theme)]
    for lane, pair in enumerate(pairs):
        colour = theme.text["position"] if pair == picked[1] else theme.quiet
        for wave, dash in ((np.sin, "solid"), (np.cos, "dot")):
            line = {"color": colour, "width": 2 if pair == picked[1] else 1.2, "dash": dash}
            y = lane - LANE * wave(frequencies[pair] * fine)
            traces.append(_line(positions.start, y, line))
    figure_layout = layout(
        theme,
        margin={"l": round(9.8 * theme.size), "r": 8, "t": 6, "b": round(3.2 * theme.size)},
        xaxis=_axis(theme)
        | {"range": [positions.start - 0.7, positions.stop - 0.3], "title": axis_title(words["position"], theme)},
        yaxis=_axis(theme)
        | {"range": [len(pairs) - 0.45, -0.55], "tickvals": list(range(len(pairs))), "ticktext": list(names)},
        shapes=[_upright(picked[0], theme), *(_zero(lane, theme) for lane in range(len(pairs)))],
    )
    return drawn(traces, figure_layout)


def shown_pairs(count: int, picked: int, most: int = 8) -> list[int]:
    """At most so many of the pairs, evenly spread from first to last, the picked one among them."""
    if count <= most:
        return list(range(count))
    spread = np.unique(np.linspace(0, count - 1, most).round().astype(int))
    if picked in spread:
        return spread.tolist()
    nearest = int(np.abs(spread[1:-1] - picked).argmin()) + 1
    spread[nearest] = picked
    return spread.tolist()


def _dots(
    frequencies: Float[np.ndarray, " pair"],
    pairs: Sequence[int],
    positions: range,
    picked: int,
    words: Mapping[str, str],
    theme: Theme,
) -> dict:
    """A dot on every sine at every position; these are what is hovered and picked."""
    places, lanes = np.meshgrid(np.array(positions), np.arange(len(pairs)), indexing="ij")
    colours = [ROLES["position"] if pair == picked else theme.quiet for pair in pairs]
    angles = places * frequencies[np.asarray(pairs)][lanes]
    told = np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(-1, 2)
    hover = f"{words['position']} %{{x}}<br>{words['sine']} %{{customdata[0]:.5g}}<br>"
    hover += f"{words['cosine']} %{{customdata[1]:.5g}}<extra></extra>"
    return {
        "type": "scatter",
        "mode": "markers",
        "x": places.ravel().astype(np.float32),
        "y": (lanes - LANE * np.sin(angles)).ravel().astype(np.float32),
        "marker": {"size": 4, "color": colours * len(positions)},
        "customdata": told.astype(np.float32),
        "hovertemplate": hover,
    }


def _line(start: int, y: np.ndarray, line: dict) -> dict:
    points = {"x0": start, "dx": 1 / BETWEEN, "y": y.astype(np.float32)}
    return {"type": "scatter", "mode": "lines", "line": line, "hoverinfo": "skip", **points}


def _axis(theme: Theme) -> dict:
    font = {"size": theme.size - 2, "color": theme.quiet}
    return {"showgrid": False, "zeroline": False, "ticks": "", "tickfont": font}


def _upright(position: int, theme: Theme) -> dict:
    line = {"color": theme.ink, "width": 1, "dash": "dot"}
    return {"type": "line", "x0": position, "x1": position, "yref": "paper", "y0": 0, "y1": 1, "line": line}


def _zero(lane: int, theme: Theme) -> dict:
    line = {"color": theme.line, "width": 1}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": lane, "y1": lane, "line": line, "layer": "below"}
