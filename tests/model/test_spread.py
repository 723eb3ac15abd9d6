"""With √d_head and without: both sides follow from the trace's dot products alone."""

import math

import numpy as np
import pytest
import torch

from model.knobs import Knobs
from model.spread import spread

KNOBS = [Knobs(), Knobs(causal=False), Knobs(scale=0.5, temperature=2.0), Knobs(scale=0.0)]
each_knobs = pytest.mark.parametrize("knobs", KNOBS, ids=str)


@pytest.fixture
def trace(config, random_decoder, sentence):
    """`trace(knobs, tokens)`: the first block's attention of each tiny model in turn."""
    return lambda knobs, tokens=7: random_decoder(config)(sentence(tokens), knobs).blocks[0].attention


@each_knobs
def test_the_divided_side_is_the_run_itself(trace, knobs):
    attention = trace(knobs)
    assert torch.equal(spread(attention, knobs).divided.weights, attention.weights)


@each_knobs
def test_the_undivided_weights_are_the_softmax_of_the_undivided_scores(trace, knobs):
    attention = trace(knobs)
    raw, bias = attention.raw_scores.double().numpy(), attention.bias.double().numpy()
    scores = (raw * knobs.scale + bias) / knobs.temperature
    visible = np.tril(np.ones(scores.shape[-2:])) if knobs.causal else np.ones(scores.shape[-2:])
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True)) * visible
    expected = exponentials / exponentials.sum(axis=-1, keepdims=True)
    assert np.allclose(spread(attention, knobs).without.weights.numpy(), expected, atol=1e-5)


@each_knobs
def test_the_spreads_differ_by_the_factor_that_was_divided_by(trace, config, knobs):
    found = spread(trace(knobs), knobs)
    assert found.without.deviation == pytest.approx(math.sqrt(config.d_head) * found.divided.deviation, rel=1e-4)


def test_only_what_the_mask_lets_be_seen_counts(trace, config):
    assert len(spread(trace(Knobs()), Knobs()).without.products) == config.heads * 7 * 8 / 2
    free = Knobs(causal=False)
    assert len(spread(trace(free), free).without.products) == config.heads * 7 * 7


def test_means_are_of_the_queries_that_have_a_choice(trace):
    attention = trace(Knobs())
    choosing = attention.weights[:, 1:].numpy()
    found = spread(attention, Knobs()).divided
    bits = -np.sum(choosing * np.log2(np.where(choosing > 0, choosing, 1)), axis=-1)
    assert found.largest == pytest.approx(choosing.max(axis=-1).mean(), abs=1e-5)
    assert found.entropy == pytest.approx(bits.mean(), abs=1e-5)


def test_one_token_has_no_choice_and_that_is_not_a_number(trace):
    found = spread(trace(Knobs(), 1), Knobs())
    assert math.isnan(found.without.entropy)
    assert math.isnan(found.divided.largest)


def test_without_the_division_the_softmax_of_smollm2_is_nearly_all_on_one_key(smollm2):
    tokens = smollm2.tokenizer.encode("The cat sat on the mat because it was tired.")
    block = smollm2.begin(tokens).open_block(13)
    found = spread(block.attention, Knobs())
    assert found.without.largest > found.divided.largest
    assert found.without.entropy < found.divided.entropy
