"""What one head works with: its queries, keys and values, and one dot product term by term. All read from the trace."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.trace import AttentionTrace


@dataclass(frozen=True, eq=False)
class Projections:
    """One head's rows. With grouped heads, `kv_head` is the key/value head it reads and `sharing` all that read it."""

    query: Float[Tensor, "seq d_head"]
    key: Float[Tensor, "seq d_head"]
    value: Float[Tensor, "seq d_head"]
    kv_head: int
    sharing: tuple[int, ...]


def projections(trace: AttentionTrace, head: int, rotated: bool) -> Projections:
    """The head's query, key and value of each token; queries and keys after the rotation or before it."""
    group = trace.query.shape[-3] // trace.key.shape[-3]
    kv_head = head // group
    query, key = (trace.rotated_query, trace.rotated_key) if rotated else (trace.query, trace.key)
    sharing = tuple(range(kv_head * group, (kv_head + 1) * group))
    return Projections(query[head], key[kv_head], trace.value[kv_head], kv_head, sharing)


@torch.inference_mode()
def products(rows: Projections, query: int, key: int) -> Float[Tensor, " d_head"]:
    """The terms of q·k, one a dimension; they sum to the dot product."""
    return rows.query[query] * rows.key[key]
