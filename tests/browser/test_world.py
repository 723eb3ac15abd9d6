"""The lab's world in a real browser: a list to build sentences from, and words outside it marked."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SIZES
from tests.browser.server import ROOT


@pytest.fixture
def opened(serve, open_page):
    """A function that opens the Attention page with the lab's model."""

    def start(address: str = "", **settings) -> Page:
        tab = open_page(**settings)
        tab.goto(serve(ROOT / "app.py") + "/attention" + address)
        tab.locator(".st-key-head-chart .heatmaplayer image").first.wait_for(timeout=120_000)
        return tab

    return start


def box(tab: Page):
    return tab.locator(".st-key-text input")


def test_an_example_and_a_word_are_taken_from_the_list_and_reach_the_address(opened):
    tab = opened("?lang=EN")
    tab.locator(".st-key-world button").first.click()
    example = tab.locator(".st-key-world-copy button")
    text = example.inner_text().split(": ", 1)[1]
    example.click()
    expect(box(tab)).to_have_value(text)
    tab.locator("[data-testid=stPopoverBody] button", has_text="Tom").first.click()
    expect(box(tab)).to_have_value(f"{text} Tom")
    expect(tab).to_have_url(re.compile("Tom"))
    tab.reload()
    expect(box(tab)).to_have_value(f"{text} Tom")


def test_bytes_of_an_unknown_word_are_marked_and_joined(opened):
    tab = opened("?text=Tom+likes+zebra")
    marked = tab.locator(".st-key-strip button.byte")
    expect(marked).to_have_count(6)
    expect(tab.locator(".st-key-strip .glass-whole", has_text="zebra")).to_be_visible()
    known = tab.locator(".st-key-strip button:not(.byte)", has_text="Tom")
    assert marked.first.evaluate("(node) => getComputedStyle(node).borderTopStyle") == "dashed"
    assert known.evaluate("(node) => getComputedStyle(node).borderTopStyle") == "solid"


def test_smollm2_is_one_click_away_and_says_what_it_knows(opened):
    tab = opened("?lang=EN")
    tab.locator(".st-key-models button").first.click()
    expect(tab.get_by_text("Knows English and Chinese").first).to_be_visible()
    tab.locator(".st-key-take-smollm2 button").click()
    expect(box(tab)).to_have_value("The cat sat on the mat because it was tired.", timeout=120_000)


@pytest.mark.parametrize("size", SIZES)
def test_the_header_and_the_marked_words_fit(opened, size):
    tab = opened("?text=Tom+likes+the+hors+and+zebra&lang=EN", size=size)
    width = SIZES[size][0]
    outside = tab.evaluate(
        """(width) => [...document.querySelectorAll(".st-key-header *, .st-key-status *, .st-key-strip *")]
             .filter((node) => node.getClientRects().length && !node.closest("[data-testid=stPopoverBody]"))
             .filter((node) => node.getBoundingClientRect().left < -1 || node.getBoundingClientRect().right > width + 1)
             .map((node) => node.outerHTML.slice(0, 120))""",
        width,
    )
    assert outside == []
