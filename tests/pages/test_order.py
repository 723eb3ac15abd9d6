"""The Order page: two orders, what is known without positions, serial and parallel; hard texts in both languages."""

import pytest

from model import order, zoo
from tests.pages.pictures import said, survives_hard_texts
from tests.pages.texts import EMPTY, TOO_LONG
from ui import text as words

LANGUAGES = tuple(words.LANGUAGES)
PARTS = ("orders", "unordered", "paths")


@pytest.fixture
def page(start):
    """A function that opens the Order page."""
    if any(zoo.find_lab(scheme) is None for scheme in ("none", "rope")):
        pytest.skip("the lab's weights are not there")

    def opened(language: str, **address: str):
        return start(language, **address).switch_page("pages/order.py").run()

    return opened


def table(test) -> str:
    return " ".join(str(value) for value in test.table[0].value.to_numpy().ravel()).replace("\\", "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_of_three_words_moves_without_places_and_changes_with_them(page, language):
    test = page(language).button(key="order-example-0").click().run()
    assert not test.exception
    assert test.text_input(key="text").value == "我 喜欢 你"
    assert words.table(language)["order.about"].split("{")[0] + "你 喜欢 我" in said(test)
    shown = table(test)
    for mark in (
        ("= 4 of", "≠ 4 of", "≠ 3 of") if language == "en" else ("= 4 行中 4 行", "≠ 4 行中 4 行", "≠ 4 行中 3 行")
    ):
        assert mark in shown


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
def test_hard_texts_in_every_part(page, language, part):
    survives_hard_texts(page(language, order_part=part))


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_text_and_one_too_long_are_refused(page, language):
    test = page(language)
    test = test.text_input(key="text").set_value(TOO_LONG).run()
    assert not test.exception
    assert test.table
    test = test.text_input(key="text").set_value(EMPTY).run()
    assert not test.exception
    assert not test.table


def test_buttons_write_the_order_and_the_address_restores_it(page):
    test = page("en", text="one two three four")
    test = test.button(key="order-reverse").click().run()
    first = test.session_state["order"]
    again = page("en", text="one two three four", order=first)
    assert not again.exception
    assert f"“{first}”" in said(again)


def test_the_picked_token_is_swapped_and_shifted(page):
    test = page("en", text="I like you", query="1", key="3", order="I like you")
    assert "“I like you”" in said(test)
    assert "“you like I”" in said(test.button(key="order-swap").click().run())
    test = test.button(key="order-left").click().run()
    assert "“you I like”" in said(test)
    test = test.button(key="order-right").click().run()
    assert "“you like I”" in said(test)
    assert test.button(key="order-right").disabled
    assert "“I like you”" in said(test.button(key="order-reset").click().run())


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_that_the_sentence_has_not_are_named(page, language):
    test = page(language, text="I like you", order="you them <b>x</b>")
    assert not test.exception
    assert words.table(language)["order.unknown"].format(words="them, <b>x</b>") in said(test)


def test_typing_on_keeps_the_order_and_adds_the_new_word(page):
    test = page("en", text="I like you", order="you like I")
    test = test.text_input(key="text").set_value("I like you because").run()
    assert "“you like I because”" in said(test)


def test_check_agrees_in_every_part(page):
    test = page("en")
    for part, keys in {
        "orders": ("order-picked", "order-unplaced"),
        "unordered": ("unordered-prefix", "unordered-constant"),
        "paths": ("paths", "growth"),
    }.items():
        test = test.segmented_control(key="order_part").set_value(part).run()
        for key in keys:
            test = test.button(key=f"check-{key}").click().run()
            assert not test.exception
        assert sum("NumPy agrees" in badge.value for badge in test.markdown) == len(keys)
        assert not any("differs" in badge.value for badge in test.markdown)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_of_layers_without_positions_follows_from_the_numbers(page, language):
    test = page(language, order_part="unordered")
    text = words.table(language)
    assert text["unordered.unmoved"].format(layer=0, layers=1, greatest="|").split("|")[0] in said(test)
    assert text["unordered.moved"].format(layer=1, layers=2, greatest="|").split("|")[1] in said(test)


@pytest.mark.parametrize("language", LANGUAGES)
def test_steps_and_ways_of_the_sentence(page, language):
    test = page(language, order_part="paths", text="I like you", query="3", key="1")
    assert test.table[0].value.to_numpy()[:, 1:].tolist() == [["4", "6", "3"], ["1", "3", "1"]]
    test = page(language, order_part="paths", text="I like you", query="1", key="3")
    backwards = words.table(language)["paths.backwards"].format(key="·you", query="I")
    assert backwards in said(test)


@pytest.mark.parametrize("title", [entry.title for name, entry in zoo.MODELS.items() if name.startswith("lab")])
def test_every_model_of_the_lab_shows_its_two_orders(page, title):
    test = page("en", model=title, text="I like you")
    assert not test.exception
    assert test.table[0].value.shape[1] == (2 if title == zoo.MODELS["lab-none"].title else 4)


def test_a_long_text_in_a_large_model_is_run_only_when_asked(page, smollm2):
    test = page("en", model="SmolLM2-135M", text="one two three " * 25)
    assert not test.exception
    assert not test.table
    assert words.table("en")["order.ask"] in [button.label for button in test.button]


def test_smollm2_and_the_lab_stand_beside_each_other(page, smollm2):
    test = page("en", model="SmolLM2-135M", text="The cat sat on the mat", layer="29")
    assert not test.exception
    parts = order.pieces(smollm2.tokenizer.encode("The cat sat on the mat"))
    assert f"“{order.written(parts, order.exchanged(parts))}”" in said(test)
    assert "after layer 29" in said(test)
    assert "after layer 2" in said(test)
