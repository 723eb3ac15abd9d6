"""What a decoder without positions can know of the order: by shuffled prefixes, and by one token over and over.

One causal layer gives its last row the same whatever the order before it; from the second layer on, the rows that are
read already differ. Where all tokens are the same, schemes that only touch scores give all rows the same.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from model.attention import causal_mask
from model.decoder import Decoder
from model.order import Order

Relative = Float[Tensor, "order layers"]


@torch.inference_mode()
def prefix_changes(decoder: Decoder, ids: Sequence[int], orders: Sequence[Order]) -> Relative:
    """The last token's row after each layer, when the tokens before it stand in these orders.

    Its greatest difference from the row of the sentence as it is, relative to its greatest entry (or to 1). An order
    gives the old place of every token, the last one last.
    """
    batch = torch.tensor([[ids[place] for place in order] for order in [tuple(range(len(ids))), *orders]])
    kept = decoder.light(batch)
    rows = torch.stack([output[:, -1] for output in kept.outputs], dim=1)
    difference = (rows[1:] - rows[:1]).abs().amax(dim=-1)
    largest = torch.maximum(rows[1:].abs().amax(dim=-1), rows[:1].abs().amax(dim=-1))
    return difference / largest.clamp(min=1.0)


def prefix_orders(tokens: int, first: int, limit: int = 24) -> tuple[Order, ...]:
    """At most `limit` other orders of the tokens from `first` to the one before the last, which stays the last.

    They are the reversed one, then the row begun at each of its places, then each swap of two neighbours.
    """
    row = list(range(first, tokens - 1))
    mixed = [row[::-1], *(row[turn:] + row[:turn] for turn in range(1, len(row)))]
    mixed += [[*row[:at], row[at + 1], row[at], *row[at + 2 :]] for at in range(len(row) - 1)]
    unique = dict.fromkeys(tuple(order) for order in mixed if order != row)
    ends = tuple(range(first)), (tokens - 1,)
    return tuple(ends[0] + order + ends[1] for order in list(unique)[:limit])


@torch.inference_mode()
def spread(decoder: Decoder, token: int, count: int, bos: int | None) -> Float[Tensor, " layers"]:
    """The same token `count` times, after BOS or without it: how far its rows are from the first of them, by layer.

    Relative to the greatest entry (or to 1), so that 1e-7 means the same rows.
    """
    ids = [token] * count if bos is None else [bos, *[token] * count]
    kept = decoder.light(torch.tensor(ids))
    found = []
    for output in kept.outputs:
        rows = output[-count:]
        found.append((rows - rows[0]).abs().max() / rows.abs().max().clamp(min=1.0))
    return torch.stack(found)


@torch.inference_mode()
def unevenness(decoder: Decoder, token: int, count: int) -> float:
    """The same token `count` times, without BOS: how far any weight of row t is from 1/(t + 1), t from 0."""
    kept = decoder.light(torch.tensor([token] * count))
    even = torch.ones(count, count).tril() / torch.arange(1, count + 1)[:, None]
    return max((weights - even).abs().max().item() for weights in kept.weights)


def count(places: int) -> list[float]:
    """What a head puts out at places 1, 2, 3 … that looks evenly and finds the value 1 on BOS and 0 elsewhere.

    It is 1/t (Kazemnejad et al. 2023, theorem 1): with a first token unlike the others, the mask alone lets it count.
    """
    scores = torch.zeros(places, places) + causal_mask(places, places, True)
    value = torch.zeros(places, 1)
    value[0] = 1.0
    return (torch.softmax(scores, dim=-1) @ value)[:, 0].tolist()
