"""The formulas of the NumPy decoder: published vectors, wrong results to recognise, and PyTorch's own functions."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from model import numpy_decoder as decoder
from model.config import Config

CONFIG = Config(
    vocab=13, d_model=8, layers=2, heads=4, kv_heads=2, d_head=6, d_ff=10, context=16, t5_buckets=8, t5_max_distance=16
)
# One head of width 2, no norm: queries, keys and values of three tokens.
X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
QUERY_MAP, KEY_MAP, VALUE_MAP = np.array([[[1.0, 2.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 2.0]]])


def toy(x=X, bias=0.0, positions=None, **options) -> dict[str, np.ndarray]:
    """The toy head, with its one pair of dimensions turned when there are positions; tensors without the head axis."""
    query, key, value = (x @ weight for weight in (QUERY_MAP, KEY_MAP, VALUE_MAP))
    if positions is not None:
        query, key = decoder.rotate_neighbours(query, positions), decoder.rotate_neighbours(key, positions)
    bias = np.broadcast_to(bias, (1, 3, 3))
    return {
        name: tensor[0] for name, tensor in decoder.attend(query[None], key[None], value[None], bias, **options).items()
    }


def close(actual, expected, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


# --- formulas ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (decoder.gelu, torch.nn.functional.gelu),
        (decoder.gelu_tanh, lambda x: torch.nn.functional.gelu(x, approximate="tanh")),
        (decoder.silu, torch.nn.functional.silu),
        (decoder.softmax, lambda x: torch.softmax(x, dim=-1)),
    ],
)
def test_activations_and_softmax_agree_with_pytorch(mine, theirs):
    x = np.concatenate([np.linspace(-12, 12, 97), [-1e3, 1e3]])
    close(mine(x), theirs(torch.tensor(x)).numpy(), 1e-12)


def test_norms_agree_with_pytorch():
    x, weight, bias = np.random.default_rng(0).normal(size=(3, 5, 8))
    tensors = [torch.tensor(part) for part in (x, weight[0], bias[0])]
    close(
        decoder.layer_norm(x, weight[0], bias[0], 1e-3),
        torch.nn.functional.layer_norm(tensors[0], (8,), *tensors[1:], 1e-3),
    )
    close(decoder.rms_norm(x, weight[0], 1e-3), torch.nn.functional.rms_norm(tensors[0], (8,), tensors[1], 1e-3))


def test_the_two_gelus_are_not_the_same():
    x = np.linspace(-3, 3, 61)
    assert 1e-4 < np.abs(decoder.gelu(x) - decoder.gelu_tanh(x)).max() < 1e-3


def test_silu_far_below_zero_is_zero_without_a_warning():
    with np.errstate(all="raise"):
        assert decoder.silu(np.array([-1e4])) == 0


# --- sinusoidal positions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d_model", "position", "first", "expected"),
    [
        (4, 0, 0, [0, 1, 0, 1]),
        (4, 1, 0, [0.8414709848, 0.5403023059, 0.0099998333, 0.9999500004]),
        (4, 3, 0, [0.1411200081, -0.9899924966, 0.0299955002, 0.9995500337]),
        (4, 100, 0, [-0.5063656411, 0.8623188723, 0.8414709848, 0.5403023059]),
        (8, 5, 0, [-0.9589242747, 0.2836621855, 0.4794255386, 0.8775825619, 0.0499791693, 0.9987502604]),
        (8, 50, 4, [0.4794255386, 0.8775825619, 0.0499791693, 0.9987502604]),
        (512, 10, 100, [0.9964723309, -0.0839219507]),
        (512, 10, 510, [0.0010366327, 0.9999994627]),
        (768, 1023, 384, [-0.7209845231, -0.6929511653]),
        (768, 1023, 766, [0.1045917147, 0.9945152453]),
    ],
)
def test_sinusoids_are_the_published_ones(d_model, position, first, expected):
    row = decoder.sinusoid(np.array([position]), d_model)[0]
    close(row[first : first + len(expected)], expected, 1e-10)


@pytest.mark.parametrize(
    "wrong",
    [
        [0.1411200081, 0.9995500337, 0.0003, 1.0],
        [0.1411200081, 0.9553364891, 0.0299955002, 0.9999955],
        [0.1411200081, 0.0003, -0.9899924966, 0.999999955],
    ],
    ids=["exponent not halved", "no pairing", "sines before cosines"],
)
def test_sinusoids_are_not_the_known_wrong_ones(wrong):
    assert np.abs(decoder.sinusoid(np.array([3]), 4)[0] - wrong).max() > 0.1


def test_a_shift_of_sinusoids_is_one_rotation():
    (w1c, w1s), (w2c, w2s) = (-0.9899924966, 0.1411200081), (0.9995500337, 0.0299955002)
    shift = np.array([[w1c, w1s, 0, 0], [-w1s, w1c, 0, 0], [0, 0, w2c, w2s], [0, 0, -w2s, w2c]])
    table = decoder.sinusoid(np.array([7, 10]), 4)
    close(shift @ table[0], table[1])


@pytest.mark.parametrize(
    ("d_model", "distance", "expected"),
    [(4, 3, 0.00955754), (8, 1000, 1.12592873), (64, 5, 23.50397081), (512, 50, 131.09076109)],
)
def test_dot_products_of_sinusoids_depend_on_the_distance_alone(d_model, distance, expected):
    for start in (0, 17):
        table = decoder.sinusoid(np.array([start, start + distance]), d_model)
        close(table[0] @ table[1], expected, 1e-8)


# --- RoPE -------------------------------------------------------------------------------------------------------

TURNED_BY_3 = [-1.2722325127, -1.8388649851, 2.8786681004, 4.0881866356]


@pytest.mark.parametrize(
    ("position", "expected"),
    [(0, [1, 2, 3, 4]), (1, [-1.1426396637, 1.9220755965, 2.9598506679, 4.0297995017]), (3, TURNED_BY_3)],
)
def test_rotation_turns_neighbours(position, expected):
    close(decoder.rotate_neighbours(np.array([[1.0, 2, 3, 4]]), np.array([position]))[0], expected)


def test_rotation_does_not_pair_halves():
    halves = [-1.9841106486, 1.9599006675, 2.4623779024, 4.0197996683]
    assert np.abs(decoder.rotate_neighbours(np.array([[1.0, 2, 3, 4]]), np.array([1]))[0] - halves).max() > 0.1


def test_partial_rotation_leaves_the_other_dimensions_alone():
    turned = decoder.rotate_neighbours(np.arange(1.0, 9)[None], np.array([3]), rotary_dim=4)[0]
    close(turned[:4], TURNED_BY_3)
    assert turned[4:].tolist() == [5, 6, 7, 8]


@pytest.mark.parametrize(
    ("places", "expected"),
    [((0, 0), 1.375), ((2, 5), -0.4184855585)] + [((m + 3, m), 1.0878307664) for m in (0, 2, 102, 1002)],
)
def test_rotated_scores_depend_on_the_signed_distance_alone(places, expected):
    query = np.array([[1, 0, -1, 2, 0.5, -0.5, 1.5, -2]])
    key = np.array([[0.5, 1, -1, 0, 2, -1, 0.25, 1]])
    turned = [decoder.rotate_neighbours(x, np.array([place])) for x, place in zip((query, key), places, strict=True)]
    close(turned[0] @ turned[1].T, expected)


@pytest.mark.parametrize(
    ("d_head", "base", "position", "pair", "expected"),
    [
        (64, 1e4, 2047, 31, (0.9629739592, 0.2695944248)),
        (64, 1e4, 131071, 16, (-0.7863836903, -0.6177383683)),
        (64, 1e5, 8191, 1, (-0.1962309202, -0.9805577117)),
        (128, 5e5, 8191, 32, (0.5549051952, -0.8319135919)),
        (64, 1e6, 8191, 31, (0.9999204504, 0.01261320371)),
    ],
)
def test_angles_are_exact_far_out(d_head, base, position, pair, expected):
    unit = np.tile([1.0, 0.0], d_head // 2)[None]
    turned = decoder.rotate_neighbours(unit, np.array([position]), base)[0]
    close(turned[2 * pair : 2 * pair + 2], expected)


# --- ALiBi and T5 -----------------------------------------------------------------------------------------------

EIGHT = [2.0**-h for h in range(1, 9)]
SLOPES = {
    1: [0.00390625],
    2: [0.0625, 0.00390625],
    3: [0.0625, 0.00390625, 0.25],
    4: [0.25, 0.0625, 0.015625, 0.00390625],
    6: [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125],
    8: EIGHT,
    9: [*EIGHT, 0.7071067812],
    12: [*EIGHT, 0.7071067812, 0.3535533906, 0.1767766953, 0.0883883476],
    14: [*EIGHT, 0.7071067812, 0.3535533906, 0.1767766953, 0.0883883476, 0.0441941738, 0.0220970869],
}


@pytest.mark.parametrize(("heads", "expected"), SLOPES.items())
def test_alibi_slopes_follow_the_authors_rule(heads, expected):
    close(decoder.alibi_slopes(heads), expected, 1e-10)


def test_alibi_slopes_of_twenty_heads_end_with_those_of_thirty_two():
    close(decoder.alibi_slopes(20)[16:], [0.84089642, 0.59460356, 0.42044821, 0.29730178], 1e-8)


@pytest.mark.parametrize(
    ("slope", "expected"),
    [
        (1 / 2, [0.0580122174, 0.0956459768, 0.1576935564, 0.2599927207, 0.4286555288]),
        (1 / 256, [0.1984405597, 0.1992172341, 0.1999969483, 0.2007797142, 0.2015655438]),
    ],
)
def test_alibi_alone_weighs_the_past_by_distance(slope, expected):
    config = replace(CONFIG, position="alibi", heads=8, kv_heads=8)
    _, bias = decoder.position_terms(config, {}, np.arange(5))
    head = decoder.alibi_slopes(8).tolist().index(slope)
    close(decoder.softmax(bias[head, -1]), expected, 1e-10)


# For each bucket the first distance in it, up to the last bucket.
FIRST = {
    (32, 128): [*range(17), 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113],
    (16, 64): [*range(9), 11, 14, 18, 23, 30, 39, 50],
    (8, 16): [0, 1, 2, 3, 4, 6, 8, 12],
}


@pytest.mark.parametrize(("setting", "first"), FIRST.items())
def test_t5_buckets_begin_where_they_should(setting, first):
    distance = np.arange(300)
    expected = np.searchsorted(first, distance, side="right") - 1
    assert decoder.t5_bucket(-distance, *setting).tolist() == expected.tolist()


@pytest.mark.parametrize("setting", FIRST)
def test_t5_buckets_agree_with_whole_number_arithmetic(setting):
    buckets, farthest = setting
    exact = buckets // 2
    for distance in range(exact, 300):
        bucket = int(decoder.t5_bucket(np.array(-distance), *setting))
        steps = range(1, buckets - exact)  # ln(n/e)/ln(D/e)·(N−e) ≥ s  ⇔  n^(N−e)·e^s ≥ D^s·e^(N−e)
        reached = [
            s for s in steps if distance ** (buckets - exact) * exact**s >= farthest**s * exact ** (buckets - exact)
        ]
        assert bucket == exact + len(reached)


def test_the_future_shares_the_first_t5_bucket():
    assert decoder.t5_bucket(np.arange(1, 200)).max() == 0


# --- one toy head under every scheme ----------------------------------------------------------------------------

DISTANCE = np.abs(np.arange(3)[:, None] - np.arange(3))
SINUSOIDAL_X = X + decoder.sinusoid(np.arange(3), 2)


@pytest.mark.parametrize(
    ("options", "second", "third"),
    [
        ({}, [0.3302384507, 0.6697615493], [0.0380793196, 0.3176631952, 0.6442574852]),
        ({"bias": -0.5 * DISTANCE}, [0.230213373, 0.769786627], [0.0164625269, 0.2264234791, 0.7571139939]),
        ({"positions": np.arange(3)}, [0.2138090087, 0.7861909913], [0.0030221423, 0.0391469822, 0.9578308756]),
        (
            {"bias": np.array([0, 1, -1])[DISTANCE]},
            [0.5727042928, 0.4272957072],
            [0.0092054992, 0.5674322639, 0.4233622369],
        ),
        (
            {"bias": np.array([0, 1, -1])[DISTANCE], "scale": math.sqrt(2)},
            [0.5, 0.5],
            [0.0033576616, 0.4983211692, 0.4983211692],
        ),
        ({"x": SINUSOIDAL_X}, [0.1886809432, 0.8113190568], [0.0949288196, 0.8544963902, 0.0505747903]),
    ],
    ids=["none", "alibi", "rope", "t5", "t5 unscaled", "sinusoidal"],
)
def test_the_toy_head_has_its_published_weights(options, second, third):
    close(toy(**options)["weights"], [[1, 0, 0], [*second, 0], third])


def test_the_toy_head_has_its_published_outputs():
    close(toy()["mixed"], [[1, 0], [0.33023845, 1.3395231], [0.6823368, 1.92384136]], 1e-8)
    close(toy(bias=-0.5 * DISTANCE)["mixed"][2], [0.7735765209, 1.9670749461])
    close(toy(positions=np.arange(3))["mixed"][2], [0.9608530178, 1.9939557155])


def test_the_toy_head_shows_none_of_the_known_faults():
    first = toy()["weights"][0, 0]
    assert first == 1  # 0.401 when softmax runs down the columns; 0.503 when the future scores 0 instead of −inf
    assert toy(causal=False)["weights"][0, 2] > 0.5


def test_a_head_that_counts_from_the_first_token_gives_one_over_t():
    value = np.eye(6)[:, :1]
    flat = np.zeros((1, 6, 2))
    mixed = decoder.attend(flat, flat, value[None], np.zeros((1, 6, 6)))["mixed"]
    close(mixed[0, :, 0], [1 / t for t in range(1, 7)], 1e-15)


def test_attention_agrees_with_pytorch_when_heads_are_shared():
    random = np.random.default_rng(0)
    query, key, value = (random.normal(size=(2, heads, 5, 6)) for heads in (6, 2, 2))
    mine = decoder.attend(query, key, value, np.zeros((6, 5, 5)))["mixed"]
    tensors = [torch.tensor(x) for x in (query, key, value)]
    theirs = torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=True, enable_gqa=True)
    close(mine, theirs.numpy(), 1e-12)
