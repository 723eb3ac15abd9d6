"""One part of a page alone, run without a browser: `part("wall", lang="zh", text="…")`."""

import html
import re

import pytest
from streamlit.testing.v1 import AppTest

from model import zoo


def script(name: str) -> None:
    """The page: the sentence, the pickers, and the part."""
    import importlib

    from ui import controls, picks

    run = controls.sentence(controls.model()).run
    importlib.import_module(f"ui.{name}").show(run, picks.place(run))


def part(name: str, **state) -> AppTest:
    """The part after its first run, with these values of the session; the model is SmolLM2 where none is named."""
    if zoo.find_smollm2() is None:
        pytest.skip(f"SmolLM2's weights are not installed: {zoo.MODELS['smollm2'].bring}")
    test = AppTest.from_function(script, default_timeout=120, kwargs={"name": name})
    for key, value in {"model": zoo.MODELS["smollm2"].title, **state}.items():
        test.session_state[key] = value
    return test.run()


def said(test: AppTest) -> str:
    """All that it says in headings and captions."""
    return html.unescape("\n".join(re.sub(r"<[^>]+>", "", element.body) for element in test.get("html")))
