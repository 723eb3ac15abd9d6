"""Every colour, how token text becomes a label, and what several pictures have alike. One meaning, one colour.

Roles are of the Okabe-Ito family, which readers who see few colours can tell apart; each role also has a text tone of
the same hue with a contrast of at least 4.5:1 on its theme's background.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

CHECKED = False
FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif"
ROLES = {
    "query": "#0072B2",
    "key": "#D55E00",
    "value": "#009E73",
    "position": "#CC79A7",
    "token": "#56B4E9",
    "residual": "#E69F00",
}
UNMEASURED = {"ticklabeloverflow": "allow"}  # margins leave labels room; to look after it costs most of a drawing
BARE = {"showgrid": False, "zeroline": False, "ticks": ""}  # an axis of labels without lines
FIXED = BARE | {"fixedrange": True}  # the same, and it cannot be zoomed


@dataclass(frozen=True)
class Theme:
    """The colours of one theme: page, ink, quiet ink, faint lines, the two scales, a text tone for each role.

    `size` is that of a chart's type, in pixels.
    """

    background: str
    ink: str
    quiet: str
    line: str
    sequential: tuple[tuple[float, str], ...]
    diverging: tuple[tuple[float, str], ...]
    text: dict[str, str]
    size: int = 13

    def cell_colours(self, shares: Float[np.ndarray, " cell"]) -> Float[np.ndarray, "cell 3"]:
        """The red, green and blue, 0 to 255, of these places 0…1 on the sequential scale."""
        places = [place for place, _ in self.sequential]
        rgb = np.array([_rgb(colour) for _, colour in self.sequential])
        return np.stack([np.interp(shares, places, rgb[:, channel]) for channel in range(3)], axis=-1)

    def text_on(self, shares: Float[np.ndarray, " cell"]) -> list[str]:
        """For each place 0…1 on the sequential scale, whichever of light and dark text stands out more."""
        backgrounds = self.cell_colours(shares)
        return [max((LIGHT_TEXT, DARK_TEXT), key=lambda text: contrast(_rgb(text), rgb)) for rgb in backgrounds]


def contrast(one: Sequence[float], other: Sequence[float]) -> float:
    """The contrast ratio of two colours (WCAG 2.1, 1 to 21), each red, green, blue from 0 to 255."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def token_labels(texts: Sequence[str], longest: int = 12) -> list[str]:
    """Token texts as Plotly labels: long ones shortened, markup escaped."""
    shortened = [text if len(text) <= longest else text[: longest - 1] + "…" for text in texts]
    return [html.escape(text, quote=False) for text in shortened]  # Plotly shows &quot; as it stands


def layout(theme: Theme, **parts: object) -> dict:
    """A Plotly layout in this theme: no title, no margins beyond those given, our own template instead of Plotly's."""
    return {
        "template": {"layout": {"xaxis": UNMEASURED, "yaxis": UNMEASURED}},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "color": theme.ink, "size": theme.size},
        "hoverlabel": {
            "bgcolor": theme.background,
            "bordercolor": theme.quiet,
            "font": {"color": theme.ink, "size": theme.size},
        },
        "showlegend": False,
        "dragmode": "zoom",
        **parts,
    }


def axis_title(text: str, theme: Theme) -> dict:
    """What an axis shows, in quiet type close to its ticks."""
    return {"text": text, "font": {"size": theme.size - 1, "color": theme.quiet}, "standoff": 4}


def panel_title(text: str, left: float, top: float = 1) -> dict:
    """An annotation over a panel whose upper left corner is there, both from 0 to 1 of the picture."""
    place = {"xref": "paper", "yref": "paper", "x": left, "y": top, "xanchor": "left", "yanchor": "bottom"}
    return {"text": text, "showarrow": False, **place}


def hatched(
    x: Sequence[float] | Float[np.ndarray, " corner"],
    y: Sequence[float] | Float[np.ndarray, " corner"],
    theme: Theme,
    *,
    size: int = 7,
    solidity: float = 0.14,
) -> dict:
    """The area inside these corners, hatched: there are no numbers. `size` is the pixels from one stroke to the next,
    `solidity` the share of the area that the strokes cover.
    """
    pattern = {"shape": "/", "fgcolor": theme.line, "size": size, "solidity": solidity, "fillmode": "replace"}
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": "rgba(0,0,0,0)",
        "fillpattern": pattern,
        "hoverinfo": "skip",
    }


def drawn(traces: Sequence[dict], figure_layout: dict) -> go.Figure:
    """The figure of these traces and this layout.

    Plotly would check every property of it each time, which costs a reader more than a small model; the tests check.
    """
    return go.Figure({"data": list(traces), "layout": figure_layout}, _validate=CHECKED)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(rgb: Sequence[float]) -> float:
    shares = [channel / 255 for channel in rgb]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


LIGHT_TEXT, DARK_TEXT = "#FFFFFF", "#000000"  # one of the two reaches 4.5:1 on any colour
LIGHT = Theme(
    background="#FBFAF6",
    ink="#1B2035",
    quiet="#5F5E5A",
    line="#DEDBD2",
    sequential=((0.0, "#FBFAF6"), (0.25, "#BCC8E8"), (0.5, "#7C8CC8"), (0.75, "#3F529B"), (1.0, "#171C52")),
    diverging=((0.0, "#0B4F8A"), (0.25, "#6BA6D6"), (0.5, "#FBFAF6"), (0.75, "#E5A06B"), (1.0, "#A34400")),
    text={
        "query": "#005F96",
        "key": "#B04A00",
        "value": "#00714F",
        "position": "#A04678",
        "token": "#17699B",
        "residual": "#8A5C00",
    },
)
DARK = Theme(
    background="#15171E",
    ink="#ECE9E1",
    quiet="#A9A8B8",
    line="#3A3D4D",
    sequential=((0.0, "#15171E"), (0.25, "#2F3F7A"), (0.5, "#5A70BF"), (0.75, "#9DB0EA"), (1.0, "#EEF2FF")),
    diverging=((0.0, "#9CCBF2"), (0.25, "#3E7CB0"), (0.5, "#15171E"), (0.75, "#B0622A"), (1.0, "#F7B98A")),
    text={
        "query": "#5DB4EA",
        "key": "#F5925A",
        "value": "#3CCB9F",
        "position": "#E0A3C5",
        "token": "#7CC6F0",
        "residual": "#EFB43F",
    },
)
THEMES = {"light": LIGHT, "dark": DARK}
