"""The wall of heads and the projections in a real browser: what is clicked or walked to is what is picked."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from model import zoo

HARNESS = Path(__file__).parent / "harness" / "heads.py"


@pytest.fixture
def opened(serve, open_page):
    """A function that opens the page and waits until the roles are measured."""
    if zoo.find_smollm2() is None:
        pytest.skip(f"SmolLM2's weights are not installed: {zoo.MODELS['smollm2'].bring}")

    def start(**settings) -> Page:
        tab = open_page(**settings)
        tab.goto(serve(HARNESS, {"GLASSFORMER_MODELS": "smollm2"}))
        pill(tab, "induction").wait_for(timeout=120_000)
        expect(pill(tab, "induction")).to_be_enabled(timeout=120_000)
        return tab

    return start


def pill(tab: Page, name: str):
    return tab.locator(".st-key-heads button").filter(has_text=name)


def click(tab: Page, chart: str, trace: int, row: int, column: int) -> None:
    """A click into the middle of a cell of a heatmap."""
    tab.locator(f".st-key-{chart} .main-svg").first.scroll_into_view_if_needed()
    place = tab.evaluate(
        """([chart, trace, row, column]) => {
          const plot = document.querySelector(`.st-key-${chart} .js-plotly-plot`)
          const { xaxis, yaxis, x0 = 0, dx = 1, y0 = 0, dy = 1 } = plot._fullData[trace]
          const axis = (name) => plot._fullLayout[`${name[0]}axis${name.slice(1)}`]
          const box = plot.getBoundingClientRect()
          const along = (axis, value) => axis._offset + axis.d2p(value)
          return [box.left + along(axis(xaxis), x0 + dx * column), box.top + along(axis(yaxis), y0 + dy * row)]
        }""",
        [chart, trace, row, column],
    )
    tab.mouse.click(*place)


def picked(tab: Page, name: str):
    return tab.locator(f".st-key-{name} input")


def test_a_click_on_a_map_picks_its_layer_and_head(opened):
    tab = opened()
    click(tab, "wall-chart", 0, row=0, column=16)
    expect(picked(tab, "layer")).to_have_value("16")
    expect(picked(tab, "head")).to_have_value("0")


def test_from_a_clicked_map_the_arrows_walk_map_by_map(opened):
    tab = opened()
    click(tab, "wall-chart", 0, row=2, column=20)
    expect(picked(tab, "layer")).to_have_value("20")
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        tab.keyboard.press(key)
    expect(picked(tab, "layer")).to_have_value("21")
    expect(picked(tab, "head")).to_have_value("3")


def test_of_a_role_the_first_map_is_the_head_with_the_greatest_score(opened):
    tab = opened()
    pill(tab, "induction").click()
    expect(tab.locator(".st-key-wall-chart text").filter(has_text="18.6")).to_be_visible()
    click(tab, "wall-chart", 0, row=0, column=0)
    expect(picked(tab, "layer")).to_have_value("18")
    expect(picked(tab, "head")).to_have_value("6")


def test_a_click_in_q_picks_the_query_and_one_in_k_or_v_the_key(opened):
    tab = opened()
    click(tab, "projections-chart", 0, row=9, column=5)
    expect(picked(tab, "query")).to_have_value("9")
    click(tab, "projections-chart", 2, row=4, column=5)
    expect(picked(tab, "key")).to_have_value("4")
    click(tab, "projections-chart", 1, row=3, column=5)
    expect(picked(tab, "key")).to_have_value("3")


def test_a_click_on_a_heads_row_picks_that_head(opened):
    tab = opened()
    click(tab, "contributions-chart", 0, row=5, column=10)
    expect(picked(tab, "head")).to_have_value("5")


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_nothing_is_wider_than_the_window(opened, size):
    tab = opened(size=size)
    width = tab.evaluate("document.documentElement.scrollWidth")
    assert width <= tab.viewport_size["width"]
