"""Sinusoids, the learned table, ALiBi and T5, against published values and their laws. RoPE: test_rope.py."""

import math

import numpy as np
import pytest
import torch

from model.position import SCHEMES, alibi_slopes, sinusoid, t5_bucket

PE = {
    (4, 0): [0, 1, 0, 1],
    (4, 1): [0.8414709848, 0.5403023059, 0.0099998333, 0.9999500004],
    (4, 2): [0.9092974268, -0.4161468365, 0.0199986667, 0.9998000067],
    (4, 3): [0.1411200081, -0.9899924966, 0.0299955002, 0.9995500337],
    (4, 10): [-0.5440211109, -0.8390715291, 0.0998334166, 0.9950041653],
    (4, 100): [-0.5063656411, 0.8623188723, 0.8414709848, 0.5403023059],
    (8, 5): [
        *(-0.9589242747, 0.2836621855, 0.4794255386, 0.8775825619),
        *(0.0499791693, 0.9987502604, 0.0049999792, 0.9999875),
    ],
    (8, 50): [
        *(-0.2623748537, 0.9649660285, -0.9589242747, 0.2836621855),
        *(0.4794255386, 0.8775825619, 0.0499791693, 0.9987502604),
    ],
}
PE_PARTS = {
    (512, 10, 0): [-0.5440211109, -0.8390715291, -0.2200231855, -0.9754946427],
    (512, 10, 100): [0.9964723309, -0.0839219507],
    (512, 10, 510): [0.0010366327, 0.9999994627],
    (768, 1023, 0): [-0.9164853723, 0.4000681972, -0.2681407647, 0.9633797436],
    (768, 1023, 384): [-0.7209845231, -0.6929511653],
    (768, 1023, 766): [0.1045917147, 0.9945152453],
}
WRONG_PE = {  # width 4, position 3
    "exponent of the dimension, not of the pair": [0.1411200081, 0.9995500337, 0.0003, 1.0],
    "every dimension its own frequency": [0.1411200081, 0.9553364891, 0.0299955002, 0.9999955],
    "sines first, then cosines": [0.1411200081, 0.0003, -0.9899924966, 0.999999955],
}
DISTANCES = [0, 1, 2, 3, 5, 10, 20, 50, 100, 1000]
PRODUCTS = {
    4: "2 1.54025231 0.58365317 0.00955754 1.28241245 0.15593264 1.38814864 1.84254859 1.40262118 -0.27669245",
    8: "4 3.53525597 2.56371775 1.96488953 3.15998251 1.69618494 1.97180181 3.12496104 1.55855381 1.12592873",
    64: "32 30.91683166 28.303862 25.58702855 23.50397081 21.05162882 18.87914417 15.67379696 17.87466879 8.92596675",
    512: "256 249.10209783 231.73362039 211.74944343 189.59666768 173.78972492 157.57398443 131.09076109 111.95020865"
    " 44.97160484",
}
EIGHT = [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625]
SLOPES = {
    1: [0.00390625],
    2: [0.0625, 0.00390625],
    3: [0.0625, 0.00390625, 0.25],
    4: [0.25, 0.0625, 0.015625, 0.00390625],
    6: [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125],
    8: EIGHT,
    9: [*EIGHT, 0.70710678],
    12: [*EIGHT, 0.70710678, 0.35355339, 0.1767767, 0.088388348],
    14: [*EIGHT, 0.70710678, 0.35355339, 0.1767767, 0.088388348, 0.044194174, 0.022097087],
    16: [2 ** (-head / 2) for head in range(1, 17)],
    20: [2 ** (-head / 2) for head in range(1, 17)] + [0.84089642, 0.59460356, 0.42044821, 0.29730178],
}
T5_STARTS = [*range(17), 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]


def table(positions, width: int) -> np.ndarray:
    """Rows of the sinusoid table."""
    return sinusoid(torch.as_tensor(positions), width).numpy()


@pytest.mark.parametrize(("width", "position"), PE)
def test_sinusoid_rows_are_the_published_ones(width, position):  # B33
    np.testing.assert_allclose(table([position], width)[0], PE[width, position], atol=1e-10)


@pytest.mark.parametrize(("width", "position", "start"), PE_PARTS)
def test_wide_sinusoid_rows_hold_the_published_values(width, position, start):
    wanted = PE_PARTS[width, position, start]
    np.testing.assert_allclose(table([position], width)[0, start : start + len(wanted)], wanted, atol=1e-10)


@pytest.mark.parametrize("fault", WRONG_PE)
def test_sinusoids_are_none_of_the_well_known_wrong_ones(fault):  # B33, B34
    assert np.abs(table([3], 4)[0] - WRONG_PE[fault]).max() > 1e-3


def test_sinusoids_are_exact_at_any_position():
    for position in (-7, 255, 256, 257, 8191, 131071):
        for pair, (sine, cosine) in enumerate(table([position], 64)[0].reshape(-1, 2)):
            angle = position / 10000 ** (2 * pair / 64)
            assert sine == pytest.approx(math.sin(angle), abs=1e-9)
            assert cosine == pytest.approx(math.cos(angle), abs=1e-9)


def test_every_sinusoid_row_is_as_long_as_the_others():
    np.testing.assert_allclose((table(range(1000), 64) ** 2).sum(-1), 32, rtol=1e-12)


@pytest.mark.parametrize("shift", [0, 1, 3, 50, 1000])
def test_one_rotation_moves_every_sinusoid_row_by_the_same_shift(shift):
    width = 16
    move = np.zeros((width, width))
    for pair in range(width // 2):
        angle = shift / 10000 ** (2 * pair / width)
        cosine, sine = math.cos(angle), math.sin(angle)
        move[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = [[cosine, sine], [-sine, cosine]]
    positions = np.arange(1001)
    np.testing.assert_allclose(table(positions, width) @ move.T, table(positions + shift, width), atol=1e-9)


def test_products_of_sinusoid_rows_depend_on_the_distance_only():
    rows = table(range(200), 64)
    products = rows @ rows.T
    for distance in range(200):
        diagonal = np.diagonal(products, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], atol=1e-9)


@pytest.mark.parametrize("width", PRODUCTS)
def test_products_of_sinusoid_rows_are_the_published_ones(width):
    wanted = [float(word) for word in PRODUCTS[width].split()]
    np.testing.assert_allclose(table(DISTANCES, width) @ table([0], width)[0], wanted, atol=1e-8)


@pytest.mark.parametrize(("width", "rise"), [(4, 3), (8, 3), (64, 5), (128, 11), (512, 43)])
def test_the_similarity_of_sinusoids_does_not_simply_fall_with_distance(width, rise):
    similarity = table(range(100), width) @ table([0], width)[0]
    rises = np.flatnonzero(np.diff(similarity) > 0)
    assert rises[0] == rise


def test_each_scheme_acts_where_it_says_and_nowhere_else(tiny, random_decoder, scheme):
    position = random_decoder(tiny(position=scheme)).position
    positions = torch.tensor([3, 9, 4])
    states, heads = torch.zeros(3, 24), torch.randn(4, 3, 6)
    acts = {
        "embedding": not torch.equal(position.embed(states, positions), states),
        "query and key": not torch.equal(position.rotate(heads, positions), heads),
        "score": bool(position.bias(positions, positions).any()),
    }
    assert [place for place, changed in acts.items() if changed] == [
        place for place in acts if place == SCHEMES[scheme].acts_on
    ]


def test_a_learned_vector_is_a_row_of_the_table(tiny, random_decoder):
    position = random_decoder(tiny(position="learned")).position
    added = position.embed(torch.zeros(3, 24), torch.tensor([63, 0, 5]))
    assert torch.equal(added, position.weight[[63, 0, 5]])


@pytest.mark.parametrize("outside", [64, 1000, -1])
def test_a_position_outside_the_learned_table_is_refused_by_its_number(tiny, random_decoder, outside):  # B14
    position = random_decoder(tiny(position="learned")).position
    with pytest.raises(ValueError, match=rf"0 to 63; position {outside} "):
        position.embed(torch.zeros(2, 24), torch.tensor([0, outside]))


@pytest.mark.parametrize("heads", SLOPES)
def test_alibi_slopes_are_the_authors(heads):  # B42, B43
    np.testing.assert_allclose(alibi_slopes(heads).numpy(), SLOPES[heads], rtol=1e-7)


def test_six_alibi_slopes_are_not_one_geometric_series():
    wrong = [0.39685026, 0.15749013, 0.0625, 0.024803141, 0.0098431332, 0.00390625]
    assert np.abs(alibi_slopes(6).numpy() - wrong).max() > 0.1


def test_an_alibi_bias_falls_by_its_slope_with_each_step_into_the_past(tiny, random_decoder):
    position = random_decoder(tiny(position="alibi", heads=8, d_head=4)).position
    places = torch.arange(512)
    bias = position.bias(places, places)
    last_row = bias[:, -1]
    assert torch.equal(last_row.diff(), alibi_slopes(8)[:, None].expand(8, 511))
    assert torch.equal(bias, bias.transpose(-1, -2))
    assert not bias.diagonal(dim1=-2, dim2=-1).any()


def test_t5_buckets_begin_at_the_published_distances():  # B44
    distance = torch.arange(600)[:, None]
    buckets = t5_bucket(distance, 32, 128)[:, 0]
    starts = [int((buckets == bucket).nonzero()[0]) for bucket in range(32)]
    assert starts == T5_STARTS
    assert bool((buckets.diff() >= 0).all())
    assert buckets[[0, 8, 15, 16, 19, 27, 64, 112, 113, 500]].tolist() == [0, 8, 15, 16, 17, 20, 26, 30, 31, 31]


def test_small_t5_tables_begin_at_the_published_distances():
    eight = t5_bucket(torch.arange(40)[None], 8, 16)[0].tolist()
    assert eight == [0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6] + [7] * 28
    sixteen = t5_bucket(torch.arange(80)[None], 16, 64)[0]
    starts = [int((sixteen == bucket).nonzero()[0]) for bucket in range(16)]
    assert starts == [*range(9), 11, 14, 18, 23, 30, 39, 50]


def test_t5_puts_the_future_in_the_bucket_of_the_present():
    assert not t5_bucket(-torch.arange(300)[None], 32, 128).any()


def test_a_t5_bias_is_the_same_along_every_diagonal(tiny, random_decoder):
    position = random_decoder(tiny(position="t5")).position
    places = torch.arange(200)
    bias = position.bias(places, places)
    assert torch.equal(bias[:, 1:, 1:], bias[:, :-1, :-1])
    assert torch.equal(bias[:, 150, 150 - 20], position.weight[17])
