"""In bfloat16 the laws of the float32 decoder hold as far as eight significant bits allow; the exact ones are exact."""

import math

import pytest
import torch
from torch import Tensor

from model.analysis import head_contributions
from model.config import Config
from model.decoder import Decoder
from model.position import Alibi, Rope, sinusoid

TOLERANCE = 2e-2
LOW = torch.bfloat16


@pytest.fixture
def low(tiny, random_decoder, scheme) -> Decoder:
    """A tiny decoder of each scheme, its parameters and all its arithmetic in bfloat16."""
    return random_decoder(tiny(position=scheme)).to(LOW)


def apart(one: Tensor, other: Tensor) -> float:
    """The greatest difference, relative to the greatest entry or to 1."""
    return ((one.float() - other.float()).abs().max() / max(1, other.float().abs().max())).item()


def rope(width: int = 64) -> Rope:
    return Rope(Config(vocab=2, d_model=width, layers=1, heads=1, d_ff=4, context=8))


def turned(encoding: Rope, x: Tensor, position: int) -> Tensor:
    return encoding.rotate(x[None, None], torch.tensor([position]))[0, 0].float()


def test_all_of_a_run_is_in_bfloat16(low, sentence):
    trace = low(sentence(7))
    assert trace.logits.dtype == trace.blocks[1].attention.weights.dtype == LOW


def test_rows_of_weights_sum_to_1_and_the_future_is_exactly_0(low, sentence):  # property 20
    for block in low(sentence(11)).blocks:
        weights = block.attention.weights.float()
        assert (weights.sum(dim=-1) - 1).abs().max() < 1e-2
        assert ((weights >= 0) & (weights <= 1)).all()
        assert weights.triu(diagonal=1).abs().max() == 0
        assert (weights[:, 0, 0] == 1).all()


def test_the_parts_of_the_heads_sum_to_the_output(low, sentence):
    attention, trace = low.blocks[0].attention, low(sentence(7)).blocks[0].attention
    parts = head_contributions(attention, trace, [1.0] * low.config.heads)
    bias = 0 if attention.output.bias is None else attention.output.bias
    assert parts.dtype == LOW
    assert apart(parts.sum(dim=0) + bias, trace.output) < TOLERANCE


def test_later_tokens_leave_earlier_rows_as_they_are_to_the_bit(low, sentence):  # property 19
    ids = sentence(9)
    other = ids.clone()
    other[6] = (ids[6] + 1) % low.config.vocab
    one, two = low(ids).blocks[1].output, low(other).blocks[1].output
    assert torch.equal(one[:6], two[:6])
    assert not torch.equal(one[6], two[6])


def test_a_prefix_gives_the_first_rows_of_the_whole(low, sentence):  # property 21
    ids = sentence(10)
    assert apart(low(ids[:7]).logits, low(ids).logits[:7]) < TOLERANCE


def test_a_cached_step_gives_the_last_row_of_the_whole(low, sentence):  # property 22
    ids = sentence(10)
    step = low(ids[9:], past=low(ids[:9]).past)
    assert apart(step.logits[-1], low(ids).logits[-1]) < TOLERANCE


def test_one_token_repeated_gives_equal_rows_unless_positions_are_added(low, scheme):  # property 16
    for block in low(torch.full((12,), 3)).blocks:
        spread = apart(block.output, block.output[:1].expand_as(block.output))
        assert (spread < TOLERANCE) == (scheme not in ("sinusoidal", "learned"))


def test_probabilities_are_those_of_the_same_weights_in_float32(low, random_decoder, sentence):  # property 23
    whole = Decoder(low.config).requires_grad_(False)
    whole.load_state_dict({name: tensor.float() for name, tensor in low.state_dict().items()})
    ids = sentence(12)
    ours, theirs = (run.logits.float().log_softmax(dim=-1) for run in (low(ids), whole(ids)))
    assert apart(ours, theirs) < 5e-2


def test_a_turn_keeps_lengths():  # property 5
    x = torch.randn(64, generator=torch.Generator().manual_seed(0)).to(LOW)
    for position in (1, 100, 8191):
        got = turned(rope(), x, position)
        pairs = got.unflatten(-1, (-1, 2)).norm(dim=-1) / x.float().unflatten(-1, (-1, 2)).norm(dim=-1)
        assert (pairs - 1).abs().max() < 5e-3
        assert abs(got.norm() / x.float().norm() - 1) < 5e-3


def test_a_score_stays_under_a_common_shift_and_its_error_does_not_grow():  # properties 8 and 11
    generator = torch.Generator().manual_seed(0)
    errors = {shift: 0.0 for shift in (0, 512, 8192)}
    for _ in range(50):
        query, key = (torch.randn(64, generator=generator).to(LOW) for _ in range(2))
        lengths = (query.float().norm() * key.float().norm()).item()
        exact = (turned(rope(), query.float(), 5) @ turned(rope(), key.float(), 2)).item()
        same = (turned(rope(), query, 7) @ turned(rope(), key, 7)).item()
        assert abs(same - (query.float() @ key.float()).item()) < 4e-3 * lengths
        for shift in errors:
            got = (turned(rope(), query, shift + 5) @ turned(rope(), key, shift + 2)).item()
            assert abs(got - exact) < 4e-3 * lengths
            errors[shift] = max(errors[shift], abs(got - exact) / lengths)
    assert errors[8192] < 3 * errors[0]


def test_a_table_of_waves_is_rounded_and_nothing_else():  # properties 1 and 4
    width = 64
    positions = torch.tensor([0, 1, 63, 1023])
    table = sinusoid(positions, width).to(LOW).double()
    for row, position in zip(table, positions.tolist(), strict=True):
        angles = [position * 10000 ** (-2 * pair / width) for pair in range(width // 2)]
        exact = torch.tensor([wave(angle) for angle in angles for wave in (math.sin, math.cos)], dtype=torch.float64)
        assert (row - exact).abs().max() < 4e-3 + 1e-7 * position + 1e-6
        assert abs(row.square().sum() - width / 2) < 5e-3 * width / 2


def test_alibis_penalties_stay_in_float32_so_that_neighbours_differ():  # property 12
    encoding = Alibi(Config(vocab=2, d_model=16, layers=1, heads=8, d_ff=4, context=8)).to(LOW)
    bias = encoding.bias(torch.tensor([8191]), torch.arange(8192))[:, 0]
    assert (bias.diff(dim=-1) > 0).all()
    assert (bias.to(LOW).diff(dim=-1) == 0).sum() > 4096  # what would be left of them in bfloat16
