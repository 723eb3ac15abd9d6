"""The machine from token to next token as a column of boxes, and the three places where a position can enter it."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from viz.theme import ROLES, Theme, drawn, layout

STAGES = ("embedding", "normed", "projections", "product", "softmax", "mixed", "feed_forward", "unembedding")
IN_BLOCK = ("normed", "feed_forward")  # the first and the last stage of a block
ENTERS_AT = {"embedding": 0.5, "query and key": 2.5, "score": 3.5}  # between which stages, counted from the top
LEFT, RIGHT = 0.9, 5.9  # the stages' edges
PLACE = (6.7, 10.2)  # the edges of the places' boxes
HEIGHT = 0.3  # half of a box


def entry(acts_on: str, names: Mapping[str, str], places: Mapping[str, str], block: str, theme: Theme) -> go.Figure:
    """The stages from the top, the block that repeats framed; the place `acts_on` is lit, the other two are pale.

    `names` labels the stages of `STAGES`, `places` the three of `ENTERS_AT`, `block` the frame. Where `acts_on` is
    none of the three, none is lit. A pick's row is the place.
    """
    shapes = [_frame(theme)] + [_box(LEFT, RIGHT, row, theme.quiet, theme.background) for row in range(len(STAGES))]
    notes = [_text(names[name], (LEFT + RIGHT) / 2, row, theme.ink, theme) for row, name in enumerate(STAGES)]
    notes += [_down(row, theme) for row in range(len(STAGES) - 1)]
    top = STAGES.index(IN_BLOCK[0])
    notes.append(_text(block, 0.35, (top + STAGES.index(IN_BLOCK[1])) / 2, theme.text["residual"], theme, angle=-90))
    for place, row in ENTERS_AT.items():
        lit = place == acts_on
        shapes.append(_box(*PLACE, row, ROLES["position"], ROLES["position"] if lit else theme.background, lit))
        colour = "#000000" if lit else theme.quiet
        notes.append(_text(places[place], sum(PLACE) / 2, row, colour, theme))
        notes.append(_into(row, lit, theme))
    axis = {"showgrid": False, "zeroline": False, "showticklabels": False, "ticks": "", "fixedrange": True}
    figure_layout = layout(
        theme,
        margin={"l": 2, "r": 2, "t": 2, "b": 2},
        xaxis=axis | {"range": [0, 10.4]},
        yaxis=axis | {"range": [len(STAGES) - 0.4, -0.6]},
        shapes=shapes,
        annotations=notes,
    )
    return drawn([_targets(places)], figure_layout)


def _targets(places: Mapping[str, str]) -> dict:
    """Unseen points on the places, which are hovered and picked."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [sum(PLACE) / 2] * len(ENTERS_AT),
        "y": list(ENTERS_AT.values()),
        "marker": {"size": 44, "opacity": 0},
        "text": [places[place].replace("<br>", " ") for place in ENTERS_AT],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _box(left: float, right: float, row: float, edge: str, fill: str, lit: bool = False) -> dict:
    line = {"color": edge, "width": 2.5 if lit else 1, "dash": "solid" if lit or edge != ROLES["position"] else "dot"}
    edges = {"x0": left, "x1": right, "y0": row - HEIGHT, "y1": row + HEIGHT}
    return {"type": "rect", "line": line, "fillcolor": fill, **edges}


def _frame(theme: Theme) -> dict:
    first, last = (STAGES.index(name) for name in IN_BLOCK)
    edges = {"x0": 0.65, "x1": RIGHT + 0.25, "y0": first - 0.42, "y1": last + 0.42}
    return {"type": "rect", "line": {"color": theme.text["residual"], "width": 1.5}, "layer": "below", **edges}


def _text(text: str, x: float, y: float, colour: str, theme: Theme, angle: int = 0) -> dict:
    font = {"color": colour, "size": theme.size}
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": font, "textangle": angle}


def _down(row: int, theme: Theme) -> dict:
    middle = (LEFT + RIGHT) / 2
    return _arrow((middle, row + HEIGHT), (middle, row + 1 - HEIGHT), theme.quiet, 1)


def _into(row: float, lit: bool, theme: Theme) -> dict:
    """From a place to the middle of the arrow between two stages."""
    ends = ((PLACE[0], row), ((LEFT + RIGHT) / 2, row))
    return _arrow(*ends, theme.text["position"] if lit else theme.line, 3 if lit else 1)


def _arrow(tail: Sequence[float], head: Sequence[float], colour: str, width: float) -> dict:
    ends = {"ax": tail[0], "ay": tail[1], "x": head[0], "y": head[1]}
    space = {"axref": "x", "ayref": "y", "xref": "x", "yref": "y"}
    return {"text": "", "showarrow": True, "arrowcolor": colour, "arrowwidth": width, "arrowhead": 2, **ends, **space}
