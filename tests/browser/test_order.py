"""The Order page in a real browser: reordering, the picture that follows, and no width at which anything sticks out."""

import re

import pytest
from playwright.sync_api import Page, expect

from model import zoo
from tests.browser.conftest import SIZES
from tests.browser.places import STICKING
from tests.browser.server import ROOT


@pytest.fixture
def opened(serve, open_page):
    """A function that opens the Order page and waits for its first picture."""
    if zoo.find_lab("none") is None or zoo.find_lab("rope") is None:
        pytest.skip("the lab's weights are not there")

    def start(address: str = "", **settings) -> Page:
        tab = open_page(**settings)
        tab.goto(serve(ROOT / "app.py") + "/order" + address)
        tab.locator(".stMain .js-plotly-plot .main-svg").first.wait_for(timeout=120_000)
        return tab

    return start


def signs(tab: Page, chart: str) -> list[str]:
    """The numbers in the cells of a chart, as the browser holds them."""
    return tab.evaluate(
        "(key) => Array.from(document.querySelector(`.st-key-${key} .js-plotly-plot`)._fullData[1].text)", chart
    )


def test_reordering_by_buttons_and_typing_moves_the_tokens_and_the_address_keeps_it(opened):
    tab = opened("?text=I+like+you&query=1&key=3&order=I+like+you")
    status = tab.locator(".st-key-order-status")
    expect(status).to_contain_text("“I like you”")
    tab.locator(".st-key-order-picked .heatmaplayer image").first.wait_for()
    assert all(sign.startswith("=") for sign in signs(tab, "order-picked"))
    tab.get_by_role("button", name="Swap q and k").click()
    expect(status).to_contain_text("“you like I”")
    tab.wait_for_function(
        "() => Array.from(document.querySelector('.st-key-order-picked .js-plotly-plot')._fullData[1].text)"
        ".some((sign) => sign.startsWith('≠'))"
    )
    assert [sign[0] for sign in signs(tab, "order-picked")[::4]] == ["="] * 4  # no places, no mask: only moved
    tab.locator(".st-key-order input").fill("like you I")
    expect(status).to_contain_text("“like you I”")
    expect(tab).to_have_url(re.compile("order=like"))
    tab.reload()
    expect(status).to_contain_text("“like you I”")


def test_check_agrees_in_front_of_the_reader(opened):
    tab = opened("?text=I+like+you")
    tab.locator(".st-key-check-order-picked button").first.click()
    expect(tab.get_by_text("NumPy agrees").first).to_be_visible()


@pytest.mark.parametrize("size", ["desktop", "phone", "narrow"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_nothing_sticks_out_in_any_part(opened, size, locale):
    assert size in SIZES
    tab = opened(size=size, locale=locale)
    for number in range(3):
        tab.locator(".st-key-order_part button").nth(number).click()
        chart = ("order-crossing", "unordered-prefix", "paths-ready")[number]
        tab.locator(f".st-key-{chart} .js-plotly-plot .main-svg").first.wait_for()
        assert tab.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
        assert not tab.evaluate(STICKING)
