"""How many parameters a decoder has, part by part, from the numbers of its config alone."""

from model.config import Config


def parameters(config: Config) -> dict[str, int]:
    """Parameters of each part; together, all that a decoder of this config has.

    embedding, unembedding (0 where tied), position (its table), attention, feed_forward and norms of all blocks; the
    final norm counts among the norms.
    """
    tables = config.vocab * config.d_model
    norm = config.d_model * (2 if config.norm == "layer" else 1)
    return {
        "embedding": tables,
        "unembedding": 0 if config.tied else tables,
        "position": position_parameters(config),
        "attention": config.layers * attention_parameters(config),
        "feed_forward": config.layers * feed_forward_parameters(config),
        "norms": (2 * config.layers + 1) * norm,
    }


def position_parameters(config: Config) -> int:
    """A row a position for a learned table, a number a bucket and head for T5; the other schemes learn nothing."""
    return {"learned": config.context * config.d_model, "t5": config.t5_buckets * config.heads}.get(config.position, 0)


def attention_parameters(config: Config) -> int:
    """W_Q, W_K, W_V and W_O of one block, with their biases."""
    queries, keys = config.heads * config.d_head, config.kv_heads * config.d_head
    matrices = config.d_model * (2 * queries + 2 * keys)
    biases = {"all": queries + 2 * keys + config.d_model, "qkv": queries + 2 * keys, "none": 0}
    return matrices + biases[config.biases]


def feed_forward_parameters(config: Config) -> int:
    """The two linear maps of one block's feed-forward, or three with a gate, with their biases."""
    wide = 2 if config.feed_forward == "swiglu" else 1
    matrices = (wide + 1) * config.d_model * config.d_ff
    return matrices + (wide * config.d_ff + config.d_model if config.biases == "all" else 0)


def concatenated(vocab: int, widths: tuple[int, int], layers: int, heads: int, d_ff_factor: int) -> dict[str, int]:
    """A decoder whose token and position vectors, of these two widths, are put end to end instead of added.

    The residual stream is as wide as both together, and so is everything in the blocks; only the token table keeps
    its own width. `d_ff_factor` is d_ff ÷ d_model. Position vectors are fixed, the unembedding is a table of its own.
    """
    d_model = sum(widths)
    config = plain(vocab, d_model, layers, heads, d_ff_factor)
    return parameters(config) | {"embedding": vocab * widths[0]}


def added(vocab: int, width: int, layers: int, heads: int, d_ff_factor: int) -> dict[str, int]:
    """The same decoder where both vectors have one width and are added."""
    return parameters(plain(vocab, width, layers, heads, d_ff_factor))


def plain(vocab: int, d_model: int, layers: int, heads: int, d_ff_factor: int) -> Config:
    """Fixed sinusoids, LayerNorm, biases everywhere, an unembedding of its own."""
    sizes = {"vocab": vocab, "d_model": d_model, "layers": layers, "heads": heads, "d_ff": d_ff_factor * d_model}
    return Config(**sizes, context=512, position="sinusoidal", tied=False)
