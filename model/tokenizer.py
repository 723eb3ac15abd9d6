"""Text to tokens and back, through the `tokenizers` library: byte-level BPE (Sennrich et al. 2016; GPT-2's bytes).

Every token knows its bytes and where they lie in the text; the spans tile the text's UTF-8 without gap or overlap.
What a reader types is always plain text, also where it spells a special token.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

import tokenizers
from tokenizers import Regex, pre_tokenizers
from tokenizers.models import BPE

from model.visible import character_boundaries, is_unspaced, visible


@dataclass(frozen=True)
class Token:
    """One token of a sentence.

    `byte_span` and `char_span` are half-open; the characters are all those that the bytes touch. Tokens with the same
    `group` make up one word, or one character that the model splits (`kind` "word", "character" or "special");
    `group_text` is that word or character.
    """

    id: int
    bytes: bytes
    byte_span: tuple[int, int]
    char_span: tuple[int, int]
    visible: str
    group: int = 0
    kind: str = "word"
    group_text: str = ""


class Tokenizer:
    """A byte-level BPE vocabulary, held by the `tokenizers` library, and the BOS that the model's file asks for."""

    def __init__(self, library: tokenizers.Tokenizer, bos: int | None = None, special: Iterable[int] = ()) -> None:
        self.library = library
        self.bos = bos
        vocabulary = library.get_vocab(with_added_tokens=True)
        special = set(special)
        self.bytes_of = {
            id_: text.encode() if id_ in special or not BYTE_OF.keys() >= set(text) else spelled(text)
            for text, id_ in vocabulary.items()
        }
        if bos is not None and bos not in self.bytes_of:
            raise ValueError(f"texts should begin with token {bos}, but there are only {len(self.bytes_of)} tokens.")

    def encode(self, text: str) -> tuple[Token, ...]:
        """The tokens of a text, BOS first where the model has one. An empty text has no tokens of its own."""
        try:
            raw = text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"the text holds half a character at {error.start}; type it again.") from None
        encoding = self.library.encode(text, add_special_tokens=False)
        pieces = [self.bytes_of[id_] for id_ in encoding.ids]
        if b"".join(pieces) != raw:
            raise ValueError(f"this model has no token for {', '.join(self._unknown(text))}; leave it out.")
        tokens = _place(text, encoding.ids, pieces)
        tokens = _group(text, tokens, encoding.word_ids)
        if self.bos is None:
            return tokens
        name = self.bytes_of[self.bos].decode()
        first = Token(self.bos, b"", (0, 0), (0, 0), name, group=-1, kind="special", group_text=name)
        return (first, *tokens)

    def decode(self, ids: Iterable[int]) -> bytes:
        """The bytes that these tokens spell; several tokens may be needed for one character."""
        return b"".join(self.bytes_of[id_] for id_ in ids)

    def show(self, id_: int) -> str:
        """One token in visible form, out of any context."""
        return visible(self.bytes_of[id_])

    def _unknown(self, text: str) -> list[str]:
        """Characters, by number, with bytes that are no token: a model that never saw them has none."""
        known = set(self.bytes_of.values())
        strange = [c for c in dict.fromkeys(text) if any(bytes([byte]) not in known for byte in c.encode())]
        return [f"U+{ord(character):04X}" for character in strange]


def spelled(text: str) -> bytes:
    """The bytes that a vocabulary's entry stands for."""
    return bytes(BYTE_OF[character] for character in text)


def _place(text: str, ids: list[int], pieces: list[bytes]) -> list[Token]:
    boundaries = character_boundaries(text)
    tokens, start = [], 0
    for id_, piece in zip(ids, pieces, strict=True):
        end = start + len(piece)
        chars = (boundaries.floor(start), boundaries.ceil(end))
        tokens.append(Token(id_, piece, (start, end), chars, visible(piece)))
        start = end
    return tokens


def _group(text: str, tokens: list[Token], words: list[int]) -> tuple[Token, ...]:
    """Joins tokens that share a character, or a word where words are set apart by spaces."""
    starts = [index for index, token in enumerate(tokens) if index == 0 or _begins(text, tokens, words, index)]
    grouped = []
    for group, (start, end) in enumerate(pairwise([*starts, len(tokens)])):
        members = tokens[start:end]
        split = any(a.char_span[1] > b.char_span[0] for a, b in pairwise(members))
        whole = text[members[0].char_span[0] : members[-1].char_span[1]]
        kind = "character" if split and len(whole.strip()) == 1 else "word"
        grouped += [replace(token, group=group, kind=kind, group_text=whole.strip() or whole) for token in members]
    return tuple(grouped)


def _begins(text: str, tokens: list[Token], words: list[int], index: int) -> bool:
    before, here = tokens[index - 1], tokens[index]
    if before.char_span[1] > here.char_span[0]:
        return False
    last, first = text[here.char_span[0] - 1], text[here.char_span[0]]
    if _is_mark(first):
        return False
    if is_unspaced(last) or is_unspaced(first):
        return True
    goes_on = _is_mark(last) and first.isalpha()  # the splitting rules part a word after each combining mark
    return words[index] != words[index - 1] and not goes_on


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def byte_level_bpe(tokens: list[str], merges: list[str], splitter: str) -> tokenizers.Tokenizer:
    """The library's tokenizer from a GGUF's vocabulary and merges; `splitter` is the file's `tokenizer.ggml.pre`."""
    if splitter not in SPLITTERS:
        raise ValueError(
            f"this file splits text by the rule {splitter!r}, which is unknown here; known are {', '.join(SPLITTERS)}."
        )
    vocabulary = {text: id_ for id_, text in enumerate(tokens)}
    if len(vocabulary) < len(tokens):
        repeated = [text for text, count in Counter(tokens).items() if count > 1]
        raise ValueError(f"the vocabulary holds {', '.join(repeated[:5])} twice.")
    pairs = [tuple(merge.split(" ", 1)) for merge in merges]
    try:
        library = tokenizers.Tokenizer(BPE(vocabulary, pairs))
    except Exception as error:  # the library raises nothing narrower
        raise ValueError(f"the merges do not fit the vocabulary: {error}.") from error
    library.pre_tokenizer = SPLITTERS[splitter]()
    return library


def _byte_alphabet() -> dict[str, int]:
    """GPT-2's printable stand-ins: a byte that prints stands for itself, the others for characters from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + place): byte for place, byte in enumerate(others)}


def _regex_splitter(pattern: str) -> Callable[[], pre_tokenizers.PreTokenizer]:
    def build() -> pre_tokenizers.PreTokenizer:
        split = pre_tokenizers.Split(Regex(pattern), "isolated")
        return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])

    return build


def _gpt2() -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.ByteLevel(add_prefix_space=False)


def _smollm() -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), _gpt2()])


BYTE_OF = _byte_alphabet()

_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPLITTERS = {
    "gpt-2": _gpt2,
    "smollm": _smollm,
    "qwen2": _regex_splitter(_WORDS % ""),
    "llama-bpe": _regex_splitter(_WORDS % "{1,3}"),
}
