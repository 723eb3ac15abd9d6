"""What causal layers can know without positions (properties 16 and 18), on the lab's trained weights."""

import numpy as np
import pytest
import torch

from model import numpy_decoder, unordered, zoo
from tests.model.test_order import lab, rows

TEXTS = ["小明拿起苹果，因为他饿了。", "Tom took the apple because he was hungry.", "I like you"]
SCORES_ONLY = ("none", "rope", "alibi", "t5")
ADDED = ("sinusoidal", "learned")


def ids_of(model: zoo.Model, text: str) -> list[int]:
    return [token.id for token in model.tokenizer.encode(text)]


@pytest.mark.parametrize("text", TEXTS)
def test_one_layers_last_row_knows_nothing_of_the_prefixes_order_and_two_layers_do(text):
    """Property 18; misconception 1."""
    model = lab("none")
    ids = ids_of(model, text)
    found = unordered.prefix_changes(model.decoder, ids, unordered.prefix_orders(len(ids), first=1))
    assert found[:, 0].max() < model.tolerance
    assert found[:, 1].max() > 1e-3
    assert found[:, 2].max() > 1e-3


def test_in_the_first_example_two_layers_tell_every_shuffle_of_the_prefix_apart():
    model = lab("none")
    ids = ids_of(model, TEXTS[1])
    found = unordered.prefix_changes(model.decoder, ids, unordered.prefix_orders(len(ids), first=1))
    assert (found[:, 1] > 100 * model.tolerance).all()
    assert found[:, 1].max() > 1e-2


def test_rows_inside_the_shuffle_change_already_in_the_first_layer():
    model = lab("none")
    ids = ids_of(model, TEXTS[1])
    reversed_ = [ids[0], *ids[1:-1][::-1], ids[-1]]
    first, second = rows(model, ids, 0), rows(model, reversed_, 0)
    inner = range(1, len(ids) - 1)
    apart = [np.abs(first[place] - second[len(ids) - 1 - place]).max() for place in inner]
    assert min(apart) > 1e-3


@pytest.mark.parametrize("scheme", ADDED + SCORES_ONLY[1:])
def test_with_positions_one_layer_is_enough_to_know(scheme):
    model = lab(scheme)
    ids = ids_of(model, TEXTS[1])
    found = unordered.prefix_changes(model.decoder, ids, unordered.prefix_orders(len(ids), first=1))
    assert found[:, 0].max() > 1e-3


def test_prefix_differences_are_those_of_the_numpy_decoder():
    model = lab("none")
    ids = ids_of(model, TEXTS[1])
    orders = unordered.prefix_orders(len(ids), first=1, limit=3)
    found = unordered.prefix_changes(model.decoder, ids, orders)
    for layer in range(model.config.layers):
        own = rows(model, ids, layer)[-1]
        for number, order in enumerate(orders):
            other = rows(model, [ids[place] for place in order], layer)[-1]
            largest = max(1.0, np.abs(own).max(), np.abs(other).max())
            assert found[number, layer].item() == pytest.approx(np.abs(own - other).max() / largest, abs=1e-5)


@pytest.mark.parametrize("tokens", [1, 2, 3, 4, 10, 60])
def test_orders_are_of_the_prefix_alone_all_different_and_not_too_many(tokens):
    orders = unordered.prefix_orders(tokens, first=1, limit=24)
    assert len(set(orders)) == len(orders) <= 24
    for order in orders:
        assert sorted(order) == list(range(tokens))
        assert (order[0], order[-1]) == (0, tokens - 1)
        assert order != tuple(range(tokens))
    assert bool(orders) == (tokens > 3)


@pytest.mark.parametrize("scheme", SCORES_ONLY + ADDED)
@pytest.mark.parametrize("token", [257, 884, 40])
def test_equal_tokens_have_equal_rows_unless_positions_are_added_or_bos_stands_first(scheme, token):
    """Property 16; misconception 27."""
    model = lab(scheme)
    alone = unordered.spread(model.decoder, token, 8, None)
    after_bos = unordered.spread(model.decoder, token, 8, model.tokenizer.bos)
    assert (after_bos > 1e-3).all()
    if scheme in SCORES_ONLY:
        assert (alone < model.tolerance).all()
    else:
        assert (alone > 1e-2).all()


@pytest.mark.parametrize("bos", [[], [256]])
def test_spreads_are_those_of_the_numpy_decoder(bos):
    model = lab("alibi")
    found = unordered.spread(model.decoder, 257, 8, bos[0] if bos else None)
    for layer in range(model.config.layers):
        own = rows(model, [*bos, *[257] * 8], layer)[-8:]
        apart = np.abs(own - own[0]).max() / max(1.0, np.abs(own).max())
        assert found[layer].item() == pytest.approx(apart, abs=1e-5)


def test_without_bos_and_positions_weights_of_equal_tokens_are_even_and_with_other_schemes_they_are_not():
    assert unordered.unevenness(lab("none").decoder, 257, 8) < 1e-5
    for scheme in ("rope", "alibi", "t5"):
        assert unordered.unevenness(lab(scheme).decoder, 257, 8) > 1e-2


def test_unevenness_is_the_distance_from_one_over_the_place():
    model = lab("rope")
    weights = {name: tensor.numpy() for name, tensor in model.decoder.state_dict().items()}
    trace = numpy_decoder.run(model.config, weights, np.array([257] * 5))
    apart = 0.0
    for layer in range(model.config.layers):
        for head in trace[f"blocks.{layer}.attention.weights"]:
            apart = max(apart, *(abs(head[t, j] - 1 / (t + 1)) for t in range(5) for j in range(t + 1)))
    assert unordered.unevenness(model.decoder, 257, 5) == pytest.approx(apart, abs=1e-5)


def test_an_even_head_that_finds_1_on_bos_alone_counts():
    assert unordered.count(6) == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6])
    assert torch.tensor(unordered.count(1)).tolist() == [1.0]
