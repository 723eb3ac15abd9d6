"""What a page says and draws, read as the browser gets it."""

import base64
import html
import json
import re

import numpy as np

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
