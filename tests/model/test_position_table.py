"""The counter-examples of position tables do what is said of them, and the sinusoids do not."""

import math

import numpy as np
import pytest
import torch

from model import zoo
from model.position import sinusoid
from model.position_table import (
    TABLES,
    cosines,
    count,
    distances,
    most_alike,
    single_wave,
    table,
    vector,
    wavelengths,
)
from model.train import fresh_decoder

POSITIONS = torch.arange(128)


def test_a_count_grows_without_end_and_a_sinusoid_keeps_its_length():  # property 1
    assert count(POSITIONS, 8).norm(dim=-1).tolist() == pytest.approx([place * math.sqrt(8) for place in range(128)])
    for width in (8, 64, 512):
        lengths = sinusoid(POSITIONS, width).norm(dim=-1)
        assert lengths.tolist() == pytest.approx([math.sqrt(width / 2)] * 128)


def test_a_single_wave_keeps_its_length_but_comes_back_after_44_positions():
    rows = single_wave(POSITIONS, 8)
    assert rows.norm(dim=-1).tolist() == pytest.approx([2.0] * 128)
    apart = distances(rows)[0]
    # 44 positions are 7 turns of 2π, all but 0.018 radians, in each of the four pairs.
    assert int(apart[1:].argmin()) + 1 == 44
    assert apart[44].item() == pytest.approx(2 * 2 * math.sin(abs(44 - 14 * math.pi) / 2), rel=1e-9)


@pytest.mark.parametrize("width", [64, 512])
def test_of_wide_sinusoids_neighbours_are_the_hardest_to_tell_apart(width):
    first, second, apart = most_alike(sinusoid(POSITIONS, width))
    assert second - first == 1
    assert apart > 1.4


@pytest.mark.parametrize("width", [8, 64, 512])
def test_a_single_wave_confuses_positions_ten_times_worse_than_sinusoids(width):
    _, _, apart = most_alike(sinusoid(POSITIONS, width))
    _, _, single = most_alike(single_wave(POSITIONS, width))
    assert single < apart / 10


def test_the_closest_rows_are_found_among_all():
    rows = torch.tensor([[0.0, 0.0], [5.0, 0.0], [9.0, 9.0], [5.0, 1.0]])
    assert most_alike(rows) == (1, 3, 1.0)
    assert distances(rows)[2, 0].item() == pytest.approx(math.sqrt(162))


def test_a_wave_comes_back_after_its_wavelength():
    for width in (2, 8, 512):
        lengths = wavelengths(width).numpy()
        frequencies = 10000.0 ** (-np.arange(0, width, 2) / width)
        np.testing.assert_allclose(lengths * frequencies, 2 * math.pi)
        assert lengths[0] == pytest.approx(2 * math.pi)


def test_the_longest_wavelength_is_not_ten_thousand_turns():
    assert wavelengths(512)[-1].item() == pytest.approx(60611.5, abs=0.1)
    assert wavelengths(512)[-1].item() < 2 * math.pi * 10000


def test_cosines_of_rows_are_those_of_numpy():
    rows = sinusoid(torch.arange(9), 8) * torch.arange(1, 10)[:, None]
    found = cosines(rows).numpy()
    lengths = np.linalg.norm(rows.numpy(), axis=1)
    np.testing.assert_allclose(found, rows.numpy() @ rows.numpy().T / np.outer(lengths, lengths), atol=1e-12)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("width", [2, 64])
def test_every_table_has_a_row_a_position_and_is_not_rounded(name, width):
    rows = TABLES[name](POSITIONS, width)
    assert rows.shape == (128, width)
    assert rows.dtype == torch.float64


def test_the_lab_adds_sinusoids_of_fixed_length_that_outweigh_its_tokens():
    decoder = zoo.load("lab-sinusoidal").decoder
    row = vector(decoder, 37)
    assert torch.allclose(row.double(), table("sinusoidal", [37], 64)[0], atol=1e-6)
    assert row.norm().item() == pytest.approx(math.sqrt(32))
    assert decoder.embed.weight.norm(dim=-1).max() < math.sqrt(32)
    assert decoder.embed.weight.abs().max() < 1  # the scale of E on the page


def test_the_learned_table_ends_where_it_ends():  # misconception 12
    decoder = zoo.load("lab-learned").decoder
    assert torch.equal(vector(decoder, 63), decoder.position.weight[63])
    for position in (64, 65, 4095):
        with pytest.raises(ValueError, match=rf"0 to 63; position {position} "):
            vector(decoder, position)


def test_in_the_learned_table_neighbours_are_more_alike_than_rows_far_apart():
    learned = cosines(zoo.load("lab-learned").decoder.position.weight.double())
    assert learned.diagonal(1).mean() > learned.diagonal(32).mean() + 0.3
    assert zoo.load("lab-learned").decoder.position.weight.abs().max() < 1


def test_before_training_neighbours_were_no_more_alike_than_others():
    config = zoo.load("lab-learned").config
    fresh = cosines(fresh_decoder(config, seed=0).position.weight.detach().double())
    assert abs(fresh.diagonal(1).mean()) < 0.1
    assert abs(fresh.diagonal(32).mean()) < 0.1


def test_no_rule_ties_the_learned_rows_to_each_other():
    learned = cosines(zoo.load("lab-learned").decoder.position.weight.double())
    fixed = cosines(table("sinusoidal", range(64), 64))
    assert learned.diagonal(1).std() > 0.05
    assert fixed.diagonal(1).std() < 1e-9


def test_a_scheme_that_adds_nothing_has_no_vector():
    assert not vector(zoo.load("lab-rope").decoder, 5).any()
