"""The pages Position and Relative in a real browser: one real use of each, and nothing that sticks out."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import STICKING, spot
from tests.browser.server import ROOT


@pytest.fixture
def opened(serve, open_page):
    """A function that opens one of the two pages and waits for its first picture."""

    def start(address: str, **settings) -> Page:
        tab = open_page(**settings)
        tab.goto(f"{serve(ROOT / 'app.py')}/{address}")
        tab.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=120_000)
        return tab

    return start


def heading(tab: Page, text: str):
    return tab.get_by_role("heading", name=text, exact=True)


def test_a_cell_of_the_sum_is_picked_typed_over_and_shared_by_its_address(opened):
    tab = opened("position", locale="zh-CN")
    tab.mouse.click(*spot(tab, "position-sum", 9, 3, axes=("xaxis2", "yaxis2")))
    expect(heading(tab, "“苹果”，位置 3，第 9 维（从 0 数）")).to_be_visible()
    expect(tab).to_have_url(re.compile("pe_dimension=9"))
    box = tab.locator(".st-key-text input")
    box.press("End")
    box.press_sequentially("小明", delay=20)
    tab.wait_for_function(
        "() => document.querySelector('.st-key-position-sum .js-plotly-plot')._fullData[0].z.length === 11"
    )
    tab.locator(".st-key-check-position-sum button").first.click()
    expect(tab.get_by_text("NumPy 核对一致").first).to_be_visible()
    tab.reload()
    expect(heading(tab, "“苹果”，位置 3，第 9 维（从 0 数）")).to_be_visible()


def test_each_question_of_the_position_page_opens_with_a_press(opened):
    tab = opened("position", locale="en-US")
    for name, chart in (
        ("sines", "sinusoid-table"),
        ("why waves", "why-apart"),
        ("add or join", "join-cost"),
        ("learned", "learned-tables"),
        ("where it enters", "entry"),
    ):
        tab.locator(".st-key-position_part").get_by_text(name, exact=True).click()
        expect(tab.locator(f".st-key-{chart} .js-plotly-plot .main-svg").first).to_be_visible()
    assert not tab.locator(".katex-error").count()


def test_the_example_has_its_distances_whatever_the_start(opened):
    tab = opened("relative", locale="zh-CN")
    tab.locator(".st-key-distance-example button").click()
    expect(heading(tab, "从位置 24 的“·苹果”看")).to_be_visible()
    expect(tab.locator(".stMain")).to_contain_text("到位置 23 的“·吃”：1")
    tab.locator(".st-key-start input").fill("300")
    tab.locator(".st-key-start input").press("Enter")
    expect(heading(tab, "从位置 304 的“·苹果”看")).to_be_visible()
    expect(tab.locator(".stMain")).to_contain_text("到位置 303 的“·吃”：1")
    expect(tab.locator(".stMain")).to_contain_text("到位置 302 的“·喜欢”：2")


@pytest.mark.parametrize("size", ["desktop", "phone", "narrow"])
@pytest.mark.parametrize("page", ["position", "relative"])
def test_nothing_sticks_out_at_any_width(opened, page, size):
    tab = opened(page, size=size, locale="zh-CN")
    choices = tab.locator(f".st-key-{page}_part [role=radio], .st-key-{page}_part button")
    for number in range(choices.count()):
        choices.nth(number).click()
        tab.wait_for_timeout(400)
        assert tab.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
        assert not tab.evaluate(STICKING), number
