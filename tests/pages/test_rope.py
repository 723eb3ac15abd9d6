"""The RoPE page in both languages: its law on real models, its claims, hard texts, proofs that agree."""

import re

import numpy as np
import pytest
import torch

from model import zoo
from model.knobs import Knobs
from model.lab_results import results
from model.rotary_scaling import SCALINGS
from tests.pages.pictures import data, figure, numbers, said, type_in, wire_bytes
from tests.pages.texts import EMPTY, TEXTS, TOO_LONG
from ui import text as words

LANGUAGES = tuple(words.LANGUAGES)
PANELS = ("turn", "distance", "scaling", "precision")
MODELS = ("Lab RoPE", "SmolLM2-135M")
CHECKS = {
    "turn": ("rope-planes", "rope-parts", "rope-plane"),
    "distance": ("rope-distance", "rope-planes-distance"),
    "scaling": ("rope-waves", "rope-scaled"),
    "precision": ("rope-errors", "rope-drift"),
}


@pytest.fixture
def page(start):
    """A function that opens the RoPE page as a link would."""

    def opened(language: str = "en", **address: str):
        return start(language, **address).switch_page("pages/rope.py").run()

    return opened


def verdict(page) -> str:
    return " ".join(badge.value for badge in page.markdown)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("model", MODELS)
def test_both_moved_together_the_score_stays_and_the_query_alone_it_changes(page, language, model):
    table = words.table(language)
    opened = page(language, model=model)
    start = numbers(figure(opened, "rope-parts")["data"][0]["y"])
    opened = opened.slider(key="rope_together").set_value(437).run()
    assert not opened.exception
    assert table["rope.verdict.stays"].split("{together}")[0] + "437" in said(opened)
    parts = numbers(figure(opened, "rope-parts")["data"][0]["y"])
    np.testing.assert_allclose(parts, start, atol=1e-5 * np.abs(start).max())
    opened = opened.slider(key="rope_alone").set_value(-3).run()
    assert "-3" in said(opened)
    assert table["rope.verdict.stays"].split("{together}")[0] + "437" not in said(opened)
    assert np.abs(numbers(figure(opened, "rope-parts")["data"][0]["y"]) - start).max() > 1e-2
    assert table["rope.verdict.broken"].split("{share}")[0] not in said(opened)


def test_the_parts_add_up_to_the_models_own_score(page, smollm2):
    trace = smollm2.run(smollm2.tokenizer.encode(zoo.MODELS["smollm2"].example("en").text)).blocks[13].attention
    shown = numbers(figure(page(model="SmolLM2-135M"), "rope-parts")["data"][0]["y"])
    assert shown.sum() == pytest.approx(trace.raw_scores[8, 7, 1].item(), rel=1e-5)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("panel", PANELS)
def test_every_check_agrees(page, model, panel):
    opened = page(model=model, rope=panel)
    for key in CHECKS[panel]:
        opened = opened.button(key=f"check-{key}").click().run()
        assert not opened.exception
    assert verdict(opened).count("NumPy agrees") == len(CHECKS[panel])


@pytest.mark.parametrize("kind", SCALINGS)
def test_every_scaling_is_shown_proved_and_of_use(page, kind):
    opened = page(rope="scaling", rope_scaling=kind)
    assert not opened.exception
    assert words.table("en")[f"rope.scaling.{kind}"] in said(opened)
    for key in CHECKS["scaling"]:
        opened = opened.button(key=f"check-{key}").click().run()
    assert verdict(opened).count("NumPy agrees") == 2
    plain, other = (numbers(figure(opened, "rope-waves")["data"][place]["y"]) for place in (0, 1))
    assert (other >= plain * (1 - 1e-6)).all()
    assert (kind == "none") == np.allclose(plain, other)
    opened = opened.select_slider(key="rope_factor").set_value(32).run()
    assert not opened.exception
    assert "NumPy" not in verdict(opened) or kind == "none"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("panel", PANELS)
def test_hard_texts_on_every_part(page, language, panel):
    opened = page(language, rope=panel)
    for sentence in TEXTS.values():
        opened = type_in(opened, sentence)
        assert not opened.exception, sentence
        assert data(opened, CHECKS[panel][0]) is not None


@pytest.mark.parametrize("model", MODELS)
def test_one_token_has_no_distance(page, model):
    opened = type_in(page(model=model), "a")
    opened = opened.number_input(key="query").set_value(0).run()
    opened = opened.number_input(key="key").set_value(0).run()
    assert not opened.exception
    opened = opened.segmented_control(key="rope").set_value("distance").run()
    assert not opened.exception


def test_an_empty_text_shows_a_message_and_no_stale_picture(page):
    opened = type_in(page(), EMPTY)
    assert not opened.exception
    assert words.table("en")["sentence.empty"] in said(opened)
    assert figure(opened, "rope-planes") is None


def test_a_text_too_long_keeps_the_last_picture(page):
    opened = type_in(type_in(page(), "The dog ran."), TOO_LONG)
    assert not opened.exception
    assert figure(opened, "rope-planes") is not None


@pytest.mark.parametrize("panel", PANELS)
def test_an_update_is_small(page, panel):
    opened = page(model="SmolLM2-135M", rope=panel, text="one two three four " * 8)
    assert wire_bytes(opened) < 300_000


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", ["none", "sinusoidal", "learned", "alibi", "t5"])
def test_a_model_that_turns_nothing_is_said_to_and_the_labs_rope_stands_in(page, language, scheme):
    title = zoo.MODELS[f"lab-{scheme}"].title
    opened = page(language, model=title)
    for name, value in {"layer": 1, "head": 3, "query": 5, "key": 2}.items():
        opened.number_input(key=name).set_value(value)
    opened = opened.run()
    assert not opened.exception
    table = words.table(language)
    assert table["rope.instead"].format(title=title, does=table[f"rope.does.{scheme}"], other="Lab RoPE") in said(
        opened
    )
    lab = zoo.load("lab-rope")
    trace = lab.run(lab.tokenizer.encode(opened.text_input(key="text").value)).blocks[1].attention
    shown = numbers(figure(opened, "rope-parts")["data"][0]["y"]).sum()
    assert shown == pytest.approx(trace.raw_scores[3, 5, 2].item(), rel=1e-5, abs=1e-6)


def test_without_the_labs_weights_the_page_says_what_brings_them(page, monkeypatch):
    opened = page(model="Lab ALiBi")
    monkeypatch.setattr(zoo, "find_lab", lambda scheme: None if scheme == "rope" else zoo.WEIGHTS / f"{scheme}-0")
    opened = opened.run()
    assert not opened.exception
    assert any("model.train --position rope" in block.value for block in opened.code)


def test_the_address_restores_the_part_and_its_controls(page):
    opened = page(rope="turn", rope_together="12", rope_alone="-4", rope_plane="3", query="7", key="2")
    assert opened.slider(key="rope_together").value == 12
    assert opened.slider(key="rope_alone").value == -4
    assert opened.number_input(key="rope_plane").value == 3
    assert "dimensions 6 and 7" in said(opened)
    assert not opened.toast
    opened = page(rope="distance", rope_made="true", rope_peak="40", rope_reach="256")
    assert len(figure(opened, "rope-distance")["data"]) == 2
    opened = page(rope="precision", rope_limit="512", rope_fault="cast")
    assert opened.segmented_control(key="rope_fault").value == "cast"


def test_a_plane_that_the_model_does_not_have_is_named_and_not_shown(page):
    opened = page(rope_plane="31")
    assert not opened.exception
    assert "Plane 0:" in said(opened)
    assert any("rope\\_plane" in toast.value for toast in opened.toast)


def test_a_smaller_model_shows_its_last_plane(page):
    opened = page(model="SmolLM2-135M", rope_plane="20")
    assert "Plane 20:" in said(opened)
    opened = opened.selectbox(key="model").set_value("Lab RoPE").run()
    assert not opened.exception
    assert "Plane 7:" in said(opened)


def test_the_made_key_peaks_where_it_was_made_for(page):
    opened = page(rope="distance", rope_made="true", rope_peak="40")
    made = figure(opened, "rope-distance")["data"][1]
    assert numbers(made["x"])[numbers(made["y"]).argmax()] == 40


@pytest.mark.parametrize("model", MODELS)
def test_the_whole_sentence_moved_changes_no_weight(page, model):
    opened = page(model=model, rope_together="500")
    opened = opened.toggle(key="rope_whole").set_value(True).run()
    assert not opened.exception
    found = re.search(r"no attention weight changed by more than (\S+)\.", said(opened))
    assert float(found[1]) < 1e-4


def test_scores_know_the_distance_only_and_yet_the_model_knows_its_place():  # misconception 8
    lab = zoo.load("lab-rope")
    tokens = lab.tokenizer.encode("the the the the the the")
    as_is = lab.run(tokens)
    moved = lab.run(tokens, Knobs(positions=tuple(range(300, 300 + len(tokens)))))
    torch.testing.assert_close(moved.logits, as_is.logits, atol=1e-4, rtol=0)
    rows = as_is.blocks[-1].output[1:]
    assert (rows[1:] - rows[:-1]).abs().amax(dim=-1).min() > 1e-2
    seen = (as_is.blocks[0].attention.weights[0] > 0).sum(dim=-1)
    assert seen.tolist() == list(range(1, len(tokens) + 1))


@pytest.mark.parametrize("name", ["lab-rope", "smollm2"])
def test_rope_adds_nothing_to_embeddings_and_turns_no_value(name):  # misconception 6
    model = zoo.load(name)
    tokens = model.tokenizer.encode("the cat sat on the mat")
    as_is = model.run(tokens)
    apart = model.run(tokens, Knobs(positions=tuple(5 * place for place in range(len(tokens)))))
    assert not as_is.position_part.any()
    one, other = as_is.blocks[0].attention, apart.blocks[0].attention
    for tensor in ("query", "key", "value"):
        assert torch.equal(getattr(one, tensor), getattr(other, tensor))
    for layer in as_is.blocks:
        assert not torch.equal(layer.attention.query[:, 1:], layer.attention.rotated_query[:, 1:])


def test_relative_is_not_the_same_as_working_at_any_length(page):  # misconception 7
    for seed in results()["rope"]:
        assert seed.late_loss[1] < seed.late_loss[2] < seed.late_loss[4] < seed.late_loss[8]
        assert seed.late_loss[8] > 3 * seed.late_loss[1]
    assert "Measured on the lab's RoPE (3 seeds)" in said(page(rope="distance"))
    assert "5 of 8 planes turn less than once within the trained 64" in said(page(rope="distance"))
    assert "12 of 32 planes" in said(page(rope="distance", model="SmolLM2-135M"))


def test_in_a_trained_head_a_score_rises_and_falls_with_distance(page):  # misconception 5
    curve = figure(page(rope="distance", model="SmolLM2-135M"), "rope-distance")["data"][0]
    past = numbers(curve["x"]) >= 0
    steps = np.diff(numbers(curve["y"])[past])
    assert (steps > 0).any()
    assert (steps < 0).any()


def test_the_fault_is_none_of_ours_and_a_short_text_does_not_show_it(page):
    opened = page(rope="precision")
    assert "385" in said(opened)
    assert "897" in said(opened)
    errors = numbers(figure(opened, "rope-errors")["data"][0]["z"])
    assert errors[0].max() < 1e-3
    assert errors[4].max() > 1.9
    assert errors[3, 0] < 1e-3
