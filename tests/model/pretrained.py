"""The pretrained model, loaded once for all tests that read it, and a tiny one in its place for the others."""

import functools
from dataclasses import replace
from pathlib import Path

import pytest

from model import zoo
from model.checkpoint import load_gguf
from tests.model import tiny_gguf


def smollm2_file() -> Path:
    """The GGUF file; without it the test is skipped."""
    path = zoo.find_smollm2()
    if path is None:
        pytest.skip(f"SmolLM2's weights are not installed: {zoo.MODELS['smollm2'].bring}")
    return path


@functools.cache
def smollm2() -> zoo.Model:
    """SmolLM2-135M as the app loads it."""
    smollm2_file()
    return zoo.load("smollm2")


def offer_tiny(folder: Path, monkeypatch: pytest.MonkeyPatch) -> zoo.Model:
    """A tiny model, which the zoo knows as "tiny" until the test ends."""
    path = tiny_gguf.write(folder / "tiny.gguf")
    load = functools.partial(load_gguf, cache=folder / "cache")
    monkeypatch.setitem(zoo.MODELS, "tiny", replace(zoo.MODELS["smollm2"], find=lambda: path, load=load))
    return zoo.load("tiny")
