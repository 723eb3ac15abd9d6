"""The lab's tokenizer: one token a word, in Chinese and English, and bytes for everything else.

An English word carries the space before it, as in GPT-2; the first word of a text is read as if a space stood before
it, and BOS takes that space back when ids are decoded. Chinese is cut by the longest match. A space before a Chinese
word or a punctuation mark changes nothing: the token covers it, and it does not come back when ids are decoded.
"""

from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from itertools import pairwise

from model.tokenizer import Token
from model.visible import character_boundaries, is_unspaced, visible
from model.world import World
from model.world_chinese import CHINESE
from model.world_english import ENGLISH

BOS = 256
PUNCTUATION = ".,?:"
CLOSED_UP = "。，？："


class LabTokenizer:
    """The words of some languages of the world. Ids 0 to 255 are the bytes, then BOS, then the words."""

    def __init__(self, worlds: Iterable[World] = (ENGLISH, CHINESE)) -> None:
        self.bos = BOS
        spellings = (spelling(world, word) for world in worlds for word in world.words)
        self.id_of = {word: BOS + 1 + place for place, word in enumerate(dict.fromkeys(spellings))}
        self.bytes_of = {byte: bytes([byte]) for byte in range(256)}
        self.bytes_of |= {BOS: b"<bos>"} | {id_: word.encode() for word, id_ in self.id_of.items()}
        self.longest = max(len(word) for word in self.id_of)

    @property
    def vocab(self) -> int:
        """How many tokens there are."""
        return len(self.bytes_of)

    def encode(self, text: str) -> tuple[Token, ...]:
        """BOS and the tokens of a text, whose bytes tile it. A word that is not known is spelled in bytes."""
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"the text holds half a character at {error.start}; type it again.") from None
        boundaries = character_boundaries(text)
        tokens = [Token(BOS, b"", (0, 0), (0, 0), "<bos>", group=-1, kind="special", group_text="<bos>")]
        at = group = 0
        while at < len(text):
            end, known = self._match(text, at)
            piece, first = text[at:end].encode(), boundaries.offsets[at]
            whole = text[at:end].strip() or text[at:end]
            kind = "character" if known is None and end == at + 1 else "word"
            shared = Token(0, piece, (first, first + len(piece)), (at, end), visible(piece), group, kind, whole)
            tokens += [replace(shared, id=known)] if known is not None else _spell(shared, boundaries)
            at, group = end, group + 1
        return tuple(tokens)

    def decode(self, ids: Iterable[int]) -> bytes:
        """The bytes that these tokens spell. Straight after BOS, a word is without its space; BOS itself is nothing."""
        before, pieces = None, []
        for id_ in ids:
            piece = b"" if id_ == BOS else self.bytes_of[id_]
            opens = before == BOS and id_ > BOS
            pieces.append(piece.removeprefix(b" ") if opens else piece)
            before = id_
        return b"".join(pieces)

    def show(self, id_: int) -> str:
        """One token in visible form, out of any context."""
        return visible(self.bytes_of[id_])

    def outside(self, tokens: Iterable[Token]) -> list[Token]:
        """The first token of each word that is not known, a word named once; these words are spelled in bytes."""
        strange = {token.group_text: token for token in reversed(list(tokens)) if token.id < BOS}
        return [strange[word] for word in reversed(strange) if not word.isspace()]

    def similar(self, word: str, count: int = 3) -> list[str]:
        """Known words that are spelled much like this one, or, in Chinese, share a character; the nearest first."""
        known = list(dict.fromkeys(each.strip() for each in self.id_of))
        if any(is_unspaced(character) for character in word):
            shared = [each for each in known if set(each) & set(word)]
            return sorted(shared, key=lambda each: (-len(set(each) & set(word)), len(each)))[:count]
        return get_close_matches(word, [each for each in known if each.isascii()], count)

    def spell(self, word: str) -> list[int]:
        """The ids of one word of a sentence: one if it is known, otherwise its bytes."""
        return [self.id_of[word]] if word in self.id_of else list(word.encode())

    def _match(self, text: str, at: int) -> tuple[int, int | None]:
        """Where the piece that begins at `at` ends, and its id; None for what has to be spelled."""
        begin = at + (text[at] == " ")
        # Of several spaces, only a single one before a word is optional.
        bare = at if text[at - 1 : at] == " " else begin
        end = begin
        while end < len(text) and _joins(text[end]):
            end += 1
        if end > begin:
            if text[bare:end] in self.id_of and _among_unspaced(text, at, end):
                return end, self.id_of[text[bare:end]]
            opening = " " if at == begin == 0 else ""
            return end, self.id_of.get(opening + text[at:end])
        for end in range(min(len(text), bare + self.longest), bare, -1):
            if text[bare] != " " and text[bare:end] in self.id_of:
                return end, self.id_of[text[bare:end]]
        return at + 1, None


def spelling(world: World, word: str) -> str:
    """A word as it stands inside a sentence: with a space before it, where its language writes one."""
    return " " + word if world.apart and word not in PUNCTUATION else word


def _joins(character: str) -> bool:
    """Whether a character makes up one word with its neighbours: letters and digits of scripts that use spaces."""
    return character.isalnum() and not is_unspaced(character)


def _among_unspaced(text: str, start: int, end: int) -> bool:
    """Whether a word, such as AI, stands in a text that writes no spaces: by what is before it, or else after it."""
    before, after = text[:start].rstrip(" "), text[end:].lstrip(" ")
    neighbour = before[-1:] or after[:1]
    return neighbour in CLOSED_UP or is_unspaced(neighbour) if neighbour else False


def _spell(whole: Token, boundaries) -> list[Token]:
    """The bytes of a piece as tokens of one group."""
    first = whole.byte_span[0]
    spans = pairwise(range(first, first + len(whole.bytes) + 1))
    return [
        replace(
            whole,
            id=byte,
            bytes=bytes([byte]),
            byte_span=span,
            char_span=(boundaries.floor(span[0]), boundaries.ceil(span[1])),
            visible=visible(bytes([byte])),
        )
        for byte, span in zip(whole.bytes, spans, strict=True)
    ]
