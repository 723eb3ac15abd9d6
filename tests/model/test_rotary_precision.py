"""The fault of angles in few digits: as large as it is known to be, found the same by NumPy, and not in our decoder."""

import numpy as np
import pytest
import torch

from model import numpy_rotary
from model.position import turns
from model.rotary_precision import FAULTS, cosine_errors, cosines, distinct, drift
from model.rotary_scaling import SCALINGS, needed, scaled
from model.turned_score import Couple

GREATEST = {  # width 64, base 1e4, positions below: the greatest error of a cosine, in the order of FAULTS
    128: (4e-6, 2e-3, 0.05, 4e-6, 0.24, 0.02),
    1024: (4e-5, 2e-3, 0.44, 1.7, 2.0, 0.39),
    2048: (7e-5, 2e-3, 0.86, 2.0, 2.0, 0.78),
    8192: (3e-4, 2e-3, 2.0, 2.0, 2.0, 2.0),
    131072: (5e-3, 5.5e-3, 2.0, 2.0, 2.0, np.nan),
}


@pytest.mark.parametrize("length", GREATEST)
@pytest.mark.parametrize("place", range(len(FAULTS)), ids=list(FAULTS))
def test_the_greatest_errors_are_the_known_ones(length, place):  # B36
    rounded = list(FAULTS)[place]
    found = cosine_errors(np.arange(length), 64, 1e4, rounded).max().item()
    assert found == pytest.approx(GREATEST[length][place], rel=0.15, nan_ok=True)


@pytest.mark.parametrize(("width", "base"), [(64, 1e4), (64, 1e5), (16, 1e4)])
@pytest.mark.parametrize("rounded", FAULTS)
def test_numpy_finds_the_same_errors(rounded, width, base):
    positions = np.arange(8192)
    ours = cosine_errors(positions, width, base, rounded).numpy()
    np.testing.assert_allclose(ours, numpy_rotary.cosine_errors(positions, width, base, rounded), atol=1e-6)


def test_bfloat16_bit_by_bit_is_torchs():
    numbers = torch.randn(10_000, generator=torch.Generator().manual_seed(0)) * 300
    np.testing.assert_array_equal(numpy_rotary.bfloat16(numbers.numpy()), numbers.bfloat16().float().numpy())


def test_bfloat16_cannot_tell_late_positions_apart():
    assert torch.tensor([257, 259]).bfloat16().tolist() == [256, 260]
    assert torch.tensor([2049]).half().tolist() == [2048]
    assert [distinct(positions, torch.bfloat16) for positions in (512, 2048, 8192)] == [385, 641, 897]


def test_a_reported_example_comes_out_as_reported():
    """EleutherAI/gpt-neox issue 1003: width 32, pair 1, position 1857."""
    frequency = 1e4 ** (-2 / 32)
    assert 1857 * frequency == pytest.approx(1044.2678, abs=1e-4)
    product = torch.tensor(1857).half() * torch.tensor(frequency).half()
    assert product.item() == 1045.0
    assert abs(np.cos(product.item()) - np.cos(1857 * frequency)) > 0.4


@pytest.fixture
def couple():
    query, key = torch.randn(2, 64, generator=torch.Generator().manual_seed(3))
    return Couple(query, key, scaled("none", 64, 1e4))


def test_with_exact_angles_a_common_shift_changes_no_score_and_with_rounded_ones_it_does(couple):
    shifts = np.arange(0, 8192, 7)
    assert drift(couple, (5, 2), shifts, "float32").abs().max() < 1e-4
    assert drift(couple, (5, 2), shifts, "cast").abs().max() < 4e-3
    for rounded in ("positions", "bfloat16"):
        assert drift(couple, (5, 2), shifts, rounded).abs().max() > 0.05
    assert drift(couple, (5, 2), np.arange(100), "positions").abs().max() < 1e-5


def test_short_texts_do_not_show_the_fault():
    assert cosine_errors(np.arange(64), 16, 1e4, "positions").max() < 1e-5
    assert cosine_errors(np.arange(64), 16, 1e4, "bfloat16").max() < 0.2
    assert cosine_errors(np.arange(8192), 16, 1e4, "bfloat16").max() > 1.9


@pytest.mark.parametrize("kind", SCALINGS)
def test_scaled_angles_are_as_exact_as_the_others(kind):
    given = {"factor": 4.0, "trained": 2048, "length": 8192}
    table = scaled(kind, 64, 1e4, **{name: given[name] for name in given if name in needed(kind)}).frequencies
    found = turns((0, 257, 8191, 131071), table, torch.float32)
    exact = np.exp(1j * np.outer([0, 257, 8191, 131071], table))
    np.testing.assert_allclose(found.numpy(), exact, atol=1e-6)


def test_an_unknown_rounding_is_refused_by_its_name():
    with pytest.raises(ValueError, match="'int8'; known are float32, cast"):
        cosines(np.arange(3), 64, 1e4, "int8")
