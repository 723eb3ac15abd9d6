"""Charts of one link: what is pointed at in one is marked in the others, with their own numbers."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

HARNESS = Path(__file__).parent / "harness" / "linked.py"
NAMES = ("one", "other", "table", "alone", "first", "second")


@pytest.fixture
def linked(page: Page, serve) -> Page:
    page.goto(serve(HARNESS))
    for name in NAMES:
        page.locator(f".st-key-{name} .nsewdrag").first.wait_for()
    page.wait_for_function(
        "count => [...document.querySelectorAll('.js-plotly-plot')].filter((plot) => plot._ev).length === count",
        arg=len(NAMES),
    )
    return page


def point(page: Page, name: str, across: float, along: float) -> None:
    """Moves the mouse to these shares of the chart's window, as a hand does, in a few steps."""
    box = page.locator(f".st-key-{name} .nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + across * box["width"], box["y"] + along * box["height"], steps=4)


def mark(page: Page, name: str):
    return page.locator(f".st-key-{name} .glass-link")


def told(page: Page, name: str):
    return page.locator(f".st-key-{name} .hoverlayer")


def shares(page: Page, name: str) -> list[float]:
    """The frame's left, top, right and bottom as shares of the chart's window."""
    window = page.locator(f".st-key-{name} .nsewdrag").first.bounding_box()
    frame = mark(page, name).bounding_box()
    left, top = (frame["x"] - window["x"]) / window["width"], (frame["y"] - window["y"]) / window["height"]
    return [left, top, left + frame["width"] / window["width"], top + frame["height"] / window["height"]]


def test_a_cell_is_marked_in_every_chart_of_its_group_with_their_own_number(linked):
    point(linked, "one", 0.5, 0.3)  # row 1, column 2
    expect(mark(linked, "other")).to_be_visible()
    expect(told(linked, "other")).to_contain_text("1, 2: 14")
    assert shares(linked, "other") == pytest.approx([0.4, 0.2, 0.6, 0.4], abs=0.02)
    assert shares(linked, "table") == pytest.approx([0.2, 0, 0.4, 1], abs=0.02)  # its columns count queries
    for name in ("one", "alone", "first"):
        expect(mark(linked, name)).to_be_hidden()


def test_a_column_of_the_table_marks_a_row_of_the_squares(linked):
    point(linked, "table", 0.7, 0.5)
    expect(mark(linked, "one")).to_be_visible()
    assert shares(linked, "one") == pytest.approx([0, 0.6, 1, 0.8], abs=0.02)


def test_leaving_takes_every_mark_away_and_so_do_new_data(linked):
    point(linked, "one", 0.5, 0.3)
    expect(mark(linked, "other")).to_be_visible()
    linked.mouse.move(2, 2, steps=4)
    expect(mark(linked, "other")).to_be_hidden()
    expect(told(linked, "other")).to_be_empty()
    linked.get_by_label("Sentence").click()
    point(linked, "one", 0.5, 0.3)
    expect(mark(linked, "other")).to_be_visible()
    linked.keyboard.type("ab")
    linked.keyboard.press("Enter")
    expect(mark(linked, "other")).to_be_hidden()


def test_a_place_on_a_curve_is_marked_on_the_other_curve(linked):
    point(linked, "first", 0.5, 0.5)
    expect(mark(linked, "second")).to_be_visible()
    expect(told(linked, "second")).to_contain_text("4")
    expect(mark(linked, "one")).to_be_hidden()


def test_the_keyboards_cursor_marks_as_the_mouse_does(linked):
    stage = linked.locator(".st-key-one .glass-stage")
    stage.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        linked.keyboard.press(key)
    expect(told(linked, "other")).to_contain_text("1, 2: 14")
    linked.keyboard.press("Escape")
    expect(mark(linked, "other")).to_be_hidden()
