"""Contributions and spread on the page: parts that sum to the output, and numbers from this run."""

import re

import pytest

from model.knobs import Knobs
from model.spread import spread
from tests.ui.parts import part, said
from ui import text

LANGUAGES = tuple(text.LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_parts_sum_to_the_output_and_the_computed_difference_is_shown(language):
    page = part("contributions", lang=language)
    assert not page.exception
    before, _ = text.table(language)["contributions.caption"].split("{difference}")
    shown = re.search(re.escape(before[-6:]) + r"([\d.e+-]+)", said(page))
    assert 0 <= float(shown.group(1)) < 1e-4


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_numbers_of_the_spread_are_those_of_the_run(smollm2, language):
    page = part("contributions", lang=language)
    tokens = smollm2.tokenizer.encode("The cat sat on the mat because it was tired.")
    found = spread(smollm2.begin(tokens).open_block(13).attention, Knobs())
    for side in (found.without, found.divided):
        assert f"{side.largest:.2f}" in said(page)
        assert f"{side.entropy:.2f}" in said(page)


def test_one_token_has_no_choice_to_speak_of():
    page = part("contributions", text="a")
    assert not page.exception
    assert "nan" not in said(page).lower()


@pytest.mark.parametrize("sentence", ["🙂", "<b>bold</b>", "x " * 200])
def test_hard_texts_are_drawn(sentence):
    assert not part("contributions", text=sentence).exception


@pytest.mark.parametrize("badge", ["check-contributions", "check-spread"])
def test_check_agrees(badge):
    page = part("contributions").button(key=badge).click().run()
    assert not page.exception
    assert any("NumPy agrees" in shown.value for shown in page.markdown)
