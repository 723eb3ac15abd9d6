"""The Compare page in a real browser: six schemes, linked hover, and nothing cut at three sizes."""

import pytest
from playwright.sync_api import Page, expect

from model import lab_results
from model.lab_results import SCHEMES
from tests.browser.places import spot
from tests.browser.server import ROOT

ALL = ",".join(SCHEMES)


@pytest.fixture
def opened(serve, open_page):
    """A function that opens the Compare page with six schemes and waits for its last picture."""
    if not (lab_results.WEIGHTS / "results.json").exists():
        pytest.skip(f"this makes the lab's table: {lab_results.COMMAND}")

    def start(address: str = "", last: str = "compare-losses", **settings) -> Page:
        tab = open_page(**settings)
        tab.goto(f"{serve(ROOT / 'app.py')}/compare?schemes={ALL}{address}")
        tab.locator(f".st-key-{last} .nsewdrag").first.wait_for(timeout=120_000)
        return tab

    return start


def test_pointing_at_a_cell_marks_it_in_every_scheme_and_a_click_picks_it(opened):
    tab = opened()
    tab.mouse.move(*spot(tab, "square-rope", 2, 8, scroll=True), steps=4)
    for scheme in SCHEMES[1:]:
        expect(tab.locator(f".st-key-square-{scheme} .glass-link")).to_be_visible()
        expect(tab.locator(f".st-key-square-{scheme} .hoverlayer")).to_contain_text("·took")
    expect(tab.locator(".st-key-compare-losses .glass-link")).to_be_visible()
    tab.mouse.click(*spot(tab, "square-rope", 2, 8, scroll=True))
    expect(tab.get_by_label("Query 0–9")).to_have_value("8")
    expect(tab.get_by_label("Key 0–9")).to_have_value("2")


def test_typing_updates_all_six_in_place_and_past_64_tokens_learned_gives_way_to_words(opened):
    tab = opened()
    tab.evaluate("() => document.querySelectorAll('.js-plotly-plot').forEach((plot) => { plot.mark = 'kept' })")
    box = tab.locator(".st-key-text input")
    box.fill("The cat sat on the mat because it was tired. " * 7)
    expect(tab.get_by_text("Undefined: the learned table")).to_be_visible()
    expect(tab.locator(".st-key-square-learned")).to_have_count(0)
    kept = "() => document.querySelector('.st-key-square-rope .js-plotly-plot').mark"
    assert tab.evaluate(kept) == "kept"
    tab.wait_for_function(
        "() => document.querySelector('.st-key-square-rope .js-plotly-plot')._fullData[0].z.length === 64"
    )


@pytest.mark.parametrize("part", ["sentence", "length", "moved", "training"])
def test_nothing_is_cut_at_three_sizes_in_chinese(opened, part):
    last = {
        "sentence": "compare-losses",
        "length": "length-none",
        "moved": "compare-moved",
        "training": "training-none",
    }
    tab = opened(f"&lang=中文&part={part}", last[part], locale="zh-CN")
    for width, height in ((1280, 720), (390, 844), (1920, 1080)):
        tab.set_viewport_size({"width": width, "height": height})
        tab.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
        overflow = (
            "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth - m.clientWidth }"
        )
        assert tab.evaluate(overflow) <= 0
