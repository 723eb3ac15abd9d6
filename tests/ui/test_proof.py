"""The Check badge's comparison: it must be able to fail."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from ui.proof import agreement


def test_equal_tensors_agree():
    tensor = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    assert agreement("x", tensor, tensor.astype(np.float64), 1e-5).holds


@pytest.mark.parametrize("size", [1.0, 300.0])
def test_a_difference_beyond_the_tolerance_is_found_whatever_the_size(size):
    proof = np.full((2, 2), size)
    ours = proof.copy()
    ours[1, 0] += 2e-5 * size
    assert not agreement("x", ours, proof, 1e-5).holds
    assert agreement("x", ours, proof, 1e-4).holds


def test_a_number_that_is_none_never_agrees():
    proof = np.ones(3)
    for wrong in (np.nan, np.inf):
        ours = proof.copy()
        ours[1] = wrong
        assert not agreement("x", ours, proof, 1e-5).holds


def test_masked_scores_must_be_masked_in_both():
    ours, proof = np.array([1.0, -np.inf]), np.array([1.0, -np.inf])
    assert agreement("x", ours, proof, 1e-5).holds
    assert not agreement("x", np.array([1.0, 0.0]), proof, 1e-5).holds
    assert not agreement("x", ours, np.array([1.0, 0.0]), 1e-5).holds


def test_tensors_of_different_shape_do_not_agree():
    assert not agreement("x", np.ones((2, 2)), np.ones(4), 1e-5).holds


def table(off: float, size: int) -> None:
    """A page with one table of a formula; `off` is how wrong the shown one is."""
    import numpy as np

    from ui import proof

    def again() -> np.ndarray:
        return np.arange(size) ** 2.0

    proof.compare("squares", (np.arange(size) ** 2.0 + off).astype(np.float32), again, 1e-6, ("squares", size))


def verdict(page: AppTest) -> str:
    assert not page.exception
    return " ".join(badge.value for badge in page.markdown)


@pytest.mark.parametrize(("off", "words"), [(0.0, "NumPy agrees"), (1.0, "NumPy differs")])
def test_a_formulas_table_is_computed_again_when_asked_and_the_verdict_can_be_bad(off, words):
    page = AppTest.from_function(table, kwargs={"off": off, "size": 5}).run()
    assert not verdict(page)
    page = page.button(key="check-squares").click().run()
    assert words in verdict(page)
    assert words in verdict(page.run())


def test_a_verdict_on_other_numbers_is_not_shown():
    page = AppTest.from_function(table, kwargs={"off": 0.0, "size": 5}).run()
    page = page.button(key="check-squares").click().run()
    other = AppTest.from_function(table, kwargs={"off": 0.0, "size": 6})
    other.session_state["compared-squares"] = page.session_state["compared-squares"]
    assert not verdict(other.run())
