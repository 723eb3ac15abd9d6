"""Laws of the NumPy decoder's whole forward pass: names, causality, batches, positions, knobs, limits."""

import math
import tracemalloc
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from model import numpy_decoder as decoder
from model.config import BIASES, FEED_FORWARDS, NORMS, POSITIONS, Config

CONFIG = Config(
    vocab=13, d_model=8, layers=2, heads=4, kv_heads=2, d_head=6, d_ff=10, context=16, t5_buckets=8, t5_max_distance=16
)
IDS = np.array([3, 1, 4, 1, 5, 9, 2])
ADDED = ("sinusoidal", "learned")
ON_SCORES = tuple(name for name in POSITIONS if name not in ADDED)


def shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """The shape of every weight that the config asks for, by name."""
    width, joined, shared = config.d_model, config.heads * config.d_head, config.kv_heads * config.d_head
    linears = {"attention.query": (joined, width), "attention.key": (shared, width)}
    linears |= {"attention.value": (shared, width), "attention.output": (width, joined)}
    linears |= {"feed_forward.expand": (config.d_ff, width), "feed_forward.contract": (width, config.d_ff)}
    if config.feed_forward == "swiglu":
        linears["feed_forward.gate"] = (config.d_ff, width)
    biased = {"all": set(linears), "none": set()}.get(config.biases, set(list(linears)[:3]))
    shapes = {"embed.weight": (config.vocab, width)}
    shapes |= {} if config.tied else {"unembed.weight": (config.vocab, width)}
    tables = {"learned": (config.context, width), "t5": (config.t5_buckets, config.heads)}
    shapes |= {"position.weight": tables[config.position]} if config.position in tables else {}
    norms = ["final_norm"]
    for layer in range(config.layers):
        norms += [f"blocks.{layer}.attention_norm", f"blocks.{layer}.feed_forward_norm"]
        shapes |= {f"blocks.{layer}.{name}.weight": shape for name, shape in linears.items()}
        shapes |= {f"blocks.{layer}.{name}.bias": shape[:1] for name, shape in linears.items() if name in biased}
    shapes |= {f"{name}.weight": (width,) for name in norms}
    shapes |= {f"{name}.bias": (width,) for name in norms if config.norm == "layer"}
    return shapes


def random_weights(config: Config, seed: int = 0) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes(config).items()}


def run(config: Config = CONFIG, ids=IDS, **options) -> dict[str, np.ndarray]:
    return decoder.run(config, random_weights(config), ids, **options)


def close(actual, expected, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def expected_shapes(config: Config, seq: int, until: int) -> dict[str, tuple[int, ...]]:
    residual, heads = (seq, config.d_model), (config.heads, seq, config.d_head)
    shared, pairs, hidden = (config.kv_heads, seq, config.d_head), (config.heads, seq, seq), (seq, config.d_ff)
    block = {"input": residual, "attention_normed": residual, "attention.query": heads, "attention.key": shared}
    block |= {"attention.value": shared, "attention.rotated_query": heads, "attention.rotated_key": shared}
    block |= {f"attention.{name}": pairs for name in ("raw_scores", "bias", "scores", "weights")}
    block |= {"attention.mixed": heads, "attention.output": residual, "between": residual}
    block |= {"feed_forward_normed": residual, "feed_forward.before": hidden, "feed_forward.hidden": hidden}
    block |= {"feed_forward.output": residual, "output": residual}
    names = {"positions": (seq,), "embeddings": residual, "position_part": residual}
    for layer in range(until + 1):
        names |= {f"blocks.{layer}.{name}": shape for name, shape in block.items()}
    return names


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("feed_forward", FEED_FORWARDS)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("biases", BIASES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_tensor_has_its_name_place_shape_and_precision(position, feed_forward, norm, biases, dtype):
    config = replace(CONFIG, position=position, feed_forward=feed_forward, norm=norm, biases=biases)
    trace = run(config, dtype=dtype)
    expected = expected_shapes(config, len(IDS), config.layers - 1)
    expected |= {"final_normed": (len(IDS), config.d_model), "logits": (len(IDS), config.vocab)}
    assert [(name, tensor.shape) for name, tensor in trace.items()] == list(expected.items())
    assert {tensor.dtype for name, tensor in trace.items() if name != "positions"} == {np.dtype(dtype)}


@pytest.mark.parametrize("position", POSITIONS)
def test_weights_are_shares_of_what_lies_behind(position):
    weights = run(replace(CONFIG, position=position))["blocks.1.attention.weights"]
    close(weights.sum(axis=-1), 1, 1e-12)
    assert weights.min() >= 0
    assert not np.triu(weights, 1).any()


@pytest.mark.parametrize("position", POSITIONS)
def test_later_tokens_cannot_change_earlier_rows(position):
    config = replace(CONFIG, position=position)
    changed = IDS.copy()
    changed[4] = 11
    before, after = run(config)["logits"], run(config, changed)["logits"]
    assert (before[:4] == after[:4]).all()
    assert (np.abs(before - after)[4:].max(axis=-1) > 1e-6).all()


@pytest.mark.parametrize("position", POSITIONS)
def test_a_prefix_alone_gives_the_same_rows(position):
    config = replace(CONFIG, position=position)
    close(run(config, IDS[:4])["logits"], run(config)["logits"][:4], 1e-12)


@pytest.mark.parametrize("position", POSITIONS)
def test_a_batch_gives_each_sentence_its_own_numbers(position):
    config = replace(CONFIG, position=position)
    batch = np.stack([IDS, IDS[::-1], IDS + 1, IDS * 0]).reshape(2, 2, -1)
    together = run(config, batch)
    for name, tensor in run(config, batch[0, 1]).items():
        own = together[name] if name.endswith((".bias", "positions")) else together[name][0, 1]
        close(own, tensor, 1e-12)


@pytest.mark.parametrize("position", POSITIONS)
def test_the_scheme_acts_in_its_one_place(position):
    trace = run(replace(CONFIG, position=position))
    assert trace["position_part"].any() == (position in ADDED)
    assert trace["blocks.0.attention.bias"].any() == (position in ("alibi", "t5"))
    for part in ("query", "key"):
        plain, turned = trace[f"blocks.0.attention.{part}"], trace[f"blocks.0.attention.rotated_{part}"]
        assert (plain == turned).all() == (position != "rope")


def test_t5_looks_up_the_bucket_of_each_distance_for_each_head():
    config = replace(CONFIG, position="t5")
    first = [0, 1, 2, 3, 4, 6, 8, 12]  # the first distance in each of 8 buckets when the farthest is 16
    places = [0, 2, 3, 7, 8, 14, 30]
    table, bias = random_weights(config)["position.weight"], run(config, positions=places)["blocks.1.attention.bias"]
    for query, key in np.ndindex(7, 7):
        bucket = sum(distance <= max(places[query] - places[key], 0) for distance in first) - 1
        assert (bias[:, query, key] == table[bucket]).all()


def test_rope_turns_as_many_dimensions_as_the_config_says():
    trace = run(replace(CONFIG, position="rope", rotary_dim=4, rotary_base=50.0))
    plain, turned = trace["blocks.1.attention.key"], trace["blocks.1.attention.rotated_key"]
    angles = np.arange(len(IDS))[:, None] * np.array([1, 50**-0.5])
    pairs = plain[..., 0:4:2] + 1j * plain[..., 1:4:2]
    close(turned[..., 0:4:2] + 1j * turned[..., 1:4:2], pairs * np.exp(1j * angles), 1e-12)
    assert (plain[..., 4:] == turned[..., 4:]).all()


@pytest.mark.parametrize("position", ON_SCORES)
def test_moving_all_positions_changes_nothing_when_only_scores_know_them(position):
    config = replace(CONFIG, position=position)
    close(run(config, positions=range(5, 12))["logits"], run(config)["logits"], 1e-11)


@pytest.mark.parametrize("position", ADDED)
def test_moving_all_positions_changes_the_result_when_they_are_added(position):
    config = replace(CONFIG, position=position)
    assert np.abs(run(config, positions=range(5, 12))["logits"] - run(config)["logits"]).max() > 1e-2


@pytest.mark.parametrize("position", POSITIONS)
def test_a_sentence_of_one_repeated_token_has_equal_rows_unless_positions_are_added(position):
    logits = run(replace(CONFIG, position=position), IDS * 0)["logits"]
    assert np.allclose(logits, logits[0], rtol=0, atol=1e-11) == (position not in ADDED)


@pytest.mark.parametrize("position", POSITIONS)
def test_without_mask_and_positions_order_does_not_matter(position):
    config = replace(CONFIG, position=position)
    order = np.array([2, 0, 6, 5, 1, 3, 4])
    moved, unmoved = run(config, IDS[order], causal=False)["logits"], run(config, causal=False)["logits"][order]
    assert np.allclose(moved, unmoved, rtol=0, atol=1e-11) == (position == "none")


@pytest.mark.parametrize("layers", [1, 2])
def test_only_a_single_causal_layer_without_positions_is_blind_to_the_order_of_the_past(layers):
    config = replace(CONFIG, position="none", layers=layers)
    shuffled = IDS[[4, 2, 0, 5, 1, 3, 6]]
    difference = np.abs(run(config)["logits"][-1] - run(config, shuffled)["logits"][-1]).max()
    assert difference < 1e-11 if layers == 1 else difference > 1e-2


# --- knobs and limits -------------------------------------------------------------------------------------------


def test_the_mask_goes_by_place_not_by_position():
    weights = run(replace(CONFIG, position="alibi"), positions=range(6, -1, -1))["blocks.0.attention.weights"]
    assert not np.triu(weights, 1).any()


@pytest.mark.parametrize("position", ["none", "alibi"])
def test_scores_are_scaled_then_biased_then_masked_then_cooled(position):
    trace = run(replace(CONFIG, position=position), scale=0.7, temperature=2.5)
    raw, bias, scores = (trace[f"blocks.0.attention.{name}"] for name in ("raw_scores", "bias", "scores"))
    visible = np.tri(len(IDS), dtype=bool)
    close(scores[:, visible], ((raw * 0.7 / math.sqrt(CONFIG.d_head) + bias) / 2.5)[:, visible], 1e-12)
    assert np.isneginf(scores[:, ~visible]).all()


def test_the_gain_of_a_head_reaches_the_output_but_not_what_it_mixed():
    plain, silenced = run(), run(head_gains={(1, 2): 0.0})
    assert (plain["blocks.0.output"] == silenced["blocks.0.output"]).all()
    assert (plain["blocks.1.attention.mixed"] == silenced["blocks.1.attention.mixed"]).all()
    columns = slice(2 * CONFIG.d_head, 3 * CONFIG.d_head)
    weight = random_weights(CONFIG)["blocks.1.attention.output.weight"][:, columns]
    lost = plain["blocks.1.attention.mixed"][2] @ weight.T
    close(plain["blocks.1.attention.output"] - silenced["blocks.1.attention.output"], lost, 1e-12)


def test_an_untied_unembedding_has_its_own_table():
    config = replace(CONFIG, tied=False)
    trace = run(config)
    close(trace["logits"], trace["final_normed"] @ random_weights(config)["unembed.weight"].T, 1e-12)


class Watched(Mapping):
    """Weights that remember which of them were read."""

    def __init__(self, weights):
        self.weights, self.read = weights, set()

    def __getitem__(self, name):
        self.read.add(name)
        return self.weights[name]

    def __iter__(self):
        return iter(self.weights)

    def __len__(self):
        return len(self.weights)


def test_until_is_the_beginning_of_the_full_run_and_reads_no_later_weight():
    weights = Watched(random_weights(CONFIG))
    part, full = decoder.run(CONFIG, weights, IDS, until=0), run()
    assert list(part) == list(expected_shapes(CONFIG, len(IDS), until=0))
    assert all((tensor == full[name]).all() for name, tensor in part.items())
    assert not [name for name in weights.read if name.startswith(("blocks.1", "final_norm", "unembed"))]


def test_a_full_run_reads_every_weight():
    weights = Watched(random_weights(CONFIG))
    decoder.run(CONFIG, weights, IDS)
    assert weights.read == set(weights)


@pytest.mark.parametrize("until", [0, None])
def test_a_run_never_holds_a_second_copy_of_all_weights(until):
    config = replace(CONFIG, vocab=30_000, d_model=64, d_ff=256, layers=6)
    weights = random_weights(config)
    everything = sum(weight.nbytes for weight in weights.values())
    tracemalloc.start()
    decoder.run(config, weights, IDS, until=until)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < everything


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"ids": [0, 13]}, "0 to 12.*13"),
        ({"ids": [0, -1]}, "0 to 12.*-1"),
        ({"ids": []}, "one or more"),
        ({"ids": [1, 2], "positions": [0]}, "one number a token, 2 here"),
        ({"ids": [1, 2], "positions": [15, 16]}, "0 to 15.*16"),
        ({"ids": [1, 2], "positions": [-1, 0]}, "0 to 15.*-1"),
    ],
)
def test_what_no_table_has_a_row_for_is_refused(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        run(replace(CONFIG, position="learned"), **options)
