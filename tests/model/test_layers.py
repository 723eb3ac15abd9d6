"""Norms and feed-forwards, against their formulas."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional

from model.layers import FEED_FORWARDS, NORMS


@pytest.fixture
def layer(tiny, random_decoder):
    """`layer("norm", "rms")`: that layer of a random decoder, with biases."""

    def make(kind: str, name: str):
        block = random_decoder(tiny(**{kind: name})).blocks[0]
        return block.attention_norm if kind == "norm" else block.feed_forward

    return make


def rows() -> torch.Tensor:
    """Some rows of a residual stream, always the same, neither centred nor of length one."""
    return 3 * torch.randn(5, 24, generator=torch.Generator().manual_seed(1)) + 2


def test_a_layer_norm_gives_rows_of_mean_zero_and_variance_one(tiny):
    normed = NORMS["layer"](tiny())(rows())
    torch.testing.assert_close(normed.mean(dim=-1), torch.zeros(5), atol=1e-6, rtol=0)
    torch.testing.assert_close(normed.var(dim=-1, correction=0), torch.ones(5), atol=1e-4, rtol=0)


def test_an_rms_norm_gives_rows_of_mean_square_one(tiny):
    normed = NORMS["rms"](tiny())(rows())
    torch.testing.assert_close(normed.square().mean(dim=-1), torch.ones(5), atol=1e-4, rtol=0)


def test_only_a_layer_norm_is_blind_to_a_constant(layer):
    x = rows()
    moved = {name: (layer("norm", name)(x + 5) - layer("norm", name)(x)).abs().max().item() for name in NORMS}
    assert moved["layer"] < 1e-5
    assert moved["rms"] > 0.1


@pytest.mark.parametrize("name", NORMS)
def test_a_norm_is_blind_to_the_size_of_a_row(layer, name):
    x = rows()
    torch.testing.assert_close(layer("norm", name)(100 * x), layer("norm", name)(x), atol=1e-4, rtol=0)


@pytest.mark.parametrize("name", NORMS)
def test_a_norm_of_zeros_is_its_shift(layer, name):
    norm = layer("norm", name)
    shift = norm.bias if name == "layer" else torch.zeros(24)
    assert torch.equal(norm(torch.zeros(2, 24)), shift.expand(2, 24))


@pytest.mark.parametrize("name", NORMS)
def test_a_norm_equals_the_one_of_torch(layer, name):
    norm, x = layer("norm", name), rows()
    wanted = {
        "layer": lambda: functional.layer_norm(x, (24,), norm.weight, norm.bias, 1e-5),
        "rms": lambda: functional.rms_norm(x, (24,), norm.weight, 1e-5),
    }[name]()
    torch.testing.assert_close(norm(x), wanted, atol=1e-5, rtol=1e-5)


ACTIVATIONS = {
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "gelu_tanh": lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "swiglu": lambda x: x / (1 + math.exp(-x)),
}


@pytest.mark.parametrize("name", FEED_FORWARDS)
def test_hidden_units_are_activated_by_the_formula(layer, name):
    feed_forward, x = layer("feed_forward", name), rows()
    trace = feed_forward(x)
    wanted = np.vectorize(ACTIVATIONS[name])(trace.before.double().numpy())
    if name == "swiglu":
        wanted = wanted * feed_forward.expand(x).double().numpy()
    np.testing.assert_allclose(trace.hidden.numpy(), wanted, atol=1e-4, rtol=1e-5)
    torch.testing.assert_close(trace.output, feed_forward.contract(trace.hidden))


def test_the_two_gelus_differ_a_little(layer):
    exact, approximate = (layer("feed_forward", name)(rows()).hidden for name in ("gelu", "gelu_tanh"))
    difference = (approximate - exact).abs().max().item()
    assert 1e-6 < difference < 1e-2


def test_a_closed_gate_lets_nothing_through(layer):
    swiglu = layer("feed_forward", "swiglu")
    swiglu.gate.weight.zero_()
    swiglu.gate.bias.zero_()
    assert not swiglu(rows()).hidden.any()


@pytest.mark.parametrize("name", FEED_FORWARDS)
def test_a_feed_forward_treats_each_token_alone(layer, name):
    feed_forward, x = layer("feed_forward", name), rows()
    order = torch.tensor([3, 0, 4, 1, 2])
    torch.testing.assert_close(feed_forward(x[order]).output, feed_forward(x).output[order], atol=1e-5, rtol=1e-5)
