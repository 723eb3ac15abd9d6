"""The NumPy lines that Compare gives away run as they stand, and its scale of scores seldom changes."""

import contextlib
import io

import numpy as np
import pytest

from model import lab_results
from tests.browser.server import ROOT
from ui.compare_sentence import LIMITS, _limit
from ui.text import LANGUAGES, table

VALUES = {
    "every_code": {"text": repr("Tom took the apple."), "models": repr(["lab-rope", "lab-none"])},
    "place_code": {"scheme": "learned", "kind": "sure_loss"},
    "kind_code": {"scheme": "learned", "kind": "copy"},
    "moved_code": {"shift": 1000},
    "training_code": {"scheme": "t5", "column": "test_loss"},
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", VALUES)
def test_the_lines_to_take_away_run(monkeypatch, language, name):
    if not (lab_results.WEIGHTS / "results.json").exists():
        pytest.skip(f"this makes the lab's table: {lab_results.COMMAND}")
    monkeypatch.chdir(ROOT)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(table(language)[f"compare.{name}"].format(**VALUES[name]), {})
    assert said.getvalue().strip()


def test_the_scale_of_scores_ends_above_the_greatest_of_all_squares_and_ignores_what_is_hidden():
    hidden = np.array([[3.0, -np.inf], [-4.9, 1.0]])
    assert _limit({"a": hidden}) == 5
    assert _limit({"a": hidden, "b": -2 * np.abs(hidden)}) == 10
    assert _limit({"a": np.zeros((2, 2))}) == LIMITS[0]
    assert _limit({"a": np.full((1, 1), 5000.0)}) == LIMITS[-1]
