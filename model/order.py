"""The tokens of a sentence in another order: who goes where, and which rows of a run only moved and which changed.

What moves is a piece: a word or a character with all its tokens. BOS stays in front, as in every text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, islice

import torch
from jaxtyping import Float
from torch import Tensor

from model.decoder import Decoder
from model.knobs import Knobs
from model.tokenizer import Token
from model.trace import held_bytes
from model.visible import RESERVED, visible

Order = tuple[int, ...]
STAYS = sorted(RESERVED - {"\ufffd", "◌"})  # the signs of the visible form


@dataclass(frozen=True)
class Piece:
    """What moves as one: its name as a reader types it, and the places of its tokens."""

    name: str
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Reading:
    """An order that was read from a text: the pieces' numbers, and what of the text is no piece of the sentence."""

    order: Order
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Changes:
    """How far each token's row is from its row in the other order, after each layer, in the first order's places.

    difference  the greatest absolute difference in a row      largest  the row's greatest entry, of both orders
    by_place    the greatest difference where rows are compared place by place instead of token by token
    mean        the greatest difference of the mean over all rows
    """

    difference: Float[Tensor, "layers seq"]
    largest: Float[Tensor, "layers seq"]
    by_place: Float[Tensor, " layers"]
    mean: Float[Tensor, " layers"]

    @property
    def relative(self) -> Float[Tensor, "layers seq"]:
        """The difference against the row's greatest entry, or against 1 where that is smaller."""
        return self.difference / self.largest.clamp(min=1.0)

    @property
    def bytes(self) -> int:
        """Memory held by the tensors."""
        return held_bytes(self)


def pieces(tokens: Sequence[Token]) -> tuple[Piece, ...]:
    """The words and characters of a sentence, without BOS."""
    found = []
    for group, members in groupby(enumerate(tokens), key=lambda entry: entry[1].group):
        places, whole = zip(*members, strict=True)
        if group >= 0:
            raw = b"".join(token.bytes for token in whole)
            found.append(Piece(visible(b"".join(raw.split())) or visible(raw), places))
    return tuple(found)


def written(pieces_: Sequence[Piece], order: Order) -> str:
    """The pieces in an order, as `read` reads them."""
    return " ".join(pieces_[number].name for number in order)


def read(pieces_: Sequence[Piece], text: str) -> Reading:
    """The order in which a text names the pieces; those that it does not name follow in their old order.

    Spaces part words but are not needed between them: what stands together is cut by the longest name.
    """
    free = list(range(len(pieces_)))
    order, unknown = [], []
    for word in map(_as_named, text.split()):
        at, strange = 0, ""
        while at < len(word):
            fitting = [number for number in free if word.startswith(pieces_[number].name, at)]
            if fitting:
                best = max(fitting, key=lambda number: (len(pieces_[number].name), -number))
                free.remove(best)
                order.append(best)
                at += len(pieces_[best].name)
            else:
                strange += word[at]
                at += 1
        unknown += [strange] if strange else []
    return Reading((*order, *free), tuple(unknown))


def _as_named(word: str) -> str:
    """A typed word in visible form, as the pieces' names are; what stands there in visible form already stays."""
    parts = re.split(f"([{''.join(STAYS)}])", word.replace("◌", ""))  # `visible` puts this before a lone accent
    return "".join(part if part in STAYS else visible(part.encode()) for part in parts)


def exchanged(pieces_: Sequence[Piece]) -> Order:
    """The order in which the first word and the last one have changed places; marks stay where they are."""
    order = list(range(len(pieces_)))
    spoken = [number for number, piece in enumerate(pieces_) if any(sign.isalnum() for sign in piece.name)]
    first, last = (spoken[0], spoken[-1]) if len(spoken) > 1 else (0, len(order) - 1)
    return swapped(tuple(order), first, last) if len(order) > 1 else tuple(order)


def swapped(order: Order, one: int, other: int) -> Order:
    """Two pieces have changed places."""
    change = {one: other, other: one}
    return tuple(change.get(number, number) for number in order)


def shifted(order: Order, piece: int, step: int) -> Order:
    """One piece has gone one place to the left (−1) or to the right (+1); at the end it stays."""
    at = order.index(piece)
    to = min(max(at + step, 0), len(order) - 1)
    return swapped(order, piece, order[to])


def places(tokens: Sequence[Token], pieces_: Sequence[Piece], order: Order) -> Order:
    """The old place of the token at each new place; BOS stays first."""
    moved = [place for number in order for place in pieces_[number].tokens]
    first = sorted(set(range(len(tokens))) - set(moved))
    return (*first, *moved)


def carried(tokens: Sequence[Token], moved: Order, others: Sequence[Token]) -> Order:
    """The same move for the tokens into which another tokenizer cuts the text: each goes with its first character."""
    rank = {place: new for new, place in enumerate(moved)}
    starts = [(token.char_span[0], rank[place]) for place, token in enumerate(tokens) if token.group >= 0]

    def goes_to(place: int) -> int:
        other = others[place]
        before = [entry for entry in starts if entry[0] <= other.char_span[0]]
        return max(before, default=(0, 0))[1] if other.group >= 0 else -1

    return tuple(sorted(range(len(others)), key=goes_to))


@torch.inference_mode()
def changes(decoder: Decoder, ids: Sequence[int], moved: Order, knobs: Knobs, until: int | None = None) -> Changes:
    """Both orders through the decoder at once, up to the layer `until` or through all of them.

    `moved` gives the old place of the token at each new place.
    """
    batch = torch.tensor([ids, [ids[place] for place in moved]])
    depth = None if until is None else until + 1
    depths = [block.output for block in islice(decoder.blocks_of(batch, knobs), depth)]
    first, second = torch.stack(depths).unbind(dim=1)
    back = torch.empty_like(first)
    back[:, list(moved)] = second
    return Changes(
        difference=(first - back).abs().amax(dim=-1),
        largest=torch.maximum(first.abs().amax(dim=-1), back.abs().amax(dim=-1)),
        by_place=(first - second).abs().amax(dim=(-1, -2)),
        mean=(first.mean(dim=-2) - second.mean(dim=-2)).abs().amax(dim=-1),
    )


def settings(tokens: int) -> dict[str, Knobs]:
    """The four runs of one order: places told or every token told place 0, with the causal mask or without it.

    Where every place is 0, no scheme can tell tokens apart: nothing turns, no bias differs, one vector is added to all.
    """
    nowhere = (0,) * tokens
    return {
        "untold_open": Knobs(causal=False, positions=nowhere),
        "untold_causal": Knobs(positions=nowhere),
        "told_open": Knobs(causal=False),
        "told_causal": Knobs(),
    }
