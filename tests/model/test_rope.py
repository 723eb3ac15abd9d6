"""RoPE against published values, its laws, and its precision."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from model.position import Rope, rotary_frequencies

QUERY = torch.tensor([1, 0, -1, 2, 0.5, -0.5, 1.5, -2], dtype=torch.float64)
KEY = torch.tensor([0.5, 1, -1, 0, 2, -1, 0.25, 1], dtype=torch.float64)
FREQUENCIES = {  # (width, base): {pair: frequency}
    (64, 1e4): {0: 1.0, 1: 0.7498942093, 16: 0.01, 31: 1.333521432e-4},
    (64, 1e5): {1: 0.6978305849, 16: 3.16227766e-3, 31: 1.43301257e-5},
    (64, 5e5): {1: 0.6636012377, 16: 1.414213562e-3, 31: 3.013858152e-6},
    (64, 1e6): {1: 0.6493816316, 16: 0.001, 31: 1.539926526e-6},
    (128, 1e4): {1: 0.8659643234, 32: 0.01, 63: 1.154781985e-4},
    (128, 5e5): {1: 0.8146172339, 32: 1.414213562e-3, 63: 2.455140791e-6},
}
LONGEST_WAVES = {(64, 1e4): 47117.24, (64, 1e5): 438459.89, (128, 5e5): 2559195.52, (64, 1e6): 4080185.13}
ANGLES = {  # (width, base, position, pair): (cosine, sine)
    (64, 1e4, 2047, 1): (-0.3573558146, 0.9339683195),
    (64, 1e4, 2047, 16): (-0.04962735806, 0.9987678035),
    (64, 1e4, 2047, 31): (0.9629739592, 0.2695944248),
    (64, 1e4, 8191, 0): (-0.6463904698, -0.7630067894),
    (64, 1e4, 8191, 1): (-0.8419922289, -0.5394896538),
    (64, 1e4, 8191, 16): (0.9739866472, 0.2266054082),
    (64, 1e4, 8191, 31): (0.4604560838, 0.8876824854),
    (64, 1e4, 131071, 1): (0.05461793094, 0.9985073268),
    (64, 1e4, 131071, 16): (-0.7863836903, -0.6177383683),
    (64, 1e4, 131071, 31): (0.1985117029, -0.9800985174),
    (64, 1e5, 8191, 1): (-0.1962309202, -0.9805577117),
    (64, 1e5, 8191, 16): (0.718275982, 0.6957583012),
    (64, 1e5, 8191, 31): (0.9931191012, 0.1171087137),
    (128, 5e5, 8191, 1): (0.9773940091, -0.2114259941),
    (128, 5e5, 8191, 32): (0.5549051952, -0.8319135919),
    (128, 5e5, 8191, 63): (0.9997977996, 0.02010870278),
    (64, 1e6, 8191, 1): (-0.9328392821, -0.3602927612),
    (64, 1e6, 8191, 16): (-0.3306746646, 0.9437448099),
    (64, 1e6, 8191, 31): (0.9999204504, 0.01261320371),
}
DECAY = {  # q = k = ones, width 64: the score at a distance over the score at 0
    1: 0.966151,
    2: 0.884496,
    4: 0.747949,
    8: 0.700435,
    16: 0.605401,
    32: 0.611062,
    64: 0.434565,
    128: 0.283853,
    256: 0.353683,
    1024: 0.262925,
    4096: 0.003497,
}


@pytest.fixture
def rope(tiny):
    """`rope(8)`: the rotation of heads 8 wide; `rope(8, rotary_dim=4)`: of their first 4 dimensions."""

    def make(width: int, base: float = 10000.0, rotary_dim: int = 0) -> Rope:
        return Rope(tiny(position="rope", d_head=width, rotary_base=base, rotary_dim=rotary_dim))

    return make


def turn(rope: Rope, vector: Tensor, position: int) -> Tensor:
    """One vector turned to a position."""
    return rope.rotate(vector[None, None], torch.tensor([position]))[0, 0]


def turn_halves(vector: Tensor, position: int, base: float = 10000.0) -> Tensor:
    """The other pairing, (i, i + width/2), as Hugging Face has it."""
    half = len(vector) // 2
    angles = position * base ** (-torch.arange(half, dtype=torch.float64) / half)
    a, b = vector[:half], vector[half:]
    return torch.cat((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()))


def close(got: Tensor, wanted, tolerance: float) -> None:
    np.testing.assert_allclose(got.numpy(), np.asarray(wanted), atol=tolerance, rtol=0)


@pytest.mark.parametrize(
    ("position", "neighbours", "halves"),
    [
        (
            1,
            [-1.1426396637, 1.9220755965, 2.9598506679, 4.0297995017],
            [-1.9841106486, 1.9599006675, 2.4623779024, 4.0197996683],
        ),
        (
            3,
            [-1.2722325127, -1.8388649851, 2.8786681004, 4.0881866356],
            [-1.4133525208, 1.8791180667, -2.8288574817, 4.0581911354],
        ),
    ],
)
def test_neighbours_turn_and_halves_do_not(rope, position, neighbours, halves):  # B37
    vector = torch.tensor([1, 2, 3, 4], dtype=torch.float64)
    close(turn(rope(4), vector, position), neighbours, 1e-9)
    close(turn_halves(vector, position), halves, 1e-9)


@pytest.mark.parametrize(
    ("query", "key", "wanted"),
    [
        (0, 0, 1.375),
        (5, 2, 1.0878307664),
        (105, 102, 1.0878307664),
        (1005, 1002, 1.0878307664),
        (3, 0, 1.0878307664),
        (2, 5, -0.4184855585),
    ],
)
def test_scores_are_the_published_ones(rope, query, key, wanted):
    score = turn(rope(8), QUERY, query) @ turn(rope(8), KEY, key)
    assert score.item() == pytest.approx(wanted, abs=1e-9)


def test_partial_rotary_turns_the_first_dimensions_and_leaves_the_rest_as_they_were(rope):  # B38
    vector = torch.arange(1, 9, dtype=torch.float64)
    turned = turn(rope(8, rotary_dim=4), vector, 3)
    close(turned[:4], [-1.2722325127, -1.8388649851, 2.8786681004, 4.0881866356], 1e-9)
    assert torch.equal(turned[4:], vector[4:])


@pytest.mark.parametrize(("width", "base"), FREQUENCIES)
def test_frequencies_are_the_published_ones(width, base):  # B39
    frequencies = torch.tensor(rotary_frequencies(width, base), dtype=torch.float64)
    for pair, wanted in FREQUENCIES[width, base].items():
        assert frequencies[pair].item() == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize(("width", "base"), LONGEST_WAVES)
def test_the_longest_wavelength_is_the_published_one(width, base):
    assert 2 * math.pi / rotary_frequencies(width, base)[-1] == pytest.approx(LONGEST_WAVES[width, base])


@pytest.mark.parametrize(("width", "base", "position", "pair"), ANGLES)
def test_angles_stay_exact_at_late_positions(rope, width, base, position, pair):
    across = torch.zeros(width)
    across[2 * pair] = 1
    turned = turn(rope(width, base), across, position)
    close(turned[2 * pair : 2 * pair + 2], ANGLES[width, base, position, pair], 1e-7)


@pytest.mark.parametrize("distance", DECAY)
def test_a_score_of_equal_vectors_falls_and_rises_with_distance(rope, distance):
    ones = torch.ones(64, dtype=torch.float64)
    assert (turn(rope(64), ones, distance) @ ones / 64).item() == pytest.approx(DECAY[distance], abs=1e-6)


def test_position_zero_turns_nothing(rope):
    vectors = torch.randn(2, 3, 64)
    assert torch.equal(rope(64).rotate(vectors, torch.zeros(3, dtype=torch.long)), vectors)


def test_every_pair_keeps_its_length(rope):
    vectors = torch.randn(2, 300, 64)
    turned = rope(64).rotate(vectors, torch.arange(300))
    lengths = vectors.unflatten(-1, (-1, 2)).norm(dim=-1)
    torch.testing.assert_close(turned.unflatten(-1, (-1, 2)).norm(dim=-1), lengths, rtol=1e-6, atol=1e-6)


def test_turning_twice_turns_by_the_sum(rope):
    vector = torch.randn(64)
    close(turn(rope(64), turn(rope(64), vector, 5), 8), turn(rope(64), vector, 13), 1e-5)
    close(turn(rope(64), turn(rope(64), vector, 9), -9), vector, 1e-5)


def test_permuted_halves_are_neighbours(rope):
    vector = torch.randn(64, dtype=torch.float64)
    permutation = torch.cat((torch.arange(0, 64, 2), torch.arange(1, 64, 2)))
    close(turn_halves(vector[permutation], 17), turn(rope(64), vector, 17)[permutation], 1e-9)


def test_at_distance_zero_a_score_is_the_plain_product(rope):
    query, key = torch.randn(2, 64, dtype=torch.float64)
    for position in (0, 7, 8191):
        score = turn(rope(64), query, position) @ turn(rope(64), key, position)
        assert score.item() == pytest.approx((query @ key).item(), rel=1e-9)


def score_errors(rope: Rope, shift: int) -> tuple[float, float]:
    """Largest error of float32 scores at places moved by `shift`: as it is, and over the lengths of the vectors."""
    generator = torch.Generator().manual_seed(0)
    query, key = torch.randn(2, 1, 64, 64, generator=generator)
    places = torch.randperm(64, generator=generator)
    exact = rope.rotate(query.double(), places) @ rope.rotate(key.double(), places.flip(0)).transpose(-1, -2)
    moved = rope.rotate(query, places + shift) @ rope.rotate(key, places.flip(0) + shift).transpose(-1, -2)
    error = (moved - exact).abs()
    lengths = query.norm(dim=-1)[..., :, None] * key.norm(dim=-1)[..., None, :]
    return error.max().item(), (error / lengths).max().item()


@pytest.mark.parametrize("shift", [0, 1, 100, 8192, 131072, 2**20])
def test_a_common_shift_changes_no_score(rope, shift):
    assert score_errors(rope(64), shift)[1] < 1e-8 * shift + 1e-6


def test_late_positions_are_as_exact_as_early_ones(rope):
    assert score_errors(rope(64), 8192)[0] < 3 * score_errors(rope(64), 0)[0]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_angles_stay_exact_when_a_decoder_is_cast(tiny, random_decoder, dtype):  # B36
    config = tiny(position="rope", d_head=64)
    decoder, cast = random_decoder(config), random_decoder(config).to(dtype)
    late = torch.tensor([256, 257, 8191])
    vectors = torch.randn(4, 3, 64)
    assert cast.position.frequencies == decoder.position.frequencies
    assert torch.equal(cast.position.rotate(vectors, late), decoder.position.rotate(vectors, late))
    assert not list(cast.position.buffers())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_vectors_in_half_precision_are_turned_by_exact_angles(rope, dtype):
    across = torch.zeros(3, 64, dtype=dtype)
    across[:, 2] = 1
    turned = rope(64).rotate(across[None], torch.tensor([256, 257, 8191]))[0]
    close(turned[2, 2:4].float(), [-0.8419922289, -0.5394896538], 5e-3)
    assert not torch.equal(turned[0], turned[1])
