"""Lanes: one a token, from top to bottom, the same height in every picture that is laid beside another."""

from collections.abc import Sequence
from dataclasses import dataclass

from viz.attention import MONO
from viz.theme import FIXED, Theme, token_labels

TOP, FOOT = 50, 6  # pixels over the first lane, for headings, and under the last
LANE, THINNEST = 28, 6  # pixels of a lane; it grows thinner only where the lanes together would be taller than TALLEST
TALLEST = 1120
LABEL_LENGTH = 8


@dataclass(frozen=True)
class Lanes:
    """The sentence's tokens in visible form, their ids, and which of them is picked: the query, and the key."""

    tokens: Sequence[str]
    ids: Sequence[int]
    picked: int
    key: int | None = None

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def pixels(self) -> float:
        """The height of one lane."""
        return max(THINNEST, min(LANE, TALLEST / len(self)))

    @property
    def height(self) -> int:
        """The height of a picture of all lanes."""
        return round(TOP + len(self) * self.pixels + FOOT)

    def roomy(self, theme: Theme) -> bool:
        """Whether every lane has room for text."""
        return self.stride(theme) == 1

    def stride(self, theme: Theme) -> int:
        """Every how manyth lane can carry text without touching the next."""
        return -(-(theme.size + 1) // int(self.pixels))

    def labelled(self, theme: Theme) -> list[int]:
        """The lanes that carry text: every n-th and always the picked one."""
        stride = self.stride(theme)
        others = [lane for lane in range(0, len(self), stride) if abs(lane - self.picked) >= stride]
        return sorted([*others, self.picked])

    def labels(self, longest: int = LABEL_LENGTH) -> list[str]:
        """One label a lane, escaped, whether shown or not."""
        return token_labels(self.tokens, longest)

    def axis(self) -> dict:
        """The axis of the lanes: row 0 on top, a label at every lane."""
        return {
            "range": [len(self) - 0.5, -0.5],
            "tickmode": "array",
            "tickvals": list(range(len(self))),
            "ticktext": self.labels(longest=20),
            "showticklabels": False,
            **FIXED,
        }

    def frame(self, theme: Theme) -> dict:
        """The frame of the picked lane, across the whole picture; never so low that it would cross the lane's text."""
        half = max(0.5, (theme.size + 3) / 2 / self.pixels)
        line = {"color": theme.text["query"], "width": 2}
        edges = {"y0": self.picked - half, "y1": self.picked + half}
        return {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, **edges, "line": line}


def heading(text: str, below: str, theme: Theme, *, axis: str, x: float = 0) -> dict:
    """A stage's heading over the lanes, and a quiet second line: the shape, or the unit."""
    quiet = f'<span style="color:{theme.quiet};font-size:{theme.size - 2}px">{below or " "}</span>'
    place = {"xref": axis, "x": x, "xanchor": "left", "yref": "paper", "y": 1, "yanchor": "bottom"}
    font = {"size": theme.size - 1, "color": theme.ink}
    return {
        "text": f"<b>{text or ' '}</b><br>{quiet}",
        "showarrow": False,
        "align": "left",
        "font": font,
        "yshift": 4,
        **place,
    }


def mono(theme: Theme, colour: str | list[str], smaller: int = 1) -> dict:
    """The font of tokens and numbers."""
    return {"family": MONO, "size": theme.size - smaller, "color": colour}
