"""Verdicts come from the numbers alone: what is the same is found to be, and what is not is not."""

import numpy as np
import pytest

from model.verdict import softmax, verdict

SHAPES = [(1, 1), (1, 7), (5, 1), (6, 9), (40, 64)]


def table(shape, seed=0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("scores", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_table_equals_itself_up_to_rounding(shape, scores):
    first = table(shape)
    found = verdict(first, first + 1e-13, scores=scores)
    assert found.name == "equal"
    assert found.difference <= 2e-13


@pytest.mark.parametrize("shape", [(1, 7), (6, 9), (40, 64)])
def test_columns_in_another_order_are_found_and_put_back(shape):
    first = table(shape)
    order = np.random.default_rng(1).permutation(shape[1])
    found = verdict(first, first[:, order], scores=False)
    assert found.name == "permutation"
    assert np.array_equal(found.permutation, order)
    assert found.remaining == 0
    assert found.difference == np.abs(first - first[:, order]).max()


def test_equal_columns_may_be_taken_for_one_another():
    first = np.array([[1.0, 2, 1, 3], [5, 6, 5, 7]])
    found = verdict(first, first[:, [3, 2, 1, 0]], scores=False)
    assert found.name == "permutation"
    assert np.array_equal(first[:, found.permutation], first[:, [3, 2, 1, 0]])


def test_rows_in_orders_of_their_own_are_no_permutation():
    first = table((6, 9))
    shuffled = np.random.default_rng(2).permuted(first, axis=1)
    assert verdict(first, shuffled, scores=False).name == "different"


def test_a_number_added_to_a_whole_row_is_seen_by_no_softmax():
    first = table((6, 9))
    second = first + table((6, 1), 3) * 10
    assert verdict(first, second, scores=True).name == "softmax"
    assert verdict(first, second, scores=False).name == "different"
    second[2, 4] += 1e-3
    assert verdict(first, second, scores=True).name == "different"


def test_infinities_agree_with_each_other_only():
    first = np.array([[1.0, -np.inf], [2, 3]])
    assert verdict(first, first.copy(), scores=True).name == "equal"
    other = np.where(np.isinf(first), -1e9, first)
    found = verdict(first, other, scores=True)
    assert (found.name, found.difference, found.remaining) == ("softmax", np.inf, 0)
    assert found.place == (0, 1)
    assert verdict(first, np.where(np.isinf(first), 0.0, first), scores=True).name == "different"


def test_what_is_not_a_number_agrees_only_with_itself():
    first = np.array([[np.nan, 1.0]])
    assert verdict(first, first.copy(), scores=False).name == "equal"
    assert verdict(first, np.array([[0.0, 1.0]]), scores=False).difference == np.inf


def test_tables_of_other_shapes_are_different():
    assert verdict(table((2, 3)), table((3, 2)), scores=False).name == "different"


def test_the_softmax_is_the_formulas_and_a_row_without_scores_is_nan():
    scores = np.array([[0.3, -1.2, 2.0], [-np.inf, -np.inf, -np.inf]])
    powers = np.exp(scores[0])
    assert softmax(scores)[0] == pytest.approx(powers / powers.sum())
    assert np.isnan(softmax(scores)[1]).all()
