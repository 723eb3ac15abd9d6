"""One cell taken apart: its numbers are the trace's, and each step follows from the one before."""

import math

import numpy as np
import pytest
import torch

from model.knobs import Knobs
from model.steps import BENCH_ENTRIES, softmax, steps

KNOBS = {
    "untouched": Knobs(),
    "changed": Knobs(scale=0.5, temperature=2.0, head_gains=((1, 2, -0.5), (1, 0, 3.0))),
    "mask off": Knobs(causal=False),
    "positions": Knobs(positions=(4, 9, 1, 0, 7, 30)),
}
SEQ = 6


@pytest.fixture(params=KNOBS.values(), ids=KNOBS)
def knobs(request) -> Knobs:
    return request.param


@pytest.fixture
def taken(config, knobs, random_decoder, sentence):
    """A function that takes one cell of the last layer apart, and that layer's trace."""
    decoder = random_decoder(config)
    trace = decoder(sentence(SEQ), knobs)
    block = trace.blocks[1]

    def at(head: int, query: int, key: int):
        return steps(decoder, block, trace.positions, (1, head, query, key), knobs)

    return at, block, decoder


def close(one, other, tolerance: float = 1e-5) -> None:
    one, other = torch.as_tensor(one).double(), torch.as_tensor(other).double()
    torch.testing.assert_close(one, other, atol=tolerance * max(1.0, other.abs().max().item()), rtol=0)


def test_the_products_of_the_planes_add_up_to_the_traces_score(taken, config):
    at, block, _ = taken
    for head in range(config.heads):
        found = at(head, 4, 2)
        close(found.products.sum(), block.attention.raw_scores[head, 4, 2])
        close(found.turned_query @ found.turned_key, block.attention.raw_scores[head, 4, 2])


def test_each_stage_of_the_row_follows_from_the_one_before(taken, knobs):
    at, block, _ = taken
    row = at(1, 4, 2).row
    seen = ~row.hidden
    close(row.scaled, row.products * at(1, 4, 2).factor)
    close(row.biased - row.scaled, block.attention.bias[1, 4])
    close(row.scores[seen], row.biased[seen] / knobs.temperature)
    close(row.exponentials, torch.exp(row.scores - row.scores[seen].max()))
    close(row.weights, row.exponentials / row.exponentials.sum())


def test_a_hidden_key_has_no_score_and_a_weight_of_exactly_zero(taken, knobs):
    at, _, _ = taken
    found = at(2, 1, 5)
    assert found.cell.visible is (not knobs.causal)
    assert found.row.hidden.tolist() == [knobs.causal and key > 1 for key in range(SEQ)]
    if knobs.causal:
        assert found.cell.score == -math.inf
        assert found.row.exponentials[5] == found.row.weights[5] == found.cell.weight == 0
        assert not found.weighted.any()
        assert not found.key_part.any()


def test_what_the_keys_send_adds_up_to_the_head_and_the_heads_to_the_residual_stream(taken, config):
    at, block, decoder = taken
    heads = []
    for head in range(config.heads):
        keys = [at(head, 4, key) for key in range(SEQ)]
        close(sum(found.weighted for found in keys), block.attention.mixed[head, 4])
        close(sum(found.key_part for found in keys), keys[0].head_part)
        heads.append(keys[0].head_part)
    bias = decoder.blocks[1].attention.output.bias
    total = sum(heads) + (0 if bias is None else bias)
    close(total, keys[0].attention)
    close(keys[0].before + total, keys[0].after)
    assert torch.equal(keys[0].after, block.between[4])


def test_the_turn_is_a_product_with_a_complex_number(taken, config):
    at, _, _ = taken
    found = at(3, 4, 2)
    if config.d_head % 2:
        pytest.skip("planes of an odd head do not turn")
    pairs = (
        (found.query, found.turned_query, found.positions[0]),
        (found.key, found.turned_key, found.positions[1]),
    )
    for before, after, position in pairs:
        flat = torch.view_as_complex(before.double().unflatten(0, (-1, 2)))
        wanted = flat * torch.exp(1j * position * found.frequencies)
        close(after, torch.view_as_real(wanted).flatten())
    assert found.turns is (config.position == "rope")


def test_the_bias_is_the_slope_times_the_distance_or_the_buckets_number(taken, config):
    at, _, decoder = taken
    found = at(1, 4, 2)
    assert found.bias.distance == found.positions[0] - found.positions[1]
    expected = 0.0
    if config.position == "alibi":
        expected = -found.bias.slope * abs(found.bias.distance)
    if config.position == "t5":
        expected = decoder.position.weight[found.bias.bucket, 1].item()
    assert found.cell.bias == pytest.approx(expected, abs=1e-6)


def test_the_numbers_of_the_example_are_those_of_smollm2(smollm2):
    tokens = smollm2.tokenizer.encode("The cat sat on the mat because it was tired.")
    trace = smollm2.run(tokens)
    found = steps(smollm2.decoder, trace.blocks[13], trace.positions, (13, 8, 7, 1), Knobs())
    assert found.products.sum().item() == pytest.approx(50.07, abs=0.005)
    assert found.cell.scaled == pytest.approx(6.26, abs=0.005)
    assert found.cell.weight == pytest.approx(0.804, abs=0.0005)


def test_the_bench_is_the_softmax():
    scores = [2.3, 7.8, 1.5, 4.2]
    powers = [math.exp(score) for score in scores]
    found = softmax(scores, [False] * 4)
    assert found.weights == pytest.approx([power / sum(powers) for power in powers])
    assert found.weights.sum() == pytest.approx(1.0)
    assert found.weights == pytest.approx(found.exponentials / found.row_sum)


def test_scale_and_temperature_of_the_bench_divide_the_scores():
    scores = np.array([2.3, 7.8, 1.5, 4.2])
    changed = softmax(scores.tolist(), [False] * 4, width=16, temperature=0.5)
    plain = softmax((scores / 4 / 0.5).tolist(), [False] * 4)
    assert changed.weights == pytest.approx(plain.weights)


def test_a_hidden_entry_changes_the_others_as_if_it_were_not_there():
    found = softmax([1.0, 9.0, 2.0], [False, True, False])
    assert found.weights[1] == found.exponentials[1] == 0
    assert found.weights[[0, 2]] == pytest.approx(softmax([1.0, 2.0], [False] * 2).weights)


@pytest.mark.parametrize("size", [1e4, 1e6])
def test_huge_scores_stay_numbers(size):
    found = softmax([size, size - 1, -size], [False] * 3, temperature=0.01)
    assert np.isfinite(found.weights).all()
    assert found.weights.sum() == pytest.approx(1.0)
    assert found.weights.argmax() == 0


def test_with_everything_hidden_nothing_is_attended_to():
    found = softmax([1.0, 2.0], [True, True])
    assert found.peak is None
    assert found.row_sum == 0
    assert found.weights.tolist() == found.exponentials.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([], []), "1 to 12"),
        (([0.0] * (BENCH_ENTRIES + 1), [False] * (BENCH_ENTRIES + 1)), "13 scores"),
        (([1.0], [False, True]), "one a score"),
        (([math.nan], [False]), "score must lie"),
        (([2e6], [False]), "score must lie"),
        (([1.0], [False], 0.0), "width must lie"),
        (([1.0], [False], 1.0, 0.0), "temperature must lie"),
    ],
)
def test_what_the_bench_cannot_compute_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        softmax(*arguments)
