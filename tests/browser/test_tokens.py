"""The token strip in a real browser: order, groups, picking by mouse and keyboard, many chips, both themes."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_chart import contrast

HARNESS = Path(__file__).parent / "harness" / "chips.py"


@pytest.fixture
def url(serve) -> str:
    return serve(HARNESS)


def strip(page: Page, url: str, key: str = "mixed") -> Locator:
    page.goto(url)
    found = page.locator(f".st-key-{key} .glass-strip")
    expect(found.get_by_role("button").first).to_be_visible()
    return found


def chip(found: Locator, index: int) -> Locator:
    return found.locator(f"button[data-index='{index}']")


def test_a_click_reports_the_index_and_sets_a_widget(page, url):
    found = strip(page, url)
    chip(found, 6).click()
    expect(page.get_by_text("mixed: 6")).to_be_visible()
    expect(page.get_by_text("query: 6")).to_be_visible()
    expect(chip(found, 6)).to_have_attribute("aria-pressed", "true")
    expect(chip(found, 1)).to_have_attribute("aria-pressed", "false")


def test_query_and_key_are_told_apart_by_letter_and_by_words_not_only_by_colour(page, url):
    found = strip(page, url)
    expect(found.get_by_role("button", name="token 1: ·cat, id 507, query", exact=True)).to_contain_text("1 q")
    expect(chip(found, 7)).to_contain_text("7 k")
    expect(chip(found, 7)).to_have_attribute("aria-label", "token 7: 9C, id 549, part 2 of 2 of 东, key")


@pytest.mark.parametrize("key", ["Enter", " "])
def test_the_keyboard_walks_over_the_chips_and_picks(page, url, key):
    found = strip(page, url)
    page.get_by_label("Sentence").focus()
    page.keyboard.press("Tab")
    expect(chip(found, 1)).to_be_focused()  # the picked chip is the strip's one Tab stop
    for arrow in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(arrow)
    expect(chip(found, 2)).to_be_focused()
    page.keyboard.press(key)
    expect(page.get_by_text("mixed: 2")).to_be_visible()
    expect(chip(found, 2)).to_be_focused()
    page.keyboard.press("End")
    expect(chip(found, 14)).to_be_focused()
    page.keyboard.press("Home")
    expect(chip(found, 0)).to_be_focused()


def test_up_and_down_go_to_the_chip_of_the_next_line(page, url):
    found = strip(page, url, "many")
    chip(found, 5).focus()
    page.keyboard.press("ArrowDown")
    below = page.evaluate(
        "() => { const b = document.activeElement.getBoundingClientRect(); return [b.x, b.y, b.width] }"
    )
    above = chip(found, 5).bounding_box()
    assert below[1] > above["y"] + above["height"] / 2
    assert below[1] < above["y"] + 2 * above["height"]
    assert below[0] < above["x"] + above["width"]
    assert below[0] + below[2] > above["x"]
    page.keyboard.press("ArrowUp")
    expect(chip(found, 5)).to_be_focused()


def test_the_tokens_of_one_character_are_joined_and_named(page, url):
    found = strip(page, url)
    boxes = [chip(found, index).bounding_box() for index in range(8)]
    gaps = [right["x"] - (left["x"] + left["width"]) for left, right in pairwise(boxes)]
    joined = [gap <= 0 for gap in gaps]
    assert joined == [False, False, True, True, True, False, True]
    wholes = found.locator(".glass-whole:visible")
    expect(wholes).to_have_text(["😀", "东"])
    last = wholes.nth(1).bounding_box()
    assert last["y"] >= boxes[6]["y"] + boxes[6]["height"] - 1
    assert boxes[6]["x"] <= last["x"] + last["width"] / 2 <= boxes[7]["x"] + boxes[7]["width"]


def test_the_order_is_the_order_of_the_tokens_in_every_script(page, url):
    found = strip(page, url)
    chips = found.get_by_role("button")
    boxes = [box.bounding_box() for box in chips.all()]
    expect(found.locator("bdi.glass-text")).to_have_text(
        [
            "The",
            "·cat",
            "F0",
            "9F",
            "98",
            "80",
            "E4 B8",
            "9C",
            "·السلام",
            "·عليكم",
            "·שלום",
            "<b>",
            "·👩‍👩‍👧",
            "&amp;",
            "<|endoftext|>",
        ]
    )
    for left, right in pairwise(boxes):
        assert right["x"] > left["x"] or right["y"] > left["y"]


def test_typing_on_keeps_the_chips_that_are_there(page, url):
    found = strip(page, url, "typed")
    chip(found, 1).evaluate("node => { node.mark = 'kept' }")
    page.get_by_label("Sentence").fill("a b c d")
    expect(found.get_by_role("button")).to_have_count(4)
    assert chip(found, 1).evaluate("node => node.mark") == "kept"
    page.get_by_label("Sentence").fill("z")
    expect(found.get_by_role("button")).to_have_count(1)
    expect(chip(found, 0)).to_contain_text("z")


def test_256_chips_scroll_inside_the_strip_and_the_picked_one_is_seen(page, url):
    found = strip(page, url, "many")
    expect(found.get_by_role("button")).to_have_count(256)
    row = chip(found, 0).bounding_box()["height"]
    assert found.bounding_box()["height"] <= 9 * row
    top = page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTop")
    query = page.get_by_label("Query", exact=True)
    query.fill("250")
    query.press("Enter")
    expect(chip(found, 250)).to_have_attribute("aria-pressed", "true")
    window, box = found.bounding_box(), chip(found, 250).bounding_box()
    assert window["y"] <= box["y"]
    assert box["y"] + box["height"] <= window["y"] + window["height"]
    assert page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTop") == top


@pytest.mark.parametrize("size", ["desktop", "phone", "narrow"])
def test_no_chip_is_cut_at_any_width(open_page, url, size):
    page = open_page(size)
    found = strip(page, url)
    assert page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    for box in (each.bounding_box() for each in found.get_by_role("button").all()):
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= page.viewport_size["width"]


@pytest.mark.parametrize("dark", [False, True])
def test_text_on_a_chip_has_contrast_at_every_shade(open_page, url, dark):
    page = open_page(dark=dark)
    found = strip(page, url, "shades")
    colours = """node => {
      const canvas = document.createElement("canvas").getContext("2d")
      const seen = (colour) => {
        canvas.fillStyle = colour
        canvas.fillRect(0, 0, 1, 1)
        return [...canvas.getImageData(0, 0, 1, 1).data]
      }
      const texts = [node.querySelector(".glass-text"), ...node.querySelectorAll(".glass-small")]
      return [getComputedStyle(node).backgroundColor, ...texts.map(text => getComputedStyle(text).color)].map(seen)
    }"""
    papers = []
    for each in found.get_by_role("button").all():
        paper, *texts = (np.array(colour[:3], float) for colour in each.evaluate(colours))
        papers.append(tuple(paper))
        for text in texts:
            assert contrast(text, paper) >= 4.5
    assert len(set(papers)) == len(papers)  # every shade is another colour


def test_a_focused_strip_leaves_other_keys_to_the_page(page, url):
    found = strip(page, url)
    chip(found, 1).focus()
    page.keyboard.press("Escape")
    expect(chip(found, 1)).not_to_be_focused()
