"""What ALiBi and T5 add, seen without a sentence; and which of the lab's numbers were never trained."""

import numpy as np
import pytest
import torch

from model import numpy_decoder, zoo
from model.knobs import Knobs
from model.position_bias import (
    alibi,
    bias,
    buckets,
    ends,
    greatest_change,
    if_scores_were_equal,
    one_series,
    slopes,
    t5_by_distance,
    trained_buckets,
)
from model.train import fresh_decoder


@pytest.fixture(scope="module")
def t5():
    """The lab's T5 decoder."""
    return zoo.load("lab-t5").decoder


@pytest.mark.parametrize("heads", [1, 3, 4, 9, 12])
def test_alibis_triangles_are_numpys(heads):  # property 12
    places = np.arange(20)
    wanted = -numpy_decoder.alibi_slopes(heads)[:, None, None] * np.abs(places[:, None] - places)
    np.testing.assert_allclose(alibi(heads, 20).numpy(), wanted, rtol=1e-6)


def test_alibi_of_four_heads_is_what_the_labs_model_adds():
    decoder = zoo.load("lab-alibi").decoder
    assert torch.equal(alibi(decoder.config.heads, 30), bias(decoder, 30))
    assert not [name for name, _ in decoder.position.named_parameters()]  # misconception 9: nothing is learned
    assert len(set(slopes(4))) == 4  # and no two heads share a slope


@pytest.mark.parametrize("heads", [1, 2, 4, 8, 16])
def test_one_series_is_right_where_the_number_of_heads_is_a_power_of_two(heads):
    assert one_series(heads) == pytest.approx(slopes(heads))
    assert slopes(heads)[-1] == 2**-8


@pytest.mark.parametrize("heads", [3, 6, 9, 12, 14])
def test_one_series_is_wrong_for_every_other_number_of_heads(heads):  # misconception 10
    assert np.abs(np.array(one_series(heads)) - slopes(heads)).max() > 0.1


def test_equal_scores_leave_the_published_weights():
    added = -torch.tensor([0.5, 2**-8])[:, None, None] * (torch.arange(5)[:, None] - torch.arange(5))
    steep = [0.0580122174, 0.0956459768, 0.1576935564, 0.2599927207, 0.4286555288]
    flat = [0.1984405597, 0.1992172341, 0.1999969483, 0.2007797142, 0.2015655438]
    np.testing.assert_allclose(if_scores_were_equal(added).numpy(), [steep, flat], atol=1e-7)


def test_a_constant_added_to_a_row_changes_no_weight():  # property 13
    added = alibi(4, 12)
    moved = added + torch.randn(4, 12, 1)
    assert torch.allclose(added.softmax(dim=-1), moved.softmax(dim=-1), atol=1e-6)


def test_the_penalty_is_not_divided_by_the_root_of_the_width():  # misconception 9
    model = zoo.load("lab-alibi")
    trace = model.run(model.tokenizer.encode("小明 喜欢 吃 苹果"))
    attention = trace.blocks[0].attention
    seen = torch.ones(5, 5).tril().bool()
    added = attention.scores - attention.raw_scores / 4  # √16
    wanted = alibi(4, 5)
    assert torch.allclose(added[:, seen], wanted[:, seen], atol=1e-5)


def test_t5_by_distance_is_the_row_of_the_bucket(t5):  # property 14, misconception 11
    found, weight = t5_by_distance(t5, 200).numpy(), t5.position.weight.numpy()
    numbers = buckets(t5.config, 200).tolist()
    np.testing.assert_array_equal(found, weight[numbers].T)
    assert numbers == sorted(numbers)
    assert numbers.index(31) == 113
    assert set(numbers[113:]) == {31}
    assert np.unique(found[0]).size == 32 < 200


def test_t5s_triangles_are_numpys_and_the_same_along_every_diagonal(t5):
    weights = {name: tensor.numpy() for name, tensor in t5.state_dict().items()}
    _, wanted = numpy_decoder.position_terms(t5.config, weights, np.arange(70))
    found = bias(t5, 70).numpy()
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(found[:, 1:, 1:], found[:, :-1, :-1])


def test_buckets_beyond_the_trained_length_still_hold_the_numbers_of_the_beginning(t5):
    reached = trained_buckets(t5.config)
    assert reached == 27
    fresh = fresh_decoder(t5.config, seed=0)
    assert torch.equal(fresh.position.weight[reached:], t5.position.weight[reached:])
    assert not (fresh.position.weight[:reached] == t5.position.weight[:reached]).any()


def test_the_labs_t5_divides_by_the_root_of_the_width_and_shares_its_table(t5):
    model = zoo.load("lab-t5")
    trace = model.run(model.tokenizer.encode("小明 喜欢 吃 苹果"))
    seen = torch.ones(5, 5).tril().bool()
    for block in trace.blocks:
        added = block.attention.scores - block.attention.raw_scores / 4
        assert torch.allclose(added[:, seen], bias(t5, 5)[:, seen], atol=1e-5)


@pytest.mark.parametrize("scheme", ["rope", "alibi", "t5", "none"])
@pytest.mark.parametrize("start", [20, 1000])
def test_relative_schemes_do_not_see_where_the_text_starts(scheme, start):  # property 15
    assert _moved(scheme, start) < 1e-4


@pytest.mark.parametrize("scheme", ["sinusoidal", "learned"])
def test_absolute_schemes_see_where_the_text_starts(scheme):  # property 15
    assert _moved(scheme, 20) > 0.1


@pytest.mark.parametrize("scheme", ["alibi", "t5", "rope", "none", "sinusoidal", "learned"])
def test_on_one_token_over_and_over_only_added_positions_tell_the_rows_apart(scheme):  # property 16
    model = zoo.load(f"lab-{scheme}")
    ids = torch.full((12,), model.tokenizer.encode("苹果")[1].id)  # without BOS: no token is different
    with torch.inference_mode():
        rows = model.decoder(ids).blocks[-1].output
    same = bool((rows - rows[0]).abs().max() < 1e-4)
    assert same == (scheme not in ("sinusoidal", "learned"))


def test_a_scale_holds_all_values_and_is_rounded_up():
    assert ends(torch.tensor([-2.68, 1.0])) == 3.0
    assert ends(torch.zeros(3)) == 0.5


def _moved(scheme: str, start: int) -> float:
    model = zoo.load(f"lab-{scheme}")
    tokens = model.tokenizer.encode("小明拿起苹果，因为他饿了。")
    knobs = Knobs(positions=tuple(range(start, start + len(tokens))))
    return greatest_change(model.begin(tokens).kept, model.begin(tokens, knobs).kept)
