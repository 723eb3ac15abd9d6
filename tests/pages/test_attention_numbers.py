"""What the Attention page's pictures hold, against NumPy's run from the token ids on."""

import numpy as np
import pytest

from model import numpy_decoder, zoo
from tests.pages.pictures import figure, numbers

pytestmark = pytest.mark.usefixtures("only_smollm2")
EXAMPLE = zoo.MODELS["smollm2"].example("en").text
SPLIT = "我喜欢 strange 杏仁"
LAYER, HEAD, QUERY = 13, 8, 7
CLOSE = {"rtol": 0, "atol": 1e-4, "equal_nan": True}


@pytest.fixture
def by_numpy(smollm2):
    """`by_numpy(text, **knobs)`: every tensor of SmolLM2's run of a text, computed by NumPy alone."""

    def run(text: str, **knobs) -> dict[str, np.ndarray]:
        ids = np.array([token.id for token in smollm2.tokenizer.encode(text)])
        return numpy_decoder.run(smollm2.config, smollm2.decoder.arrays(), ids, **knobs)

    return run


def cells(page, key: str) -> list[np.ndarray]:
    """The cells of a figure's heatmaps."""
    return [numbers(trace["z"]) for trace in figure(page, key)["data"] if trace["type"] == "heatmap"]


def visible(square: np.ndarray) -> np.ndarray:
    """The square, without what the causal mask hides."""
    return np.where(np.tril(np.ones_like(square)) > 0, square, np.nan)


@pytest.mark.parametrize("layer", [0, LAYER, 29])
def test_the_head_large_and_its_row_are_numpys(app, by_numpy, layer):
    page = app("en", layer=str(layer))
    proof = by_numpy(EXAMPLE)
    weights, scores = (proof[f"blocks.{layer}.attention.{name}"][HEAD] for name in ("weights", "scores"))
    assert np.allclose(cells(page, "head-chart")[0], visible(weights), **CLOSE)
    bars = figure(page, "row-chart")["data"][0]
    assert np.allclose(numbers(bars["x"]), weights[QUERY, : QUERY + 1], **CLOSE)
    assert np.allclose(numbers(bars["customdata"]), scores[QUERY, : QUERY + 1], rtol=1e-3, atol=1e-3)
    told = next(trace for trace in figure(page, "arcs-chart")["data"] if "hovertext" in trace)["hovertext"]
    assert np.allclose([float(line.rsplit(" ", 1)[1]) for line in told], weights[QUERY], **CLOSE)


def test_without_the_first_column_the_rest_of_each_row_sums_to_one(app, by_numpy):
    weights = by_numpy(EXAMPLE)[f"blocks.{LAYER}.attention.weights"][HEAD].copy()
    weights[:, 0] = 0
    sums = weights.sum(axis=-1, keepdims=True)
    rest = np.divide(weights, sums, out=np.full_like(weights, np.nan), where=sums > 0)
    assert np.allclose(cells(app("en", first="false"), "head-chart")[0], visible(rest), **CLOSE)


def test_seen_word_by_word_weights_are_summed_over_a_keys_pieces_and_averaged_over_a_querys(app, by_numpy, smollm2):
    weights = by_numpy(SPLIT)[f"blocks.{LAYER}.attention.weights"][HEAD]
    groups = np.array([token.group for token in smollm2.tokenizer.encode(SPLIT)])
    wholes = [np.flatnonzero(groups == group) for group in dict.fromkeys(groups.tolist())]
    assert len(wholes) < len(groups)
    wanted = np.array([[weights[np.ix_(query, key)].sum(axis=1).mean() for key in wholes] for query in wholes])
    assert np.allclose(cells(app("en", text=SPLIT, words="true"), "head-chart")[0], visible(wanted), **CLOSE)


def test_the_wall_holds_every_head_of_every_layer(app, by_numpy, smollm2):
    proof, config = by_numpy(EXAMPLE), smollm2.config
    drawn = cells(app("en"), "wall-chart")[1]
    seq = len(smollm2.tokenizer.encode(EXAMPLE))
    down, across = drawn.shape[0] // config.heads, drawn.shape[1] // config.layers
    seen = np.tril(np.ones((seq, seq), dtype=bool))
    for layer in range(config.layers):
        for head in range(config.heads):
            tile = drawn[head * down :, layer * across :][:seq, :seq]
            weights = proof[f"blocks.{layer}.attention.weights"][head]
            assert np.allclose((tile[seen] - 2) / 253, weights[seen], rtol=0, atol=2.1e-3), (layer, head)
            assert not tile[~seen].any()


def test_the_three_matrices_are_numpys(app, by_numpy, smollm2):
    drawn = cells(app("en", panel="projections"), "projections-chart")
    proof, shared = by_numpy(EXAMPLE), HEAD // (smollm2.config.heads // smollm2.config.kv_heads)
    for matrix, name, head in zip(
        drawn, ("rotated_query", "rotated_key", "value"), (HEAD, shared, shared), strict=True
    ):
        wanted = proof[f"blocks.{LAYER}.attention.{name}"][head]
        assert np.allclose(matrix, wanted, rtol=1e-3, atol=1e-3), name


def test_the_changed_head_is_numpys_with_the_same_knobs(app, by_numpy):
    page = app("en", change="true", scale="0.5", heat="2.0", off="0.0")
    key = f"blocks.{LAYER}.attention.weights"
    before = by_numpy(EXAMPLE)[key][HEAD]
    after = by_numpy(EXAMPLE, scale=0.5, temperature=2.0, head_gains={(0, 0): 0.0})[key][HEAD]
    assert np.abs(after - before).max() > 0.05
    assert np.allclose(cells(page, "changes-original")[0], visible(before), **CLOSE)
    assert np.allclose(cells(page, "changes-changed")[0], visible(after), **CLOSE)
    found = cells(page, "changes-difference")[0]
    seen = np.tril(np.ones_like(before)) > 0
    assert np.allclose(found[seen], (after - before)[seen], rtol=0, atol=2e-4)
