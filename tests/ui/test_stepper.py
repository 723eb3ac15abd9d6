"""The Stepper for every scheme, mask and knob, without a browser; and what it says, computed again."""

import contextlib
import html
import io
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.config import POSITIONS
from model.knobs import Knobs
from model.trace import named_tensors
from tests.ui.tiny_run import tiny_run
from ui import formulas, stepper
from ui import text as tables
from ui.picks import Place
from ui.step_pictures import KEYS_SHOWN, shown_keys
from ui.steps import STEPS

LANGUAGES = tuple(tables.LANGUAGES)
PLACE = Place(1, 3, 5, 2)
KNOBS = Knobs(scale=0.5, temperature=2.0, head_gains=((1, 3, -0.5),))


def script() -> None:
    import streamlit as st

    from ui import stepper

    stepper.show(st.session_state["run"], st.session_state["place"])


def opened(run, place=PLACE, language="en", step=1) -> AppTest:
    test = AppTest.from_function(script, default_timeout=60)
    test.session_state["run"], test.session_state["place"] = run, place
    test.session_state["lang"], test.session_state["sentence_number"] = language, 0
    test.session_state["step"] = step
    return test.run()


def said(test: AppTest) -> str:
    return html.unescape("\n".join(re.sub(r"<[^>]+>", "", element.body) for element in test.get("html")))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", POSITIONS)
def test_every_step_of_every_scheme_is_shown(scheme, language):
    for knobs in (Knobs(), KNOBS):
        run = tiny_run(scheme, knobs)
        for step in range(1, len(STEPS) + 1):
            test = opened(run, language=language, step=step)
            assert not test.exception
            assert test.latex[0].value
            assert "nan" not in test.latex[0].value.lower()


@pytest.mark.parametrize("scheme", POSITIONS)
def test_the_position_step_says_whether_anything_turns(scheme):
    test = opened(tiny_run(scheme), step=2)
    assert ("Nothing turns" in said(test)) is (scheme != "rope")
    assert ("varphi" in test.latex[0].value) is (scheme == "rope")


@pytest.mark.parametrize("scheme", ["alibi", "t5"])
def test_a_bias_is_shown_with_where_it_comes_from(scheme):
    run = tiny_run(scheme)
    found = stepper.take_apart(run, PLACE)
    latex = opened(run, step=5).latex[0].value
    assert formulas.number(found.cell.bias) in latex
    assert formulas.number(found.cell.score) in latex
    assert ("m_{3}" in latex) is (scheme == "alibi")


def test_the_live_numbers_are_those_of_the_trace():
    run = tiny_run(knobs=KNOBS)
    found = stepper.take_apart(run, PLACE)
    trace = run.block(1).attention
    expected = {3: trace.raw_scores[3, 5, 2], 5: trace.scores[3, 5, 2], 7: trace.weights[3, 5, 2]}
    for step, tensor in expected.items():
        assert rf"\mathbf{{{formulas.number(tensor.item())}}}" in opened(run, step=step).latex[0].value
    assert formulas.number(found.cell.scaled) in opened(run, step=4).latex[0].value


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_masked_cell_has_a_weight_of_exactly_zero_and_says_why(language):
    run, place = tiny_run(), Place(1, 3, 2, 5)
    table = tables.table(language)
    assert table["stepper.what.mask_hidden"].format(query=2, key=5) in said(opened(run, place, language, step=5))
    assert r"-\infty" in opened(run, place, language, step=5).latex[0].value
    assert opened(run, place, language, step=7).latex[0].value.count(r"\mathbf{0}") == 1
    for step in range(1, len(STEPS) + 1):
        assert not opened(run, place, language, step=step).exception


def test_without_the_mask_a_later_key_has_a_weight():
    run = tiny_run(knobs=Knobs(causal=False))
    test = opened(run, Place(1, 3, 2, 5), step=5)
    assert tables.table("en")["stepper.what.mask_off"] in said(test)
    assert r"-\infty" not in test.latex[0].value


def test_next_and_back_go_one_step_and_stop_at_the_ends():
    test = opened(tiny_run())
    assert test.button(key="stepper-go-back").disabled
    for step in range(2, len(STEPS) + 1):
        test = test.button(key="stepper-go-on").click().run()
        assert test.session_state["step"] == step
        assert f"Step {step} of {len(STEPS)}" in said(test)
    assert test.button(key="stepper-go-on").disabled
    test = test.button(key="stepper-go-back").click().run()
    assert test.session_state["step"] == len(STEPS) - 1


def test_a_step_that_does_not_exist_becomes_the_last():
    test = opened(tiny_run(), step=99)
    assert not test.exception
    assert test.session_state["step"] == len(STEPS)


@pytest.mark.parametrize("name", STEPS)
def test_check_agrees_with_numpy_at_every_step(name):
    test = opened(tiny_run(knobs=KNOBS), step=list(STEPS).index(name) + 1)
    test = test.button(key="check-stepper").click().run()
    assert not test.exception
    assert any("NumPy agrees" in badge.value for badge in test.markdown)


def test_tokens_reach_the_page_only_as_text():
    for place in (Place(1, 3, 1, 1), Place(1, 3, 3, 2), Place(1, 3, 5, 4)):
        for step in range(1, len(STEPS) + 1):
            test = opened(tiny_run(), place, step=step)
            assert not any("<b>two" in element.body for element in test.get("html"))
            assert "red[5]" not in "".join(element.value for element in test.markdown)
            assert not any("two" in element.value for element in test.latex)


def test_shown_keys_are_the_greatest_and_the_picked_one_in_their_order():
    scores = np.random.default_rng(0).normal(size=200)
    scores[150:] = -np.inf
    for picked in (int(scores.argmin()), 3, 170):
        places = shown_keys(scores, picked)
        assert len(places) == KEYS_SHOWN
        assert picked in places
        assert (np.diff(places) > 0).all()
        rest = np.setdiff1d(places, [picked])
        assert scores[rest].min() >= np.delete(scores, places).max()


def test_a_long_text_says_how_many_keys_are_left_out_and_sends_little():
    run = tiny_run(seq=256)
    for step in range(1, len(STEPS) + 1):
        test = opened(run, Place(1, 3, 250, 2), step=step)
        sent = sum(len(element.proto.SerializeToString()) for element in test.get("bidi_component"))
        assert 2_000 < sent < 100_000
    assert f"{KEYS_SHOWN} of 256 keys" in said(opened(run, Place(1, 3, 250, 2), step=7))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("knobs", [Knobs(), KNOBS, Knobs(causal=False)], ids=str)
def test_the_numpy_lines_compute_the_cell(tmp_path, monkeypatch, knobs, language):
    run, at = tiny_run("alibi", knobs), Place(1, 3, 5, 2)
    tensors = {name: tensor.numpy() for name, tensor in named_tensors(run.model.run(run.tokens, knobs))}
    np.savez(tmp_path / "trace.npz", **tensors)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ui.text.language", lambda: language)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(stepper.code(run, at, stepper.take_apart(run, at)), {})
    found = stepper.take_apart(run, at).cell
    numbers = [float(number) for number in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", printed.getvalue())]
    assert numbers[:3] == pytest.approx([found.product, found.score, found.weight], rel=1e-4)
    assert numbers[3] < 1e-5
