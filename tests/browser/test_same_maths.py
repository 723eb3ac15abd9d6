"""The Same maths page in a real browser: a click in the list opens a pair, and no width lets anything stick out."""

import pytest
from playwright.sync_api import Page, expect

from model import zoo
from model.same_maths import PAIRS
from tests.browser.places import STICKING, spot
from tests.browser.server import ROOT


@pytest.fixture
def opened(serve, open_page):
    """A function that opens the Same maths page and waits for its first picture."""
    if zoo.find_lab("t5") is None or zoo.find_lab("rope") is None:
        pytest.skip("the lab's weights are not there")

    def start(address: str = "", **settings) -> Page:
        tab = open_page(**settings)
        tab.goto(serve(ROOT / "app.py") + "/same-maths" + address)
        tab.locator(".st-key-same-tables .heatmaplayer image").first.wait_for(timeout=120_000)
        return tab

    return start


def click_line(tab: Page, row: int) -> None:
    tab.mouse.click(*spot(tab, "same-verdicts", 0.4, row, scroll=True))


def test_a_click_in_the_list_opens_the_pair_and_check_agrees(opened):
    tab = opened()
    expect(tab.get_by_role("heading", name="RoPE pairs: the scores → equal", exact=True)).to_be_visible()
    click_line(tab, list(PAIRS).index("alibi_row"))
    heading = tab.get_by_role("heading", name="ALiBi: one row → equal after the softmax", exact=True)
    expect(heading).to_be_visible()
    tab.locator(".st-key-check-same-maths button").first.click()
    expect(tab.get_by_text("NumPy agrees").first).to_be_visible()
    click_line(tab, list(PAIRS).index("mask_blind"))
    question = tab.get_by_role("link", name="pytorch/pytorch")
    expect(question).to_have_attribute("href", "https://github.com/pytorch/pytorch/issues/103749")


def test_every_formula_can_be_set(opened):
    tab = opened()
    for row in range(len(PAIRS)):
        click_line(tab, row)
        expect(tab.locator(".katex").first).to_be_visible()
        tab.wait_for_timeout(150)
        assert tab.locator(".katex-error").count() == 0, list(PAIRS)[row]


@pytest.mark.parametrize("size", ["desktop", "phone", "narrow"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_nothing_sticks_out_at_any_width(opened, size, locale):
    tab = opened("?pair=axis", size=size, locale=locale)
    assert tab.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    assert not tab.evaluate(STICKING)
