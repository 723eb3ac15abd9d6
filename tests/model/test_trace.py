"""Every tensor of a trace against plain NumPy, and what a trace promises: names, shapes, frozen, light, shared."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import torch
from torch import Tensor

from model import numpy_decoder
from model.decoder import Block, Decoder, ForwardPass
from model.knobs import Knobs
from model.trace import named_tensors

CHANGES = {
    "nothing": {},
    "mask off": {"causal": False},
    "scale": {"scale": 0.3},
    "no scale": {"scale": 0.0},
    "temperature": {"temperature": 0.4},
    "one head off": {"head_gains": ((0, 1, 0.0),)},
    "gains": {"head_gains": ((0, 0, -1.5), (1, 3, 2.0), (0, 3, 0.5))},
    "shifted": {"positions": tuple(range(40, 52))},
    "shuffled": {"positions": (63, 5, 17, 0, 2, 1, 44, 30, 31, 7, 8, 62)},
    "equal": {"positions": (3,) * 12},
    "all at once": {
        "causal": False,
        "scale": 1.7,
        "temperature": 2.0,
        "head_gains": ((1, 2, 0.0), (0, 2, 3.0)),
        "positions": tuple(range(55, 43, -1)),
    },
}


class Read(dict):
    """Weights that remember which of them were asked for."""

    def __init__(self, decoder: Decoder) -> None:
        super().__init__({name: weight.numpy() for name, weight in decoder.state_dict().items()})
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> np.ndarray:
        self.names.add(name)
        return super().__getitem__(name)


def tensors(trace) -> dict[str, Tensor]:
    """The tensors of a trace by name."""
    return dict(named_tensors(trace))


def prove(decoder: Decoder, ids: Tensor, **knobs) -> Read:
    """Holds every tensor of a run against the NumPy decoder's; returns the weights with the names that it read."""
    got = tensors(decoder(ids, Knobs(**knobs)))
    weights = Read(decoder)
    gains = {(layer, head): gain for layer, head, gain in knobs.pop("head_gains", ())}
    wanted = numpy_decoder.run(decoder.config, weights, ids.numpy(), head_gains=gains, **knobs)
    assert got.keys() == wanted.keys()
    for name, tensor in wanted.items():
        hidden = np.isneginf(tensor)
        assert np.array_equal(np.isneginf(got[name].numpy()), hidden), name
        shown, proof = (np.where(hidden, 0, values) for values in (got[name].numpy(), tensor))
        assert np.abs(shown - proof).max() <= 1e-5 * max(1, np.abs(proof).max()), name
    return weights


@pytest.mark.parametrize("length", [1, 2, 3, 7, 16, 33, 64])
def test_every_tensor_equals_numpys_at_every_length(config, random_decoder, sentence, length):
    prove(random_decoder(config, seed=length), sentence(length, seed=length))


@pytest.mark.parametrize("change", CHANGES)
def test_every_tensor_equals_numpys_whatever_the_reader_changed(config, random_decoder, sentence, change):
    prove(random_decoder(config), sentence(12), **CHANGES[change])


@pytest.mark.parametrize("scheme", ["none", "sinusoidal", "rope", "alibi", "t5"])
def test_every_tensor_equals_numpys_at_far_and_negative_positions(tiny, random_decoder, sentence, scheme):
    prove(random_decoder(tiny(position=scheme)), sentence(6), positions=(-5, 8191, 0, 7, -300, 131071))


def test_every_tensor_of_a_batch_equals_numpys(config, random_decoder, sentence):
    prove(random_decoder(config), sentence(2, 3, 5))


def test_every_weight_takes_part_and_has_the_name_of_the_formulas(config, random_decoder, sentence):
    decoder = random_decoder(config)
    assert prove(decoder, sentence(3)).names == set(decoder.state_dict())


def test_names_are_unique_and_say_where_a_tensor_belongs(config, random_decoder, sentence):
    names = [name for name, _ in named_tensors(random_decoder(config)(sentence(3)))]
    assert len(names) == len(set(names))
    assert "blocks.1.attention.weights" in names
    assert (names[0], names[-1]) == ("positions", "logits")


def test_each_stage_is_the_very_tensor_that_the_next_one_took(config, random_decoder, sentence):
    trace = random_decoder(config)(sentence(5))
    assert torch.equal(trace.blocks[0].input, trace.embeddings + trace.position_part)
    assert trace.blocks[1].input is trace.blocks[0].output
    for block in trace.blocks:
        assert torch.equal(block.between, block.input + block.attention.output)
        assert torch.equal(block.output, block.between + block.feed_forward.output)


def test_a_trace_has_a_row_for_each_token_and_none_of_its_own(config, random_decoder, sentence):  # B16, B18
    trace = random_decoder(config)(sentence(6))
    assert trace.positions.tolist() == list(range(6))
    assert trace.logits.shape == (6, config.vocab)
    assert {tuple(block.attention.weights.shape) for block in trace.blocks} == {(config.heads, 6, 6)}


def test_every_tensor_can_be_handed_to_numpy(config, random_decoder, sentence):  # B53
    with torch.inference_mode():
        trace = random_decoder(config).requires_grad_(True)(sentence(4))
    kinds = {name: tensor.numpy().dtype for name, tensor in named_tensors(trace)}
    assert kinds.pop("positions") == np.int64
    assert set(kinds.values()) == {np.dtype(np.float32)}


def test_a_trace_cannot_be_given_another_tensor(random_decoder, tiny, sentence):
    trace = random_decoder(tiny())(sentence(4))
    for part, name in ((trace, "logits"), (trace.blocks[0], "output"), (trace.blocks[0].attention, "weights")):
        with pytest.raises(FrozenInstanceError):
            setattr(part, name, getattr(part, name))


def test_a_tensor_of_a_run_cannot_be_edited_in_place(config, random_decoder, sentence):
    with torch.inference_mode():
        trace = random_decoder(config)(sentence(4))
    for name, tensor in named_tensors(trace):
        if name != "positions":
            with pytest.raises(RuntimeError):
                tensor.add_(1)


def test_a_batch_equals_its_sentences_alone(config, random_decoder, sentence):  # B29
    decoder, ids = random_decoder(config), sentence(2, 2, 7)
    batch = tensors(decoder(ids))
    for place in itertools.product(range(2), range(2)):
        for name, alone in named_tensors(decoder(ids[place])):
            shared = name == "positions" or name.endswith("attention.bias")
            together = batch[name] if shared else batch[name][place]
            torch.testing.assert_close(together, alone, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("change", ["nothing", "mask off", "gains", "all at once"])
def test_a_light_run_and_its_opened_blocks_are_the_full_run_bit_for_bit(config, random_decoder, sentence, change):
    decoder, ids, knobs = random_decoder(config), sentence(12), Knobs(**CHANGES[change])
    full, light = decoder(ids, knobs), decoder.light(ids, knobs)
    assert torch.equal(light.output, full.blocks[-1].output)
    assert torch.equal(decoder.read_out(light.output)[1], full.logits)
    for layer, block in enumerate(full.blocks):
        assert torch.equal(light.inputs[layer], block.input)
        assert torch.equal(light.weights[layer], block.attention.weights)
        opened = tensors(ForwardPass(decoder, ids, knobs).open_block(layer))
        assert all(torch.equal(opened[name], tensor) for name, tensor in named_tensors(block))


def test_a_light_run_counts_its_bytes(config, random_decoder, sentence):
    light = random_decoder(config).light(sentence(5))
    stream, weights = 5 * config.d_model, 5 * 5 * config.heads
    numbers = (3 + config.layers) * stream + config.layers * weights  # embeddings, position part, output; inputs
    assert light.bytes == 4 * numbers + 8 * 5


@pytest.mark.parametrize("shape", [(1,), (5,), (2, 3, 7)])
def test_a_pass_knows_its_bytes_before_it_is_computed(config, random_decoder, sentence, shape):
    begun = ForwardPass(random_decoder(config), sentence(*shape))
    assert begun.bytes == begun.kept.bytes


@pytest.mark.parametrize("change", ["nothing", "mask off", "all at once"])
def test_a_pass_computes_no_block_after_the_one_asked_for_and_none_twice(
    config, random_decoder, sentence, change, computed
):
    decoder, ids, knobs = random_decoder(config), sentence(12), Knobs(**CHANGES[change])
    whole, begun = decoder.light(ids, knobs), ForwardPass(decoder, ids, knobs)
    computed.clear()
    for layer in range(config.layers):
        for _ in range(2):
            assert torch.equal(begun.weights(layer), whole.weights[layer])
            assert computed == list(decoder.blocks[: layer + 1])
    found, wanted = tensors(begun.kept), tensors(whole)
    assert found.keys() == wanted.keys()
    assert all(torch.equal(found[name], wanted[name]) for name in wanted)
    assert computed == list(decoder.blocks)


def test_readers_who_share_a_pass_compute_each_of_its_blocks_once(tiny, random_decoder, sentence, computed):
    decoder = random_decoder(tiny(layers=8))
    begun = ForwardPass(decoder, sentence(12))
    with ThreadPoolExecutor(8) as readers:
        found = list(readers.map(begun.weights, [7, 3, 0, 5, 7, 1, 6, 2]))
    assert computed == list(decoder.blocks)
    assert found[0] is found[4]


def test_who_needs_an_early_block_does_not_wait_for_a_later_one(tiny, random_decoder, sentence, monkeypatch):
    decoder = random_decoder(tiny(layers=4))
    begun, forward, last = ForwardPass(decoder, sentence(12)), Block.forward, decoder.blocks[-1]
    reached, go_on = threading.Event(), threading.Event()

    def slow(block: Block, *given):
        if block is last:
            reached.set()
            assert go_on.wait(20)
        return forward(block, *given)

    monkeypatch.setattr(Block, "forward", slow)
    with ThreadPoolExecutor(2) as readers:
        whole = readers.submit(lambda: begun.kept)
        assert reached.wait(20)
        early = readers.submit(begun.weights, 1).result(20)
        assert not whole.done()
        go_on.set()
        assert whole.result(20).weights[1] is early


def test_a_layer_counted_from_the_end_is_that_layer_and_one_that_is_not_there_is_refused(
    tiny, random_decoder, sentence
):
    decoder, ids = random_decoder(tiny(layers=3)), sentence(12)
    whole = decoder(ids)
    for layer in (-1, -3):
        begun = ForwardPass(decoder, ids)
        assert torch.equal(begun.weights(layer), whole.blocks[layer].attention.weights)
        assert torch.equal(begun.open_block(layer).output, whole.blocks[layer].output)
    for layer in (3, -4):
        with pytest.raises(IndexError):
            begun.weights(layer)
        with pytest.raises(IndexError):
            begun.open_block(layer)


def test_a_block_that_failed_is_computed_when_it_is_asked_for_again(tiny, random_decoder, sentence, monkeypatch):
    decoder, ids = random_decoder(tiny(layers=3)), sentence(12)
    begun, forward, broken = ForwardPass(decoder, ids), Block.forward, decoder.blocks[1]

    def fail(block: Block, *given):
        if block is broken:
            raise MemoryError
        return forward(block, *given)

    with monkeypatch.context() as patch:
        patch.setattr(Block, "forward", fail)
        with pytest.raises(MemoryError):
            begun.weights(2)
    assert torch.equal(begun.kept.output, decoder.light(ids).output)


@pytest.mark.usefixtures("unchecked")
def test_readers_of_one_shared_decoder_never_see_each_others_numbers(tiny, random_decoder, sentence):
    decoder, ids = random_decoder(tiny(kv_heads=2)), sentence(12)
    changes = [Knobs(**change) for change in CHANGES.values()]

    @torch.inference_mode()
    def run(knobs: Knobs) -> dict[str, Tensor]:
        return tensors(decoder(ids, knobs))

    alone = [run(knobs) for knobs in changes]

    def read(reader: int) -> bool:
        for turn in range(50):
            at = (reader + turn) % len(changes)
            if not all(torch.equal(tensor, alone[at][name]) for name, tensor in run(changes[at]).items()):
                return False
        return True

    with ThreadPoolExecutor(16) as readers:
        assert all(readers.map(read, range(16)))
