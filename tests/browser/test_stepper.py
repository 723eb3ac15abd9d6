"""Stepping in a real browser: every key of a keyboard and of a presenter's remote, and whose keys they are."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import spot
from tests.browser.server import ROOT

SCRIPT = ROOT / "tests" / "browser" / "harness" / "steps.py"
CHART = ".st-key-stepper-chart .glass-stage"


@pytest.fixture
def opened(serve, open_page):
    """A function that opens the Stepper at a step."""

    def start(step: int = 1, **settings) -> Page:
        tab = open_page(**settings)
        tab.goto(f"{serve(SCRIPT, {'GLASSFORMER_MODELS': 'smollm2'})}/?step={step}")
        ready(tab)
        at(tab, step)
        return tab

    return start


def ready(tab: Page) -> None:
    tab.locator(".st-key-stepper-chart .main-svg").first.wait_for()


def at(tab: Page, step: int) -> None:
    expect(tab.locator(".st-key-stepper-what")).to_contain_text(f"Step {step} of 9")
    expect(tab.locator(".st-key-step button[aria-checked='true']")).to_have_text(str(step))
    expect(tab.locator(".glass-keys")).to_have_attribute("data-at", str(step))


def settled(tab: Page) -> None:
    """Time in which a key that did something would have shown it."""
    tab.wait_for_timeout(600)


@pytest.mark.parametrize(("on", "back"), [("ArrowRight", "ArrowLeft"), (" ", "PageUp"), ("PageDown", "PageUp")])
def test_keys_go_on_and_back_and_the_address_follows(opened, on, back):
    tab = opened()
    tab.keyboard.press(on)
    at(tab, 2)
    tab.keyboard.press(on)
    at(tab, 3)
    expect(tab).to_have_url(re.compile("step=3"))
    tab.reload()
    ready(tab)
    at(tab, 3)
    tab.keyboard.press(back)
    at(tab, 2)


@pytest.mark.parametrize("key", ["ArrowRight", "PageDown", " "])
def test_no_key_is_lost_however_fast_they_come(opened, key):
    tab = opened()
    for _ in range(6):
        tab.keyboard.press(key)
    at(tab, 7)
    for _ in range(3):
        tab.keyboard.press("PageUp", delay=10)
    at(tab, 4)


def test_the_arrows_step_on_after_a_dash_was_pressed(opened):
    tab = opened()
    tab.locator(".st-key-step button").nth(3).click()
    at(tab, 4)
    tab.keyboard.press("ArrowRight")
    at(tab, 5)


def test_at_the_end_the_keys_are_the_browsers(opened):
    tab = opened(9)
    tab.keyboard.press("PageDown")
    tab.keyboard.press("ArrowRight")
    settled(tab)
    at(tab, 9)


def test_who_types_keeps_every_key(opened):
    tab = opened(3)
    box = tab.locator(".st-key-words input")
    box.click()
    for key in ("a", " ", "b", "ArrowLeft", "ArrowRight", "PageDown", "PageUp"):
        tab.keyboard.press(key)
    settled(tab)
    at(tab, 3)
    expect(box).to_have_value("a b")


def test_a_focused_chart_keeps_the_arrows_and_space(opened):
    tab = opened(3)
    tab.locator(CHART).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", " "):
        tab.keyboard.press(key)
    settled(tab)
    at(tab, 3)
    expect(tab.locator(".st-key-stepper-formula .katex-mathml")).to_contain_text("p=1:")
    tab.keyboard.press("PageDown")
    at(tab, 4)


def test_space_on_a_pressed_button_presses_it_once(opened):
    tab = opened(3)
    tab.locator(".st-key-stepper-go-back button").click()
    at(tab, 2)
    tab.keyboard.press(" ")
    at(tab, 1)


def test_a_dash_leads_to_its_step(opened):
    tab = opened()
    tab.locator(".st-key-step button").nth(6).click()
    at(tab, 7)


def test_out_of_sight_the_remotes_keys_scroll(opened):
    tab = opened(1, size="phone")
    tab.evaluate("() => (document.querySelector('.st-key-stepper-way').style.marginTop = '2000px')")
    tab.keyboard.press("PageDown")
    settled(tab)
    at(tab, 1)


def test_a_click_on_a_bar_picks_that_key(opened):
    tab = opened(7)
    tab.mouse.click(*spot(tab, "stepper-chart", 0.001, 4))
    expect(tab.get_by_role("heading", level=2).first).to_contain_text("look at “·六”")


@pytest.mark.parametrize("size", ["desktop", "phone", "narrow"])
@pytest.mark.parametrize("step", range(1, 10))
def test_nothing_is_wider_than_the_screen(opened, size, step):
    tab = opened(step, size=size)
    wide = tab.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0
    assert tab.locator(".st-key-stepper-formula .katex-display").evaluate("it => it.scrollWidth - it.clientWidth") <= 1
    for part in (".st-key-stepper-go-back button", ".st-key-stepper-go-on button", ".st-key-step"):
        box = tab.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= tab.viewport_size["width"]
