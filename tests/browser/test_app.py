"""The app in a real browser: typing, picking, taking away, reloading."""

import re
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SIZES
from tests.browser.places import STICKING, spot
from tests.browser.server import ROOT

SMOLLM2 = {"GLASSFORMER_MODELS": "smollm2"}
EXAMPLE = "The cat sat on the mat because it was tired."


@pytest.fixture
def opened(serve, open_page):
    """A function that opens the Attention page and waits for its first picture."""

    def start(address: str = "", **settings) -> Page:
        tab = open_page(**settings)
        tab.goto(serve(ROOT / "app.py", SMOLLM2) + "/attention" + address)
        cells(tab).wait_for(timeout=120_000)
        return tab

    return start


def cells(tab: Page):
    return tab.locator(".st-key-head-chart .heatmaplayer image").first


def box(tab: Page):
    return tab.locator(".st-key-text input")


def chips(tab: Page):
    return tab.locator(".st-key-strip button")


def shown_weights(tab: Page) -> list[list[float | None]]:
    """The cells as the browser holds them."""
    return tab.evaluate(
        """() => {
          const plot = document.querySelector(".st-key-head-chart .js-plotly-plot")
          return Array.from(plot._fullData[0].z, (row) => Array.from(row, (x) => (Number.isNaN(x) ? null : x)))
        }"""
    )


def heading(tab: Page, text: str) -> None:
    expect(tab.get_by_role("heading", name=text, exact=True)).to_be_visible()


def test_the_first_picture_is_the_examples_and_its_numbers_are_the_models(opened, smollm2):
    tab = opened()
    tokens = smollm2.tokenizer.encode(EXAMPLE)
    ours = smollm2.run(tokens).blocks[13].attention.weights[8].tolist()
    shown = shown_weights(tab)
    for row in range(len(tokens)):
        assert shown[row][: row + 1] == pytest.approx(ours[row][: row + 1], abs=1e-6)
        assert all(cell is None for cell in shown[row][row + 1 :])
    heading(tab, "How “·it” came to look at “·cat” with 0.804")


def test_typing_updates_the_heatmap_key_by_key_and_keeps_the_zoom(opened):
    tab = opened()
    plot = "document.querySelector('.st-key-head-chart .js-plotly-plot')"
    tab.wait_for_function(f"() => {plot}._ev?._events?.plotly_relayout")  # until the element listens for a zoom
    tab.evaluate(
        """() => Plotly.relayout(document.querySelector(".st-key-head-chart .js-plotly-plot"),
             {"xaxis.range": [0.5, 6.5], "yaxis.range": [8.5, 2.5]})"""
    )
    box(tab).press("End")
    box(tab).press_sequentially(" It slept", delay=30)
    expect(chips(tab)).to_have_count(13)
    tab.wait_for_function(
        "() => document.querySelector('.st-key-head-chart .js-plotly-plot')._fullData[0].z.length === 13"
    )
    kept = tab.evaluate("() => document.querySelector('.st-key-head-chart .js-plotly-plot')._fullLayout.xaxis.range")
    assert kept == pytest.approx([0.5, 6.5], abs=0.6)


def test_a_sentence_typed_over_another_is_in_the_address_to_its_last_letter(opened):
    """Python sets no picker meanwhile: Streamlit would write its own, older text into the address."""
    tab = opened("?text=One+two+three+four+five&query=4&key=3&lang=EN")
    for text in ("A b", "Now there is another sentence, a longer one"):
        box(tab).press("ControlOrMeta+a")
        box(tab).press_sequentially(text, delay=20)
        expect(tab).to_have_url(re.compile(re.escape(quote_plus(text)) + "$|" + re.escape(quote_plus(text)) + "&"))
        tab.wait_for_timeout(1500)  # until every answer has come, also one to an earlier letter
        expect(tab).to_have_url(re.compile(re.escape(quote_plus(text)) + "$|" + re.escape(quote_plus(text)) + "&"))


def test_an_input_method_sends_its_text_once_it_is_composed(opened):
    tab = opened()
    box(tab).fill("")
    expect(chips(tab)).to_have_count(0)
    session = tab.context.new_cdp_session(tab)
    box(tab).focus()
    for composing in ("n", "ni", "ni h", "ni hao"):
        session.send(
            "Input.imeSetComposition", {"text": composing, "selectionStart": 0, "selectionEnd": len(composing)}
        )
    tab.wait_for_timeout(300)
    expect(chips(tab)).to_have_count(0)
    session.send("Input.insertText", {"text": "你好"})
    expect(chips(tab).first).to_be_visible()
    expect(tab.locator(".st-key-strip")).to_contain_text("你")


def test_a_click_on_a_cell_shows_its_numbers_and_the_address_keeps_it(opened):
    tab = opened()
    tab.mouse.click(*spot(tab, "head-chart", 5, 8))
    numbers = f"How “·was” came to look at “·mat” with {shown_weights(tab)[8][5]:.3f}"
    heading(tab, numbers)
    expect(tab).to_have_url(re.compile("query=8.*key=5|key=5.*query=8"))
    tab.reload()
    heading(tab, numbers)


def test_a_chip_makes_its_token_the_query(opened):
    tab = opened()
    chips(tab).nth(3).click()
    heading(tab, "Row of “·on”")


def test_a_reload_restores_text_language_layer_and_head(opened):
    tab = opened("?text=One+two+three&layer=16&head=0&lang=zh")
    heading(tab, "第 16 层 · 第 0 个头（从 0 数）")
    box(tab).press("End")
    box(tab).press_sequentially(" four")
    expect(tab).to_have_url(re.compile("four"))
    tab.reload()
    heading(tab, "第 16 层 · 第 0 个头（从 0 数）")
    expect(box(tab)).to_have_value("One two three four")


def test_the_browsers_language_comes_first_and_can_be_changed(opened):
    tab = opened(locale="zh-CN")
    heading(tab, "第 13 层 · 第 8 个头（从 0 数）")
    tab.locator(".st-key-lang").get_by_text("EN", exact=True).click()
    heading(tab, "Layer 13 · head 8")


def test_check_agrees_on_this_text(opened):
    tab = opened()
    tab.locator(".st-key-check-head button").first.click()
    expect(tab.get_by_text("NumPy agrees").first).to_be_visible()
    box(tab).press("End")
    box(tab).press_sequentially("!")
    expect(tab.get_by_text("NumPy agrees")).to_have_count(0)


def test_a_text_too_long_keeps_the_last_picture_dimmed(opened):
    tab = opened()
    box(tab).fill("word " * 300)
    expect(tab.get_by_role("status")).to_contain_text("256")
    expect(chips(tab)).to_have_count(11)
    expect(tab.locator(".st-key-picture")).to_have_css("opacity", "0.4")
    box(tab).fill("Short again")
    expect(tab.locator(".st-key-picture")).to_have_css("opacity", "1")


def test_what_waits_for_new_numbers_does_not_fade(opened):
    tab = opened()
    tab.evaluate("""() => {
      window.waiting = window.fading = 0
      const look = () => {
        const stale = [...document.querySelectorAll('[data-stale="true"]')]
        window.waiting += stale.length
        const fades = (node) => node.getAnimations().length || getComputedStyle(node).opacity < 1
        window.fading += stale.filter(fades).length
        requestAnimationFrame(look)
      }
      look()
    }""")
    box(tab).press("End")
    box(tab).press_sequentially(" then it ran", delay=40)
    expect(chips(tab)).to_have_count(14)
    assert tab.evaluate("() => window.waiting") > 0
    assert tab.evaluate("() => window.fading") == 0


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_nothing_sticks_out_at_any_width(opened, size, locale):
    tab = opened(size=size, locale=locale)
    assert tab.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    assert not tab.evaluate(STICKING)


def test_no_key_press_is_lost_and_the_last_one_wins(opened, smollm2):
    tab = opened()
    box(tab).fill("")
    text = "The quick brown fox jumps over the lazy dog"
    box(tab).press_sequentially(text, delay=15)
    tokens = smollm2.tokenizer.encode(text)
    expect(box(tab)).to_have_value(text)
    expect(chips(tab)).to_have_count(len(tokens))
    ours = smollm2.run(tokens).blocks[13].attention.weights[8]
    tab.wait_for_function(
        "(n) => document.querySelector('.st-key-head-chart .js-plotly-plot')._fullData[0].z.length === n",
        arg=len(tokens),
    )
    assert shown_weights(tab)[-1] == pytest.approx(ours[-1].tolist(), abs=1e-6)


def test_the_keyboard_steps_through_the_cell_unless_the_sentence_is_being_typed(opened):
    tab = opened()
    box(tab).press("Escape")
    tab.keyboard.press("ArrowRight")
    expect(tab.locator(".st-key-stepper-what")).to_contain_text("Step 2 of")
    tab.keyboard.press("PageDown")
    expect(tab.locator(".st-key-stepper-what")).to_contain_text("Step 3 of")
    box(tab).click()
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Space")
    expect(box(tab)).to_have_value(re.compile(" "))
    expect(tab.locator(".st-key-stepper-what")).to_contain_text("Step 3 of")


def test_knobs_show_the_changed_head_beside_the_original(opened):
    tab = opened("?change=true")
    before = shown_weights(tab)
    tab.get_by_text("Causal mask", exact=True).click()
    expect(tab.locator(".st-key-changes-difference .heatmaplayer image").first).to_be_visible()
    assert shown_weights(tab) == before
    changed = tab.evaluate(
        "() => Array.from(document.querySelector('.st-key-changes-changed .js-plotly-plot')._fullData[0].z[0])"
    )
    assert all(weight > 0 for weight in changed)


def test_the_shared_link_opens_the_same_head_and_cell(opened, open_page):
    tab = opened("?text=One+two+three&layer=16&head=0&query=2&key=1")
    tab.get_by_role("button", name="Share").click()
    link = tab.locator(".stPopover code, [data-testid=stPopoverBody] code").first.inner_text()
    other = open_page(locale="zh-CN")
    other.goto(link)
    cells(other).wait_for(timeout=60_000)
    heading(other, "Layer 16 · head 0")


def test_the_address_of_a_page_opens_the_whole_app_also_on_a_new_server(serve, open_page):
    tab = open_page()
    tab.goto(serve(ROOT / "app.py", {**SMOLLM2, "GLASSFORMER_KEPT_MB": "300"}) + "/attention")
    cells(tab).wait_for(timeout=120_000)
    expect(tab.get_by_role("link", name="Overview")).to_be_visible()


def test_sentence_and_picks_survive_a_change_of_page_and_are_in_its_address(opened):
    tab = opened("?text=One+two+three&layer=16&head=1&lang=EN")
    chips(tab).nth(1).click()
    heading(tab, "Row of “·two”")
    tab.get_by_role("link", name="Overview").click()
    tab.locator(".st-key-machine-blocks .heatmaplayer image").first.wait_for()
    for _ in range(2):
        expect(box(tab)).to_have_value("One two three")
        expect(tab.locator(".st-key-layer input")).to_have_value("16")
        expect(tab.locator(".st-key-query input")).to_have_value("1")
        expect(tab).to_have_url(re.compile(r"/\?.*text=One(\+|%20)two(\+|%20)three"))
        tab.reload()
    tab.get_by_role("link", name="Attention").first.click()
    heading(tab, "Row of “·two”")
    heading(tab, "Layer 16 · head 1")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_the_overview_is_the_first_picture_and_leads_to_attention(serve, open_page, locale):
    tab = open_page(locale=locale)
    tab.goto(serve(ROOT / "app.py"))
    tab.locator(".st-key-machine-blocks .heatmaplayer image").first.wait_for(timeout=120_000)
    bottom = tab.locator(".st-key-machine-blocks .js-plotly-plot").evaluate(
        "(plot) => plot.getBoundingClientRect().bottom"
    )
    assert bottom <= 720
    tab.locator(".st-key-picture [data-testid=stPageLink] a").first.click()
    cells(tab).wait_for()
