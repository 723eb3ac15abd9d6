"""The Overview page with hard texts, in both languages, and its numbers against the model's."""

import html
import re

import numpy as np
import pytest

from model import zoo
from tests.pages.pictures import figure, numbers, said, type_in
from tests.pages.texts import EMPTY, TEXTS, TOO_LONG
from ui import text as words

LANGUAGES = tuple(words.LANGUAGES)
pytestmark = pytest.mark.usefixtures("only_smollm2")
EXAMPLE = zoo.MODELS["smollm2"].example("en").text


@pytest.fixture
def overview(app):
    """A function that opens the Overview page."""

    def opened(language: str = "en", **address: str):
        page = app(language, **address)
        return page.switch_page("pages/overview.py").run()

    return opened


def cells(page) -> np.ndarray:
    """The numbers of the blocks' cells."""
    return numbers(figure(page, "machine-blocks")["data"][0]["customdata"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_picture_shows_the_norms_of_the_models_residual_stream(overview, smollm2, language):
    page = overview(language)
    assert not page.exception
    assert words.table(language)["overview.heading"] in said(page)
    trace = smollm2.run(smollm2.tokenizer.encode(EXAMPLE))
    norms = np.stack([np.linalg.norm(block.output.numpy(), axis=-1) for block in trace.blocks], axis=-1)
    assert np.allclose(cells(page), norms, rtol=1e-4)


def test_the_next_tokens_are_the_models(overview, smollm2):
    told = next(trace for trace in figure(overview(), "machine-answers")["data"] if "hovertext" in trace)["hovertext"]
    logits = smollm2.run(smollm2.tokenizer.encode(EXAMPLE)).logits.double().numpy()
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    for lane, line in enumerate(told):
        best = shares[lane].argmax()
        token, share = re.search(r"→ (.*?) ([\d.]+)<br>", line).groups()
        assert html.unescape(token) == smollm2.tokenizer.show(int(best))
        assert float(share) == pytest.approx(shares[lane, best], abs=2e-4)


@pytest.mark.parametrize("view", ["lane", "all"])
def test_the_lens_is_shown_when_asked_for_and_another_text_goes_back_to_the_norms(overview, smollm2, view):
    page = overview()
    page = page.segmented_control(key="view").set_value(view).run()
    assert not page.exception
    trace = smollm2.run(smollm2.tokenizer.encode(EXAMPLE))
    final = trace.logits.argmax(dim=-1)
    shown, query = cells(page), page.number_input(key="query").value
    for lane in range(len(final)):
        if view == "lane" and lane != query:
            assert np.isnan(shown[lane]).all()
            continue
        for layer in (0, 14, 29):
            _, logits = smollm2.decoder.read_out(trace.blocks[layer].output[lane])
            assert shown[lane, layer] == pytest.approx(logits.softmax(dim=-1)[final[lane]].item(), abs=1e-4)
    page = type_in(page, EXAMPLE + " And")
    assert page.segmented_control(key="view").value == "norm"
    assert cells(page).max() > 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_opens_the_view_that_it_names_and_the_shared_link_says_the_one_that_is_shown(overview, language):
    page = overview(language, view="lane", query="4")
    assert not page.exception
    assert page.segmented_control(key="view").value == "lane"
    assert np.isfinite(cells(page)).all(axis=-1).tolist() == [lane == 4 for lane in range(len(cells(page)))]
    assert "view=lane" in page.code[0].value
    page = type_in(page, "The dog")
    assert "view=norm" in page.code[0].value


@pytest.mark.parametrize("language", LANGUAGES)
def test_hard_texts_are_shown_lane_by_lane(overview, language):
    page = overview(language)
    tokenizer = zoo.load("smollm2").tokenizer
    for sentence in TEXTS.values():
        page = type_in(page, sentence)
        assert not page.exception, sentence
        assert len(cells(page)) == len(tokenizer.encode(sentence)), sentence
        assert "\ufffd" not in said(page)


def test_an_empty_text_shows_a_message_and_no_stale_picture(overview):
    page = type_in(overview(), EMPTY)
    assert not page.exception
    assert words.table("en")["sentence.empty"] in said(page)
    assert figure(page, "machine-blocks") is None


def test_a_text_too_long_keeps_the_last_picture(overview):
    page = type_in(type_in(overview(), "The dog ran."), TOO_LONG)
    assert not page.exception
    assert "256" in said(page)
    assert len(cells(page)) == 4


def test_of_a_long_text_the_lens_reads_a_part_and_says_so(overview):
    page = type_in(overview(query="70"), "word " * 70)
    page = page.number_input(key="query").set_value(69).run()
    page = page.segmented_control(key="view").set_value("all").run()
    assert not page.exception
    read = np.isfinite(cells(page)).all(axis=-1)
    assert read[69]
    assert read[0::2].all()
    assert not read[1:69:2].any()
    assert words.table("en")["overview.unread"].format(step=2) in said(page)


def test_check_compares_the_residual_stream_with_numpy(overview):
    page = overview()
    page = page.button(key="check-machine").click().run()
    assert not page.exception
    assert any("NumPy agrees" in badge.value for badge in page.markdown)
