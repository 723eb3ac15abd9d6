"""Text to tokens: the same ids as the definition gives, and spans that tile the text."""

import random
import sys
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest

from model.checkpoint import load_gguf
from model.gguf_file import GGUFFile
from model.tokenizer import SPLITTERS, Token, Tokenizer, byte_level_bpe
from tests.model import bpe_oracle, tiny_gguf
from tests.model.pretrained import smollm2, smollm2_file

HARD_TEXTS = [
    "The cat sat on the mat because it was tired.",
    "def f(x):\n    return x ** 2  # quadriert\n\n\n",
    'for (int i = 0; i < 10; ++i) { printf("%d\\n", i); }\r\n',
    "12345 ->  (x):\n foo_bar!!!",
    "On 2024-02-29 at 07:05:00, 3.14159 × 1e-10 ≠ ½ + ⅓ and Ⅷ",
    "👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪 🙂",
    "中文分词没有空格。",
    "日本語のテキスト、カタカナ",
    "العربية من اليمين إلى اليسار",
    "שלום world مرحبا 123",
    "नमस्ते ไทย 한국어 ქართული",
    "e\u0301 a\u0308\u0323 \u0301",
    "line\r\nline\rline\n\tline\t\t",
    "many     spaces   \n   between  ",
    " ",
    "   ",
    "\n",
    "<|im_start|>user<|im_end|> <|endoftext|>",
    "<b>bold</b> & $x$ \\alpha %s",
    "\ufffd\ufffd typed",
    "a\0b\0",
    "zero\u200bwidth\u2060\ufeff",
    "i ⭢ j",
    "Karadžić",
    "東",
    "don't WE'LL I'M",
    "Ragnarok Valhalla 日本語",
]
# Bytes that SmolLM2 never saw alone, so that its vocabulary has no token for them.
ABSENT = {0x04, 0x06, 0x13, 0x14, 0x16, 0x1D, 0xF1, 0xF2}


def random_text(seed: int) -> str:
    """Characters of every kind that Unicode names, in runs, with digits, spaces and line ends between."""
    generator = random.Random(seed)
    blocks = [(0x20, 0x7F), (0xA0, 0x250), (0x300, 0x700), (0x900, 0x1200), (0x2000, 0x2C00), (0x3000, 0xA000)]
    blocks += [(0xAC00, 0xD7A4), (0xFB00, 0xFFFE), (0x1F300, 0x1F700), (0xE0000, 0xE0080), (0x100000, 0x100010)]
    text = []
    while len(text) < 40:
        if generator.random() < 0.4:
            text += generator.choice([" ", "  ", "\n", "\r\n", "\t", "7", "12", "'s", "the", "\0", "\x85", "\x1f"])
        low, high = generator.choice(blocks)
        text += [chr(generator.randrange(low, high)) for _ in range(generator.randrange(1, 5))]
    return "".join(character for character in text if unicodedata.category(character) not in ("Cn", "Cs"))


TEXTS = HARD_TEXTS + [random_text(seed) for seed in range(60)]


@pytest.fixture(scope="module")
def oracle() -> bpe_oracle.Oracle:
    """SmolLM2's tokens and merges, as its file says them."""
    parts = GGUFFile(smollm2_file()).tokenizer()
    assert parts["splitter"] == "smollm"
    return bpe_oracle.Oracle(parts["tokens"], parts["merges"])


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return smollm2().tokenizer


def tiny(splitter: str = "gpt-2", bos: int | None = None) -> Tokenizer:
    """The tokenizer of the tiny files."""
    return Tokenizer(byte_level_bpe(tiny_gguf.TOKENS, tiny_gguf.MERGES, splitter), bos, special=(0, 1))


@pytest.mark.parametrize("text", TEXTS)
def test_ids_are_those_of_the_definition(tokenizer, oracle, text):
    assert [token.id for token in tokenizer.encode(text)] == oracle.encode(text, "smollm")


@pytest.mark.parametrize("rule", SPLITTERS)
def test_each_rule_splits_as_its_definition(rule):
    tokenizer, oracle = tiny(rule), bpe_oracle.Oracle(tiny_gguf.TOKENS, tiny_gguf.MERGES)
    for text in TEXTS:
        assert [token.id for token in tokenizer.encode(text)] == oracle.encode(text, rule)
        pieces = [piece for piece, _ in tokenizer.library.pre_tokenizer.pre_tokenize_str(text)]
        spelt = [
            "".join(bpe_oracle.STAND_IN[byte] for byte in piece.encode()) for piece in bpe_oracle.split(text, rule)
        ]
        assert pieces == spelt


@pytest.mark.parametrize(
    ("rule", "pieces"),
    [
        ("gpt-2", ["12345", " ->", " ", " (", "x", "):", "\n", " foo", "_", "bar", "!!!"]),
        ("smollm", ["1", "2", "3", "4", "5", " ->", " ", " (", "x", "):", "\n", " foo", "_", "bar", "!!!"]),
        ("qwen2", ["1", "2", "3", "4", "5", " ->", " ", " (", "x", "):\n", " foo", "_bar", "!!!"]),
        ("llama-bpe", ["123", "45", " ->", " ", " (", "x", "):\n", " foo", "_bar", "!!!"]),
    ],
)
def test_digits_signs_and_line_ends_are_split_by_the_rule(rule, pieces):  # B17
    found = tiny(rule).library.pre_tokenizer.pre_tokenize_str("12345 ->  (x):\n foo_bar!!!")
    assert [
        bytes(tiny().bytes_of[tiny_gguf.TOKENS.index(c)][0] for c in piece).decode() for piece, _ in found
    ] == pieces


@pytest.mark.parametrize("rule", ["deepseek-llm", "missing", "", "default"])
def test_a_rule_that_is_not_known_is_refused_by_name(rule):  # B17
    with pytest.raises(ValueError, match=f"{rule!r}.*gpt-2, smollm, qwen2, llama-bpe"):
        byte_level_bpe(tiny_gguf.TOKENS, tiny_gguf.MERGES, rule)


@pytest.mark.parametrize("text", TEXTS)
def test_spans_tile_the_bytes_and_cover_the_characters(tokenizer, text):  # B11
    tokens = tokenizer.encode(text)
    raw = text.encode()
    assert b"".join(token.bytes for token in tokens) == raw
    assert tokenizer.decode(token.id for token in tokens) == raw
    edges = [edge for token in tokens for edge in token.byte_span]
    assert edges == sorted(edges)
    assert edges[0] == 0
    assert edges[-1] == len(raw)
    assert edges[1:-1:2] == edges[2::2]
    for token in tokens:
        assert raw[slice(*token.byte_span)] == token.bytes
        assert token.char_span == touched(text, token)


def touched(text: str, token: Token) -> tuple[int, int]:
    """The characters of which the token holds a byte, found one by one."""
    found, start = [], 0
    for index, character in enumerate(text):
        end = start + len(character.encode())
        if token.byte_span[0] < end and start < token.byte_span[1]:
            found.append(index)
        start = end
    return found[0], found[-1] + 1


@pytest.mark.parametrize("text", TEXTS)
def test_groups_run_on_and_never_cut_a_character(tokenizer, text):  # B19
    tokens = tokenizer.encode(text)
    groups = [token.group for token in tokens]
    assert groups == sorted(groups)
    assert set(groups) == set(range(len(set(groups))))
    for before, here in pairwise(tokens):
        if before.char_span[1] > here.char_span[0]:
            assert before.group == here.group
    for token in tokens:
        members = [other for other in tokens if other.group == token.group]
        whole = text[members[0].char_span[0] : members[-1].char_span[1]]
        assert token.group_text == (whole.strip() or whole)
        assert token.kind in ("word", "character")


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("Ragnarok Valhalla 日本語", ["Ragnarok", "Valhalla", "日", "本", "語"]),
        ("Karadžić", ["Karadžić"]),
        ("Тест", ["Тест"]),
        ("i ⭢ j", ["i", "⭢", "j"]),
        ("👨‍👩‍👧 🙂", ["👨‍👩‍👧", "🙂"]),
        ("cafe\u0301", ["cafe\u0301"]),
        ("नमस्ते", ["नमस्ते"]),
        ("ไทย", ["ไ", "ท", "ย"]),
        ("กี่", ["กี่"]),
        ("12 cats", ["1", "2", "cats"]),
        ("  ", ["  "]),
    ],
)
def test_tokens_are_joined_to_words_and_characters(tokenizer, text, groups):  # B19
    tokens = tokenizer.encode(text)
    assert list(dict.fromkeys((token.group, token.group_text) for token in tokens)) == list(enumerate(groups))


def test_only_the_bytes_of_a_single_character_are_of_kind_character(tokenizer):
    kinds = {token.group_text: token.kind for token in tokenizer.encode("Ragnarok 東 Тест a🙂 語")}
    assert kinds["東"] == kinds["語"] == "character"
    assert kinds["Ragnarok"] == kinds["Тест"] == kinds["a"] == "word"


@pytest.mark.parametrize("text", TEXTS)
def test_every_token_shows_something_and_never_the_replacement_character(tokenizer, text):
    for token in tokenizer.encode(text):
        assert token.visible
        assert token.visible.isprintable()
        assert "\ufffd" not in token.visible


def test_a_text_that_spells_a_special_token_stays_plain(tokenizer):  # B18
    tokens = tokenizer.encode("<|im_start|>user<|im_end|><|endoftext|>")
    assert all(token.id > 16 for token in tokens)
    assert len(tokens) > 10
    spelling = tiny(bos=1).encode("<|start|>")
    assert [token.id for token in spelling].count(1) == 1


def test_an_empty_text_has_no_tokens(tokenizer):  # B12
    assert tokenizer.encode("") == ()


@pytest.mark.parametrize("text", [" ", "   ", "\n", "\t"])
def test_white_space_is_not_an_empty_text(tokenizer, text):  # B12
    assert len(tokenizer.encode(text)) >= 1


def test_half_a_character_is_refused_with_its_place(tokenizer):
    with pytest.raises(ValueError, match="half a character at 3"):
        tokenizer.encode("ab \ud83d")


def test_every_character_is_spelt_or_refused_by_its_number(tokenizer):
    """A model has no token for bytes that it never saw; leaving them out silently would show another text."""
    every_width = [*range(0x100), *range(0x100, 0xD800, 331), *range(0xE000, sys.maxunicode + 1, 9973), 0x10FFFF]
    for number in every_width:
        text = f"a{chr(number)}b"
        if ABSENT & set(text.encode()):
            with pytest.raises(ValueError, match=rf"U\+{number:04X};"):
                tokenizer.encode(text)
        else:
            assert tokenizer.decode(token.id for token in tokenizer.encode(text)) == text.encode()


@pytest.mark.parametrize("text", ["", "the cat", "<|start|>the", "日本"])
def test_a_text_begins_with_bos_exactly_if_the_file_says_so(tmp_path: Path, text):  # B18
    said = {"whole": {"add_bos_token": True}, "without": {"add_bos_token": False}, "silent": {}}
    tokens = {}
    for name, keys in said.items():
        keys = {f"tokenizer__ggml__{key}": value for key, value in keys.items()}
        path = tiny_gguf.write(tmp_path / f"{name}.gguf", tiny_gguf.fields(**keys))
        tokens[name] = load_gguf(path, tmp_path)[1].encode(text)
    assert tokens["silent"] == tokens["without"] == tokens["whole"][1:]
    bos = tokens["whole"][0]
    assert (bos.id, bos.bytes, bos.byte_span, bos.kind) == (1, b"", (0, 0), "special")
    assert bos.visible == bos.group_text == "<|start|>"
    assert all(token.id > 1 for token in tokens["without"])
    assert bos.group not in {token.group for token in tokens["without"]}


def test_smollm2_asks_for_no_bos(tokenizer):  # B18
    assert tokenizer.bos is None


@pytest.mark.parametrize(
    ("tokens", "merges", "words"),
    [
        (tiny_gguf.TOKENS, ["q z"], "merges"),
        (tiny_gguf.TOKENS, ["th"], "merges"),
        ([*tiny_gguf.TOKENS, "Ġthe"], tiny_gguf.MERGES, "twice"),
    ],
)
def test_a_vocabulary_that_does_not_fit_its_merges_is_refused(tokens, merges, words):
    with pytest.raises(ValueError, match=words):
        byte_level_bpe(tokens, merges, "gpt-2")


def test_a_bos_outside_the_vocabulary_is_refused():
    with pytest.raises(ValueError, match=str(10**6)):
        tiny(bos=10**6)


def test_a_token_outside_the_alphabet_of_bytes_stands_for_its_own_text():
    tokens = [*tiny_gguf.TOKENS, "two words"]
    tokenizer = Tokenizer(byte_level_bpe(tokens, tiny_gguf.MERGES, "gpt-2"))
    assert tokenizer.decode([len(tokens) - 1]) == b"two words"
