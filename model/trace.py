"""What one forward pass computed, and the glossary of its axes.

batch   any leading axes, also none         seq     tokens of the sentence (new ones, when there is a past)
query   the token that looks                key     the token that is looked at (past ones first)
heads   query heads                         kv_heads   key/value heads, each shared by heads / kv_heads query heads
d_model width of the residual stream        d_head  width of one head        d_ff  hidden units of a feed-forward
vocab   tokens the model knows

Every tensor is the one that made the output: the next stage takes it from here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass

from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """One attention. With a past, `rotated_key` and `value` begin with the past's rows."""

    query: Float[Tensor, "*batch heads query d_head"]
    key: Float[Tensor, "*batch kv_heads query d_head"]
    value: Float[Tensor, "*batch kv_heads key d_head"]
    rotated_query: Float[Tensor, "*batch heads query d_head"]
    rotated_key: Float[Tensor, "*batch kv_heads key d_head"]
    raw_scores: Float[Tensor, "*batch heads query key"]
    bias: Float[Tensor, "heads query key"]
    scores: Float[Tensor, "*batch heads query key"]
    weights: Float[Tensor, "*batch heads query key"]
    mixed: Float[Tensor, "*batch heads query d_head"]
    output: Float[Tensor, "*batch query d_model"]


@dataclass(frozen=True, eq=False)
class FeedForwardTrace:
    """One feed-forward: what goes into the activation, what comes out (gated for SwiGLU), and the output."""

    before: Float[Tensor, "*batch seq d_ff"]
    hidden: Float[Tensor, "*batch seq d_ff"]
    output: Float[Tensor, "*batch seq d_model"]


@dataclass(frozen=True, eq=False)
class BlockTrace:
    """One block: the residual stream before (`input`), `between` attention and feed-forward, and after (`output`)."""

    input: Float[Tensor, "*batch seq d_model"]
    attention_normed: Float[Tensor, "*batch seq d_model"]
    attention: AttentionTrace
    between: Float[Tensor, "*batch seq d_model"]
    feed_forward_normed: Float[Tensor, "*batch seq d_model"]
    feed_forward: FeedForwardTrace
    output: Float[Tensor, "*batch seq d_model"]


@dataclass(frozen=True, eq=False)
class Past:
    """A KV cache: what later tokens need of earlier ones, one entry a layer, and the earlier positions."""

    rotated_keys: tuple[Float[Tensor, "*batch kv_heads key d_head"], ...]
    values: tuple[Float[Tensor, "*batch kv_heads key d_head"], ...]
    positions: Int[Tensor, " key"]


@dataclass(frozen=True, eq=False)
class Trace:
    """A whole forward pass. `positions` are those of all keys, the past's first."""

    positions: Int[Tensor, " key"]
    embeddings: Float[Tensor, "*batch seq d_model"]
    position_part: Float[Tensor, "*batch seq d_model"]
    blocks: tuple[BlockTrace, ...]
    final_normed: Float[Tensor, "*batch seq d_model"]
    logits: Float[Tensor, "*batch seq vocab"]

    @property
    def past(self) -> Past:
        """The KV cache with which the next step continues this run."""
        keys = tuple(block.attention.rotated_key for block in self.blocks)
        values = tuple(block.attention.value for block in self.blocks)
        return Past(keys, values, self.positions)


@dataclass(frozen=True, eq=False)
class LightTrace:
    """What is kept of a run where memory counts; `ForwardPass.open_block` computes the rest again, bit for bit."""

    positions: Int[Tensor, " seq"]
    embeddings: Float[Tensor, "*batch seq d_model"]
    position_part: Float[Tensor, "*batch seq d_model"]
    inputs: tuple[Float[Tensor, "*batch seq d_model"], ...]
    weights: tuple[Float[Tensor, "*batch heads query key"], ...]
    output: Float[Tensor, "*batch seq d_model"]

    @property
    def outputs(self) -> tuple[Float[Tensor, "*batch seq d_model"], ...]:
        """The residual stream after each block: the input of the next, and the output of the last."""
        return (*self.inputs[1:], self.output)

    @property
    def bytes(self) -> int:
        """Memory held by the tensors."""
        return held_bytes(self)


def held_bytes(trace: object) -> int:
    """Memory held by every tensor of a trace, or of a part of one."""
    return sum(tensor.numel() * tensor.element_size() for _, tensor in named_tensors(trace))


def named_tensors(trace: object, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
    """Every tensor of a trace with its dotted name, e.g. `blocks.13.attention.weights`, in the order computed."""
    if isinstance(trace, Tensor):
        yield prefix, trace
        return
    if is_dataclass(trace):
        children = ((field.name, getattr(trace, field.name)) for field in fields(trace))
    else:
        children = ((str(index), child) for index, child in enumerate(trace))
    for name, child in children:
        yield from named_tensors(child, f"{prefix}.{name}" if prefix else name)
