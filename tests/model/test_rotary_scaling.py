"""RoPE's scalings against published values and an independent NumPy table, and what each promises."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from model import numpy_rotary
from model.numpy_rotary import scaled as numpy_scaled
from model.rotary_scaling import SCALINGS, needed, scaled

PAIRS = [0, 1, 8, 10, 12, 16, 20, 24, 31]
TABLES = {  # width 64, base 1e4, trained to 2048, four times longer
    "none": "1 0.74989421 0.1 0.056234133 0.031622777 0.01 3.16227766e-3 1e-3 1.33352143e-4",
    "linear": "0.25 0.18747355 0.025 0.014058533 7.90569415e-3 2.5e-3 7.90569415e-4 2.5e-4 3.33380358e-5",
    "ntk": "1 0.71709833 0.069924550 0.035957302 0.018490324 4.88944268e-3 1.29292758e-3 3.41892079e-4 3.33380358e-5",
    "yarn": "1 0.74989421 0.1 0.049745579 0.024325213 5.38461538e-3 9.73008511e-4 2.5e-4 3.33380358e-5",
}
YARN_PAPER = "1 0.74989421 0.1 0.037635343 0.015026498 3.04665159e-3 7.92921405e-4 2.5e-4 3.33380358e-5"
NTK_BASES = {
    (64, 4): 41829.36592890,
    (128, 2): 20221.261690,
    (128, 4): 40889.942433,
    (128, 8): 82684.622641,
}
DYNAMIC_BASES = {  # (factor, length): base, width 64, trained to 2048
    (1, 4096): 20452.228712,
    (1, 8192): 41829.365929,
    (2, 4096): 31082.236667,
    (2, 8192): 74534.830318,
    (4, 4096): 52664.434336,
    (4, 8192): 141213.757398,
    (4, 2048): 10000.0,
    (4, 3): 10000.0,
}
TEMPERS = {2: 1.0693147181, 4: 1.1386294361, 8: 1.2079441542, 16: 1.2772588722, 32: 1.3465735903, 64: 1.4158883083}
LLAMA3_RATIOS = {
    (128, 8): {
        29: 0.82816841,
        30: 0.64374313,
        31: 0.49350712,
        32: 0.37112228,
        33: 0.27142548,
        34: 0.19021074,
        63: 1 / 8,
    },
    (64, 32): {15: 0.60557275, 16: 0.30374252, 17: 0.10344761, 31: 1 / 32},
}
LLAMA3_KEPT = {(128, 8): (29, 6, 29), (64, 32): (15, 3, 14)}
SETTINGS = {"factor": 4.0, "trained": 2048, "length": 6000}
SIZES = [(64, 1e4), (128, 5e5), (16, 1e4), (64, 1e5)]


def settings(kind: str, **changes) -> dict:
    """What this scaling takes of SETTINGS and the changes."""
    return {name: value for name, value in (SETTINGS | changes).items() if name in needed(kind)}


def base_of(frequencies: tuple[float, ...], width: int) -> float:
    """The base that makes such a table."""
    return frequencies[-1] ** (-width / (width - 2))


@pytest.mark.parametrize("kind", TABLES)
def test_the_frequencies_are_the_published_ones(kind):
    found = np.array(scaled(kind, 64, 1e4, **settings(kind)).frequencies)[PAIRS]
    np.testing.assert_allclose(found, [float(word) for word in TABLES[kind].split()], rtol=5e-8)


def test_yarn_is_the_codes_and_not_the_papers():
    found = np.array(scaled("yarn", 64, 1e4, **settings("yarn")).frequencies)[PAIRS]
    paper = np.array([float(word) for word in YARN_PAPER.split()])
    assert found[[0, 1, 2, 7, 8]] == pytest.approx(paper[[0, 1, 2, 7, 8]], rel=1e-8)
    assert (found / paper).max() == pytest.approx(1.77, abs=0.01)


def test_yarn_of_a_wider_head_is_the_published_one():
    found = scaled("yarn", 128, 1e4, factor=16, trained=4096).frequencies
    assert found[24] == pytest.approx(2.7061799207e-2, rel=1e-9)
    assert found[63] == pytest.approx(7.2173874043e-6, rel=1e-9)


@pytest.mark.parametrize("factor", TEMPERS)
def test_yarns_factor_is_the_published_one_and_a_checkpoints_own_replaces_it(factor):
    assert scaled("yarn", 64, 1e4, factor=factor, trained=2048).factor == pytest.approx(TEMPERS[factor], rel=1e-10)
    told = scaled("yarn", 64, 1e4, factor=factor, trained=2048, attention_factor=1.5, scales=(1.0, 1.0))
    assert told.factor == 1.5
    assert scaled("yarn", 64, 1e4, factor=factor, trained=2048, scales=(0.7, 0.7)).factor == 1
    half = scaled("yarn", 64, 1e4, factor=factor, trained=2048, scales=(1.0, 0.5)).factor
    assert half == pytest.approx((0.1 * math.log(factor) + 1) / (0.05 * math.log(factor) + 1))


@pytest.mark.parametrize(("width", "factor"), NTK_BASES)
def test_the_ntk_base_is_the_published_one(width, factor):
    found = scaled("ntk", width, 1e4, factor=factor).frequencies
    assert base_of(found, width) == pytest.approx(NTK_BASES[width, factor], rel=1e-9)
    as_trained = scaled("none", width, 1e4).frequencies
    assert found[0] == as_trained[0]
    assert found[-1] == pytest.approx(as_trained[-1] / factor, rel=1e-12)


@pytest.mark.parametrize(("factor", "length"), DYNAMIC_BASES)
def test_the_dynamic_base_follows_the_length_up_and_back(factor, length):  # B41
    def base(length: int) -> float:
        return base_of(scaled("dynamic", 64, 1e4, factor=factor, trained=2048, length=length).frequencies, 64)

    assert base(length) == pytest.approx(DYNAMIC_BASES[factor, length], rel=1e-9)
    assert base(100) == pytest.approx(10000.0, rel=1e-12)
    short = scaled("dynamic", 64, 1e4, factor=1, trained=8, length=16).frequencies
    assert base_of(short, 64) == pytest.approx(20452.2287, rel=1e-9)


@pytest.mark.parametrize(("width", "factor"), LLAMA3_RATIOS)
def test_llama3_keeps_blends_and_divides_the_published_pairs(width, factor):  # B40
    as_trained = np.array(scaled("none", width, 5e5).frequencies)
    ratios = np.array(scaled("llama3", width, 5e5, factor=factor, trained=8192).frequencies) / as_trained
    for pair, wanted in LLAMA3_RATIOS[width, factor].items():
        assert ratios[pair] == pytest.approx(wanted, rel=1e-7)
    kept, divided = np.isclose(ratios, 1, rtol=1e-12), np.isclose(ratios, 1 / factor, rtol=1e-12)
    assert (kept.sum(), (~kept & ~divided).sum(), divided.sum()) == LLAMA3_KEPT[width, factor]


def test_llama3_frequencies_are_the_published_ones():
    wide = scaled("llama3", 128, 5e5, factor=8, trained=8192).frequencies
    assert [wide[29], wide[34], wide[63]] == pytest.approx(
        [2.1665707635e-3, 1.7850781277e-4, 3.0689259889e-7], rel=1e-9
    )
    small = scaled("llama3", 64, 5e5, factor=32, trained=8192).frequencies
    assert small[31] == pytest.approx(9.4183067254e-8, rel=1e-9)


@pytest.mark.parametrize(("width", "base"), SIZES)
@pytest.mark.parametrize("kind", SCALINGS)
def test_every_table_is_the_one_that_numpy_computes(kind, width, base):
    ours = scaled(kind, width, base, **settings(kind))
    frequencies, factor = numpy_scaled(kind, width, base, **settings(kind))
    np.testing.assert_allclose(ours.frequencies, frequencies, rtol=1e-12)
    assert ours.factor == pytest.approx(factor, rel=1e-12)


@pytest.mark.parametrize(("width", "base"), SIZES)
@pytest.mark.parametrize("kind", SCALINGS)
def test_no_scaling_makes_a_pair_quicker_or_slower_than_it_is_told_to(kind, width, base):
    as_trained = np.array(scaled("none", width, base).frequencies)
    given = settings(kind, factor=1.0 if kind == "dynamic" else 4.0, length=4 * 2048)
    ratios = np.array(scaled(kind, width, base, **given).frequencies) / as_trained
    assert (ratios <= 1 + 1e-12).all()
    assert (ratios >= 1 / 4 - 1e-12).all()


@pytest.mark.parametrize("kind", SCALINGS)
def test_a_factor_of_one_changes_nothing(kind):
    found = scaled(kind, 64, 1e4, **settings(kind, factor=1.0, length=2048))
    np.testing.assert_allclose(found.frequencies, scaled("none", 64, 1e4).frequencies, rtol=1e-12)
    assert found.factor == 1


def test_only_yarn_has_a_factor_on_cosine_and_sine():
    assert [kind for kind in SCALINGS if scaled(kind, 64, 1e4, **settings(kind)).factor != 1] == ["yarn"]


@pytest.mark.parametrize(("width", "base"), SIZES)
@pytest.mark.parametrize(("kind", "many"), [("yarn", 32), ("llama3", 4)])
def test_planes_that_turn_often_stay_and_those_that_turn_less_than_once_are_divided(kind, many, width, base):
    as_trained = np.array(scaled("none", width, base).frequencies)
    found = np.array(scaled(kind, width, base, factor=8, trained=2048).frequencies)
    turns = 2048 * as_trained / (2 * np.pi)
    assert (turns > many).any()
    np.testing.assert_allclose(found[turns > many], as_trained[turns > many], rtol=1e-12)
    np.testing.assert_allclose(found[turns < 1], as_trained[turns < 1] / 8, rtol=1e-12)


def test_a_greater_base_leaves_plane_0_and_slows_the_others():
    small, great = (np.array(scaled("none", 64, base).frequencies) for base in (1e4, 5e5))
    assert small[0] == great[0] == 1
    assert (great[1:] < small[1:]).all()


def test_another_table_changes_queries_and_keys_from_the_second_layer_on(tiny, random_decoder, sentence):
    config = tiny(position="rope")
    plain, other = random_decoder(config), random_decoder(config)
    other.position.frequencies = scaled("linear", config.rotary_dim, config.rotary_base, factor=4.0).frequencies
    one, two = plain(sentence(9)).blocks, other(sentence(9)).blocks
    for name in ("query", "key"):
        assert torch.equal(getattr(one[0].attention, name), getattr(two[0].attention, name))
        assert not torch.allclose(getattr(one[1].attention, name), getattr(two[1].attention, name))


def test_linear_is_the_same_as_positions_divided():
    positions = np.arange(9000)
    slowed = np.outer(positions, scaled("linear", 64, 1e4, factor=4).frequencies)
    divided = np.outer(positions / 4, scaled("none", 64, 1e4).frequencies)
    np.testing.assert_allclose(slowed, divided, rtol=1e-12)


def test_an_ignored_llama3_table_does_not_show_in_a_short_text():
    as_trained = np.array(scaled("none", 128, 5e5).frequencies)
    lost = np.array(scaled("llama3", 128, 5e5, factor=8, trained=8192).frequencies) - as_trained
    wanted = {10: 1.0, 100: 0.9996, 1000: 0.9631, 2000: 0.8717, 8192: 0.7689}
    for distance, cosine in wanted.items():
        assert np.cos(distance * lost).mean() == pytest.approx(cosine, abs=5e-5)


def test_a_wrong_base_is_only_exposed_by_a_long_text():  # B39
    def likeness(width: int, right: float, distance: int) -> float:
        off = np.subtract(scaled("none", width, right).frequencies, scaled("none", width, 1e4).frequencies)
        return np.cos(distance * off).mean()

    for distance, wanted in {1: 0.9994, 5: 0.9851, 10: 0.942, 20: 0.7937, 50: 0.4373, 100: 0.5335}.items():
        assert likeness(64, 1e5, distance) == pytest.approx(wanted, abs=5e-5)
    for distance, wanted in {10: 0.8714, 20: 0.6163, 50: 0.5966}.items():
        assert likeness(128, 5e5, distance) == pytest.approx(wanted, abs=5e-5)


def test_the_numpy_tables_share_nothing_with_the_others():
    source = Path(numpy_rotary.__file__).read_text(encoding="utf-8")
    assert not re.search(r"^\s*(from|import) (model|torch)", source, re.MULTILINE)


def test_an_unknown_scaling_is_refused_by_its_name():
    with pytest.raises(ValueError, match="'longrope'; known are none, linear, ntk, dynamic, yarn, llama3"):
        scaled("longrope", 64, 1e4, factor=4)


def test_settings_that_a_scaling_lacks_or_needs_are_named():
    with pytest.raises(ValueError, match="'linear' has no trained; it takes factor"):
        scaled("linear", 64, 1e4, factor=4, trained=2048)
    with pytest.raises(ValueError, match="'dynamic' needs trained, length"):
        scaled("dynamic", 64, 1e4, factor=4)
    for wrong in (0.5, 0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="1 or more"):
            scaled("yarn", 64, 1e4, factor=wrong, trained=2048)


def test_ntk_needs_a_second_pair():
    with pytest.raises(ValueError, match="two pairs"):
        scaled("ntk", 2, 1e4, factor=4)
