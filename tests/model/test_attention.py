"""Attention: a toy head worked out by hand, its mask, its grouped heads, and torch's own fused attention."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from model.attention import Attention, causal_mask, join_heads, split_heads
from model.knobs import Knobs
from model.position import SCHEMES, sinusoid
from model.trace import AttentionTrace

X = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
# Written for x·W, as in textbooks; a linear layer of torch holds the transpose.
TOY = {"query": [[1.0, 2.0], [0.0, 1.0]], "key": [[1.0, 0.0], [1.0, 1.0]], "value": [[1.0, 0.0], [0.0, 2.0]]}
SCORES = [[0.70710678, 2.12132034, 2.82842712], [0, 0.70710678, 0.70710678], [0.70710678, 2.82842712, 3.53553391]]
PLAIN = [[1, 0, 0], [0.3302384507, 0.6697615493, 0], [0.0380793196, 0.3176631952, 0.6442574852]]


@pytest.fixture
def toy(tiny):
    """`toy("alibi", heads=8)`: an attention whose every head is the toy head; its output is not projected."""

    def make(scheme: str, heads: int = 1):
        config = tiny(d_model=2, heads=heads, d_head=2, position=scheme, biases="none", t5_buckets=8, context=8)
        attention = Attention(config).requires_grad_(False)
        for name, weight in TOY.items():
            getattr(attention, name).weight.copy_(torch.tensor(weight).T.repeat(heads, 1))
        attention.output.weight.copy_(torch.eye(2).repeat(1, heads))
        return attention, SCHEMES[scheme](config).requires_grad_(False)

    return make


def attend(attention: Attention, position, x: Tensor = X, **knobs) -> AttentionTrace:
    """The attention of a sentence at positions 0, 1, 2 …"""
    return attention(x, position, torch.arange(x.shape[-2]), Knobs(**knobs), [1.0] * attention.heads)


def close(got: Tensor, wanted, tolerance: float = 1e-6) -> None:
    np.testing.assert_allclose(got.numpy(), np.asarray(wanted), atol=tolerance, rtol=0)


def test_the_toy_head_projects_as_on_paper(toy):
    trace = attend(*toy("none"))
    close(trace.query[0], [[1, 2], [0, 1], [1, 3]])
    close(trace.key[0], [[1, 0], [1, 1], [2, 1]])
    close(trace.value[0], [[1, 0], [0, 2], [1, 2]])
    close(X @ torch.tensor(TOY["query"]).T, [[1, 0], [2, 1], [3, 1]])  # the transpose by mistake: something else


def test_the_toy_head_scores_and_mixes_as_on_paper(toy):
    trace = attend(*toy("none"))
    close(trace.raw_scores[0] / math.sqrt(2), SCORES)
    close(trace.weights[0], PLAIN)
    close(trace.output, [[1, 0], [0.33023845, 1.3395231], [0.6823368, 1.92384136]])
    close(attend(*toy("none"), causal=False).scores[0], SCORES)


def test_softmax_runs_along_the_keys_and_hides_by_minus_infinity(toy):  # B23, B21
    weights = attend(*toy("none")).weights[0]
    close(weights.sum(dim=-1), [1, 1, 1])
    along_queries = torch.softmax(torch.tensor(SCORES).tril(), dim=-2)[:, 0]
    hidden_by_zero = torch.softmax(torch.tensor(SCORES).tril(), dim=-1)[0]
    close(hidden_by_zero, [0.50348984, 0.24825508, 0.24825508])
    close(along_queries, [0.40111209, 0.19777581, 0.40111209])
    assert weights[0].tolist() == [1, 0, 0]


def test_the_toy_head_with_alibi(toy):
    trace = attend(*toy("alibi", heads=8))
    close(trace.weights[0, 1:], [[0.230213373, 0.769786627, 0], [0.0164625269, 0.2264234791, 0.7571139939]])
    close(trace.mixed[0, 2], [0.7735765209, 1.9670749461])


def test_the_toy_head_with_rope(toy):
    trace = attend(*toy("rope"))
    close(trace.weights[0, 1:], [[0.2138090087, 0.7861909913, 0], [0.0030221423, 0.0391469822, 0.9578308756]])
    close(trace.output[2], [0.9608530178, 1.9939557155])
    assert torch.equal(trace.value, attend(*toy("none")).value)


def test_the_toy_head_with_t5(toy):
    attention, position = toy("t5")
    position.weight[:3, 0] = torch.tensor([0.0, 1.0, -1.0])
    trace = attend(attention, position)
    close(trace.weights[0, 1:], [[0.5727042928, 0.4272957072, 0], [0.0092054992, 0.5674322639, 0.4233622369]])
    not_divided = attend(attention, position, scale=math.sqrt(2))  # as T5 itself has it
    close(not_divided.weights[0, 1:], [[0.5, 0.5, 0], [0.0033576616, 0.4983211692, 0.4983211692]])


def test_the_toy_head_with_sinusoids(toy):
    entered = X + sinusoid(torch.arange(3), 2).float()
    close(entered, [[1, 1], [0.8414709848, 1.5403023059], [1.9092974268, 0.5838531635]])
    weights = attend(*toy("sinusoidal"), x=entered).weights[0, 1:]
    close(weights, [[0.1886809432, 0.8113190568, 0], [0.0949288196, 0.8544963902, 0.0505747903]])


@pytest.mark.parametrize(
    ("head", "weights"),
    [
        (0, [0.0580122174, 0.0956459768, 0.1576935564, 0.2599927207, 0.4286555288]),
        (7, [0.1984405597, 0.1992172341, 0.1999969483, 0.2007797142, 0.2015655438]),
    ],
)
def test_alibi_alone_weighs_by_distance(toy, head, weights):
    trace = attend(*toy("alibi", heads=8), x=torch.zeros(5, 2))
    close(trace.weights[head, -1], weights)


def test_alibi_equals_a_reward_that_grows_along_the_keys(toy):
    trace = attend(*toy("alibi", heads=8), x=torch.randn(20, 2))
    slopes = torch.tensor([2.0 ** -(head + 1) for head in range(8)])
    rewarded = trace.raw_scores / math.sqrt(2) + slopes[:, None, None] * torch.arange(20)
    hidden = torch.ones(20, 20, dtype=torch.bool).triu(1)
    torch.testing.assert_close(trace.weights, torch.softmax(rewarded.masked_fill(hidden, -math.inf), dim=-1))


def test_without_positions_or_scores_a_token_can_count_the_tokens_before_it(toy):
    attention, position = toy("none")
    attention.query.weight.zero_()
    x = torch.zeros(6, 2)
    x[0, 0] = 1  # only the first token has a value
    trace = attend(attention, position, x)
    close(trace.mixed[0, :, 0], [1 / count for count in range(1, 7)])


def test_the_last_query_stands_at_the_last_key():  # B28
    assert causal_mask(2, 4, causal=True).tolist() == [[0, 0, 0, float("-inf")], [0] * 4]
    assert causal_mask(1, 8, causal=True).tolist() == [[0] * 8]
    assert not causal_mask(3, 3, causal=False).any()


def test_heads_are_split_from_the_projection_and_joined_again():
    projected = torch.arange(12).reshape(2, 6).float()
    heads = split_heads(projected, 3)
    assert heads.tolist() == [[[0, 1], [6, 7]], [[2, 3], [8, 9]], [[4, 5], [10, 11]]]
    assert torch.equal(join_heads(heads), projected)


def run(random_decoder, config, length: int, **knobs) -> AttentionTrace:
    """The attention of a random decoder's first block, on random states."""
    decoder = random_decoder(config)
    return attend(decoder.blocks[0].attention, decoder.position, torch.randn(length, config.d_model), **knobs)


def test_shapes_follow_the_config(config, random_decoder):  # B16, B31, B52
    trace = run(random_decoder, config, 5)
    assert trace.query.shape == (config.heads, 5, config.d_head)
    assert trace.key.shape == trace.value.shape == (config.kv_heads, 5, config.d_head)
    assert trace.weights.shape == (config.heads, 5, 5)
    assert trace.output.shape == (5, config.d_model)


def test_rows_are_shares_of_the_keys_up_to_the_query(config, random_decoder):
    weights = run(random_decoder, config, 16).weights
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(config.heads, 16), atol=1e-6, rtol=0)
    assert bool(((weights >= 0) & (weights <= 1)).all())
    assert not weights.triu(1).any()
    assert bool((weights[:, 0, 0] == 1).all())


@pytest.mark.parametrize("causal", [True, False])
def test_mixed_values_equal_those_of_fused_attention(config, random_decoder, causal):  # B20, B31
    trace = run(random_decoder, config, 16, causal=causal)
    hidden = torch.ones(16, 16, dtype=torch.bool).triu(1) & causal
    fused = functional.scaled_dot_product_attention(
        trace.rotated_query[None],
        trace.rotated_key[None],
        trace.value[None],
        attn_mask=trace.bias.masked_fill(hidden, -math.inf)[None],
        enable_gqa=True,
    )
    torch.testing.assert_close(trace.mixed, fused[0], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(("heads", "kv_heads"), [(9, 3), (14, 2), (15, 5), (32, 8)])
def test_neighbouring_query_heads_share_a_key_head(tiny, random_decoder, heads, kv_heads):  # B31
    config = tiny(heads=heads, kv_heads=kv_heads, d_head=4, position="none")
    trace = run(random_decoder, config, 3)
    for head in range(heads):
        own = trace.query[head] @ trace.key[head // (heads // kv_heads)].T
        torch.testing.assert_close(trace.raw_scores[head], own)


def test_scores_are_divided_by_the_root_of_the_width_of_a_head(tiny, random_decoder):  # B52
    trace = run(random_decoder, tiny(d_model=40, d_head=16, position="none"), 6, causal=False)
    torch.testing.assert_close(trace.scores, trace.raw_scores / 4)


def test_scores_too_large_for_half_precision_stay_finite(tiny):  # B22
    config = tiny(d_model=128, heads=1, position="none", biases="none")
    attention = Attention(config).requires_grad_(False)
    attention.query.weight.copy_(256 * torch.eye(128))
    attention.key.weight.copy_(256 * torch.eye(128))
    trace = attend(attention, SCHEMES["none"](config), torch.ones(4, 128))
    assert bool((trace.raw_scores == 8388608).all())
    close(trace.weights[0], [[1 / count] * count + [0] * (4 - count) for count in range(1, 5)])


@pytest.mark.parametrize("scale", [0.0, 100.0])
@pytest.mark.parametrize("temperature", [0.01, 100.0])
def test_no_knob_makes_a_number_that_is_none(config, random_decoder, scale, temperature):  # B21
    trace = run(random_decoder, config, 9, scale=scale, temperature=temperature)
    assert bool(torch.isfinite(trace.weights).all())
    assert bool(torch.isfinite(trace.output).all())
