"""python -m benchmarks.lab_cost: what a key press on the Attention page costs the server, by the lab and by SmolLM2.

Counted is the processor time of the run and of all charts of the page, that is of everything in `model/` and `viz/` and
of writing the figures as JSON; Streamlit's own work is the same for both and stands beside it. Bar: at 32 tokens, the
lab's run and charts cost at most a tenth of SmolLM2's.
"""

import functools
import inspect
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import plotly.graph_objects as go
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from benchmarks.record import failed, record
from model import zoo
from model.decoder import ForwardPass

METHODS = {zoo.Model: ("begin", "next_tokens"), ForwardPass: ("_compute", "open_block"), go.Figure: ("to_json",)}
APP = Path(__file__).parent.parent / "app.py"
KEYS, TOKENS, BAR = 20, 32, 0.1
TEXT = "Tom took the apple because he was hungry. " * 4


class Clock:
    """Processor time inside the functions that it was put around, each moment counted once."""

    def __init__(self) -> None:
        self.spent = 0.0
        self._inside = threading.local()

    def around(self, function: Callable) -> Callable:
        """The same function, timed."""

        @functools.wraps(function)
        def timed(*arguments, **options):
            if getattr(self._inside, "now", False):
                return function(*arguments, **options)
            self._inside.now, started = True, time.thread_time()
            try:
                return function(*arguments, **options)
            finally:
                self.spent += time.thread_time() - started
                self._inside.now = False

        return timed


def main() -> int:
    """Types into the page with both models, and writes results/lab_cost.json."""
    _let_pages_be()
    clock = Clock()
    costs = {name: _typing(name, clock) for name in ("lab-rope", "smollm2")}
    lab, pretrained = costs["lab-rope"], costs["smollm2"]
    ratio = lab[0] / pretrained[0]
    row = {"what": "run and charts", "unit": "ms", "lab": lab[0], "smollm2": pretrained[0], "ratio": round(ratio, 3)}
    row |= {"bar": BAR, "holds": ratio <= BAR, "whole_update_lab": lab[1], "whole_update_smollm2": pretrained[1]}
    record("lab_cost", [row], f"median processor time of {KEYS} key presses at {TOKENS} tokens, one thread")
    return failed([row])


def _typing(name: str, clock: Clock) -> tuple[float, float]:
    """Median milliseconds of run and charts, and of the whole update, when a sentence changes by its last letter."""
    model = zoo.load(name)
    cut = model.tokenizer.encode(TEXT)[TOKENS - 2].char_span[1]
    app = AppTest.from_file(str(APP), default_timeout=120)
    app.query_params["lang"], app.query_params["model"] = "EN", zoo.MODELS[name].title
    app.run().switch_page("pages/attention.py").run()
    _time_everything(clock)
    inside, whole = [], []
    for number in range(KEYS + 3):
        app.text_input(key="text").set_value(f"{TEXT[:cut]} {'abcdefghijklmnopqrstuvwxyz'[number]}")
        clock.spent, started = 0.0, time.process_time()
        app.run()
        whole.append(1000 * (time.process_time() - started))
        inside.append(1000 * clock.spent)
    return round(statistics.median(inside[3:]), 1), round(statistics.median(whole[3:]), 1)


def _time_everything(clock: Clock) -> None:
    """Puts the clock around every function of `model` and `viz`, wherever it is called by name."""
    ours = [module for name, module in sorted(sys.modules.items()) if name.split(".")[0] in ("model", "viz", "ui")]
    for module in ours:
        for name, found in list(vars(module).items()):
            if inspect.isfunction(found) and found.__module__.split(".")[0] in ("model", "viz"):
                setattr(module, name, _once(clock, found))
    for owner, names in METHODS.items():
        for name in names:
            setattr(owner, name, _once(clock, getattr(owner, name)))


def _once(clock: Clock, function: Callable) -> Callable:
    if getattr(function, "timed", False):
        return function
    timed = clock.around(function)
    timed.timed = True
    return timed


def _let_pages_be() -> None:
    """As on a server that has run app.py once; see ui/controls.py."""
    original = PagesManager.__init__

    def told(self, *arguments, **options) -> None:
        original(self, *arguments, **options)
        PagesManager.uses_pages_directory = False

    PagesManager.__init__ = told


if __name__ == "__main__":
    sys.exit(main())
