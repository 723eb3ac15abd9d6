"""Q, K and V on the page: the sum that is shown is the model's own dot product."""

import pytest

from tests.ui.parts import part, said
from ui import text

LANGUAGES = tuple(text.LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_products_sum_to_the_dot_product_of_the_run(language):
    page = part("projections", lang=language)
    assert not page.exception
    assert "50.07" in said(page)
    assert text.table(language)["projections.shared"].format(first=6, last=8, kv_head=2) in said(page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_before_the_rotation_there_is_another_sum_and_the_page_says_that_it_is_not_used(language):
    page = part("projections", lang=language).button_group(key="side").set_value("plain").run()
    assert not page.exception
    assert "50.07" not in said(page)
    assert text.table(language)["projections.product_before"].split("{")[0] in said(page)


def test_of_a_long_text_the_page_says_which_tokens_are_drawn():
    page = part("projections", text="x " * 200, query=150)
    assert not page.exception
    assert "64 tokens are drawn, 118 to 181" in said(page)


@pytest.mark.parametrize("sentence", ["a", "🙂", "<b>bold</b>", "$x$ \\alpha"])
def test_hard_texts_are_drawn(sentence):
    assert not part("projections", text=sentence).exception


@pytest.mark.parametrize("badge", ["check-projections", "check-product"])
def test_check_agrees(badge):
    page = part("projections").button(key=badge).click().run()
    assert not page.exception
    assert any("NumPy agrees" in shown.value for shown in page.markdown)
