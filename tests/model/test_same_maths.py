"""Pairs of conventions: each table is what its name says, by another way of computing it, and the verdicts follow."""

import math
import re

import numpy as np
import pytest
import torch
from torch.nn import functional

from model import conventions as ways
from model import numpy_decoder, same_maths, zoo
from model.config import Config
from model.decoder import Decoder
from model.position import alibi_slopes
from model.same_maths import PAIRS, Numbers
from model.trace import named_tensors
from model.verdict import softmax
from tests.model.test_order import lab

TEXT = "Tom took the apple because he was hungry."
SCHEMES = ("none", "rope", "alibi", "t5", "sinusoidal", "learned")


def numbers_of(decoder: Decoder, ids: list[int], layer=1, head=3, row=4) -> Numbers:
    """A run of any decoder, with a bias table of 8 buckets and 4 heads."""
    with torch.inference_mode():
        block = decoder(torch.tensor(ids)).blocks[layer]
    tensors = {name: tensor.numpy() for name, tensor in named_tensors(block)}
    weights = {name: tensor.detach().numpy() for name, tensor in decoder.state_dict().items()}
    table = np.random.default_rng(5).normal(size=(8, 4)).astype(np.float32)
    return Numbers(decoder.config, weights, tensors, table, layer, head, row)


def tiny(position="rope", **changes) -> Numbers:
    sizes = {"vocab": 29, "d_model": 24, "layers": 3, "heads": 6, "kv_heads": 2, "d_ff": 40, "context": 64}
    torch.default_generator.manual_seed(3)
    decoder = Decoder(Config(**sizes | {"position": position} | changes)).requires_grad_(False)
    for parameter in decoder.parameters():
        parameter.mul_(1.5)
    return numbers_of(decoder, [3, 1, 4, 1, 5, 9, 2])


def lab_numbers(scheme="rope", layer=1, head=2, row=6, text=TEXT) -> Numbers:
    model = lab(scheme)
    return numbers_of(model.decoder, [token.id for token in model.tokenizer.encode(text)], layer, head, row)


def found(name: str, numbers: Numbers) -> str:
    return same_maths.judged(name, numbers)[2].name


VERDICTS = {
    "rope_vectors": "permutation",
    "rope_scores": "equal",
    "rope_mixed": "different",
    "sinusoid_layout": "permutation",
    "exponent_unpaired": "different",
    "exponent_doubled": "different",
    "alibi_row": "softmax",
    "slopes_here": "different",
    "slopes_of_twelve": "different",
    "mask_large": "softmax",
    "mask_zero": "different",
    "mask_multiplied": "different",
    "mask_rescaled": "equal",
    "mask_blind": "different",
    "scale_unrooted": "different",
    "scale_of_model": "different",
    "norm_place": "different",
    "fused": "equal",
    "linear_transposed": "equal",
    "linear_forgotten": "different",
    "grouped": "different",
    "t5_copied": "equal",
    "t5_first_layer": "different",
    "axis": "different",
    "turned_matrix": "different",
}


@pytest.mark.parametrize("position", SCHEMES)
@pytest.mark.parametrize("norm", ["layer", "rms"])
def test_the_verdicts_of_a_random_model_are_those_of_the_mathematics(position, norm):
    numbers = tiny(position, norm=norm)
    assert {name: found(name, numbers) for name in PAIRS} == VERDICTS


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_lab_differs_from_it_only_where_four_heads_are_a_power_of_two(scheme):
    numbers = lab_numbers(scheme)
    assert {name: found(name, numbers) for name in PAIRS} == VERDICTS | {"slopes_here": "equal"}


def test_smollm2s_verdicts(smollm2):
    tokens = smollm2.tokenizer.encode("The cat sat on the mat because it was tired.")
    numbers = numbers_of(smollm2.decoder, [token.id for token in tokens], 13, 8, 7)
    assert {name: found(name, numbers) for name in PAIRS} == VERDICTS


def test_one_token_tells_few_conventions_apart():
    numbers = lab_numbers(text="", layer=0, row=0)
    verdicts = {name: found(name, numbers) for name in PAIRS}
    for name in ("rope_mixed", "exponent_doubled", "exponent_unpaired", "mask_zero", "mask_multiplied", "axis"):
        assert verdicts[name] == "equal"
    assert verdicts["linear_forgotten"] == "different"


def test_every_table_is_two_dimensional_and_both_have_one_shape():
    numbers = tiny()
    for pair in PAIRS.values():
        first, second = pair.tables(numbers)
        assert first.ndim == 2
        assert first.shape == second.shape
        assert pair.holds in ("vectors", "waves", "scores", "weights")


def test_questions_are_public_threads():
    for pair in PAIRS.values():
        if pair.question:
            assert re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", pair.question)


# RoPE


def turned(x: np.ndarray, first: np.ndarray, second: np.ndarray, positions, base: float) -> np.ndarray:
    """Pairs of dimensions as complex numbers, turned by multiplication."""
    result = x.astype(float).copy()
    frequencies = np.array([base ** (-2 * i / (2 * len(first))) for i in range(len(first))])
    z = (x[:, first] + 1j * x[:, second]) * np.exp(1j * np.outer(positions, frequencies))
    result[:, first], result[:, second] = z.real, z.imag
    return result


@pytest.mark.parametrize("turning", [8, 4])
def test_both_rotations_are_multiplications_of_complex_numbers(turning):
    x, positions = np.random.default_rng(0).normal(size=(6, 8)), np.arange(6) * 7
    even = np.arange(0, turning, 2)
    half = np.arange(turning // 2)
    neighbours = ways.rope_neighbours(x, positions, 1e5, turning)
    halves = ways.rope_halves(x, positions, 1e5, turning)
    assert neighbours == pytest.approx(turned(x, even, even + 1, positions, 1e5))
    assert halves == pytest.approx(turned(x, half, half + turning // 2, positions, 1e5))
    assert np.array_equal(halves[:, turning:], x[:, turning:])


def test_published_vectors_of_both_rotations():
    x, place = np.array([[1.0, 2, 3, 4]]), np.array([3])
    half = [-1.4133525208, 1.8791180667, -2.8288574817, 4.0581911354]
    assert ways.rope_neighbours(x, place, 1e4, 4)[0] == pytest.approx(
        [-1.2722325127, -1.8388649851, 2.8786681004, 4.0881866356]
    )
    assert ways.rope_halves(x, place, 1e4, 4)[0] == pytest.approx(half)
    wide = np.arange(1.0, 9)[None]
    assert ways.rope_halves(wide, place, 1e4, 4)[0] == pytest.approx([*half, 5, 6, 7, 8])


def test_published_scores_of_both_rotations():
    query = np.array([[1, 0, -1, 2, 0.5, -0.5, 1.5, -2]])
    key = np.array([[0.5, 1, -1, 0, 2, -1, 0.25, 1]])
    for turn, away, back in (
        (ways.rope_neighbours, 1.0878307664, -0.4184855585),
        (ways.rope_halves, -1.1947157203, -2.0711446876),
    ):
        score = [
            (turn(query, np.array([m]), 1e4, 8) @ turn(key, np.array([n]), 1e4, 8).T).item()
            for m, n in ((5, 2), (105, 102), (2, 5), (4, 4))
        ]
        assert score == pytest.approx([away, away, back, 1.375])


@pytest.mark.parametrize("rotary_dim", [0, 2])
def test_the_neighbours_scores_are_the_models_own(rotary_dim):
    numbers = tiny("rope", rotary_dim=rotary_dim, rotary_base=5e4)
    first, _ = same_maths.rope_scores(numbers)
    own = numbers.tensor("attention.scores")[numbers.head]
    assert first == pytest.approx(own, abs=1e-5)


def test_mixed_up_pairs_leave_the_diagonal_right_and_nothing_else():
    first, second = same_maths.rope_mixed(lab_numbers())
    apart = np.abs(np.where(np.isfinite(first), first, 0) - np.where(np.isfinite(second), second, 0))
    assert np.diag(apart).max() < 1e-9
    assert (apart[np.tril_indices(len(apart), k=-1)] > 1e-6).all()


def test_reordering_the_rows_of_the_weights_is_reordering_the_queries():
    numbers = lab_numbers()
    rows = numbers.weight("query.weight")[numbers.head * 16 : (numbers.head + 1) * 16]
    bias = numbers.weight("query.bias")[numbers.head * 16 : (numbers.head + 1) * 16]
    order = [*range(0, 16, 2), *range(1, 16, 2)]
    again = numbers.normed @ rows[order].T + bias[order]
    assert ways.halves_of(numbers.query, 16) == pytest.approx(again, abs=1e-4)


# Sinusoids


def test_sinusoids_are_the_published_ones_and_the_wrong_exponents_give_the_wrong_ones():
    place, width = np.array([3]), 4
    right = ways.sinusoid(place, width, ways.paired_exponents(width))[0]
    doubled = ways.sinusoid(place, width, 2 * np.arange(width) / width)[0]
    unpaired = ways.sinusoid(place, width, np.arange(width) / width)[0]
    assert right == pytest.approx([0.1411200081, -0.9899924966, 0.0299955002, 0.9995500337])
    assert doubled == pytest.approx([0.1411200081, 0.9995500337, 0.0003, 1.0], abs=1e-7)
    assert unpaired == pytest.approx([0.1411200081, 0.9553364891, 0.0299955002, 0.9999955], abs=1e-7)


@pytest.mark.parametrize("width", [2, 24, 64])
def test_the_table_is_the_numpy_decoders(width):
    places = np.arange(20)
    ours = ways.sinusoid(places, width, ways.paired_exponents(width))
    assert ours == pytest.approx(numpy_decoder.sinusoid(places, width))


def test_each_row_of_both_layouts_holds_the_same_numbers():
    first, second = same_maths.sinusoid_layout(tiny())
    assert np.sort(first, axis=1) == pytest.approx(np.sort(second, axis=1))
    assert np.array_equal(second[:, : first.shape[1] // 2], first[:, ::2])


def test_wrong_exponents_part_a_sine_from_its_cosine_and_nothing_shows_at_place_0():
    for pair in (same_maths.exponent_unpaired, same_maths.exponent_doubled):
        first, second = pair(tiny())
        assert np.array_equal(first[0], second[0])
        assert first[:, 0::2] ** 2 + first[:, 1::2] ** 2 == pytest.approx(np.ones((len(first), 12)))
        assert not np.allclose(second[:, 0::2] ** 2 + second[:, 1::2] ** 2, 1)


def test_doubled_exponents_fall_twice_as_fast():
    width = 8
    right, doubled = ways.paired_exponents(width), 2 * np.arange(width) / width
    assert doubled[::2] == pytest.approx(2 * right[::2])


# ALiBi


@pytest.mark.parametrize("heads", [*range(1, 33)])
def test_slopes_are_the_models_own_and_the_geometric_row_only_for_powers_of_two(heads):
    ours = ways.alibi_slopes(heads)
    assert ours == pytest.approx(alibi_slopes(heads).numpy(), rel=1e-6)
    power = heads & (heads - 1) == 0
    assert np.allclose(ours, ways.geometric_slopes(heads)) == power


def test_slopes_are_the_published_ones():
    assert ways.alibi_slopes(6) == pytest.approx([0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125])
    assert ways.geometric_slopes(6) == pytest.approx(
        [0.39685026, 0.15749013, 0.0625, 0.024803141, 0.0098431332, 0.00390625]
    )
    twelve = ways.alibi_slopes(12)
    assert twelve[8:] == pytest.approx([0.70710678, 0.35355339, 0.1767767, 0.088388348])
    assert (np.diff(twelve) > 0).any()
    shared = [slope for slope in ways.geometric_slopes(12) if np.isclose(twelve, slope).any()]
    assert len(shared) < 6


def test_the_row_of_biases_is_off_by_slope_times_place_in_every_entry_of_a_row():
    numbers = tiny("alibi")
    first, second = same_maths.alibi_row(numbers)
    slope = ways.alibi_slopes(6)[numbers.head]
    for query in range(len(first)):
        seen = slice(0, query + 1)
        assert second[query, seen] - first[query, seen] == pytest.approx(np.full(query + 1, slope * query))
    assert softmax(first) == pytest.approx(softmax(second))


def test_the_square_of_biases_is_the_alibi_models_own():
    numbers = lab_numbers("alibi")
    first, _ = same_maths.alibi_row(numbers)
    assert first == pytest.approx(numbers.tensor("attention.scores")[numbers.head], abs=1e-5)


# Masks and the softmax


def test_masks_of_the_toy_head_give_the_published_weights():
    scores = np.array([[0.70710678, 2.12132034, 2.82842712], [0, 0.70710678, 0.70710678]])
    scores = np.vstack([scores, [0.70710678, 2.82842712, 3.53553391]])
    right = [[1, 0, 0], [0.3302384507, 0.6697615493, 0], [0.0380793196, 0.3176631952, 0.6442574852]]
    assert softmax(ways.masked(scores, -np.inf)) == pytest.approx(np.array(right))
    assert softmax(ways.masked(scores, -1e9)) == pytest.approx(np.array(right))
    assert softmax(ways.masked(scores, 0.0))[0] == pytest.approx([0.50348984, 0.24825508, 0.24825508])
    wrong = ways.softmax_over_queries(ways.masked(scores, -np.inf))
    assert wrong.sum(axis=0) == pytest.approx(np.ones(3))
    assert wrong[0, 0] == pytest.approx(0.40111209)


def test_a_mask_of_zeros_lets_every_query_but_the_last_read_the_future():
    """Misconception 18."""
    _, second = same_maths.mask_zero(lab_numbers())
    weights = softmax(second)
    assert (weights[np.triu_indices(len(weights), k=1)] > 0).all()
    assert math.exp(0) == 1


def test_zeros_after_the_softmax_leave_rows_below_one_until_they_are_rescaled():
    """Misconception 18."""
    first, second = same_maths.mask_multiplied(lab_numbers())
    assert first.sum(axis=-1) == pytest.approx(np.ones(len(first)))
    assert (second.sum(axis=-1)[:-1] < 1 - 1e-6).all()
    _, rescaled = same_maths.mask_rescaled(lab_numbers())
    assert rescaled == pytest.approx(first)


def test_minus_a_thousand_million_is_nothing_to_a_softmax_but_no_number_in_half_precision():
    assert np.exp(np.float32(-1e9)) == 0
    assert np.exp(-1e9) == 0
    with np.errstate(over="ignore"):
        assert np.float16(-1e9) == -np.inf


def test_a_row_that_sees_nothing_is_nan_by_infinity_and_even_by_a_large_number():
    first, second = same_maths.mask_blind(lab_numbers())
    assert np.isnan(first[0]).all()
    assert not np.isnan(first[1:]).any()
    assert second[0] == pytest.approx(np.full(second.shape[1], 1 / second.shape[1]))
    assert second[1:] == pytest.approx(first[1:])
    assert torch.softmax(torch.tensor([-math.inf, -math.inf]), dim=0).isnan().all()


def test_over_the_wrong_axis_columns_sum_to_one_and_rows_do_not():
    """Misconception 17."""
    first, second = same_maths.axis(lab_numbers())
    assert first.sum(axis=1) == pytest.approx(np.ones(len(first)))
    assert second.sum(axis=0) == pytest.approx(np.ones(len(first)))
    assert not np.allclose(second.sum(axis=1), 1)


def test_turned_the_triangle_lies_on_the_other_side_and_rows_no_longer_sum_to_one():
    """Misconception 16."""
    first, second = same_maths.turned_matrix(lab_numbers())
    assert (np.triu(first, k=1) == 0).all()
    assert (np.tril(second, k=-1) == 0).all()
    assert first.sum(axis=1) == pytest.approx(np.ones(len(first)))
    assert not np.allclose(second.sum(axis=1), 1)


# Scale, norm, projections


def test_divided_by_d_scores_are_root_d_times_smaller_and_weights_flatter():
    first, second = same_maths.scale_unrooted(lab_numbers())
    seen = np.isfinite(first)
    assert second[seen] * 4 == pytest.approx(first[seen])  # d_head is 16
    assert (softmax(second).max(axis=-1) <= softmax(first).max(axis=-1) + 1e-12).all()


def test_the_width_of_the_model_is_right_for_one_head_as_wide_as_the_model_only():
    """Misconception 19."""
    first, second = same_maths.scale_of_model(lab_numbers())
    seen = np.isfinite(first)
    assert second[seen] * math.sqrt(64 / 16) == pytest.approx(first[seen])
    assert found("scale_of_model", one_head()) == "equal"


def one_head() -> Numbers:
    sizes = {"vocab": 29, "d_model": 24, "layers": 3, "heads": 1, "d_ff": 40, "context": 64, "position": "none"}
    torch.default_generator.manual_seed(3)
    return numbers_of(Decoder(Config(**sizes)).requires_grad_(False), [3, 1, 4, 1, 5], head=0)


@pytest.mark.parametrize("norm", ["layer", "rms"])
def test_pre_norm_is_the_models_block_and_post_norm_is_pytorchs(norm):
    """Misconception 23."""
    numbers = tiny("none", norm=norm, kv_heads=6)
    first, second = same_maths.norm_place(numbers)
    assert first == pytest.approx(numbers.tensor("output"), abs=1e-4)
    if norm == "layer":
        layer = torch.nn.TransformerEncoderLayer(24, 6, 40, dropout=0.0, activation=functional.gelu, batch_first=True)
        layer = layer.double().eval()
        theirs = {name: torch.tensor(value).double() for name, value in numbers.weights.items()}
        layer.load_state_dict(post_norm_names(theirs, f"blocks.{numbers.layer}"))
        x = torch.tensor(numbers.tensor("input"))
        hidden = torch.ones(len(x), len(x), dtype=torch.bool).triu(diagonal=1)
        with torch.no_grad():
            assert second == pytest.approx(layer(x[None], src_mask=hidden)[0].numpy(), abs=1e-6)


def post_norm_names(weights: dict, name: str) -> dict:
    """Our names to those of PyTorch's layer, which norms after each sum."""
    table = {
        "self_attn.out_proj": "attention.output",
        "linear1": "feed_forward.expand",
        "linear2": "feed_forward.contract",
        "norm1": "attention_norm",
        "norm2": "feed_forward_norm",
    }
    named = {
        f"{theirs}.{part}": weights[f"{name}.{ours}.{part}"]
        for theirs, ours in table.items()
        for part in ("weight", "bias")
    }
    for part in ("weight", "bias"):
        joined = [weights[f"{name}.attention.{letter}.{part}"] for letter in ("query", "key", "value")]
        named[f"self_attn.in_proj_{part}"] = torch.cat(joined)
    return named


def test_fused_and_transposed_projections_are_the_models_queries_without_their_bias():
    """Misconception 15."""
    numbers = tiny("none", biases="none")
    for pair in (same_maths.fused, same_maths.linear_transposed):
        first, second = pair(numbers)
        assert first == pytest.approx(numbers.query, abs=1e-5)
        assert second == pytest.approx(numbers.query, abs=1e-5)
    x = torch.tensor(numbers.normed)
    theirs = functional.linear(x, torch.tensor(numbers.weight("query.weight"))).numpy()
    assert same_maths.linear_transposed(numbers)[0] == pytest.approx(theirs[:, 12:16])


def test_a_forgotten_transpose_gives_the_published_wrong_queries():
    """Misconception 15."""
    x, matrix = np.array([[1.0, 0], [0, 1], [1, 1]]), np.array([[1.0, 2], [0, 1]])
    assert (x @ matrix).tolist() == [[1, 2], [0, 1], [1, 3]]
    assert (x @ matrix.T).tolist() == [[1, 0], [2, 1], [3, 1]]


def test_neighbouring_heads_share_a_key_head_when_it_is_repeated_and_take_turns_when_it_is_tiled():
    """Misconception 22."""
    keys = np.arange(3.0)[:, None, None]
    assert ways.repeated(keys, 9)[:, 0, 0].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert ways.tiled(keys, 9)[:, 0, 0].tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2]


def test_repeated_key_heads_are_the_models_and_tiled_ones_are_not():
    """Misconception 22."""
    numbers = tiny("rope")
    first, second = same_maths.grouped(numbers)
    own = numbers.tensor("attention.weights")[:, numbers.row, : numbers.row + 1]
    assert first == pytest.approx(own, abs=1e-5)
    assert [np.allclose(a, b) for a, b in zip(first, second, strict=True)] == [h // 3 == h % 2 for h in range(6)]


@pytest.mark.parametrize(("heads", "shared"), [(1, 1), (2, 1), (3, 1), (4, 2), (6, 3), (9, 3)])
def test_to_show_sharing_the_greatest_smaller_divisor_of_heads_is_used(heads, shared):
    assert ways.divisor_below(heads) == shared


# T5


def test_the_shared_bias_is_the_t5_models_own():
    model = lab("t5")
    ids = [token.id for token in model.tokenizer.encode(TEXT)]
    for layer in range(3):
        numbers = numbers_of(model.decoder, ids, layer, 2, 6)
        table = model.decoder.state_dict()["position.weight"].numpy()
        numbers = Numbers(numbers.config, numbers.weights, numbers.tensors, table, layer, 2, 6)
        first, second = same_maths.t5_first_layer(numbers)
        own = numbers.tensor("attention.scores")[2]
        assert first == pytest.approx(own, abs=1e-5)
        assert (found("t5_first_layer", numbers) == "equal") == (layer == 0)
        if layer:
            plain = numbers.tensor("attention.raw_scores")[2] / 4
            assert second[np.isfinite(second)] == pytest.approx(plain[np.tri(len(plain), dtype=bool)], abs=1e-5)
        assert found("t5_copied", numbers) == "equal"


def test_numbers_are_read_from_any_trace_by_name(smollm2):
    """The NumPy decoder's tensors give the same tables as PyTorch's."""
    model = zoo.load("lab-rope") if zoo.find_lab("rope") else smollm2
    ids = [token.id for token in model.tokenizer.encode(TEXT)]
    ours = numbers_of(model.decoder, ids)
    trace = numpy_decoder.run(model.config, ours.weights, np.array(ids), until=1)
    tensors = {name.removeprefix("blocks.1."): tensor for name, tensor in trace.items()}
    theirs = Numbers(ours.config, ours.weights, tensors, ours.t5_table, ours.layer, ours.head, ours.row)
    for name in PAIRS:
        for one, other in zip(PAIRS[name].tables(ours), PAIRS[name].tables(theirs), strict=True):
            finite = np.isfinite(other) & (np.abs(other) < 1e8)
            assert one[finite] == pytest.approx(other[finite], abs=1e-3), name
