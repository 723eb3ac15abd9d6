"""Answers computed from a trace add up to the trace."""

import math

import pytest
import torch

from model.analysis import entropy, group_weights, head_contributions, likeliest, without_first
from model.knobs import Knobs


@pytest.mark.parametrize("gains", [(), ((0, 1, 0.0), (0, 2, -2.5))], ids=["untouched", "gains"])
@pytest.mark.parametrize("shape", [(7,), (2, 3, 7)], ids=str)
def test_what_the_heads_write_adds_up_to_the_output_of_attention(config, random_decoder, sentence, gains, shape):
    decoder, knobs = random_decoder(config), Knobs(head_gains=gains)
    trace = decoder(sentence(*shape), knobs)
    for layer, block in enumerate(trace.blocks):
        attention = decoder.blocks[layer].attention
        wrote = head_contributions(attention, block.attention, knobs.gains(layer, config.heads))
        total = wrote.sum(dim=-3)
        if attention.output.bias is not None:
            total = total + attention.output.bias
        torch.testing.assert_close(total, block.attention.output, atol=1e-5, rtol=1e-5)


def test_entropy_is_none_for_one_key_and_log2_of_the_count_for_even_ones():
    weights = torch.ones(9, 9).tril() / torch.arange(1, 10)[:, None]
    wanted = torch.tensor([math.log2(count) for count in range(1, 10)])
    torch.testing.assert_close(entropy(weights), wanted, atol=1e-6, rtol=0)
    assert entropy(torch.eye(4)).tolist() == [0, 0, 0, 0]


def test_entropy_is_the_formula_and_never_above_that_of_even_weights(config, random_decoder, sentence):
    weights = random_decoder(config)(sentence(8)).blocks[1].attention.weights
    wanted = torch.special.entr(weights.double()).sum(dim=-1) / math.log(2)
    bits = entropy(weights)
    torch.testing.assert_close(bits.double(), wanted, atol=1e-5, rtol=0)
    assert bool((bits <= torch.arange(1, 9).log2() + 1e-5).all())


def test_the_likeliest_tokens_are_the_largest_logits_with_their_shares(config, random_decoder, sentence):
    logits = random_decoder(config)(sentence(5)).logits
    ids, probabilities = likeliest(logits, 3)
    order = logits.argsort(dim=-1, descending=True)
    assert torch.equal(ids, order[:, :3])
    torch.testing.assert_close(probabilities, torch.softmax(logits, dim=-1).gather(-1, ids))
    everything = likeliest(logits, config.vocab)[1].sum(dim=-1)
    torch.testing.assert_close(everything, torch.ones(5), atol=1e-5, rtol=0)


def test_without_its_first_key_a_row_keeps_its_proportions_and_sums_to_one():  # B26
    weights = torch.tensor([[1.0, 0, 0], [0.5, 0.5, 0], [0.6, 0.1, 0.3]])
    rest = without_first(weights)
    assert rest[0].isnan().all()
    assert torch.allclose(rest[1:], torch.tensor([[0, 1.0, 0], [0, 0.25, 0.75]]))


def test_without_the_first_group_the_others_keep_their_numbers():
    weights = torch.softmax(torch.randn(6, 6).masked_fill(torch.ones(6, 6).triu(1) > 0, -torch.inf), dim=-1)
    rest = without_first(group_weights(weights, [0, 0, 1, 2, 2, 3]))
    assert rest[1:].isfinite().all()
    assert torch.allclose(rest[1:].sum(dim=-1), torch.ones(3))


def test_weights_between_words_sum_over_key_pieces_and_average_over_query_pieces():  # B19
    weights = torch.tensor([[1.0, 0, 0], [0.4, 0.6, 0], [0.2, 0.3, 0.5]])
    assert torch.allclose(group_weights(weights, [7, 7, 9]), torch.tensor([[1.0, 0.0], [0.5, 0.5]]))
    assert torch.equal(group_weights(weights, [0, 1, 2]), weights)
