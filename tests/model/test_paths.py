"""Steps and ways: the counts are those of a walk through the machine."""

import pytest

from model.paths import KINDS, journey, ready, walked


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layers", [1, 2, 5])
@pytest.mark.parametrize("tokens", [1, 2, 9])
def test_the_counts_are_those_of_walking_row_by_row(kind, layers, tokens):
    for query in range(tokens):
        for key in range(tokens):
            assert journey(kind, tokens, layers, query, key) == walked(kind, tokens, layers, query, key)


def test_a_recurrent_net_needs_a_step_a_token_and_attention_one_a_layer():
    assert journey("recurrent", 100, 1, 0, 0).steps == 100
    assert [journey("attention", tokens, 3, 0, 0).steps for tokens in (1, 10, 256)] == [3, 3, 3]


def test_the_way_grows_with_the_distance_in_a_recurrent_net_only():
    assert [journey("recurrent", 50, 1, query, 3).path for query in (3, 4, 40)] == [1, 2, 38]
    assert [journey("attention", 50, 1, query, 3).path for query in (3, 4, 40)] == [1, 1, 1]


@pytest.mark.parametrize("kind", KINDS)
def test_no_way_leads_to_a_token_from_one_that_comes_later(kind):
    assert journey(kind, 9, 3, 2, 3).path is None


def test_tokens_are_ready_one_after_another_or_all_at_once():
    assert ready("recurrent", 5).tolist() == [1, 2, 3, 4, 5]
    assert ready("attention", 5).tolist() == [1, 1, 1, 1, 1]
