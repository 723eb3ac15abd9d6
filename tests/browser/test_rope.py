"""The RoPE page in a real browser: positions moved by keyboard, a plane picked by a click, nothing cut at any size."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SIZES
from tests.browser.places import spot
from tests.browser.server import ROOT


@pytest.fixture
def opened(serve, open_page):
    """A function that opens the RoPE page and waits for its first chart."""

    def start(address: str = "", first: str = "rope-planes", **settings) -> Page:
        tab = open_page(**settings)
        tab.goto(serve(ROOT / "app.py") + "/rope" + address)
        tab.locator(f".st-key-{first} .main-svg").first.wait_for(timeout=120_000)
        return tab

    return start


def parts(tab: Page) -> list[float]:
    """The bars as the browser holds them."""
    return tab.evaluate(
        """() => Array.from(document.querySelector(".st-key-rope-parts .js-plotly-plot")._fullData[0].y)"""
    )


def heading(tab: Page, text: str | re.Pattern) -> None:
    expect(tab.get_by_role("heading", name=text).first).to_be_visible()


def test_both_moved_the_score_stays_one_moved_it_changes_and_the_address_keeps_it(opened):
    tab = opened()
    tab.locator(".st-key-rope-parts .main-svg").first.wait_for()
    before = parts(tab)
    slider = tab.locator(".st-key-rope_together").get_by_role("slider")
    slider.focus()
    for _ in range(3):
        slider.press("ArrowRight")
    heading(tab, re.compile("Both moved by 3: q·k stays"))
    assert parts(tab) == pytest.approx(before, abs=1e-4)
    tab.locator(".st-key-rope_alone").get_by_role("slider").press("ArrowRight")
    heading(tab, re.compile(r"The query moved by \+1 alone: q·k changes"))
    expect(tab).to_have_url(re.compile("rope_together=3.*rope_alone=1|rope_alone=1.*rope_together=3"))
    tab.reload()
    heading(tab, re.compile(r"The query moved by \+1 alone"))


def test_a_click_on_a_plane_makes_it_large(opened):
    tab = opened()
    tab.mouse.click(*spot(tab, "rope-planes", 2, 0))
    heading(tab, "Plane 2: dimensions 4 and 5")


@pytest.mark.parametrize("size", ["desktop", "phone", "narrow"])
@pytest.mark.parametrize(
    ("panel", "first"),
    [("turn", "rope-parts"), ("distance", "rope-distance"), ("scaling", "rope-scaled"), ("precision", "rope-drift")],
)
def test_no_part_of_the_page_is_wider_than_its_screen(opened, size, panel, first):
    tab = opened(f"?lang=zh&rope={panel}", first, size=size)
    width = SIZES[size][0]
    assert tab.evaluate("() => document.documentElement.scrollWidth") <= width
    assert tab.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth") <= width
