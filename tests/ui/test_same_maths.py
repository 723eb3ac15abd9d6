"""Every pair has its formulas and its words in both languages, and nothing has words without a pair."""

import contextlib
import io
import math

import numpy as np
import pytest

from model import same_maths as pairs
from model import zoo
from model.same_maths import PAIRS
from model.trace import named_tensors
from tests.model.test_order import lab
from tests.model.test_same_maths import lab_numbers, tiny
from ui import order_formulas, same_maths, same_maths_formulas
from ui import text as tables
from viz.theme import THEMES

LANGUAGES = tuple(tables.LANGUAGES)


def balanced(latex: str) -> bool:
    depth = 0
    for sign in latex.replace(r"\{", "").replace(r"\}", ""):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", ["names", "first", "second", "when"])
def test_every_pair_has_its_words(language, part):
    start = f"same_maths.{part}."
    given = {key.removeprefix(start) for key in tables.table(language) if key.startswith(start)}
    assert given == set(PAIRS)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("position", ["rope", "none"])
def test_every_pair_has_two_formulas_that_can_be_set(name, position):
    latex = same_maths_formulas.both(name, tiny(position), THEMES["light"])
    assert balanced(latex)
    assert latex.count("& ") == 2
    assert "_\\textcolor" not in latex  # KaTeX wants a subscript of several signs in braces
    for letter in ("A", "B"):
        assert letter in latex


def test_formulas_are_only_of_pairs():
    assert set(same_maths_formulas.FORMULAS) == set(PAIRS)


def test_the_cell_is_told_with_its_numbers_and_their_difference():
    told = same_maths_formulas.cell(1.5, -2.5, (3, 4))
    for part in ("A_{3,4} = 1.500", "B_{3,4} = -2.500", "|A - B| = 4.000"):
        assert part in told


@pytest.mark.parametrize("second", [0.0, -1e9, math.nan, -math.inf])
def test_a_cell_without_a_number_has_no_difference(second):
    told = same_maths_formulas.cell(-math.inf, second, (0, 1))
    assert "|A - B|" not in told
    assert balanced(told)


def test_for_the_proof_masks_and_gaps_are_one_thing():
    bare = same_maths._bare(np.array([[1.0, np.nan]]), np.array([[-1e9, 2.0]]))
    assert bare[0].tolist() == [[1.0, -np.inf]]
    assert bare[1].tolist() == [[-np.inf, 2.0]]


def test_formulas_of_the_order_page_hold_their_numbers():
    theme = THEMES["light"]
    forwards = order_formulas.journeys(10, 3, 6, 1, theme)
    for part in (r"10 + 3 - 1 = \mathbf{12}", r"\mathbf{6}", r"L = \mathbf{3}"):
        assert part in forwards
    assert "i" not in order_formulas.journeys(10, 3, 1, 6, theme).split("Attention")[1].replace("aligned", "")
    assert order_formulas.count([1.0, 0.5, 1 / 3]).endswith(r"1.000,\; 0.5000,\; 0.3333,\; \dots")
    assert all(balanced(latex) for latex in (forwards, order_formulas.equivariance(theme), order_formulas.count([1.0])))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_numpy_lines_print_the_verdict_of_the_page(language, tmp_path, monkeypatch):
    model, text = lab("rope"), "Tom took the apple because he was hungry."
    assert zoo.find_lab("t5")
    tensors = dict(named_tensors(model.run(model.tokenizer.encode(text))))
    np.savez(tmp_path / "trace.npz", **{name: tensor.numpy() for name, tensor in tensors.items()})
    monkeypatch.chdir(tmp_path)
    values = {"text": repr(text), "model": "lab-rope", "layer": 1, "head": 2, "query": 6}
    for name in ("rope_vectors", "alibi_row", "norm_place", "grouped"):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(tables.table(language)["same_maths.code"].format(pair=name, **values), {})
        found = pairs.judged(name, lab_numbers())[2]
        told = out.getvalue().split()
        assert told[0] == found.name
        assert float(told[1]) == pytest.approx(found.difference, abs=1e-5)
