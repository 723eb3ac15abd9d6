"""The same tokens in two orders: reading an order, moving tokens, and what attention makes of it (property 17)."""

import numpy as np
import pytest
import torch

from model import numpy_decoder, order, zoo
from model.decoder import Decoder
from model.knobs import Knobs
from model.lab_tokenizer import LabTokenizer

LAB = LabTokenizer()
TEXTS = [
    "我 喜欢 你",
    "Tom took the apple because he was hungry.",
    "the cat the cat",
    "a",
    "东京 🙂 <b>",
    "1 2 10",
    "tab\tnul\x00zero\u200bwidth\ufffd a\u0301 · ⟨b⟩",
    "   ",
]
SCHEMES = ("none", "rope", "alibi", "t5", "sinusoidal", "learned")


def lab(scheme: str) -> zoo.Model:
    if zoo.find_lab(scheme) is None:
        pytest.skip("the lab's weights are not there")
    return zoo.load(f"lab-{scheme}")


def rows(model, ids, layer, **knobs) -> np.ndarray:
    """The rows after a layer, by the NumPy decoder."""
    weights = {name: tensor.numpy() for name, tensor in model.decoder.state_dict().items()}
    return numpy_decoder.run(model.config, weights, np.array(ids), **knobs)[f"blocks.{layer}.output"]


@pytest.mark.parametrize("text", TEXTS)
def test_an_order_that_is_written_is_read_as_the_same_sentence(text):
    tokens = LAB.encode(text)
    parts = order.pieces(tokens)
    reversed_ = tuple(range(len(parts)))[::-1]
    found = order.read(parts, order.written(parts, reversed_))
    assert found.unknown == ()
    assert [parts[number].name for number in found.order] == [parts[number].name for number in reversed_]


def test_spaces_are_not_needed_and_the_longest_word_is_read():
    parts = order.pieces(LAB.encode("我 喜欢 你"))
    assert order.read(parts, "你喜欢我").order == (2, 1, 0)


def test_words_left_out_follow_and_words_unknown_are_named():
    parts = order.pieces(LAB.encode("我 喜欢 你"))
    found = order.read(parts, "你 them")
    assert found.order == (2, 0, 1)
    assert found.unknown == ("them",)
    assert order.read(parts, "").order == (0, 1, 2)
    assert order.read(parts, "我 我").unknown == ("我",)


def test_pieces_hold_every_token_but_bos_once():
    for text in TEXTS:
        tokens = LAB.encode(text)
        places = [place for piece in order.pieces(tokens) for place in piece.tokens]
        assert places == list(range(1, len(tokens)))


def test_the_usual_second_order_swaps_first_and_last_word():
    parts = order.pieces(LAB.encode("我 喜欢 你"))
    assert order.written(parts, order.exchanged(parts)) == "你 喜欢 我"
    marks = order.pieces(LAB.encode("Tom sees the cat."))
    assert order.written(marks, order.exchanged(marks)) == "cat sees the Tom ."
    assert order.exchanged(order.pieces(LAB.encode("a"))) == (0,)
    assert order.exchanged(()) == ()


def test_a_piece_is_shifted_by_one_and_stays_at_the_end():
    assert order.shifted((0, 1, 2), 1, -1) == (1, 0, 2)
    assert order.shifted((0, 1, 2), 1, 1) == (0, 2, 1)
    assert order.shifted((0, 1, 2), 2, 1) == (0, 1, 2)
    assert order.shifted((0,), 0, -1) == (0,)


@pytest.mark.parametrize("text", TEXTS)
def test_moved_tokens_are_the_same_tokens_and_bos_stays_first(text):
    tokens = LAB.encode(text)
    parts = order.pieces(tokens)
    moved = order.places(tokens, parts, tuple(range(len(parts)))[::-1])
    assert sorted(moved) == list(range(len(tokens)))
    assert moved[0] == 0


def test_another_tokenizers_tokens_go_along_with_the_words(smollm2):
    text = "The cat sat on the mat"
    mine, theirs = smollm2.tokenizer.encode(text), LAB.encode(text)
    parts = order.pieces(mine)
    moved = order.places(mine, parts, order.exchanged(parts))
    carried = order.carried(mine, moved, theirs)
    assert sorted(carried) == list(range(len(theirs)))
    assert b"".join(theirs[place].bytes for place in carried) == b"".join(mine[place].bytes for place in moved)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_differences_are_those_of_two_runs_of_the_numpy_decoder(scheme, told, causal):
    model = lab(scheme)
    tokens = model.tokenizer.encode("我 喜欢 你")
    ids, moved = [token.id for token in tokens], (0, 3, 2, 1)
    positions = None if told else (0,) * len(ids)
    found = order.changes(model.decoder, ids, moved, Knobs(causal=causal, positions=positions))
    for layer in range(model.config.layers):
        first, second = (
            rows(model, some, layer, causal=causal, positions=positions)
            for some in (ids, [ids[place] for place in moved])
        )
        apart = [np.abs(first[old] - second[moved.index(old)]).max() for old in range(len(ids))]
        assert found.difference[layer].numpy() == pytest.approx(apart, abs=1e-4)
        assert found.by_place[layer].item() == pytest.approx(np.abs(first - second).max(), abs=1e-4)
        assert found.mean[layer].item() == pytest.approx(np.abs(first.mean(0) - second.mean(0)).max(), abs=1e-4)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("text", ["我 喜欢 你", "Tom took the apple because he was hungry."])
def test_without_places_and_mask_every_row_moves_with_its_token_in_every_scheme(scheme, text):
    """Property 17; misconception 2: the rows have moved, and only what is summed over them has stayed."""
    model = lab(scheme)
    tokens = model.tokenizer.encode(text)
    parts = order.pieces(tokens)
    moved = order.places(tokens, parts, order.exchanged(parts))
    knobs = order.settings(len(tokens))["untold_open"]
    found = order.changes(model.decoder, [token.id for token in tokens], moved, knobs)
    assert (found.relative <= model.tolerance).all()
    assert (found.by_place > 0.1).all()
    assert (found.mean < 1e-4).all()


@pytest.mark.parametrize("scheme", SCHEMES[1:])
def test_with_places_rows_change_also_without_a_mask(scheme):
    model = lab(scheme)
    ids = [token.id for token in model.tokenizer.encode("我 喜欢 你")]
    found = order.changes(model.decoder, ids, (0, 3, 2, 1), order.settings(4)["told_open"])
    assert found.relative[-1].max() > 1e-2


def test_the_causal_mask_alone_tells_something_of_the_order():
    """Misconception 1: a causal decoder without positions is not blind to order."""
    model = lab("none")
    ids = [token.id for token in model.tokenizer.encode("我 喜欢 你")]
    causal, free = (order.changes(model.decoder, ids, (0, 3, 2, 1), Knobs(causal=mask)) for mask in (True, False))
    assert (free.relative <= model.tolerance).all()
    assert causal.relative[-1].max() > 1e-2


def test_told_or_not_is_one_and_the_same_to_the_model_without_positions():
    model = lab("none")
    ids = [token.id for token in model.tokenizer.encode("我 喜欢 你")]
    knobs = order.settings(4)
    told, untold = (
        order.changes(model.decoder, ids, (0, 3, 2, 1), knobs[name]) for name in ("told_causal", "untold_causal")
    )
    assert torch.equal(told.difference, untold.difference)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_rows_before_the_first_moved_token_stay_as_they_are_under_the_mask(scheme):
    """Property 19; side by side in one batch, equal rows may differ in their last bit."""
    model = lab(scheme)
    tokens = model.tokenizer.encode("Tom took the apple because he was hungry.")
    ids = [token.id for token in tokens]
    moved = (*range(5), 7, 6, 5, *range(8, len(ids)))
    found = order.changes(model.decoder, ids, moved, Knobs())
    assert (found.relative[:, :5] < 1e-6).all()
    assert (found.difference[:, 5:8] > 1e-3).all()


def test_a_run_may_end_at_any_layer(config):
    decoder = Decoder(config).requires_grad_(False)
    whole = order.changes(decoder, [3, 1, 2], (0, 2, 1), Knobs())
    for until in range(config.layers):
        part = order.changes(decoder, [3, 1, 2], (0, 2, 1), Knobs(), until)
        assert torch.equal(part.difference, whole.difference[: until + 1])


def test_the_same_order_changes_nothing(config):
    decoder = Decoder(config).requires_grad_(False)
    found = order.changes(decoder, [3, 1, 2], (0, 1, 2), Knobs())
    assert (found.relative < 1e-6).all()
    assert found.bytes > 0


def test_smollm2s_rows_move_with_their_tokens_without_places_and_mask(smollm2):
    tokens = smollm2.tokenizer.encode("The cat sat on the mat because it was tired.")
    parts = order.pieces(tokens)
    moved = order.places(tokens, parts, order.exchanged(parts))
    ids, knobs = [token.id for token in tokens], order.settings(len(tokens))
    found = {name: order.changes(smollm2.decoder, ids, moved, knobs[name]) for name in ("untold_open", "told_causal")}
    assert (found["untold_open"].relative <= smollm2.tolerance).all()
    assert (found["told_causal"].relative[0, :9] > 1e-3).all()
