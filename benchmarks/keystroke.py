"""python -m benchmarks.keystroke: from a key press to the redrawn chart, in a real browser, against a floor.

The floor is a bare page whose one chart alternates between two figures made beforehand, of the same size. Floor, page
and a forward pass are measured by turns, key by key, because a machine is not as fast at all times. Bars: the head's
heatmap within 1.3 × floor + one forward pass; the whole Attention page settled within 4 × floor + one forward pass; one
update of at most 300 kB at 32 tokens, the wall at 64 tokens at most 1 MB. A head is on its way once its own block is
computed, so the example's head, in the middle, comes sooner than one of the last layer. The bars are for the page as
it opens; the last layer's ratio to them stands beside.

The forward pass of the bars goes from the ids to the logits. The page needs no logits and leaves them out: that shorter
pass is given beside it, and so is the ratio to bars with the shorter pass in its place.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks.record import failed, record
from benchmarks.typing_in_browser import APP, KEYS, SMOLLM2, UNCOUNTED, VIEW, Typing, serving, start, summary
from model import zoo

FLOOR = Path(__file__).parent / "keystroke_floor.py"
TOKENS = 32


def main() -> int:
    """Types into both pages and runs the model, by turns, and writes results/keystroke.json."""
    model, forward, short = zoo.load("smollm2"), [], []
    with sync_playwright() as playwright, serving(FLOOR, SMOLLM2) as bare, serving(APP, SMOLLM2) as url:
        browser = start(playwright)
        floor = Typing(browser.new_page(viewport=VIEW), bare, "floor-chart", "")
        page, last = (
            Typing(browser.new_page(viewport=VIEW), f"{url}/attention{layer}", "head-chart", text)
            for layer, text in (("", _sentence()), (f"?layer={model.config.layers - 1}", _sentence("dog")))
        )
        for number in range(UNCOUNTED + KEYS):
            floor.press(number)
            page.press(number)
            last.press(number)
            tokens = model.tokenizer.encode(_sentence() + "x" * number)
            forward.append(_milliseconds(lambda tokens=tokens: model.run(tokens)))
            short.append(_milliseconds(lambda tokens=tokens: model.begin(tokens).kept))
        browser.close()
    parts = {"floor_ms": summary(floor.drawn), "forward_ms": summary(forward), "without_logits_ms": summary(short)}
    rows = [
        _row("the head's heatmap redrawn", summary(page.drawn), 1.3, parts),
        _row("the whole page settled", summary(page.settled), 4, parts),
        {
            "what": "one update on the wire",
            "unit": "kB",
            "found": summary(page.kilobytes, most=True),
            "allowed": 300,
            "holds": max(page.kilobytes) <= 300,
        },
    ]
    beside = [
        _row("a head of the last layer redrawn", summary(last.drawn), 1.3, parts),
        _row("the whole page settled, at the last layer", summary(last.settled), 4, parts),
    ]
    record(
        "keystroke", rows + beside, f"median and p95 (kB: most) of {KEYS} key presses at about {TOKENS} tokens, SmolLM2"
    )
    return failed(rows)


def _row(what: str, found: tuple[float, float], floors: float, parts: dict[str, tuple[float, float]]) -> dict:
    least = floors * parts["floor_ms"][0]
    allowed = least + parts["forward_ms"][0]
    ratio = found[0] / allowed
    return {
        "what": what,
        "unit": "ms",
        "found": found,
        "allowed": round(allowed, 1),
        "ratio": round(ratio, 3),
        "ratio_without_logits": round(found[0] / (least + parts["without_logits_ms"][0]), 3),
        "holds": ratio <= 1,
    } | parts


def _sentence(who: str = "cat") -> str:
    """A sentence of about the wanted number of tokens, that goes on growing by one key at a time.

    Each page has another, because a server computes the same text only once.
    """
    return (f"The {who} sat on the mat because it was tired. " * 4)[:130]


def _milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    sys.exit(main())
