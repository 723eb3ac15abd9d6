"""The wall of heads: every thumbnail in its place, hidden is not zero, and the wire stays light."""

import numpy as np
import pytest

from viz import wall
from viz.theme import THEMES

each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
LAYERS, HEADS = 30, 9


def causal(heads: int, seq: int) -> np.ndarray:
    raw = np.tril(np.random.default_rng(seq).random((heads, seq, seq)).astype(np.float32)) + 1e-6 * np.eye(seq)
    return (raw / raw.sum(axis=-1, keepdims=True)).astype(np.float32)


def heads(count: int, seq: int = 20) -> wall.Heads:
    tiles = wall.thumbnails(causal(count, seq), True)
    places = [(number % LAYERS, number // LAYERS) for number in range(count)]
    return wall.Heads(tiles, places, ["role"] * count, np.linspace(0, 1, count))


def draw(shown: wall.Heads, grid: wall.Grid, axes=True, picked=None, theme=THEMES["light"]):
    return wall.wall(shown, grid, hover="%{text}", axes=axes, picked=picked, theme=theme)


@pytest.mark.parametrize("seq", [1, 2, 13, 14, 15, 29, 64, 256])
def test_a_cell_is_the_greatest_weight_of_those_it_stands_for(seq):
    weights = causal(3, seq)
    cells = wall.thumbnails(weights, causal=False)
    side = min(seq, wall.SIDE)
    bins = [
        [place for place in range(seq) if seq * number // side <= place < seq * (number + 1) // side]
        for number in range(side)
    ]
    assert sorted(place for places in bins for place in places) == list(range(seq))
    for row, queries in enumerate(bins):
        for column, keys in enumerate(bins):
            greatest = weights[:, queries][:, :, keys].max(axis=(1, 2))
            assert np.allclose(
                (cells[:, row, column].astype(float) - wall.ZERO) / (wall.ONE - wall.ZERO), greatest, atol=0.002
            )


@pytest.mark.parametrize("seq", [1, 5, 14, 40])
def test_hidden_cells_are_exactly_those_of_the_future_and_no_weight_looks_like_them(seq):
    cells = wall.thumbnails(np.zeros((2, seq, seq), np.float32), causal=True)
    future = np.triu(np.ones(cells.shape[1:], dtype=bool), k=1)
    assert (cells[:, future] == wall.HIDDEN).all()
    assert (cells[:, ~future] == wall.ZERO).all()


@pytest.mark.parametrize(("count", "by_place"), [(270, True), (270, False), (137, False), (9, False), (1, False)])
def test_every_tile_stands_in_its_place_and_between_them_is_gap(count, by_place):
    full = wall.by_place(wall.SIDE, LAYERS, HEADS, 20)
    grid = full if by_place else wall.of_some(wall.SIDE, count, full, 20)
    shown = heads(count)
    targets, cells = draw(shown, grid, axes=by_place).data[:2]
    z = np.array(cells.z)
    assert z.dtype == np.uint8
    covered = np.zeros(z.shape, dtype=bool)
    for place in range(count):
        row, column = grid.corner(place)
        inside = np.s_[row : row + grid.side, column : column + grid.side]
        assert np.array_equal(z[inside], shown.tiles[place])
        assert not covered[inside].any()
        covered[inside] = True
    assert (z[~covered] == wall.GAP).all()
    assert np.array(targets.z).shape == (grid.rows, grid.columns)


@pytest.mark.parametrize("count", [*range(1, 40), 111, 137, 269, 270])
def test_any_number_of_tiles_fits_into_the_room_of_the_whole_wall(count):
    full = wall.by_place(wall.SIDE, LAYERS, HEADS, 20)
    grid = wall.of_some(wall.SIDE, count, full, 20)
    assert grid.rows * grid.columns >= count
    assert grid.rows <= grid.room[0]
    assert grid.columns <= grid.room[1] + 1e-6
    assert grid.room[0] <= full.room[0]


@pytest.mark.parametrize(("layers", "many"), [(4, 4), (1, 1), (2, 16), (12, 12), (48, 25)])
def test_any_shape_of_model_has_room_for_all_and_for_some(layers, many):
    full = wall.by_place(5, layers, many, 20)
    assert full.room[1] >= layers
    for count in range(1, layers * many + 1):
        grid = wall.of_some(5, count, full, 20)
        assert grid.rows * grid.columns >= count
        assert grid.rows <= grid.room[0] + 1e-6


def test_a_place_without_a_tile_has_no_number_so_that_it_cannot_be_picked():
    full = wall.by_place(wall.SIDE, LAYERS, HEADS, 20)
    grid = wall.of_some(wall.SIDE, 8, full, 20)
    targets = draw(heads(8), grid, axes=False).data[0]
    numbers = np.array(targets.z).ravel()
    assert np.isfinite(numbers[:8]).all()
    assert np.isnan(numbers[8:]).all()
    assert targets.hoverongaps is False


def test_targets_lie_over_their_tiles():
    grid = wall.by_place(wall.SIDE, LAYERS, HEADS, 20)
    targets = draw(heads(270), grid).data[0]
    down, across = grid.period
    assert (targets.dx, targets.dy) == (across, down)
    assert targets.x0 - across / 2 == targets.y0 - down / 2 == -0.5
    assert targets.customdata[3][7] == [7, 3]


@each_theme
def test_the_scale_gives_a_weight_its_theme_colour_and_hidden_and_gap_their_own(theme):
    scale = wall._scale(theme)
    places = [place for place, _ in scale]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, 1)
    assert scale[-1][1] == theme.sequential[-1][1]
    assert [place * wall.ONE for place, colour in scale if colour == theme.sequential[0][1]][-1] == wall.ZERO
    assert scale[0][1] not in dict(theme.sequential).values()


def test_the_picked_head_is_framed_and_an_unseen_one_is_not():
    grid = wall.by_place(wall.SIDE, LAYERS, HEADS, 20)
    frame = draw(heads(270), grid, picked=31).layout.shapes[0]
    assert frame.x0 < 15 <= frame.x1 < 30
    assert frame.y0 < 15 <= frame.y1 < 30
    assert not draw(heads(270), grid).layout.shapes


def test_few_tiles_are_named_and_many_are_not():
    full = wall.by_place(wall.SIDE, LAYERS, HEADS, 20)
    named = draw(heads(9), wall.of_some(wall.SIDE, 9, full, 20), axes=False).data
    assert list(named[2].text) == [f"{layer}.{head}" for layer, head in heads(9).places]
    assert len(draw(heads(270), wall.of_some(wall.SIDE, 270, full, 20), axes=False).data) == 2


@pytest.mark.parametrize("seq", [11, 64, 256])
def test_270_heads_are_at_most_100_kilobytes_on_the_wire(seq):
    figure = draw(heads(270, seq), wall.by_place(min(seq, wall.SIDE), LAYERS, HEADS, 20))
    assert len(figure.to_json()) <= 100_000
