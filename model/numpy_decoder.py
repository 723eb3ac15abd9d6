"""The decoder's whole forward pass in plain NumPy, written from the formulas: the proof of every number on screen.

It shares no code with the PyTorch decoder, computes in float64, and gives each tensor its dotted name in a Trace.
It reads downward: one formula a function, then attention, feed-forward, block and `run`.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from model.config import Config

Axes = Float[np.ndarray, "*axes"]
Vector = Float[np.ndarray, " last_axis"]
Positions = Int[np.ndarray, " seq"]
Weights = Mapping[str, np.ndarray]
Tensors = dict[str, np.ndarray]

erf = np.frompyfunc(math.erf, 1, 1)


def softmax(scores: Axes) -> Axes:
    """exp(s_j) / Σ_k exp(s_k) over the last axis. A score of −inf gets the weight 0."""
    shifted = scores - scores.max(axis=-1, keepdims=True)  # the same result, and exp cannot overflow
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def layer_norm(x: Axes, weight: Vector, bias: Vector, epsilon: float = 1e-5) -> Axes:
    """weight · (x − mean) / √(mean((x − mean)²) + ε) + bias over the last axis (Ba et al. 2016)."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return weight * centred / np.sqrt(variance + epsilon) + bias


def rms_norm(x: Axes, weight: Vector, epsilon: float = 1e-5) -> Axes:
    """weight · x / √(mean(x²) + ε) over the last axis (Zhang and Sennrich 2019)."""
    mean_square = (x**2).mean(axis=-1, keepdims=True)
    return weight * x / np.sqrt(mean_square + epsilon)


def gelu(x: Axes) -> Axes:
    """x · Φ(x) = x/2 · (1 + erf(x/√2)), Φ being the normal distribution function (Hendrycks and Gimpel 2016)."""
    return 0.5 * x * (1.0 + np.asarray(erf(x / math.sqrt(2.0)), dtype=x.dtype))


def gelu_tanh(x: Axes) -> Axes:
    """x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³))), the same paper's approximation, which GPT-2 uses."""
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def silu(x: Axes) -> Axes:
    """x / (1 + exp(−x)), the activation inside SwiGLU (Elfwing et al. 2017; Shazeer 2020)."""
    with np.errstate(over="ignore"):  # far below zero exp(−x) becomes infinite and the quotient 0, as it should
        return x / (1.0 + np.exp(-x))


def sinusoid(positions: Positions, d_model: int) -> Float[np.ndarray, "seq {d_model}"]:
    """sin(p·w_i) in column 2i, cos(p·w_i) in column 2i+1, w_i = 10000^(−2i/d_model) (Vaswani et al. 2017)."""
    frequencies = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    angles = positions[:, None] * frequencies
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(positions), d_model)


def rotate_neighbours(x: Axes, positions: Positions, base: float = 10000.0, rotary_dim: int = 0) -> Axes:
    """Turn each pair (a, b) = (x_2i, x_2i+1) by the angle p·base^(−2i/rotary_dim) (Su et al. 2021).

    `x` ends in the axes (seq, d_head). Dimensions from `rotary_dim` on stay as they are; 0 means that all turn.
    """
    rotary_dim = rotary_dim or x.shape[-1]
    frequencies = base ** (-np.arange(0, rotary_dim, 2) / rotary_dim)
    angles = positions[:, None] * frequencies
    cosine = np.cos(angles)
    sine = np.sin(angles)
    a = x[..., 0:rotary_dim:2]
    b = x[..., 1:rotary_dim:2]
    rotated = x.copy()
    rotated[..., 0:rotary_dim:2] = a * cosine - b * sine
    rotated[..., 1:rotary_dim:2] = a * sine + b * cosine
    return rotated


def alibi_slopes(heads: int) -> Float[np.ndarray, " {heads}"]:
    """One slope a head: 2^(−8h/heads), h = 1 … heads, when heads is a power of two (Press et al. 2021).

    Otherwise the authors' rule: the slopes of the next smaller power of two, then every other slope of its double.
    """
    power = 2 ** int(math.log2(heads))
    slopes = 2.0 ** (-8.0 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-8.0 * np.arange(1, 2 * power, 2) / (2 * power))
    return np.concatenate([slopes, between])[:heads]


def t5_bucket(relative: Int[np.ndarray, "*axes"], buckets: int = 32, max_distance: int = 128) -> np.ndarray:
    """Bucket of each relative position, key − query, in the decoder's one direction (Raffel et al. 2020).

    With n = distance into the past (0 for the future) and e = ⌊buckets/2⌋: n itself below e, and from e on
    e + ⌊ln(n/e) / ln(max_distance/e) · (buckets − e)⌋, at most buckets − 1.
    """
    distance = np.maximum(-relative, 0)
    exact = buckets // 2
    ratio = np.maximum(distance, exact) / exact  # below `exact` the logarithm is not used
    step = np.floor(np.log(ratio) / math.log(max_distance / exact) * (buckets - exact))
    far = np.minimum(exact + step.astype(int), buckets - 1)
    return np.where(distance < exact, distance, far)


def causal_mask(seq: int) -> Bool[np.ndarray, "{seq} {seq}"]:
    """True where the query (row) may see the key (column): at its own place and before."""
    return np.tri(seq, dtype=bool)


def attend(query: Axes, key, value, bias, *, causal=True, scale=1.0, temperature=1.0) -> Tensors:
    """softmax((q·k · scale/√d_head + bias, masked with −inf) / temperature) · v (Vaswani et al. 2017).

    query (*batch, heads, seq, d_head); key, value (*batch, kv_heads, seq, d_head); bias (heads, seq, seq).
    With fewer kv_heads, neighbouring query heads share one (Ainslie et al. 2023): head h reads ⌊h / sharing⌋.
    """
    sharing = query.shape[-3] // key.shape[-3]
    keys = np.repeat(key, sharing, axis=-3)
    values = np.repeat(value, sharing, axis=-3)
    raw_scores = query @ keys.swapaxes(-1, -2)
    scores = raw_scores * (scale / math.sqrt(query.shape[-1])) + bias
    if causal:
        scores = np.where(causal_mask(query.shape[-2]), scores, -np.inf)
    scores = scores / temperature
    weights = softmax(scores)
    mixed = weights @ values
    return {"raw_scores": raw_scores, "bias": bias, "scores": scores, "weights": weights, "mixed": mixed}


def linear(config: Config, weights: Weights, name: str, x: Axes) -> np.ndarray:
    """x Wᵀ + b with the weights called `name`, or x Wᵀ where the config gives this map no bias."""
    weight = weights[f"{name}.weight"].astype(x.dtype)
    product = x @ weight.T
    biased = name.split(".")[-1] in BIASED[config.biases]
    return product + weights[f"{name}.bias"] if biased else product


def norm(config: Config, weights: Weights, name: str, x: Axes) -> Axes:
    """The config's norm, with the weights called `name`."""
    if config.norm == "layer":
        return layer_norm(x, weights[f"{name}.weight"], weights[f"{name}.bias"], config.norm_epsilon)
    return rms_norm(x, weights[f"{name}.weight"], config.norm_epsilon)


def attention(config: Config, weights: Weights, name: str, x: Axes, positions, bias, gains, **knobs) -> Tensors:
    """Project to queries, keys and values, rotate, attend, and join the heads, each times its gain."""
    trace = {}
    for part, heads in (("query", config.heads), ("key", config.kv_heads), ("value", config.kv_heads)):
        projected = linear(config, weights, f"{name}.{part}", x)
        trace[part] = projected.reshape(*x.shape[:-1], heads, config.d_head).swapaxes(-2, -3)
    for part in ("query", "key"):
        trace[f"rotated_{part}"] = trace[part]
        if config.position == "rope":
            turned = rotate_neighbours(trace[part], positions, config.rotary_base, config.rotary_dim)
            trace[f"rotated_{part}"] = turned
    trace |= attend(trace["rotated_query"], trace["rotated_key"], trace["value"], bias, **knobs)
    gained = trace["mixed"] * gains[:, None, None]
    joined = gained.swapaxes(-2, -3).reshape(*x.shape[:-1], config.heads * config.d_head)
    trace["output"] = linear(config, weights, f"{name}.output", joined)
    return trace


def feed_forward(config: Config, weights: Weights, name: str, x: Axes) -> Tensors:
    """contract(activation(expand(x))); for SwiGLU contract(silu(gate(x)) · expand(x)) (Shazeer 2020)."""
    gated = config.feed_forward == "swiglu"
    before = linear(config, weights, f"{name}.gate" if gated else f"{name}.expand", x)
    hidden = ACTIVATIONS[config.feed_forward](before)
    if gated:
        hidden = hidden * linear(config, weights, f"{name}.expand", x)
    output = linear(config, weights, f"{name}.contract", hidden)
    return {"before": before, "hidden": hidden, "output": output}


def block(config: Config, weights: Weights, name: str, x: Axes, **rest) -> Tensors:
    """One pre-norm block: x + attention(norm(x)), then the same with the feed-forward (Xiong et al. 2020)."""
    attention_normed = norm(config, weights, f"{name}.attention_norm", x)
    attended = attention(config, weights, f"{name}.attention", attention_normed, **rest)
    between = x + attended["output"]
    feed_forward_normed = norm(config, weights, f"{name}.feed_forward_norm", between)
    fed = feed_forward(config, weights, f"{name}.feed_forward", feed_forward_normed)
    trace = {f"{name}.input": x, f"{name}.attention_normed": attention_normed}
    trace |= {f"{name}.attention.{part}": tensor for part, tensor in attended.items()}
    trace |= {f"{name}.between": between, f"{name}.feed_forward_normed": feed_forward_normed}
    trace |= {f"{name}.feed_forward.{part}": tensor for part, tensor in fed.items()}
    return trace | {f"{name}.output": between + fed["output"]}


def position_terms(config: Config, weights: Weights, positions: Positions) -> tuple[np.ndarray, np.ndarray]:
    """What is added to the embeddings (seq, d_model), and to every layer's scaled scores (heads, query, key)."""
    added = np.zeros((len(positions), config.d_model))
    bias = np.zeros((config.heads, len(positions), len(positions)))
    relative = positions[None, :] - positions[:, None]  # key − query
    if config.position == "sinusoidal":
        added = sinusoid(positions, config.d_model)
    if config.position == "learned":
        added = weights["position.weight"][positions]
    if config.position == "alibi":
        bias = -alibi_slopes(config.heads)[:, None, None] * np.abs(relative)
    if config.position == "t5":
        bucket = t5_bucket(relative, config.t5_buckets, config.t5_max_distance)
        bias = np.moveaxis(weights["position.weight"][bucket], -1, 0)
    return added, bias


def check(config: Config, ids: np.ndarray, positions: Positions) -> None:
    """Refuse with a ValueError what NumPy would quietly read from the wrong row of a table."""
    if ids.size == 0 or ids.min() < 0 or ids.max() >= config.vocab:
        raise ValueError(f"ids must be one or more numbers from 0 to {config.vocab - 1}; got {ids.tolist()}.")
    if positions.shape != ids.shape[-1:]:
        raise ValueError(f"positions must be one number a token, {ids.shape[-1]} here; got {positions.tolist()}.")
    if config.position == "learned" and (positions.min() < 0 or positions.max() >= config.context):
        raise ValueError(f"learned positions go from 0 to {config.context - 1}; got {positions.tolist()}.")


def unembed(x: Axes, table: np.ndarray, rows: int = 4096) -> np.ndarray:
    """x Eᵀ, one logit for each row of E, the table. It goes by slabs: a large E in float64 would fill the memory."""
    slabs = (table[start : start + rows].astype(x.dtype) for start in range(0, len(table), rows))
    return np.concatenate([x @ slab.T for slab in slabs], axis=-1)


def run(
    config: Config,
    weights: Weights,
    ids: Int[np.ndarray, "*batch seq"] | Sequence[int],
    *,
    causal: bool = True,
    scale: float = 1.0,
    head_gains: Mapping[tuple[int, int], float] | None = None,
    positions: Sequence[int] | None = None,
    temperature: float = 1.0,
    until: int | None = None,
    dtype: type = np.float64,
) -> Tensors:
    """Every tensor of a forward pass by its dotted name, such as "blocks.0.attention.weights", up to "logits".

    `weights` (float32) are converted to `dtype` one at a time. The keyword arguments are what a reader may change:
    `scale` is a factor on 1/√d_head, `head_gains` maps (layer, head) to a factor on what that head mixed, and
    `positions` replace 0 … seq − 1. `until=N` stops after block N: no later weight is read.
    """
    ids = np.asarray(ids)
    positions = np.arange(ids.shape[-1]) if positions is None else np.asarray(positions)
    check(config, ids, positions)
    gains = np.ones((config.layers, config.heads), dtype=dtype)
    for place, gain in (head_gains or {}).items():
        gains[place] = gain
    added, bias = (term.astype(dtype) for term in position_terms(config, weights, positions))
    shared = {"positions": positions, "bias": bias, "causal": causal, "scale": scale, "temperature": temperature}
    embeddings = weights["embed.weight"][ids].astype(dtype)
    x = embeddings + added
    trace = {"positions": positions, "embeddings": embeddings, "position_part": np.broadcast_to(added, x.shape)}
    for layer in range(config.layers if until is None else until + 1):
        trace |= block(config, weights, f"blocks.{layer}", x, gains=gains[layer], **shared)
        x = trace[f"blocks.{layer}.output"]
    if until is None:
        trace["final_normed"] = norm(config, weights, "final_norm", x)
        table = weights["embed.weight" if config.tied else "unembed.weight"]
        trace["logits"] = unembed(trace["final_normed"], table)
    return trace


QUERY_KEY_VALUE = ("query", "key", "value")
BIASED = {
    "all": (*QUERY_KEY_VALUE, "output", "expand", "gate", "contract"),
    "qkv": QUERY_KEY_VALUE,
    "none": (),
}
ACTIVATIONS = {"gelu": gelu, "gelu_tanh": gelu_tanh, "swiglu": silu}
