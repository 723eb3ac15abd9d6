"""The NumPy lines that the charts on positions offer run as they stand, and print what the charts show."""

import os
import subprocess
import sys

import numpy as np
import pytest

from model.parameter_count import added, concatenated
from model.shift_map import similarities
from tests.browser.server import ROOT
from ui import text as words

VALUES = {
    "position.waves.code": {"width": 8, "first": 0, "stop": 64},
    "position.waves.lengths_code": {"width": 512},
    "position.why.code": {"width": 8, "positions": 64},
    "position.join.cost_code": {"width": 512, "layers": 6, "vocab": 37_000, "factor": 4},
    "position.learned.code": {},
    "position.learned.alike_code": {},
    "position.entry.code": {},
    "relative.distance.code": {"start": 20, "count": 5},
    "relative.distance.models_code": {"text": repr("小明 喜欢 吃 苹果"), "start": 20},
    "relative.shift.code": {"width": 8, "shift": 3, "starts": [10, 11, 12, 20]},
    "relative.similarity.code": {"width": 8, "shown": 100},
    "relative.alibi.code": {"heads": 6, "seq": 10},
    "relative.t5.code": {"seq": 10},
    "relative.t5.distance_code": {"far": 150},
}


def printed(key: str, language: str) -> str:
    """What the lines print, run by themselves in the project's folder."""
    table = words.table(language)
    code = table[key].format(**VALUES[key])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("key", VALUES)
def test_the_lines_run_and_print(key):
    assert printed(key, "en").strip()


@pytest.mark.parametrize("key", VALUES)
def test_the_lines_are_the_same_in_both_languages_but_for_their_comments(key):
    lines = [
        [line for line in words.table(language)[key].splitlines() if not line.lstrip().startswith("#")]
        for language in words.LANGUAGES
    ]
    assert lines[0] == lines[1]


def test_what_they_print_is_what_the_pages_show():
    counts = [int(line) for line in printed("position.join.cost_code", "en").split()]
    wanted = [added(37_000, 512, 6, 8, 4), concatenated(37_000, (512, 512), 6, 8, 4)]
    assert counts == [sum(parts.values()) for parts in wanted]
    assert float(printed("relative.shift.code", "en")) < 1e-12
    products = printed("relative.similarity.code", "en").replace("[", " ").replace("]", " ").split()
    np.testing.assert_allclose([float(number) for number in products[:101]], similarities(101, 8), atol=1e-6)
    assert products[101] == "3"
    assert "6.0611" in printed("position.waves.lengths_code", "en")
