"""The lab's model as the default: its examples, and what is said and offered for words that its world lacks."""

import pytest

from model import zoo
from tests.pages.pictures import said, type_in
from ui import text as words

LANGUAGES = tuple(words.LANGUAGES)
LAB = zoo.MODELS["lab-rope"]
SMOLLM2 = zoo.MODELS["smollm2"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_picture_is_the_labs_in_the_readers_language(app, language):
    page = app(language)
    assert not page.exception
    assert page.text_input(key="text").value == LAB.examples[language].text
    layer, head, query, _ = LAB.examples[language].place
    assert words.table(language)["head.title"].format(layer=layer, head=head) in said(page)
    assert page.number_input(key="query").value == query


def test_an_untouched_example_follows_the_language_and_the_model(app):
    page = app("en")
    page = page.segmented_control(key="lang").set_value("中文").run()
    assert page.text_input(key="text").value == LAB.examples["zh"].text
    assert page.number_input(key="head").value == LAB.examples["zh"].place[1]
    page = page.selectbox(key="model").set_value(SMOLLM2.title).run()
    assert page.text_input(key="text").value == SMOLLM2.examples["en"].text
    assert page.number_input(key="layer").value == SMOLLM2.examples["en"].place[0]
    assert not page.exception


def test_a_sentence_of_the_readers_own_stays(app):
    page = type_in(app("en"), "Tom likes Ann.")
    page = page.segmented_control(key="lang").set_value("中文").run()
    page = page.selectbox(key="model").set_value(SMOLLM2.title).run()
    assert page.text_input(key="text").value == "Tom likes Ann."
    assert not page.exception


def test_a_link_with_another_models_example_opens_just_that(app):
    page = app("en", text=SMOLLM2.examples["en"].text, model=LAB.title)
    assert page.text_input(key="text").value == SMOLLM2.examples["en"].text


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_outside_the_world_are_named_and_one_is_replaced_by_a_click(app, language):
    page = type_in(app(language), "Tom took the hors because he was zzz.")
    lacks = words.table(language)["world.lacks"]
    comma = words.table(language)["world.comma"]
    assert lacks.format(words=comma.join(("“hors”", "“zzz”"))) in said(page)
    page = page.button(key="world-instead-horse").click().run()
    assert page.text_input(key="text").value == "Tom took the horse because he was zzz."
    assert not page.exception


def test_smollm2_has_no_words_outside(app):
    page = type_in(app("en", model=SMOLLM2.title), "Tom took the hors 长颈鹿.")
    assert not page.exception
    assert "Not in the lab's world" not in said(page)


@pytest.mark.parametrize("name", [name for name in zoo.MODELS if name.startswith("lab-")])
def test_every_scheme_goes_through_all_steps(app, name):
    page = app("en", model=zoo.MODELS[name].title)
    for step in range(1, 10):
        page = page.segmented_control(key="step").set_value(step).run()
        assert not page.exception, step


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_learned_table_cannot_hold_is_refused_and_the_last_picture_stays(app, language):
    page = type_in(app(language, model=zoo.MODELS["lab-learned"].title), "Tom likes Ann.")
    page = type_in(page, "Tom likes Ann. " * 20)
    assert not page.exception
    assert "63" in said(page)
    assert words.table(language)["sentence.earlier"].format(text="Tom likes Ann.") in said(page)
