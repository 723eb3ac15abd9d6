"""The wall of heads with its filters: measured roles, counted and said, and a page that does not wait for them."""

from concurrent.futures import Future

import pytest

from model import roles
from tests.ui.parts import part, said
from ui import measured, session, text

LANGUAGES = tuple(text.LANGUAGES)


@pytest.fixture(scope="module")
def found(smollm2):
    """The roles, measured before the page is opened, so that it need not be waited for."""
    loaded = session.load("smollm2", session.models(), session.loading())
    return measured.measuring().ask(loaded).result(120)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_filter_shows_as_many_heads_as_it_says(found, language):
    page = part("wall", lang=language)
    assert not page.exception
    for role in (*roles.KEYS, roles.NONE):
        page = page.button_group(key="heads").set_value(role).run()
        assert not page.exception
        count = len(found.heads(role))
        assert text.table(language)["wall.caption_sorted"].format(heads=count).split("·")[0] in said(page)
        assert any(option.endswith(f" {count}") for option in page.button_group(key="heads").options)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_picked_heads_scores_and_the_definitions_are_said(found, language):
    page = part("wall", lang=language, layer=18, head=6)
    names = {role: text.table(language)[f"wall.roles.{role}"] for role in roles.KEYS}
    for role, scores in found.scores.items():
        assert f"{names[role]} {scores[18, 6]:.2f}" in said(page)
        assert text.table(language)[f"wall.definitions.{role}"] in said(page)
    assert str(roles.THRESHOLD) in said(page)


def test_all_heads_can_be_sorted_by_role(found):
    page = part("wall").toggle(key="sorted").set_value(True).run()
    assert not page.exception
    assert "270 maps of this sentence · by role" in said(page)


def test_while_the_roles_are_measured_the_wall_is_there_and_says_so(found, monkeypatch):
    monkeypatch.setattr(measured.Measuring, "ask", lambda self, model: Future())
    page = part("wall")
    assert not page.exception
    assert text.table("en")["wall.measuring"] in said(page)
    assert page.button_group(key="heads").disabled


def test_a_model_whose_roles_cannot_be_measured_says_why(found, monkeypatch):
    failed = Future()
    failed.set_exception(ValueError("the context is too short."))
    monkeypatch.setattr(measured.Measuring, "ask", lambda self, model: failed)
    page = part("wall")
    assert not page.exception
    assert "the context is too short." in said(page)


@pytest.mark.parametrize("sentence", ["a", "🙂", "x " * 200])
def test_short_and_long_texts_have_a_wall(found, sentence):
    assert not part("wall", text=sentence).exception


def test_check_is_offered_and_agrees(found):
    page = part("wall").button(key="check-wall").click().run()
    assert not page.exception
    assert any("NumPy agrees" in badge.value for badge in page.markdown)
