"""Byte-level BPE in plain Python, from its definition: an oracle that shares no code with the tokenizer under test.

A text is split by a rule, each piece is spelt in GPT-2's stand-ins for bytes, and the pair of neighbours that comes
first in the list of merges is joined, everywhere in the piece, until no pair is in the list (Sennrich et al. 2016).
"""

from itertools import pairwise

import regex

# GPT-2's stand-ins: a byte that prints stands for itself, and the n-th of the others for the character 256 + n.
_PRINTS = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
_OTHERS = [byte for byte in range(256) if byte not in _PRINTS]
STAND_IN = {byte: chr(byte) if byte in _PRINTS else chr(256 + _OTHERS.index(byte)) for byte in range(256)}

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LATER = (
    r"'(?i:s|t|re|ve|m|ll|d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}DIGITS| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def split(text: str, rule: str) -> list[str]:
    """The pieces within which tokens are merged."""
    if rule == "smollm":  # digits stand alone, and what lies between them is split as for GPT-2
        runs = [run for run in regex.split(r"(\p{N})", text) if run]
        return [piece for run in runs for piece in regex.findall(_GPT2, run)]
    patterns = {"gpt-2": _GPT2, "qwen2": _LATER.replace("DIGITS", ""), "llama-bpe": _LATER.replace("DIGITS", "{1,3}")}
    return regex.findall(patterns[rule], text)


class Oracle:
    """A vocabulary and its merges, the first of which are made first."""

    def __init__(self, tokens: list[str], merges: list[str]) -> None:
        self.ids = {token: id_ for id_, token in enumerate(tokens)}
        self.ranks = {tuple(merge.split(" ")): rank for rank, merge in enumerate(merges)}

    def encode(self, text: str, rule: str) -> list[int]:
        """The ids of a text's tokens."""
        return [self.ids[part] for piece in split(text, rule) for part in merge(piece, self.ranks)]


def merge(piece: str, ranks: dict[tuple[str, str], int]) -> list[str]:
    """One piece as the tokens that the merges leave."""
    parts = [STAND_IN[byte] for byte in piece.encode()]
    while len(parts) > 1:
        first = min(pairwise(parts), key=lambda pair: ranks.get(pair, len(ranks)))
        if first not in ranks:
            break
        joined, at = [], 0
        while at < len(parts):
            if tuple(parts[at : at + 2]) == first:
                joined.append(parts[at] + parts[at + 1])
                at += 2
            else:
                joined.append(parts[at])
                at += 1
        parts = joined
    return parts
