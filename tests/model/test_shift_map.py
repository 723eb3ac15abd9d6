"""The shift map of sinusoids and their dot products, against published values and plain NumPy."""

import math

import numpy as np
import pytest
import torch

from model import numpy_decoder
from model.shift_map import agreements, first_rise, shift_map, similarity

M_3 = [
    [-0.9899924966, 0.1411200081, 0, 0],
    [-0.1411200081, -0.9899924966, 0, 0],
    [0, 0, 0.9995500337, 0.0299955002],
    [0, 0, -0.0299955002, 0.9995500337],
]
DISTANCES = [0, 1, 2, 3, 5, 10, 20, 50, 100, 1000]
PRODUCTS = {
    4: [2, 1.54025231, 0.58365317, 0.00955754, 1.28241245, 0.15593264, 1.38814864, 1.84254859, 1.40262118, -0.27669245],
    8: [4, 3.53525597, 2.56371775, 1.96488953, 3.15998251, 1.69618494, 1.97180181, 3.12496104, 1.55855381, 1.12592873],
}
WIDTHS = [2, 8, 64, 512]


def rows(positions, width: int) -> np.ndarray:
    """Sinusoids by the proof's own code."""
    return numpy_decoder.sinusoid(np.asarray(positions), width)


def test_the_map_by_3_of_width_4_is_the_published_one():
    np.testing.assert_allclose(shift_map(3, 4).numpy(), M_3, atol=1e-10)
    np.testing.assert_allclose(shift_map(3, 4).numpy() @ rows([7], 4)[0], rows([10], 4)[0], atol=1e-12)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("shift", [0, 1, 2, 10, 999, -5])
def test_one_map_moves_every_position_by_the_same_shift(width, shift):  # property 2
    positions = np.array([0, 10, 11, 12, 20, 1000])
    moved = rows(positions, width) @ shift_map(shift, width).numpy().T
    np.testing.assert_allclose(moved, rows(positions + shift, width), atol=1e-9)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_maps_are_rotations_that_add_up(width):
    one, two, both = (shift_map(shift, width) for shift in (7, -19, -12))
    assert torch.equal(shift_map(0, width), torch.eye(width, dtype=torch.float64))
    assert torch.allclose(one @ two, both, atol=1e-12)
    assert torch.allclose(one.T, shift_map(-7, width), atol=1e-12)
    assert torch.linalg.det(one).item() == pytest.approx(1)


@pytest.mark.parametrize("width", PRODUCTS)
def test_dot_products_by_distance_are_the_published_ones(width):
    found = similarity(torch.tensor(DISTANCES), width).numpy()
    np.testing.assert_allclose(found, PRODUCTS[width], atol=1e-8)


@pytest.mark.parametrize("start", [0, 3, 500])
def test_dot_products_are_those_of_the_rows_whatever_the_start_and_the_side(start):  # property 3
    distances = np.arange(-40, 41)
    found = similarity(torch.tensor(distances), 64).numpy()
    np.testing.assert_allclose(found, rows(start + distances, 64) @ rows([start], 64)[0], atol=1e-9)
    np.testing.assert_allclose(found, found[::-1], atol=1e-12)


@pytest.mark.parametrize(("width", "rise"), [(4, 3), (8, 3), (64, 5), (128, 11), (512, 43)])
def test_dot_products_first_rise_where_it_is_published(width, rise):  # misconception 4
    assert first_rise(similarity(torch.arange(100), width)) == rise


def test_values_that_only_fall_have_no_first_rise():
    assert first_rise(torch.tensor([3.0, 2.0, 2.0, 1.0])) is None


def test_each_pair_of_dimensions_adds_its_own_cosine():
    found = agreements(torch.tensor([0, 7]), 8)
    assert found[0].tolist() == [1, 1, 1, 1]
    wanted = [math.cos(7 * frequency) for frequency in (1, 0.1, 0.01, 0.001)]
    assert found[1].tolist() == pytest.approx(wanted)
