"""python -m benchmarks.keystroke: from a key press to the redrawn chart, in a real browser, against a floor.

The floor is a bare page, typed into in the same run, whose one chart alternates between two figures made beforehand,
of the same size. Bars: the head's heatmap within 1.3 × floor + one forward pass; the whole Attention page settled
within 4 × floor + one forward pass; one update of at most 300 kB at 32 tokens, the wall at 64 tokens at most 1 MB.
"""

import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from benchmarks.record import failed, record
from model import zoo
from tests.browser.server import ARGUMENTS, BROWSERS, beside_static, start_server

HERE = Path(__file__).parent
KEYS = 30
SMOLLM2 = {"GLASSFORMER_MODELS": "smollm2"}
TOKENS = 32
VIEW = {"width": 1280, "height": 720}
WATCH = """([chart]) => {
  window.drawn = []
  window.settled = 0
  const plots = () => [...document.querySelectorAll(".js-plotly-plot")]
  const watch = (plot) => {
    if (plot.watched) return
    plot.watched = true
    plot.on("plotly_afterplot", () => requestAnimationFrame(() => {
      window.settled = performance.now()
      if (plot.closest(".st-key-" + chart)) window.drawn.push(performance.now())
    }))
  }
  setInterval(() => plots().forEach(watch), 50)
  plots().forEach(watch)
  addEventListener("keydown", () => { window.pressed = performance.now(); window.drawn = []; window.settled = 0 }, true)
}"""


def main() -> int:
    """Types into both pages, one after the other, and writes results/keystroke.json."""
    chromium = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        with serving(HERE / "keystroke_floor.py") as url:
            floor = _typing(browser.new_page(viewport=VIEW), url, "floor-chart", "")
        with serving(HERE.parent / "app.py") as url:
            page = _typing(browser.new_page(viewport=VIEW), f"{url}/attention", "head-chart", _sentence())
        browser.close()
    forward = _forward()
    measured = {"floor_ms": floor["drawn"], "forward_ms": forward}
    rows = [
        _row("the head's heatmap redrawn", page["drawn"], 1.3 * floor["drawn"][0] + forward, "ms") | measured,
        _row("the whole page settled", page["settled"], 4 * floor["drawn"][0] + forward, "ms") | measured,
        _row("one update on the wire", page["kilobytes"], 300, "kB"),
    ]
    record("keystroke", rows, f"median and p95 (kB: most) of {KEYS} key presses at about {TOKENS} tokens, SmolLM2")
    return failed(rows)


def _row(what: str, found: tuple[float, float], allowed: float, unit: str) -> dict:
    ratio = found[0] / allowed
    return {
        "what": what,
        "unit": unit,
        "found": found,
        "allowed": round(allowed, 1),
        "ratio": round(ratio, 3),
        "holds": ratio <= 1,
    }


@contextmanager
def serving(script: Path) -> Iterator[str]:
    """A server of this script, until the block ends."""
    with TemporaryDirectory() as folder:
        url, process = start_server(beside_static(script, Path(folder) / "run"), SMOLLM2, Path(folder) / "log.txt")
        try:
            yield url
        finally:
            process.terminate()
            process.wait(timeout=20)


def _typing(tab: Page, url: str, chart: str, text: str) -> dict[str, tuple[float, float]]:
    received = []
    tab.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    tab.goto(url)
    tab.wait_for_selector(f".st-key-{chart} .main-svg", timeout=120_000)
    box = tab.locator(".st-key-text input")
    if text:
        box.fill(text)
        tab.wait_for_timeout(3000)
    tab.evaluate(WATCH, [chart])
    tab.wait_for_timeout(300)
    drawn, settled, sizes = [], [], []
    box.press("End")
    for number in range(KEYS + 5):
        received.clear()
        box.press("abcdefghij"[number % 10])
        tab.wait_for_function("() => window.drawn.length > 0", timeout=30_000)
        tab.wait_for_function("() => performance.now() - window.settled > 700", timeout=30_000)
        drawn.append(tab.evaluate("() => window.drawn[0] - window.pressed"))
        settled.append(tab.evaluate("() => window.settled - window.pressed"))
        sizes.append(sum(received) / 1000)
    return {"drawn": _summary(drawn[5:]), "settled": _summary(settled[5:]), "kilobytes": _summary(sizes[5:], most=True)}


def _summary(values: list[float], most: bool = False) -> tuple[float, float]:
    upper = max(values) if most else statistics.quantiles(values, n=20)[-1]
    return round(statistics.median(values), 1), round(upper, 1)


def _sentence() -> str:
    """A sentence of about the wanted number of tokens, that goes on growing by one key at a time."""
    return ("The cat sat on the mat because it was tired. " * 4)[:130]


def _forward() -> float:
    model = zoo.load("smollm2")
    times = []
    for number in range(KEYS):
        tokens = model.tokenizer.encode(_sentence() + "x" * number)
        start = time.perf_counter()
        model.light(tokens)
        times.append((time.perf_counter() - start) * 1000)
    return round(statistics.median(times), 1)


if __name__ == "__main__":
    sys.exit(main())
