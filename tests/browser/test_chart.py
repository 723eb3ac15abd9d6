"""The chart element in a real browser: updates in place, keeps the zoom, reports cells, gives its numbers away."""

import csv
import io
import zipfile
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.harness.charts import LABELS as WORDS
from tests.browser.harness.charts import heatmap, weights
from ui.element import STUB, version

HARNESS = Path(__file__).parent / "harness" / "charts.py"
START = "the cat sat on the mat"
LABELS = [
    "4 4 4 4",
    "2024-01-02 2024-01-02 1e3 007",
    "<b> <i>x</i> &amp; <br>",
    "السلام عليكم שלום a",
    "'q' =1+1 @x -y",
]


@pytest.fixture
def url(serve) -> str:
    return serve(HARNESS)


def opened(page: Page, url: str, sentence: str = START, more: bool = False) -> Locator:
    """The page with its heatmap drawn for all the words of the sentence; returns the plot."""
    page.goto(f"{url}/?sentence={quote(sentence)}{'&more=1' if more else ''}")
    return drawn(page, len(sentence.split()))


def drawn(page: Page, length: int) -> Locator:
    plot = page.locator(".st-key-heat .glass-plot")
    expect(plot.locator(".heatmaplayer image")).to_have_count(1)
    expect(page.get_by_role("img", name=f"Weights of {length} queries", exact=False)).to_be_attached()
    page.wait_for_function(
        "length => document.querySelector('.st-key-heat .glass-plot')?._fullData?.[0]?.z?.length === length", arg=length
    )
    return plot


def centre(plot: Locator, row: int, column: int, length: int) -> tuple[float, float]:
    box = plot.locator(".nsewdrag").first.bounding_box()
    return box["x"] + (column + 0.5) * box["width"] / length, box["y"] + (row + 0.5) * box["height"] / length


def ranges(plot: Locator) -> list[float]:
    return plot.evaluate("node => [...node._fullLayout.xaxis.range, ...node._fullLayout.yaxis.range]")


def zoom(page: Page, plot: Locator, length: int) -> list[float]:
    """Drags a box over the cells 1…3 and returns the ranges that this leaves."""
    before = ranges(plot)
    page.mouse.move(*centre(plot, 1, 1, length))
    page.mouse.down()
    page.mouse.move(*centre(plot, 3, 3, length), steps=8)
    page.mouse.up()
    page.wait_for_function(
        "before => JSON.stringify((l => [...l.xaxis.range, ...l.yaxis.range])"
        "(document.querySelector('.st-key-heat .glass-plot')._fullLayout)) !== JSON.stringify(before)",
        arg=before,
    )
    return ranges(plot)


def typed(page: Page, sentence: str) -> Locator:
    page.get_by_label("Sentence").fill(sentence)
    return drawn(page, len(sentence.split()))


def saved(page: Page, name: str, key: str = "heat") -> tuple[str, bytes]:
    with page.expect_download() as download:
        page.locator(f".st-key-{key}").get_by_role("button", name=name, exact=True).click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def test_typing_updates_the_same_dom_node(page, url):
    plot = opened(page, url)
    plot.evaluate("node => { node.mark = 'kept' }")
    plot = typed(page, START + " today again")
    assert plot.evaluate("node => node.mark") == "kept"


def test_the_end_of_an_overtaken_call_leaves_the_chart_as_it_is(page, url):
    """Where new data come before a call is through, Streamlit ends that call though the element stays."""
    opened(page, url)
    figure = heatmap(START.split(), {"ink": "#1B2035", "scale": [[0, "#FBFAF6"], [1, "#171D55"]]}).to_json()
    data = {"figure": figure, "key": "k", "alt": "a", "height": 200, "view": "", "words": WORDS}
    kept = page.evaluate(
        """async ([code, data]) => {
          const module = URL.createObjectURL(new Blob([code], { type: "text/javascript" }))
          const { default: draw } = await import(module)
          const parentElement = document.createElement("div")
          parentElement.innerHTML = "<figure></figure>"
          document.body.append(parentElement)
          const settled = () => new Promise((done) => setTimeout(done, 300))
          const call = () => draw({ parentElement, data: { ...data }, setTriggerValue() {} })
          const [overtaken, newest] = [call(), call()]
          await settled()
          const stage = parentElement.querySelector(".glass-stage")
          await overtaken()
          const last = call()
          await settled()
          const same = parentElement.querySelector(".glass-stage") === stage
          await newest()
          await last()
          const gone = !stage.querySelector(".main-svg")
          parentElement.remove()
          return [same, gone]
        }""",
        [STUB.format(script="chart.js", version=version()), data],
    )
    assert kept == [True, True]


def test_the_values_on_screen_are_the_values_of_the_new_sentence(page, url):
    plot = opened(page, url)
    plot = typed(page, "one two three")
    shown = plot.evaluate("node => node._fullData[0].z.map(row => [...row])")
    expected = weights(["one", "two", "three"])
    np.testing.assert_array_equal(np.array(shown, np.float32), expected)


@pytest.mark.parametrize("sentence", [START, *LABELS])
def test_a_click_reports_trace_row_and_column_whatever_the_labels(page, url, sentence):
    plot = opened(page, url, sentence)
    length = len(sentence.split())
    page.mouse.click(*centre(plot, 2, 1, length))
    expect(page.get_by_text("pick: Pick(trace=0, row=2, column=1)")).to_be_visible()


@pytest.mark.parametrize("sentence", LABELS)
def test_labels_are_shown_as_they_were_typed(page, url, sentence):
    plot = opened(page, url, sentence)
    expect(plot.locator(".ytick text")).to_have_text(sentence.split())


def test_a_masked_cell_can_be_picked_too(page, url):
    plot = opened(page, url)
    page.mouse.click(*centre(plot, 1, 4, 6))
    expect(page.get_by_text("pick: Pick(trace=0, row=1, column=4)")).to_be_visible()


def test_a_pick_sets_a_widget_and_is_not_repeated_by_a_later_run(page, url):
    plot = opened(page, url)
    page.mouse.click(*centre(plot, 4, 2, 6))
    expect(page.get_by_label("Row")).to_have_value("4")
    expect(page.get_by_text("calls: 1, tokens: 6")).to_be_visible()
    typed(page, START + " now")
    expect(page.get_by_text("pick: None")).to_be_visible()
    expect(page.get_by_text("calls: 1, tokens: 7")).to_be_visible()


def test_the_same_cell_can_be_picked_twice(page, url):
    plot = opened(page, url)
    for calls in (1, 2):
        page.mouse.click(*centre(plot, 4, 2, 6))
        expect(page.get_by_text(f"calls: {calls}, tokens: 6")).to_be_visible()
        page.wait_for_timeout(400)  # two presses within 300 ms would be a double click


def test_zoom_survives_typing_on(page, url):
    plot = opened(page, url)
    zoomed = zoom(page, plot, 6)
    plot = typed(page, START + " today")
    assert ranges(plot) == pytest.approx(zoomed)


def test_another_view_shows_the_whole_figure_again(page, url):
    plot = opened(page, url)
    zoom(page, plot, 6)
    page.get_by_label("View").fill("second")
    page.get_by_label("View").press("Enter")
    page.wait_for_function(
        "() => document.querySelector('.st-key-heat .glass-plot')._fullLayout.xaxis.range[1] === 5.5"
    )
    assert ranges(plot) == [-0.5, 5.5, 5.5, -0.5]


def test_a_double_click_shows_the_whole_of_the_present_sentence(page, url):
    plot = opened(page, url)
    zoom(page, plot, 6)
    plot = typed(page, START + " today")
    box = plot.locator(".nsewdrag").first.bounding_box()
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function(
        "() => document.querySelector('.st-key-heat .glass-plot')._fullLayout.xaxis.range[1] === 6.5"
    )
    assert ranges(plot) == [-0.5, 6.5, 6.5, -0.5]
    plot = typed(page, START)
    assert ranges(plot) == [-0.5, 5.5, 5.5, -0.5]


def test_hover_shows_the_number_and_its_tokens_and_stays_while_typing(page, url):
    plot = opened(page, url)
    page.get_by_label("Sentence").focus()
    page.mouse.move(*centre(plot, 3, 1, 6))
    value = weights(START.split())[3, 1]
    hover = plot.locator(".hovertext .nums")
    expect(hover).to_contain_text(f"{value:.3f}")
    expect(hover).to_contain_text("query on")
    page.keyboard.type("s")
    drawn(page, 6)
    expect(hover).to_be_visible()


def test_the_keyboard_walks_and_picks(page, url):
    plot = opened(page, url)
    stage = page.locator(".st-key-heat .glass-stage")
    page.get_by_label("Row").focus()
    while not stage.evaluate("node => node === document.activeElement"):
        page.keyboard.press("Tab")
    cursor = page.locator(".st-key-heat .glass-cursor")
    expect(cursor).to_be_visible()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    box = cursor.bounding_box()
    x, y = centre(plot, 2, 1, 6)
    assert (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) == pytest.approx((x, y), abs=1.5)
    said = page.locator(".st-key-heat [aria-live]")
    expect(said).to_have_text(f"sat, cat: {float(f'{weights(START.split())[2, 1]:.3g}')}")
    expect(plot.locator(".hovertext .nums")).to_contain_text("query sat")
    page.keyboard.press("Enter")
    expect(page.get_by_text("pick: Pick(trace=0, row=2, column=1)")).to_be_visible()
    page.keyboard.press("End")
    page.keyboard.press(" ")
    expect(page.get_by_text("pick: Pick(trace=0, row=2, column=5)")).to_be_visible()
    page.keyboard.press("Escape")
    expect(cursor).to_be_hidden()
    assert not stage.evaluate("node => node === document.activeElement")


def test_the_arrows_go_on_from_a_clicked_cell_and_stop_at_the_edge(page, url):
    plot = opened(page, url)
    page.mouse.click(*centre(plot, 4, 4, 6))
    expect(page.get_by_text("row=4, column=4")).to_be_visible()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_text("row=4, column=5")).to_be_visible()


def test_a_focused_chart_keeps_the_arrows_from_the_page(page, url):
    plot = opened(page, url, more=True)
    page.mouse.click(*centre(plot, 4, 4, 6))
    expect(page.get_by_text("row=4, column=4")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_text("row=4, column=5")).to_be_visible()
    expect(page.get_by_text("stepped: False")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("stepped: True")).to_be_visible()


def test_the_keyboard_steps_by_tiles_on_a_wall(page, url):
    opened(page, url, more=True)
    page.locator(".st-key-wall .glass-stage").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_text("wall: Pick(trace=0, row=4, column=8)")).to_be_visible()


def test_points_and_bars_report_their_number_and_their_curve(page, url):
    opened(page, url, more=True)
    plot = page.locator(".st-key-curves .glass-plot")
    plot.scroll_into_view_if_needed()
    box = plot.locator(".barlayer .point").nth(4).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_text("curves: Pick(trace=1, row=4, column=1)")).to_be_visible()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.get_by_text("curves: Pick(trace=0, row=3, column=0)")).to_be_visible()


def test_a_camera_survives_typing_on(page, url):
    opened(page, url, more=True)
    plot = page.locator(".st-key-space .glass-plot")
    expect(plot.locator("canvas").first).to_be_visible()
    plot.evaluate("node => Plotly.relayout(node, {'scene.camera.eye': {x: 0.3, y: 2, z: 0.7}})")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 80, box["y"] + box["height"] / 2 + 20, steps=5)
    page.mouse.up()
    eye = plot.evaluate("node => node._fullLayout.scene.camera.eye")
    typed(page, START + " again")
    assert plot.evaluate("node => node._fullLayout.scene.camera.eye") == eye


@pytest.mark.parametrize("size", ["desktop", "phone", "narrow"])
def test_nothing_is_wider_than_the_window(open_page, url, size):
    page = open_page(size)
    opened(page, url, more=True)
    overflow = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
    stage = page.locator(".st-key-heat .glass-stage").bounding_box()
    svg = page.locator(".st-key-heat .main-svg").first.bounding_box()
    assert svg["width"] == pytest.approx(stage["width"], abs=1)
    assert stage["x"] + stage["width"] <= page.viewport_size["width"]


def test_a_chart_taken_away_and_shown_again_is_whole(page, url):
    opened(page, url, more=True)
    page.get_by_text("Shown").click()
    expect(page.locator(".st-key-wall")).to_have_count(0)
    page.get_by_text("Shown").click()
    expect(page.locator(".st-key-wall .heatmaplayer image")).to_have_count(1)


def test_a_chart_in_a_closed_tab_has_the_right_width_when_it_opens(page, url):
    opened(page, url, more=True)
    page.get_by_role("tab", name="second").click()
    plot = page.locator(".st-key-hidden .glass-plot")
    expect(plot).to_be_visible()
    page.wait_for_function("() => document.querySelector('.st-key-hidden .glass-plot')._fullLayout?.width > 1000")


def test_the_chart_follows_the_width_of_the_window(page, url):
    plot = opened(page, url)
    page.set_viewport_size({"width": 600, "height": 720})
    stage = page.locator(".st-key-heat .glass-stage")
    page.wait_for_function("() => document.querySelector('.st-key-heat .glass-plot')._fullLayout.width < 600")
    assert plot.evaluate("node => node._fullLayout.width") == pytest.approx(stage.bounding_box()["width"], abs=1)


def test_a_finger_scrolls_the_page_and_a_tap_picks(open_page, url):
    page = open_page("phone", has_touch=True, is_mobile=True)
    plot = opened(page, url, more=True)
    page.touchscreen.tap(*centre(plot, 3, 1, 6))
    expect(page.get_by_text("pick: Pick(trace=0, row=3, column=1)")).to_be_visible()
    page.wait_for_timeout(500)  # longer than a double tap
    before = plot.bounding_box()["y"]
    swipe(page, *centre(plot, 4, 0, 6), up=150)
    assert plot.bounding_box()["y"] < before - 100
    page.touchscreen.tap(*centre(plot, 5, 2, 6))
    expect(page.get_by_text("pick: Pick(trace=0, row=5, column=2)")).to_be_visible()
    expect(page.get_by_text("calls: 2, tokens: 6")).to_be_visible()  # the swipe picked nothing


def swipe(page: Page, x: float, y: float, up: float) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 11):
        moved = [{"x": x, "y": y - up * step / 10}]
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": moved})
        page.wait_for_timeout(20)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(500)  # longer than a double tap


@pytest.mark.parametrize("dark", [False, True])
def test_the_text_on_the_page_has_contrast_in_both_themes(open_page, url, dark):
    page = open_page(dark=dark)
    opened(page, url)
    button = page.locator(".st-key-heat").get_by_role("button", name="PNG")
    expect(button).to_be_visible()
    background = page.locator("[data-testid=stApp]").evaluate("node => getComputedStyle(node).backgroundColor")
    ink = page.locator(".st-key-heat .xtick text").first.evaluate("node => getComputedStyle(node).fill")
    quiet = button.evaluate("node => [getComputedStyle(node).color, Number(getComputedStyle(node).opacity)]")
    paper, text = rgb(background), rgb(ink)
    assert (luminance(paper) < 0.2) == dark
    assert contrast(text, paper) >= 4.5
    assert contrast(rgb(quiet[0]) * quiet[1] + paper * (1 - quiet[1]), paper) >= 4.5


def rgb(colour: str) -> np.ndarray:
    return np.array([float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]])


def luminance(colour: np.ndarray) -> float:
    """Relative luminance, WCAG 2.2."""
    channel = colour / 255
    linear = np.where(channel <= 0.04045, channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_a_screen_reader_finds_the_picture_in_words_and_as_a_table(page, url):
    opened(page, url, "<b> cat sat")
    table = page.locator(".st-key-heat table")
    expect(table.locator("tr").nth(0).locator("th")).to_have_text(["", "<b>", "cat", "sat"])
    numbers = [f"{float(f'{value:.3g}')}" for value in weights(["<b>", "cat", "sat"])[2]]
    expect(table.locator("tr").nth(3).locator("td")).to_have_text(numbers)
    assert page.locator(".st-key-heat .glass-aside").bounding_box()["width"] <= 1
    expect(page.get_by_role("img", name="Weights of 3 queries and 3 keys")).to_be_attached()


def test_a_given_table_is_text_and_never_markup(page, url):
    opened(page, url, more=True)
    cells = page.locator(".st-key-wall table").locator("th, td")
    expect(cells).to_have_text(["", "a", "<b>", "1"])


def test_the_picture_is_a_real_png_and_a_real_svg(page, url):
    opened(page, url)
    name, png = saved(page, "PNG")
    assert name == "weights.png"
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert png[25] in (2, 6)  # colour type: true colour
    name, svg = saved(page, "SVG")
    assert name == "weights.svg"
    assert svg.startswith(b"<svg")
    assert b"cat" in svg


def test_the_npz_holds_exactly_the_numbers_of_the_figure(page, url):
    opened(page, url)
    name, content = saved(page, "NPZ")
    assert name == "weights.npz"
    assert zipfile.ZipFile(io.BytesIO(content)).testzip() is None
    arrays = np.load(io.BytesIO(content))
    assert arrays.files == ["weights"]
    assert arrays["weights"].dtype == np.float32
    np.testing.assert_array_equal(arrays["weights"], weights(START.split()))


def test_the_csv_gives_back_the_same_float32_numbers(page, url):
    sentence = 'a,b "c" =1+1 <i> 东'
    opened(page, url, sentence)
    _, content = saved(page, "CSV")
    head, *rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert head == ["", "a,b", '"c"', "'=1+1", "<i>", "东"]
    assert [row[0] for row in rows] == head[1:]
    numbers = np.array([[float(cell or "nan") for cell in row[1:]] for row in rows], np.float32)
    np.testing.assert_array_equal(numbers, weights(sentence.split()))


def test_the_code_is_saved_as_it_was_given(page, url):
    opened(page, url)
    name, content = saved(page, "code")
    assert name == "weights.py"
    assert content.decode() == "weights = softmax(scores)\n# 权重"


def test_curves_are_saved_point_by_point(page, url):
    opened(page, url, more=True)
    _, content = saved(page, "CSV", key="curves")
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert rows[0] == ["trace", "point", "x", "x_label", "y"]
    assert rows[2] == ["square", "1", "1", "<b>", "1"]
    assert rows[4] == ["square", "3", "3", "d", "9"]
    assert rows[7] == ["bars", "0", "0", "a", "30"]
    _, content = saved(page, "NPZ", key="curves")
    arrays = np.load(io.BytesIO(content))
    np.testing.assert_array_equal(arrays["curves_1_y"], 30 - np.arange(6, dtype=np.float32))
    expect(page.locator(".st-key-curves").get_by_role("button", name="code")).to_be_hidden()
