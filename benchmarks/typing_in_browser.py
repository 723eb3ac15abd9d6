"""A page that is typed into, key by key, in a real browser: when its chart was drawn, when the page had settled."""

import shutil
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, Playwright

from tests.browser.server import ARGUMENTS, BROWSERS, beside_static, start_server

APP = Path(__file__).parent.parent / "app.py"
KEYS, UNCOUNTED = 30, 5
SMOLLM2 = {"GLASSFORMER_MODELS": "smollm2"}
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


def start(playwright: Playwright) -> Browser:
    """The machine's own browser, without a window."""
    path = next(filter(None, map(shutil.which, BROWSERS)))
    return playwright.chromium.launch(executable_path=path, args=ARGUMENTS)


@contextmanager
def serving(script: Path, environment: dict[str, str]) -> Iterator[str]:
    """A server of this script, until the block ends."""
    with TemporaryDirectory() as folder:
        url, process = start_server(beside_static(script, Path(folder) / "run"), environment, Path(folder) / "log.txt")
        try:
            yield url
        finally:
            process.terminate()
            process.wait(timeout=20)


class Typing:
    """A page being typed into, and what was measured: milliseconds from each key, and kilobytes sent for it."""

    def __init__(self, tab: Page, url: str, chart: str, text: str) -> None:
        self.drawn: list[float] = []
        self.settled: list[float] = []
        self.kilobytes: list[float] = []
        self._tab, self._received = tab, []
        tab.on("websocket", lambda socket: socket.on("framereceived", lambda frame: self._received.append(len(frame))))
        tab.goto(url)
        tab.wait_for_selector(f".st-key-{chart} .main-svg", timeout=120_000)
        self._box = tab.locator(".st-key-text input")
        if text:
            self._box.fill(text)
            tab.wait_for_timeout(3000)
        tab.evaluate(WATCH, [chart])
        tab.wait_for_timeout(300)
        self._box.press("End")

    def press(self, number: int) -> None:
        """One more letter at the end of the text; returns when the page has been still for a while."""
        self._tab.bring_to_front()
        self._received.clear()
        self._box.press("abcdefghij"[number % 10])
        self._tab.wait_for_function("() => window.drawn.length > 0", timeout=30_000)
        self._tab.wait_for_function("() => performance.now() - window.settled > 700", timeout=30_000)
        self.drawn.append(self._tab.evaluate("() => window.drawn[0] - window.pressed"))
        self.settled.append(self._tab.evaluate("() => window.settled - window.pressed"))
        self.kilobytes.append(sum(self._received) / 1000)


def summary(values: list[float], most: bool = False) -> tuple[float, float]:
    """Median and 95th percentile (or the most) of the counted presses."""
    counted = values[UNCOUNTED:]
    upper = max(counted) if most else statistics.quantiles(counted, n=20)[-1]
    return round(statistics.median(counted), 1), round(upper, 1)
