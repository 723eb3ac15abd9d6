"""The Check badge's comparison: it must be able to fail."""

import numpy as np
import pytest

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
