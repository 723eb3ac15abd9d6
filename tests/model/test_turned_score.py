"""RoPE's score plane by plane: its formula in the distance, its laws, and what of it is often believed and is false."""

import numpy as np
import pytest
import torch

from model import numpy_rotary
from model.rotary_scaling import scaled
from model.turned_score import Couple, key_for, scores

QUERY = [1, 0, -1, 2, 0.5, -0.5, 1.5, -2]
KEY = [0.5, 1, -1, 0, 2, -1, 0.25, 1]


def gaussian(seed: int, width: int = 64, kind: str = "none", rotary: int = 0, **settings) -> Couple:
    query, key = torch.randn(2, width, generator=torch.Generator().manual_seed(seed))
    return Couple(query, key, scaled(kind, rotary or width, 1e4, **settings))


@pytest.mark.parametrize(
    ("places", "wanted"), [((5, 2), 1.0878307664), ((1005, 1002), 1.0878307664), ((2, 5), -0.4184855585)]
)
def test_the_parts_add_up_to_the_published_scores(places, wanted):
    couple = Couple(torch.tensor(QUERY), torch.tensor(KEY), scaled("none", 8, 1e4))
    assert couple.parts(*places).sum().item() == pytest.approx(wanted, abs=1e-9)
    assert couple.by_distance(np.array([places[0] - places[1]])).sum().item() == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("rotary", [64, 16])
def test_turned_vectors_and_the_formula_in_the_distance_give_the_same_parts(rotary):
    couple = gaussian(1, rotary=rotary)
    by_distance = couple.by_distance(np.arange(-40, 300))
    for query, key in ((0, 0), (3, 40), (299, 0), (1000, 800), (5, 4)):
        torch.testing.assert_close(couple.parts(query, key), by_distance[query - key + 40], atol=1e-9, rtol=0)


@pytest.mark.parametrize(("kind", "settings"), [("none", {}), ("yarn", {"factor": 4.0, "trained": 2048})])
def test_numpy_computes_the_same_parts(kind, settings):
    couple = gaussian(2, kind=kind, **settings)
    table, factor = numpy_rotary.scaled(kind, 64, 1e4, **settings)
    pair = couple.query.numpy(), couple.key.numpy()
    ours = couple.by_distance(np.arange(-5, 60))
    np.testing.assert_allclose(ours, numpy_rotary.by_distance(*pair, range(-5, 60), table, factor), atol=1e-9)
    np.testing.assert_allclose(couple.parts(9, 4), numpy_rotary.parts(*pair, (9, 4), table, factor), atol=1e-9)


@pytest.mark.parametrize("shift", [1, 500, 8192, 2**20 - 10])
def test_both_moved_together_the_decoders_own_score_stays_and_one_moved_it_changes(tiny, random_decoder, shift):
    position = random_decoder(tiny(position="rope", d_head=64)).position
    couple = gaussian(4)
    start, together, alone = scores(position, couple.query, couple.key, [(5, 2), (5 + shift, 2 + shift), (5 + 1, 2)])
    assert abs(together - start) < 1e-6 * couple.lengths
    assert abs(alone - start) > 1e-3 * couple.lengths
    assert start == pytest.approx(couple.parts(5, 2).sum().item(), abs=1e-5)


def test_no_turn_changes_a_length_whether_its_angle_is_right_or_wrong():  # misconception 28
    couple = gaussian(5)
    lengths = couple.turned("query", 0).norm(dim=-1)
    wrong = Couple(couple.query, couple.key, scaled("none", 64, 7.0))
    for turned in (couple.turned("query", 77), wrong.turned("query", 77)):
        torch.testing.assert_close(turned.norm(dim=-1), lengths, rtol=1e-9, atol=0)
    assert abs((wrong.parts(77, 0).sum() - couple.parts(77, 0).sum()).item()) > 1e-2 * couple.lengths


def test_far_keys_need_not_score_lower():  # misconception 5
    """Of Gaussian queries and keys none is favoured near; and for any distance there is a key that peaks there."""
    near = torch.stack([gaussian(seed).by_distance(np.arange(0, 64)).sum(-1) for seed in range(300)])
    far = torch.stack([gaussian(seed).by_distance(np.arange(2000, 2064)).sum(-1) for seed in range(300)])
    assert 0.9 < (far.square().mean() / near.square().mean()).sqrt() < 1.1
    for distance in (0, 7, 63, 900):
        made = key_for(gaussian(6), distance)
        curve = made.by_distance(np.arange(0, 1000)).sum(-1)
        assert int(curve.argmax()) == distance
        assert curve[distance].item() == pytest.approx(made.lengths, rel=1e-9)


def test_of_equal_vectors_the_bound_falls_but_not_step_by_step():
    ones = Couple(torch.ones(64), torch.ones(64), scaled("none", 64, 1e4))
    curve = ones.by_distance(np.arange(0, 4097)).sum(-1)
    assert curve[4096] < 0.01 * curve[0]
    assert curve[32] > curve[16]


def test_the_sign_of_the_distance_matters():
    couple = gaussian(7)
    ahead, behind = couple.by_distance(np.array([3, -3])).sum(-1)
    assert abs((ahead - behind).item()) > 1e-2 * couple.lengths
