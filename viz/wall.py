"""The wall of heads: every head's weights as a bare thumbnail, all in one heatmap of bytes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, UInt8

from viz.theme import ROLES, Theme, drawn, layout

SIDE = 14  # cells of a thumbnail each way, at most: more would be finer than the screen and heavier on the wire
WIDTH = 330  # pixels that a wall is drawn for; it fills whatever width it is given
MARGIN = {"l": 34, "r": 4, "t": 22, "b": 4}
# A byte from 2 to 255 is a weight; what the mask hides and what lies between tiles are none. The commonest bytes are
# small because base64 writes large ones with slashes, which JSON escapes.
HIDDEN, GAP, ZERO, ONE = 0, 1, 2, 255
NAMED_FROM = 40  # pixels: a tile of this size has its name under it
NAME_SIZE = 13


@dataclass(frozen=True)
class Grid:
    """Where the tiles lie: `columns` to a row, each of `side` cells and then a gap.

    The picture has `room` for so many rows and columns of tiles, which may be more than there are.
    """

    side: int
    columns: int
    rows: int
    room: tuple[float, float]
    gap: int = 1
    gap_below: int = 1

    @property
    def period(self) -> tuple[int, int]:
        """Cells from one tile to the next, down and across."""
        return self.side + self.gap_below, self.side + self.gap

    def corner(self, place: int) -> tuple[int, int]:
        """Row and column of the upper left cell of a tile."""
        row, column = divmod(place, self.columns)
        return row * self.period[0], column * self.period[1]


def thumbnails(weights: Float[np.ndarray, "heads query key"], causal: bool) -> UInt8[np.ndarray, "heads side side"]:
    """Each head's weights as bytes, 2 for 0 and 255 for 1: at most 14 × 14 cells, each the greatest weight in it.

    Cells in which the mask hides everything are byte 0, so that hidden is not weight 0.
    """
    seq = weights.shape[-1]
    side = min(seq, SIDE)
    starts = np.arange(side) * seq // side
    pooled = np.maximum.reduceat(np.maximum.reduceat(weights, starts, axis=-1), starts, axis=-2)
    cells = np.rint(ZERO + pooled * (ONE - ZERO)).astype(np.uint8)
    if causal:
        cells[:, np.triu(np.ones((side, side), dtype=bool), k=1)] = HIDDEN
    return cells


def by_place(side: int, layers: int, heads: int, tile_height: int) -> Grid:
    """The grid in which a layer is a column and a head a row; with few layers, tiles stay about square."""
    return Grid(side, layers, heads, (heads, max(layers, WIDTH / tile_height)))


def of_some(side: int, count: int, full: Grid, tile_height: int) -> Grid:
    """A grid for `count` tiles in the room of the full one, as large as fits; large ones leave room for their names."""
    room_down, room_across = full.room
    rows = min(
        n for n in range(1, int(room_down) + 1) if n == room_down or n * int(n * room_across / room_down) >= count
    )
    across = rows * room_across / room_down
    columns = max(1, int(across + 1e-9))
    tile = room_down * tile_height / rows
    below = int(np.ceil(side * NAME_SIZE / (tile - NAME_SIZE))) if tile >= NAMED_FROM else 1
    return Grid(side, columns, -(-count // columns), (rows, across), gap_below=max(1, below))


@dataclass(frozen=True, eq=False)
class Heads:
    """The tiles of a wall and what is known of them, one entry a head: its score, NaN where unknown, and role."""

    tiles: UInt8[np.ndarray, "tile side side"]
    places: Sequence[tuple[int, int]]
    roles: Sequence[str]
    scores: Float[np.ndarray, " tile"]


def wall(heads: Heads, grid: Grid, *, hover: str, axes: bool, picked: int | None, theme: Theme) -> go.Figure:
    """All tiles in their order, one scale 0…1, with the picked one framed.

    Trace 0 has one cell a tile, in the grid's rows and columns: it is what hover, clicks and keys meet, and its z are
    the scores. `hover` is a template with %{customdata[0]}, the layer, %{customdata[1]}, the head, %{text}, the role,
    and %{z}. `axes` numbers the columns and rows, which are then layers and heads; without them large tiles are named.
    """
    traces = [_targets(heads, grid, hover, theme), _cells(heads.tiles, grid, theme)]
    if not axes and grid.gap_below > 1:
        traces.append(_names(heads, grid, theme))
    down, across = grid.period
    axis = {"showgrid": False, "zeroline": False, "ticks": "", "fixedrange": True, "showticklabels": axes}
    x = {"range": [-0.5, grid.room[1] * across - 0.5], "side": "top", "tickangle": 0}
    y = {"range": [grid.room[0] * down - 0.5, -0.5]}
    if axes:
        x |= _numbers(grid.columns, across, 1 + (grid.columns - 1) // 15, theme.size - 2)
        y |= _numbers(grid.rows, down, 1, theme.size - 2)
    frame = [] if picked is None else [_frame(grid, picked)]
    figure_layout = layout(theme, margin=MARGIN, xaxis=axis | x, yaxis=axis | y, shapes=frame)
    return drawn(traces, figure_layout)


def _cells(tiles: UInt8[np.ndarray, "tile side side"], grid: Grid, theme: Theme) -> dict:
    down, across = grid.period
    cells = np.full((grid.rows * down, grid.columns * across), GAP, dtype=np.uint8)
    for place, tile in enumerate(tiles):
        row, column = grid.corner(place)
        cells[row : row + grid.side, column : column + grid.side] = tile
    return {
        "type": "heatmap",
        "z": cells,
        "zmin": 0,
        "zmax": ONE,
        "colorscale": _scale(theme),
        "showscale": False,
        "hoverinfo": "skip",
    }


def _scale(theme: Theme) -> list[list]:
    """One flat colour for what is hidden, one for what lies between tiles, then the theme's scale for weights."""
    stops = []
    for byte, colour in ((HIDDEN, _between(theme.line, theme.background)), (GAP, theme.background)):
        stops += [[max(0, byte - 0.5) / ONE, colour], [(byte + 0.5) / ONE, colour]]
    return stops + [[(ZERO + place * (ONE - ZERO)) / ONE, colour] for place, colour in theme.sequential]


def _between(one: str, other: str) -> str:
    """The colour halfway between two."""
    channels = [(int(one[at : at + 2], 16) + int(other[at : at + 2], 16)) // 2 for at in (1, 3, 5)]
    return "#" + "".join(f"{channel:02X}" for channel in channels)


def _targets(heads: Heads, grid: Grid, hover: str, theme: Theme) -> dict:
    """Under the tiles, a heatmap of one cell each, which tells what the tile is; none where there is no tile."""
    empty = grid.rows * grid.columns - len(heads.places)
    known = np.nan_to_num(heads.scores, nan=0.0)  # a cell without a number could not be picked
    scores = np.concatenate((known, np.full(empty, np.nan))).astype(np.float32)
    down, across = grid.period
    return {
        "type": "heatmap",
        "z": scores.reshape(grid.rows, grid.columns),
        "x0": (across - 1) / 2,
        "dx": across,
        "y0": (down - 1) / 2,
        "dy": down,
        "text": _in_rows([*heads.roles, *[""] * empty], grid),
        "customdata": _in_rows([*map(list, heads.places), *[[]] * empty], grid),
        "hovertemplate": f"{hover}<extra></extra>",
        "hoverongaps": False,
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, theme.background], [1, theme.background]],
        "showscale": False,
    }


def _in_rows(entries: list, grid: Grid) -> list[list]:
    return [entries[start : start + grid.columns] for start in range(0, len(entries), grid.columns)]


def _names(heads: Heads, grid: Grid, theme: Theme) -> dict:
    corners = np.array([grid.corner(place) for place in range(len(heads.places))]).reshape(-1, 2)
    return {
        "type": "scatter",
        "mode": "text",
        "x": corners[:, 1] + (grid.side - 1) / 2,
        "y": corners[:, 0] + grid.side - 0.5 + grid.gap_below / 2,
        "text": [f"{layer}.{head}" for layer, head in heads.places],
        "textfont": {"size": theme.size - 2, "color": theme.quiet},
        "hoverinfo": "skip",
    }


def _numbers(count: int, period: int, stride: int, size: int) -> dict:
    """A number over the middle of every tile. Those between every n-th are not seen but read out."""
    middles = [place * period + (period - 1) / 2 for place in range(count)]
    unseen = '<span style="color:transparent">{}</span>'
    texts = [str(place) if place % stride == 0 else unseen.format(place) for place in range(count)]
    return {"tickvals": middles, "ticktext": texts, "tickfont": {"size": size}}


def _frame(grid: Grid, place: int) -> dict:
    row, column = grid.corner(place)
    x = {"x0": column - 1, "x1": column + grid.side}
    y = {"y0": row - 1, "y1": row + grid.side}
    return {"type": "rect", **x, **y, "line": {"color": ROLES["residual"], "width": 2.5}}
