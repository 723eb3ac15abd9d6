"""What a page says and draws, read as the browser gets it; and what every page is put through."""

import base64
import html
import json
import re

import numpy as np

from tests.pages.texts import TEXTS

TYPES = {"f4": np.float32, "f8": np.float64, "i1": np.int8, "u1": np.uint8, "i2": np.int16, "i4": np.int32}


def said(page) -> str:
    """All that the page says in headings and captions."""
    return html.unescape("\n".join(re.sub(r"<[^>]+>", "", element.body) for element in page.get("html")))


def figure(page, key: str) -> dict | None:
    """The figure that the page sent under `key`."""
    found = data(page, key)
    return json.loads(found["figure"]) if found else None


def data(page, key: str) -> dict | None:
    """All that the page sent to the chart named `key`."""
    for element in page.get("bidi_component"):
        told = json.loads(element.proto.json)
        if told.get("key") == key:
            return told
    return None


def numbers(told: dict | list) -> np.ndarray:
    """An array of a figure."""
    if isinstance(told, list):
        return np.array(told, dtype=np.float64)
    flat = np.frombuffer(base64.b64decode(told["bdata"]), TYPES[told["dtype"]])
    return flat.reshape([int(length) for length in told["shape"].split(",")]) if "shape" in told else flat


def wire_bytes(page) -> int:
    """How much the page's elements of ours send."""
    return sum(len(element.proto.json) for element in page.get("bidi_component"))


def type_in(page, sentence: str):
    """The page after `sentence` was typed; typing never ends in an exception."""
    page = page.text_input(key="text").set_value(sentence).run()
    assert not page.exception, repr(sentence)
    return page


def survives_hard_texts(page) -> None:
    """Every hard text is typed in turn: no exception, and no half of a character."""
    for name, sentence in TEXTS.items():
        page = type_in(page, sentence)
        assert "\ufffd" not in said(page), name


def press_checks(page) -> int:
    """Every Check button is pressed, and every verdict is green; how many there were."""
    checks = [button.key for button in page.button if button.key and button.key.startswith("check-")]
    for key in checks:
        page = page.button(key=key).click().run()
        assert not page.exception, key
    verdicts = [mark.value for mark in page.markdown if "NumPy" in mark.value]
    assert len(verdicts) == len(checks)
    assert all("green" in verdict for verdict in verdicts)
    return len(checks)
