"""The softmax bench: what is typed is read or refused with a reason, and nothing is lost."""

import contextlib
import html
import io
import math
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.knobs import Knobs
from tests.ui.tiny_run import tiny_run
from ui import bench
from ui import text as tables
from ui.picks import Place

LANGUAGES = tuple(tables.LANGUAGES)
PLACE = Place(1, 3, 5, 2)


def script() -> None:
    import streamlit as st

    from ui import bench

    bench.show(st.session_state["run"], st.session_state["place"])


def opened(run=None, place=PLACE, language="en") -> AppTest:
    test = AppTest.from_function(script, default_timeout=60)
    test.session_state["run"], test.session_state["place"] = run or tiny_run(), place
    test.session_state["lang"], test.session_state["sentence_number"] = language, 0
    return test.run()


def said(test: AppTest) -> str:
    return html.unescape("\n".join(re.sub(r"<[^>]+>", "", element.body) for element in test.get("html")))


def typed(test: AppTest, text: str) -> AppTest:
    return test.text_input(key="bench").set_value(text).run()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bench_begins_with_four_scores_and_their_softmax(language):
    test = opened(language=language)
    assert not test.exception
    powers = [math.exp(score) for score in (2.3, 7.8, 1.5, 4.2)]
    assert rf"\mathbf{{{powers[1] / sum(powers):.4f}}}" in test.latex[0].value


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("2.3 7.8", [2.3, 7.8]),
        (" 1,2；3、4 ", [1, 2, 3, 4]),
        ("−1.5 -2", [-1.5, -2]),
        ("１．５　２", [1.5, 2]),
        ("1e3", [1000]),
    ],
)
def test_scores_are_read_however_they_are_typed(text, scores):
    assert bench.read(text) == (scores, None)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", ["", "  ", "1 zwei", "nan", "inf 1", "1e9", "1 " * 13, "<b> $x$ :red[q]", "1..2"])
def test_what_cannot_be_read_is_refused_and_the_last_scores_stay(text, language):
    test = typed(typed(opened(language=language), "1 2 3"), text)
    assert not test.exception
    assert tables.table(language)["bench.kept"].format(text="1 2 3") in said(test)
    assert test.text_input(key="bench").value == text
    assert rf"\mathbf{{{math.e**2 / (1 + math.e + math.e**2):.4f}}}" in test.latex[0].value


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_masked_attends_to_nothing(language):
    test = opened(language=language)
    test = test.button_group(key="bench_mask").set_value([0, 1, 2, 3]).run()
    assert not test.exception
    assert tables.table(language)["bench.nothing"] in said(test)
    assert "NaN" not in test.latex[0].value


def test_a_mask_on_an_entry_that_is_gone_is_forgotten():
    test = opened()
    test = test.button_group(key="bench_mask").set_value([0, 3]).run()
    test = typed(test, "1 2")
    assert not test.exception
    assert test.session_state["bench_mask"] == [0]


@pytest.mark.parametrize("scheme", ["rope", "alibi", "t5"])
@pytest.mark.parametrize("knobs", [Knobs(), Knobs(scale=0.5, temperature=2.0)], ids=str)
def test_the_picked_row_has_the_heads_own_weights(scheme, knobs):
    run = tiny_run(scheme, knobs)
    test = opened(run).button(key="bench-take").click().run()
    assert not test.exception
    weights = run.block(1).attention.weights[3, 5, :6]
    assert f"{weights.max().item():.4f}" in test.latex[0].value
    scores, problem = bench.read(test.session_state["bench"])
    assert problem is None
    assert len(scores) == 6
    assert test.session_state["bench_width"] == (6 if scheme == "rope" and knobs.scale == 1 else 1)


def test_of_a_long_row_the_greatest_scores_are_taken_and_their_share_is_told():
    run = tiny_run(seq=100)
    test = opened(run, Place(1, 3, 90, 2)).button(key="bench-take").click().run()
    assert not test.exception
    weights = run.block(1).attention.weights[3, 90].numpy()
    share = np.sort(weights)[-12:].sum()
    assert f"12 greatest of 91; in the head they share {share:.3f}" in said(test)


def test_tokens_of_a_taken_row_are_never_markup():
    test = opened().button(key="bench-take").click().run()
    assert "<b>two" not in "".join(element.body for element in test.get("html"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_numpy_lines_compute_the_weights(monkeypatch, language):
    monkeypatch.setattr("ui.text.language", lambda: language)
    monkeypatch.setattr("streamlit.session_state", {"bench_width": 4, "bench_heat": 0.5})
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(bench.code([1.0, 2.0, 9.0], [False, False, True]), {})
    powers = [math.exp(1.0), math.exp(2.0)]
    numbers = [float(number) for number in re.findall(r"\d+\.(?:\d+)?", printed.getvalue())]
    assert numbers == pytest.approx([powers[0] / sum(powers), powers[1] / sum(powers), 0], abs=1e-6)
