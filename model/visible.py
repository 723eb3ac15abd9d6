"""How bytes and characters are shown: every token visible, told apart from every other, and never U+FFFD."""

import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate

GLYPHS = {" ": "·", "\n": "↵", "\t": "⇥", "\r": "␍"}
# A character that one of our own glyphs would be mistaken for is shown by its number, and so is U+FFFD.
RESERVED = {*GLYPHS.values(), "⟨", "⟩", "◌", "\ufffd"}
BLANK = set("\u115f\u1160\u2800\u3164\uffa0")  # letters and a symbol that print nothing
UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "IDEOGRAPH", "BOPOMOFO")


def visible(piece: bytes) -> str:
    """A token's bytes as a reader sees them: whole characters, and bytes of broken ones as ⟨E6 9D⟩."""
    shown, loose = [], []
    for part in _split_utf8(piece):
        if isinstance(part, int):
            loose.append(f"{part:02X}")
            continue
        if loose:
            shown.append(f"⟨{' '.join(loose)}⟩")
            loose = []
        shown.append(_show_character(part, first=not shown))
    if loose:
        shown.append(f"⟨{' '.join(loose)}⟩")
    return "".join(shown)


def is_unspaced(character: str) -> bool:
    """Whether a character is of a script that writes words without spaces, so that each character stands alone."""
    return unicodedata.name(character, "").startswith(UNSPACED)


@dataclass(frozen=True)
class Boundaries:
    """Byte offsets at which the characters of a text begin, with the end of the text last."""

    offsets: tuple[int, ...]

    def floor(self, byte: int) -> int:
        """The character that holds this byte."""
        return bisect_right(self.offsets, byte) - 1

    def ceil(self, byte: int) -> int:
        """The first character that begins at or after this byte."""
        return bisect_left(self.offsets, byte)


def character_boundaries(text: str) -> Boundaries:
    """Where each character of a text begins in its UTF-8 bytes."""
    return Boundaries((0, *accumulate(len(character.encode()) for character in text)))


def _split_utf8(piece: bytes) -> list[str | int]:
    """Whole characters as strings, bytes that belong to none as numbers."""
    parts, at = [], 0
    while at < len(piece):
        for width in (1, 2, 3, 4):
            try:
                parts.append(piece[at : at + width].decode())
                at += width
                break
            except UnicodeDecodeError:
                continue
        else:
            parts.append(piece[at])
            at += 1
    return parts


def _show_character(character: str, first: bool) -> str:
    if character in GLYPHS:
        return GLYPHS[character]
    category = unicodedata.category(character)
    if character in RESERVED | BLANK or category[0] in "CZ":
        return f"⟨U+{ord(character):04X}⟩"
    if first and category[0] == "M":
        return "◌" + character
    return character
