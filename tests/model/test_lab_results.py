"""Reading the lab's table and logs: from a table made here, so that no trained weights are needed."""

import json

import numpy as np
import pytest

from model import lab_results
from model.lab_results import COMMAND, SCHEMES, Band, Head, band, results, training


def row(scheme: str, seed: int) -> dict:
    """What lab_scores writes of one model, with made-up numbers."""
    learned = scheme == "learned"
    runs = 2 if learned else 16
    return {
        "accuracy": {"copy": 0.5},
        "by_length": {
            "places": list(range(0, 512, 32)),
            "loss": [1.0 + seed] * runs + [None] * (16 - runs),
            "sure_loss": [0.5] * runs + [None] * (16 - runs),
            "late_loss": {"1": 1.0, "2": None, "4": None, "8": None},
            "late_sure_loss": {"1": 1.0, "2": None, "4": None, "8": None},
            "accuracy": {"1": {"copy": 1.0}, "2": None, "4": None, "8": None},
        },
        "moved": {"as_is": 1.0, "shifted": None if learned else 1.0, "shuffled": 2.0},
        "heads": {"first": {"en": [[0.1, 0.2], [0.9, 0.3]], "zh": [[0.1, 0.7], [0.2, 0.3]]}},
    }


@pytest.fixture
def folder(tmp_path):
    table = {f"{scheme}-{seed}": row(scheme, seed) for scheme in SCHEMES for seed in (2, 0, 1)}
    (tmp_path / "results.json").write_text(json.dumps(table))
    return tmp_path


def test_models_come_by_scheme_in_order_and_by_seed(folder):
    found = results(folder)
    assert tuple(found) == SCHEMES
    assert all([seed.seed for seed in seeds] == [0, 1, 2] for seeds in found.values())
    assert found["learned"][1].loss == [2.0] * 2 + [None] * 14
    assert found["rope"][0].late_accuracy == {1: {"copy": 1.0}, 2: None, 4: None, 8: None}


def test_a_missing_table_is_refused_with_the_command_that_makes_it(tmp_path):
    with pytest.raises(ValueError, match=COMMAND):
        results(tmp_path)


def test_a_table_without_some_scheme_is_refused_and_names_it(folder):
    table = json.loads((folder / "results.json").read_text())
    (folder / "results.json").write_text(json.dumps({"rope-0": table["rope-0"]}))
    with pytest.raises(ValueError, match=r"alibi, t5, sinusoidal, learned, none.*" + COMMAND):
        results(folder)


def test_a_table_is_read_once_and_again_when_it_has_changed(folder, monkeypatch):
    first = results(folder)
    assert results(folder) is first
    path = folder / "results.json"
    path.write_text(path.read_text().replace('"copy": 0.5', '"copy": 0.25'))
    import os

    os.utime(path, ns=(1, 1))
    assert results(folder)["rope"][0].accuracy == {"copy": 0.25}


def test_the_best_head_is_the_one_with_the_greatest_score_of_its_language(folder):
    model = results(folder)["rope"][0]
    assert model.best("first", "en") == Head(1, 0, 0.9)
    assert model.best("first", "zh") == Head(0, 1, 0.7)


def test_a_band_is_mean_least_and_most_and_nothing_where_no_seed_runs():
    assert band([1.0, 2.0, 6.0]) == Band(3.0, 1.0, 6.0)
    assert band([None, None]) is None


def test_a_log_of_training_is_read_column_by_column(tmp_path):
    (tmp_path / "rope-0.csv").write_text("step,test_loss\n50,2.5\n100,1.5\n")
    (tmp_path / "rope-1.csv").write_text("step,test_loss\n50,3.5\n100,2.5\n")
    first, second = training("rope", tmp_path)
    assert np.array_equal(first["step"], [50, 100])
    assert np.array_equal(second["test_loss"], [3.5, 2.5])
    assert training("t5", tmp_path) == []


def test_the_schemes_are_those_of_the_decoder():
    from model.position import SCHEMES as known

    assert set(lab_results.SCHEMES) == set(known)
