"""Roles of heads: the scores are what the definitions say, and what was measured is kept only for the same model."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from model import numpy_decoder, roles, zoo
from model.config import POSITIONS
from model.decoder import Decoder
from model.lab_scores import head_roles
from model.lab_tokenizer import LabTokenizer
from model.tokenizer import BYTE_OF, Tokenizer, byte_level_bpe
from model.zoo import Model

BOS = "<bos>"
PAIRS = [(first, second) for first in "abcdefghij" for second in "klmnopqrst"]


def pair_tokenizer() -> Tokenizer:
    """Every byte, a hundred words of two letters each, and BOS."""
    tokens = [*BYTE_OF, BOS, *("".join(pair) for pair in PAIRS)]
    library = byte_level_bpe(tokens, [" ".join(pair) for pair in PAIRS], "gpt-2")
    return Tokenizer(library, bos=tokens.index(BOS), special=[tokens.index(BOS)])


TOKENIZER = pair_tokenizer()
VOCABULARY = len(TOKENIZER.bytes_of)
KEY_OF = {
    "previous": lambda row, block, start: row - 1,
    "induction": lambda row, block, start: row - block + 1,
    "duplicate": lambda row, block, start: row - block,
    "first": lambda row, block, start: 0,
}


@pytest.fixture
def model(tiny, random_decoder):
    """`model("rope", context=64)`: a small random model with those words."""

    def make(position: str = "rope", context: int = 64) -> Model:
        config = replace(tiny(position=position), vocab=VOCABULARY, context=context)
        return Model("tiny", random_decoder(config), TOKENIZER, 1e-5)

    return make


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GLASSFORMER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def made_by_distance(tiny, distances: list[int | None]) -> Model:
    """One layer whose heads look at exactly one distance each, or (None) at all keys alike: T5's table says so."""
    config = replace(tiny(position="t5"), vocab=VOCABULARY, layers=1, context=25)
    decoder = Decoder(config).requires_grad_(False)
    weights = {name: torch.zeros_like(tensor) for name, tensor in decoder.state_dict().items()}
    for head, distance in enumerate(distances):
        if distance is not None:
            weights["position.weight"][distance, head] = 50.0
    decoder.load_state_dict(weights)
    return Model("made", decoder, TOKENIZER, 1e-5)


def test_heads_that_are_made_for_a_role_have_it_and_no_other(tiny):
    block = 12  # twice this and BOS are the context
    found = roles.measure(made_by_distance(tiny, [1, block - 1, block, None]))
    assert found.names == (("previous", "induction", "duplicate", "none"),)
    for head, role in enumerate(("previous", "induction", "duplicate")):
        assert found.score(0, head) == pytest.approx(1, abs=1e-4)
        assert found.heads(role) == [(0, head)]


@pytest.mark.parametrize("position", POSITIONS)
def test_the_scores_are_those_of_a_second_computation_from_the_definitions(model, position):
    tiny_model = model(position)
    first, blocks = roles._sample(tiny_model)
    start, block = first.shape[1], blocks.shape[1]
    weights = {name: tensor.numpy() for name, tensor in tiny_model.decoder.state_dict().items()}
    sums = {role: np.zeros((tiny_model.config.layers, tiny_model.config.heads)) for role in KEY_OF}
    for before, words in zip(first, blocks, strict=True):
        trace = numpy_decoder.run(tiny_model.config, weights, torch.cat((before, words, words)).numpy())
        for layer in range(tiny_model.config.layers):
            attention = trace[f"blocks.{layer}.attention.weights"]
            for row in range(start + block + 1, start + 2 * block):
                for role, key in KEY_OF.items():
                    sums[role][layer] += attention[:, row, key(row, block, start)]
    found = roles.measure(tiny_model)
    assert found.scores.keys() == sums.keys()
    for role, total in sums.items():
        assert np.allclose(found.scores[role], total / (len(blocks) * (block - 1)), atol=1e-5)


def test_the_four_scores_are_shares_of_one_whole(model):
    total = sum(roles.measure(model()).scores.values())
    assert (total <= 1 + 1e-5).all()


def test_every_head_has_one_role_and_the_best_come_first(model):
    found = roles.measure(model("alibi"))
    listed = [place for role in (*roles.KEYS, roles.NONE) for place in found.heads(role)]
    assert sorted(listed) == [(layer, head) for layer in range(2) for head in range(4)]
    for role in (*roles.KEYS, roles.NONE):
        scores = [found.score(*place) for place in found.heads(role)]
        assert scores == sorted(scores, reverse=True)
        assert all((score >= roles.THRESHOLD) == (role != roles.NONE) for score in scores)


def test_the_sample_is_of_different_whole_words_and_always_the_same(model):
    first, blocks = roles._sample(model())
    assert (first == TOKENIZER.bos).all()
    for block in blocks.tolist():
        assert len(set(block)) == roles.BLOCK
        assert all(TOKENIZER.bytes_of[id_].decode().strip().isalpha() for id_ in block)
        assert TOKENIZER.bos not in block
    assert torch.equal(blocks, roles._sample(model())[1])


def test_a_model_of_the_lab_is_measured_on_its_own_sentences(tiny, random_decoder, cache):
    lab = LabTokenizer()
    model = Model("lab", random_decoder(replace(tiny(), vocab=lab.vocab)), lab, 1e-5)
    found = roles.measure_and_keep(model)
    assert tuple(found.scores) == roles.roles_of(model) == roles.LAB_ROLES
    in_words = head_roles(model.decoder, roles.SENTENCES)
    for role, scores in found.scores.items():
        assert scores.shape == (model.config.layers, model.config.heads)
        parts = ("coreference", "coreference_it") if role == "coreference" else (role,)
        best = np.max([in_words[part][language] for part in parts for language in ("en", "zh")], axis=0)
        np.testing.assert_allclose(scores, best, atol=1e-6)
    assert list(cache.iterdir())
    np.testing.assert_array_equal(roles.kept(model).scores["answer"], found.scores["answer"])


@pytest.mark.parametrize("scheme", ["rope", "alibi", "t5"])
def test_the_labs_models_have_heads_for_pronouns_lists_and_answers(scheme):
    found = roles.measure(zoo.load(f"lab-{scheme}"))
    for role in ("coreference", "induction", "answer"):
        assert found.heads(role), role


@pytest.mark.parametrize("context", [7, 8, 25, 49, 64])
def test_the_sample_fits_into_the_context(model, context):
    first, blocks = roles._sample(model(context=context))
    assert first.shape[1] + 2 * blocks.shape[1] <= context
    assert roles.measure(model(context=context)).names


def test_a_context_too_short_to_repeat_anything_is_refused_with_its_size(model):
    with pytest.raises(ValueError, match="context of 6"):
        roles.measure(model(context=6))


def test_what_was_measured_is_there_at_the_next_start(model, cache):
    assert roles.kept(model()) is None
    measured = roles.measure_and_keep(model())
    again = roles.kept(model())
    assert again.names == measured.names
    for role, scores in measured.scores.items():
        assert np.array_equal(again.scores[role], scores)
    assert [path.suffix for path in cache.iterdir()] == [".json"]


@pytest.mark.parametrize("damage", ["", "{", '{"scores": 3}', '{"scores": {}}', "null", "[1]"])
def test_a_damaged_file_is_as_good_as_none_and_is_mended(model, cache, damage):
    roles.measure_and_keep(model())
    next(cache.iterdir()).write_text(damage)
    assert roles.kept(model()) is None
    roles.measure_and_keep(model())
    assert roles.kept(model()) is not None


@pytest.mark.parametrize("value", ["7", "-1", "NaN"])
def test_a_file_with_scores_that_cannot_be_is_as_good_as_none(model, cache, value):
    roles.measure_and_keep(model())
    file = next(cache.iterdir())
    scores = ", ".join(f'"{role}": [{", ".join(["[" + ", ".join([value] * 4) + "]"] * 2)}]' for role in roles.KEYS)
    file.write_text(f'{{"scores": {{{scores}}}}}')
    assert roles.kept(model()) is None


def test_other_weights_or_another_config_are_another_model(model):
    one = model()
    changed = model()
    changed.decoder.blocks[1].attention.output.weight.mul_(1.001)
    assert roles.identity(one) == roles.identity(model())
    assert len({roles.identity(one), roles.identity(changed), roles.identity(model(context=63))}) == 3


def test_a_folder_that_cannot_be_written_is_said_and_the_roles_are_there(model, tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GLASSFORMER_CACHE", str(tmp_path / "file" / "cache"))
    assert roles.measure_and_keep(model()).names
    assert "cannot be written" in capsys.readouterr().err


def test_the_heads_of_smollm2_that_others_found_are_found(smollm2):
    found = roles.measure(smollm2)
    assert {(18, 6), (17, 4)} <= set(found.heads("induction"))
    assert {(16, 0), (11, 1)} <= set(found.heads("previous"))
    assert found.heads("induction")[0] == (18, 6)
    assert found.heads("previous")[0] == (16, 0)
    resting = len(found.heads("first")) + len(found.heads(roles.NONE))
    assert resting > 0.8 * smollm2.config.layers * smollm2.config.heads
