"""The Same maths page: every pair opens, the verdicts are those of the numbers, hard texts in both languages."""

import pytest

from model import zoo
from model.same_maths import PAIRS
from tests.pages.pictures import said, survives_hard_texts
from tests.pages.texts import EMPTY, TOO_LONG
from ui import text as words

LANGUAGES = tuple(words.LANGUAGES)


@pytest.fixture
def page(start):
    """A function that opens the Same maths page."""
    if any(zoo.find_lab(scheme) is None for scheme in ("t5", "rope")):
        pytest.skip("the lab's weights are not there")

    def opened(language: str, **address: str):
        return start(language, **address).switch_page("pages/same_maths.py").run()

    return opened


def title(language: str, pair: str, verdict: str) -> str:
    text = words.table(language)
    return text["same_maths.title"].format(name=text[f"same_maths.names.{pair}"], verdict=text[f"same_maths.{verdict}"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pair_opens_with_formulas_words_and_its_public_question(page, language):
    test = page(language)
    text = words.table(language)
    for name, pair in PAIRS.items():
        test = test.selectbox(key="pair").set_value(name).run()
        assert not test.exception, name
        assert text[f"same_maths.first.{name}"] in said(test)
        assert len(test.latex) == 2
        told = " ".join(markdown.value for markdown in test.markdown)
        assert text[f"same_maths.when.{name}"] in told
        assert (f"]({pair.question})" in told) == (pair.question is not None)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("pair", "verdict"),
    [("rope_vectors", "permutation"), ("rope_scores", "equal"), ("alibi_row", "softmax"), ("rope_mixed", "different")],
)
def test_the_heading_says_what_the_numbers_say(page, language, pair, verdict):
    assert title(language, pair, verdict) in said(page(language, pair=pair))


def test_the_verdict_follows_the_layer_and_the_model(page, smollm2):
    assert title("en", "t5_first_layer", "equal") in said(page("en", pair="t5_first_layer", layer="0"))
    assert title("en", "t5_first_layer", "different") in said(page("en", pair="t5_first_layer", layer="2"))
    assert title("en", "slopes_here", "equal") in said(page("en", pair="slopes_here"))
    other = page("en", pair="slopes_here", model="SmolLM2-135M")
    assert title("en", "slopes_here", "different") in said(other)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("pair", ["rope_mixed", "norm_place", "grouped", "mask_blind"])
def test_hard_texts(page, language, pair):
    survives_hard_texts(page(language, pair=pair))


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_text_and_one_too_long_are_refused(page, language):
    test = page(language)
    test = test.text_input(key="text").set_value(TOO_LONG).run()
    assert not test.exception
    assert test.latex
    test = test.text_input(key="text").set_value(EMPTY).run()
    assert not test.exception
    assert not test.latex


@pytest.mark.parametrize("pair", list(PAIRS))
def test_check_agrees_with_numpy_from_the_token_ids_on(page, pair):
    test = page("en", pair=pair, layer="1").button(key="check-same-maths").click().run()
    assert not test.exception
    assert any("NumPy agrees" in badge.value for badge in test.markdown)


def test_a_single_token_is_said_to_be_too_few(page, smollm2):
    test = page("en", model="SmolLM2-135M", text="a", pair="rope_mixed")
    assert not test.exception
    assert words.table("en")["same_maths.one_token"] in said(test)
