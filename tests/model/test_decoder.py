"""Laws of the whole decoder: causality, order, shifts, the KV cache, and what it refuses."""

import pytest
import torch
from torch import Tensor

from model.config import POSITIONS
from model.decoder import Decoder
from model.knobs import Knobs
from model.trace import Past, Trace, named_tensors

ABSOLUTE = ("sinusoidal", "learned")
RELATIVE = tuple(scheme for scheme in POSITIONS if scheme not in ABSOLUTE)


def distance(got: Tensor, wanted: Tensor) -> float:
    """The largest difference, relative to the largest number where that is above one."""
    return ((got - wanted).abs().max() / max(1, wanted.abs().max())).item()


def log_probabilities(trace: Trace) -> Tensor:
    """What of the logits means something."""
    return torch.log_softmax(trace.logits, dim=-1)


@pytest.mark.parametrize("changed", [0, 3, 8])
def test_later_tokens_cannot_change_earlier_rows(config, random_decoder, sentence, changed):
    decoder, ids = random_decoder(config), sentence(9)
    other = ids.clone()
    other[changed] = (ids[changed] + 1) % config.vocab
    before, after = decoder(ids), dict(named_tensors(decoder(other)))
    for name, tensor in named_tensors(before):
        if name != "positions":
            assert torch.equal(tensor[..., :changed, :changed], after[name][..., :changed, :changed]), name
    assert torch.equal(before.logits[:changed], after["logits"][:changed])
    moved = (before.logits - after["logits"]).abs().amax(dim=-1)
    assert moved[changed:].min() > 1e-3


def test_with_the_mask_off_later_tokens_change_earlier_rows(config, random_decoder, sentence):
    decoder, ids, knobs = random_decoder(config), sentence(9), Knobs(causal=False)
    other = ids.clone()
    other[-1] = (ids[-1] + 1) % config.vocab
    assert distance(decoder(ids, knobs).logits[0], decoder(other, knobs).logits[0]) > 1e-3


def test_a_prefix_gives_the_first_rows_of_the_whole(config, random_decoder, sentence):
    decoder, ids = random_decoder(config), sentence(12)
    whole = decoder(ids).logits
    for length in (1, 2, 5, 11):
        assert distance(decoder(ids[:length]).logits, whole[:length]) < 1e-5


@pytest.mark.parametrize("shift", [1, 7, 40])
def test_a_common_shift_of_positions_is_seen_only_by_added_positions(tiny, random_decoder, sentence, scheme, shift):
    decoder, ids = random_decoder(tiny(position=scheme)), sentence(12)
    shifted = decoder(ids, Knobs(positions=tuple(range(shift, shift + 12))))
    moved = distance(shifted.logits, decoder(ids).logits)
    assert moved > 1e-2 if scheme in ABSOLUTE else moved < 1e-4


def test_one_token_repeated_gives_equal_rows_unless_positions_are_added(tiny, random_decoder, scheme):
    trace = random_decoder(tiny(position=scheme))(torch.full((10,), 5))
    spread = [distance(block.output, block.output[:1].expand(10, -1)) for block in trace.blocks]
    assert min(spread) > 1e-2 if scheme in ABSOLUTE else max(spread) < 1e-5


def test_without_positions_one_token_repeated_is_looked_at_evenly(tiny, random_decoder):
    trace = random_decoder(tiny(position="none"))(torch.full((5,), 5))
    even = (torch.ones(5, 5).tril() / torch.arange(1, 6)[:, None]).expand(4, 5, 5)
    for block in trace.blocks:
        torch.testing.assert_close(block.attention.weights, even, atol=1e-6, rtol=0)


def test_only_without_positions_and_mask_do_rows_simply_move_with_their_tokens(tiny, random_decoder, sentence, scheme):
    decoder, ids, knobs = random_decoder(tiny(position=scheme)), sentence(9), Knobs(causal=False)
    order = torch.tensor([4, 2, 7, 0, 8, 1, 3, 6, 5])
    moved = distance(decoder(ids[order], knobs).logits, decoder(ids, knobs).logits[order])
    assert moved < 1e-5 if scheme == "none" else moved > 1e-3


def test_the_mask_alone_tells_order_from_the_second_layer_on(tiny, random_decoder, sentence):
    ids = torch.arange(9)
    shuffled = torch.tensor([4, 2, 7, 0, 5, 1, 3, 6, 8])
    moved = {}
    for layers in (1, 2):
        decoder = random_decoder(tiny(position="none", layers=layers))
        moved[layers] = distance(decoder(shuffled).logits[-1], decoder(ids).logits[-1])
    assert moved[1] < 1e-5
    assert moved[2] > 1e-2


def test_shuffling_tokens_with_their_positions_keeps_the_mask_by_place(tiny, random_decoder, sentence, scheme):
    decoder = random_decoder(tiny(position=scheme))
    trace = decoder(sentence(6), Knobs(positions=(5, 4, 3, 2, 1, 0)))
    assert not any(block.attention.weights.triu(1).any() for block in trace.blocks)


def continued(decoder: Decoder, ids: Tensor, steps: list[int]) -> list[Trace]:
    """The run of a sentence in pieces of these lengths, each from the KV cache that the last one left."""
    traces: list[Trace] = []
    past: Past | None = None
    for piece in ids.split(steps, dim=-1):
        traces.append(decoder(piece, past=past))
        past = traces[-1].past
    return traces


@pytest.mark.parametrize(("batch", "steps"), [((), [7, 1]), ((), [1] * 6), ((2, 3), [5, 3, 1, 1, 4])], ids=str)
def test_a_run_continued_from_its_cache_equals_the_whole(config, random_decoder, sentence, steps, batch):  # B28
    decoder, ids = random_decoder(config), sentence(*batch, sum(steps))
    whole, start = decoder(ids), 0
    for length, trace in zip(steps, continued(decoder, ids, steps), strict=True):
        end = start + length
        assert distance(trace.logits, whole.logits[..., start:end, :]) < 1e-5
        for block, wanted in zip(trace.blocks, whole.blocks, strict=True):
            rows = wanted.attention.weights[..., start:end, :end]
            torch.testing.assert_close(block.attention.weights, rows, atol=1e-5, rtol=0)
        assert trace.positions.tolist() == list(range(end))
        start = end


def test_a_cache_remembers_the_positions_that_a_reader_gave(config, random_decoder, sentence):
    decoder, ids, positions = random_decoder(config), sentence(6), (9, 3, 30, 31, 4, 0)
    whole = decoder(ids, Knobs(positions=positions))
    start = decoder(ids[:4], Knobs(positions=positions[:4]))
    step = decoder(ids[4:], Knobs(positions=positions[4:]), past=start.past)
    assert distance(step.logits, whole.logits[4:]) < 1e-5


def test_one_token_sees_itself_alone(config, random_decoder, sentence):  # B13
    trace = random_decoder(config)(sentence(1))
    for block in trace.blocks:
        assert bool((block.attention.weights == 1).all())
        assert torch.equal(block.attention.rotated_query, block.attention.query)
    assert trace.logits.shape == (1, config.vocab)


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3)])
def test_no_tokens_are_refused(config, random_decoder, shape):  # B12
    empty = torch.zeros(shape, dtype=torch.long)
    for run in (random_decoder(config), random_decoder(config).light):
        with pytest.raises(ValueError, match="no tokens"):
            run(empty)


@pytest.mark.parametrize("id", [-1, 29])
def test_a_token_that_the_model_does_not_know_is_refused(random_decoder, tiny, id):
    with pytest.raises(ValueError, match="0 to 28"):
        random_decoder(tiny())(torch.tensor([3, id]))


@pytest.mark.parametrize(("ids", "knobs"), [([], {}), ([0, 29], {}), ([1] * 9, {}), ([1, 2], {"positions": (0, 1, 2)})])
def test_the_check_refuses_what_a_run_refuses_in_the_same_words_and_nothing_else(tiny, random_decoder, ids, knobs):
    decoder, given = random_decoder(tiny(position="learned", context=8)), (torch.tensor(ids).long(), Knobs(**knobs))
    refused = []
    for run in (decoder, decoder.check):
        with pytest.raises(ValueError) as error:
            run(*given)
        refused.append(str(error.value))
    assert refused[0] == refused[1]
    decoder.check(torch.arange(8))
    assert decoder(torch.arange(8)).logits.isfinite().all()


def test_a_text_longer_than_the_learned_table_is_refused_and_never_clamped(tiny, random_decoder, sentence):  # B14
    decoder = random_decoder(tiny(position="learned", context=8))
    assert decoder(sentence(8)).logits.shape == (8, 29)
    with pytest.raises(ValueError, match="0 to 7; position 8"):
        decoder(sentence(9))
    with pytest.raises(ValueError, match="0 to 7; position 8"):
        decoder(sentence(1), past=decoder(sentence(8)).past)


def test_a_first_token_of_ones_own_is_a_row_like_any_other(random_decoder, tiny, sentence):  # B18
    decoder, ids = random_decoder(tiny(position="none")), sentence(5)
    with_first = decoder(torch.cat((torch.tensor([0]), ids)))
    assert with_first.logits.shape[0] == 6
    assert distance(with_first.logits[1:], decoder(ids).logits) > 1e-2


def test_a_tied_unembedding_is_the_embedding_table_itself(config, random_decoder, sentence):  # B45
    decoder = random_decoder(config)
    names = decoder.state_dict().keys()
    assert ("unembed.weight" in names) is not config.tied
    assert (decoder.unembedding is decoder.embed.weight) is config.tied
    trace = decoder(sentence(4))
    assert distance(trace.logits, trace.final_normed @ decoder.unembedding.T) < 1e-6


def test_a_constant_in_every_row_of_the_unembedding_changes_no_probability(tiny, random_decoder, sentence):  # B32
    decoder, ids = random_decoder(tiny(tied=False)), sentence(7)
    before = decoder(ids)
    decoder.unembed.weight += 3 * torch.randn(24)
    after = decoder(ids)
    assert distance(after.logits, before.logits) > 0.1
    assert distance(log_probabilities(after), log_probabilities(before)) < 1e-4


def test_reading_out_the_last_residual_gives_the_logits(config, random_decoder, sentence):
    decoder = random_decoder(config)
    trace = decoder(sentence(4))
    final_normed, logits = decoder.read_out(trace.blocks[-1].output)
    assert torch.equal(final_normed, trace.final_normed)
    assert torch.equal(logits, trace.logits)


def test_a_run_changes_nothing_in_the_decoder(config, random_decoder, sentence):
    decoder = random_decoder(config)
    before = {name: weight.clone() for name, weight in decoder.state_dict().items()}
    first = decoder(sentence(8)).logits
    decoder(sentence(5), Knobs(causal=False, scale=2.0, head_gains=((0, 0, 0.0),)))
    assert all(torch.equal(weight, before[name]) for name, weight in decoder.state_dict().items())
    assert torch.equal(decoder(sentence(8)).logits, first)


def test_a_new_decoder_computes_finite_logits_that_differ(config, sentence):
    logits = Decoder(config)(sentence(8)).logits
    assert bool(torch.isfinite(logits).all())
    assert logits.std() > 0
