"""The wall of heads: every head's weights as a bare thumbnail, all in one heatmap of bytes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, UInt8

from viz.theme import ROLES, Theme, layout

SIDE = 14  # cells of a thumbnail each way, at most: more would be finer than the screen and heavier on the wire
WIDTH = 600  # pixels that a wall is drawn for; it fills whatever width it is given
MARGIN = {"l": 34, "r": 4, "t": 22, "b": 4}
GREATEST, HIDDEN, GAP = 253, 254, 255  # bytes: weights are 0…253; what the mask hides and what lies between have their own
NAMED_FROM = 40  # pixels: a tile of this size has its name under it
NAME_SIZE = 13


@dataclass(frozen=True)
class Grid:
    """Where the tiles lie: `columns` to a row, each of `side` cells and then a gap, with room for as much as `room` says."""

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

    def tile_at(self, row: int, column: int) -> int:
        """Which tile a cell belongs to; the gap below and to the right of a tile is its own."""
        return row // self.period[0] * self.columns + column // self.period[1]


def thumbnails(weights: Float[np.ndarray, "heads query key"], causal: bool) -> UInt8[np.ndarray, "heads side side"]:
    """Each head's weights as bytes, 253 for 1: at most 14 × 14 cells, each the greatest weight of those it stands for.

    Cells in which the mask hides everything are 254, so that hidden is not zero.
    """
    seq = weights.shape[-1]
    side = min(seq, SIDE)
    starts = np.arange(side) * seq // side
    pooled = np.maximum.reduceat(np.maximum.reduceat(weights, starts, axis=-1), starts, axis=-2)
    cells = np.rint(pooled * GREATEST).astype(np.uint8)
    if causal:
        cells[:, np.triu(np.ones((side, side), dtype=bool), k=1)] = HIDDEN
    return cells


def by_place(side: int, layers: int, heads: int, tile_height: int) -> Grid:
    """The grid in which a layer is a column and a head a row; with few layers, tiles stay about square."""
    return Grid(side, layers, heads, (heads, max(layers, WIDTH / tile_height)))


def of_some(side: int, count: int, full: Grid, tile_height: int) -> Grid:
    """A grid for `count` tiles in the room of the full one, as large as fits; large ones leave room for their names."""
    room_down, room_across = full.room
    rows = min(n for n in range(1, int(room_down) + 1) if n == room_down or n * int(n * room_across / room_down) >= count)
    across = rows * room_across / room_down
    columns = max(1, int(across + 1e-9))
    tile = room_down * tile_height / rows
    below = int(np.ceil(side * NAME_SIZE / (tile - NAME_SIZE))) if tile >= NAMED_FROM else 1
    return Grid(side, columns, -(-count // columns), (rows, across), gap_below=max(1, below))


def wall(
    tiles: UInt8[np.ndarray, "tile side side"],
    grid: Grid,
    *,
    hover: Sequence[str],
    names: Sequence[str],
    axes: bool,
    picked: int | None,
    theme: Theme,
) -> go.Figure:
    """All tiles in their order, one scale 0…1, with the picked one framed.

    `hover` and `names` have one text a tile, in Plotly's markup. `axes` numbers the columns and rows, which are then
    layers and heads; without them large tiles carry their names.
    """
    traces = [_cells(tiles, grid, theme), _targets(grid, hover)]
    if not axes and grid.gap_below > 1:
        traces.append(_names(grid, names, theme))
    down, across = grid.period
    axis = {"showgrid": False, "zeroline": False, "ticks": "", "fixedrange": True, "showticklabels": axes}
    x = {"range": [-0.5, grid.room[1] * across - 0.5], "side": "top", "tickangle": 0}
    y = {"range": [grid.room[0] * down - 0.5, -0.5]}
    if axes:
        x |= _numbers(grid.columns, across, grid.side, 1 + (grid.columns - 1) // 15)
        y |= _numbers(grid.rows, down, grid.side, 1)
    frame = [] if picked is None else [_frame(grid, picked)]
    figure_layout = layout(theme, margin=MARGIN, xaxis=axis | x, yaxis=axis | y, shapes=frame, hoverdistance=-1)
    return go.Figure({"data": traces, "layout": figure_layout})


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
        "zmax": GAP,
        "colorscale": _scale(theme),
        "showscale": False,
        "hoverinfo": "none",
    }


def _scale(theme: Theme) -> list[list]:
    """The theme's scale for 0…253, then one flat colour for what is hidden and one for what lies between tiles."""
    stops = [[place * GREATEST / GAP, colour] for place, colour in theme.sequential]
    for byte, colour in ((HIDDEN, theme.line), (GAP, theme.background)):
        stops += [[(byte - 0.5) / GAP, colour], [min(byte + 0.5, GAP) / GAP, colour]]
    return stops


def _targets(grid: Grid, hover: Sequence[str]) -> dict:
    """An unseen point in the middle of each tile, which tells what the tile is."""
    corners = np.array([grid.corner(place) for place in range(len(hover))]).reshape(-1, 2)
    middles = corners + (grid.side - 1) / 2
    return {
        "type": "scatter",
        "mode": "markers",
        "x": middles[:, 1].astype(np.float32),
        "y": middles[:, 0].astype(np.float32),
        "marker": {"size": 4, "opacity": 0},
        "text": list(hover),
        "hovertemplate": "%{text}<extra></extra>",
    }


def _names(grid: Grid, names: Sequence[str], theme: Theme) -> dict:
    corners = np.array([grid.corner(place) for place in range(len(names))]).reshape(-1, 2)
    return {
        "type": "scatter",
        "mode": "text",
        "x": corners[:, 1] + (grid.side - 1) / 2,
        "y": corners[:, 0] + grid.side - 0.5 + grid.gap_below / 2,
        "text": list(names),
        "textfont": {"size": 11, "color": theme.quiet},
        "hoverinfo": "skip",
    }


def _numbers(count: int, period: int, side: int, stride: int) -> dict:
    """A number in the middle of every tile, or of every n-th."""
    places = range(0, count, stride)
    middles = [place * period + (side - 1) / 2 for place in places]
    return {"tickvals": middles, "ticktext": [str(place) for place in places], "tickfont": {"size": 11}}


def _frame(grid: Grid, place: int) -> dict:
    row, column = grid.corner(place)
    x = {"x0": column - 1, "x1": column + grid.side}
    y = {"y0": row - 1, "y1": row + grid.side}
    return {"type": "rect", **x, **y, "line": {"color": ROLES["residual"], "width": 2.5}}
