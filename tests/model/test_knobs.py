"""Knobs: what they do to a run, how they are written, and what is refused."""

import random

import pytest
import torch

from model.analysis import head_contributions
from model.knobs import EXAMPLES, LIMITS, PARSERS, Knobs


def drawn(seed: int) -> Knobs:
    """Knobs at random, each changed half of the time, with numbers of any length."""
    dice = random.Random(seed)

    def number(name: str) -> float:
        anything = dice.uniform(*LIMITS[name])
        return dice.choice([1.0, anything, max(LIMITS[name][0], round(anything, 2))])

    heads = dice.sample([(layer, head) for layer in range(30) for head in range(9)], dice.randrange(4))
    return Knobs(
        causal=dice.random() < 0.5,
        scale=number("scale"),
        temperature=number("temperature"),
        positions=dice.choice([None, tuple(dice.randrange(-(2**20), 2**20) for _ in range(5))]),
        head_gains=tuple((layer, head, number("gain")) for layer, head in heads),
    )


def test_knobs_read_back_from_their_own_words_exactly():
    for seed in range(500):
        knobs = drawn(seed)
        assert Knobs.parse(str(knobs)) == knobs


def test_untouched_knobs_are_written_as_nothing():
    assert str(Knobs()) == ""
    assert Knobs.parse("  ") == Knobs()


def test_words_say_what_is_changed_and_nothing_else():
    knobs = Knobs(causal=False, scale=0.5, positions=(5, 6), head_gains=((13, 8, 0.0),))
    assert str(knobs) == "causal=off scale=0.5 positions=5,6 gain=13.8:0"
    assert Knobs.parse("temperature=2 causal=on") == Knobs(temperature=2.0)


def test_different_knobs_are_written_differently():
    assert str(Knobs(scale=0.12345678)) != str(Knobs(scale=0.12345679))


def test_every_knob_has_an_example_that_is_understood():
    assert EXAMPLES.keys() == PARSERS.keys()
    for example in EXAMPLES.values():
        assert str(Knobs.parse(example)) == example


@pytest.mark.parametrize(
    "word",
    [
        *("causal", "causal=maybe", "scale", "scale=", "scale=big", "temperature=1,5", "positions=", "positions=1,two"),
        *("positions=1.5", "gain=0:1", "gain=1.2", "gain=a.b:1", "gain=0.0.0:1", "window=4", "="),
    ],
)
def test_a_word_that_is_not_understood_is_refused_by_name(word):
    with pytest.raises(ValueError, match=f"'{word}'"):
        Knobs.parse(f"causal=on {word}")


@pytest.mark.parametrize(
    "word",
    [
        *("scale=-1", "scale=nan", "scale=inf", "scale=101", "temperature=0", "temperature=-1", "temperature=nan"),
        *("positions=0,2000000", f"positions={'9' * 400}", "gain=0.0:inf", "gain=0.0:-101"),
    ],
    ids=lambda word: word[:30],
)
def test_a_number_out_of_bounds_is_refused_by_the_name_of_its_knob(word):
    name = word.partition("=")[0].removesuffix("s")
    with pytest.raises(ValueError, match=rf"^{name}.* must lie between"):
        Knobs.parse(word)


def test_bounds_are_written_out():
    with pytest.raises(ValueError, match="between -1048576 and 1048576; got 2000000"):
        Knobs(positions=(2000000,))


def test_a_head_has_one_gain():
    with pytest.raises(ValueError, match="one gain"):
        Knobs.parse("gain=0.1:0 gain=0.1:2")


@pytest.mark.parametrize(("layer", "head"), [(2, 0), (0, 4), (-1, 0), (0, -1)])
def test_a_head_that_the_model_lacks_is_refused_by_its_number(tiny, random_decoder, sentence, layer, head):
    with pytest.raises(ValueError, match=rf"no head {layer}\.{head}; layers are 0 to 1, heads 0 to 3"):
        random_decoder(tiny())(sentence(3), Knobs(head_gains=((layer, head, 0.0),)))


def test_the_last_head_is_there(tiny, random_decoder, sentence):
    knobs, decoder = Knobs(head_gains=((1, 3, 0.0),)), random_decoder(tiny())
    assert not torch.equal(decoder(sentence(3), knobs).logits, decoder(sentence(3)).logits)


@pytest.mark.parametrize("given", [2, 4])
def test_there_must_be_one_position_a_token(tiny, random_decoder, sentence, given):
    with pytest.raises(ValueError, match=f"{given} positions were given for 3 tokens"):
        random_decoder(tiny())(sentence(3), Knobs(positions=tuple(range(given))))


def test_naming_the_usual_positions_changes_nothing(config, random_decoder, sentence):
    decoder = random_decoder(config)
    named = decoder(sentence(8), Knobs(positions=tuple(range(8))))
    assert torch.equal(named.logits, decoder(sentence(8)).logits)


def test_a_head_turned_off_takes_away_just_what_it_wrote(config, random_decoder, sentence):
    decoder, ids = random_decoder(config), sentence(8)
    whole = decoder(ids).blocks[0].attention
    wrote = head_contributions(decoder.blocks[0].attention, whole, [1.0] * config.heads)
    for head in range(config.heads):
        trace = decoder(ids, Knobs(head_gains=((0, head, 0.0),)))
        without = trace.blocks[0].attention
        torch.testing.assert_close(without.output, whole.output - wrote[head], atol=1e-5, rtol=1e-5)
        assert torch.equal(without.mixed, whole.mixed)
        assert torch.equal(without.weights, whole.weights)


def test_a_gain_touches_its_own_layer_only(config, random_decoder, sentence):
    decoder, ids = random_decoder(config), sentence(8)
    before, after = decoder(ids), decoder(ids, Knobs(head_gains=((1, 0, 5.0),)))
    assert torch.equal(after.blocks[0].output, before.blocks[0].output)
    assert not torch.equal(after.blocks[1].output, before.blocks[1].output)


@pytest.mark.parametrize("scheme", ["none", "sinusoidal", "learned", "rope"])
def test_without_scale_every_visible_key_counts_the_same(tiny, random_decoder, sentence, scheme):
    trace = random_decoder(tiny(position=scheme))(sentence(6), Knobs(scale=0.0))
    even = torch.ones(6, 6).tril() / torch.arange(1, 7)[:, None]
    torch.testing.assert_close(trace.blocks[0].attention.weights, even.expand(4, 6, 6))


@pytest.mark.parametrize("scheme", ["alibi", "t5"])
def test_without_scale_a_bias_is_all_that_remains(tiny, random_decoder, sentence, scheme):
    attention = random_decoder(tiny(position=scheme))(sentence(6), Knobs(scale=0.0)).blocks[0].attention
    visible = torch.ones(6, 6, dtype=torch.bool).tril()
    assert torch.equal(attention.scores[:, visible], attention.bias[:, visible])


def test_temperature_divides_the_finished_scores(config, random_decoder, sentence):
    decoder, ids = random_decoder(config), sentence(6)
    plain, warm = (decoder(ids, knobs).blocks[0].attention for knobs in (Knobs(), Knobs(temperature=4.0)))
    torch.testing.assert_close(warm.weights, torch.softmax(plain.scores / 4, dim=-1))
    assert bool((warm.weights.amax(dim=-1) <= plain.weights.amax(dim=-1) + 1e-6).all())
