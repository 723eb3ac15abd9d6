"""One head's queries, keys and values: with them alone, the trace's dot products come out again."""

import pytest
import torch

from model import heads


@pytest.fixture
def trace(config, random_decoder, sentence):
    """The second block's attention of each tiny model in turn."""
    return random_decoder(config)(sentence(7)).blocks[1].attention


def test_turned_rows_give_the_dot_products_of_the_trace(config, trace):
    for head in range(config.heads):
        rows = heads.projections(trace, head, rotated=True)
        assert torch.allclose(rows.query @ rows.key.T, trace.raw_scores[head], atol=1e-5, rtol=1e-5)


def test_weights_and_values_give_the_heads_mixed_values(config, trace):
    for head in range(config.heads):
        value = heads.projections(trace, head, rotated=True).value
        assert torch.allclose(trace.weights[head] @ value, trace.mixed[head], atol=1e-5)


def test_the_terms_sum_to_the_dot_product(config, trace):
    rows = heads.projections(trace, config.heads - 1, rotated=True)
    terms = heads.products(rows, query=5, key=2)
    assert terms.shape == (config.d_head,)
    assert terms.sum().item() == pytest.approx(trace.raw_scores[-1, 5, 2].item(), rel=1e-4, abs=1e-4)


def test_before_the_rotation_the_rows_are_the_projections_of_the_normed_input(config, random_decoder, sentence):
    decoder = random_decoder(config)
    block = decoder(sentence(7)).blocks[1]
    queries = decoder.blocks[1].attention.query(block.attention_normed)
    for head in range(config.heads):
        rows = heads.projections(block.attention, head, rotated=False)
        mine = queries[:, head * config.d_head : (head + 1) * config.d_head]
        assert torch.allclose(rows.query, mine, atol=1e-5)


def test_only_rope_makes_before_and_after_differ(config, trace):
    before, after = (heads.projections(trace, 0, rotated) for rotated in (False, True))
    assert torch.equal(before.query, after.query) == (config.position != "rope")


def test_heads_that_share_a_key_value_head_name_each_other(config, trace):
    for head in range(config.heads):
        rows = heads.projections(trace, head, rotated=True)
        assert head in rows.sharing
        assert len(rows.sharing) == config.heads // config.kv_heads
        for other in rows.sharing:
            assert torch.equal(heads.projections(trace, other, rotated=True).key, rows.key)
