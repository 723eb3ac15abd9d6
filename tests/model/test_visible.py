"""Bytes and characters as a reader sees them: always something to see, and never the same for two tokens."""

import random
import unicodedata

import pytest

from model.visible import character_boundaries, is_unspaced, visible
from tests.model.pretrained import smollm2

PRINTS_NOTHING = (
    "\0\t\n\r \x7f\x85\xa0\xad\u115f\u1160\u200b\u200c\u200d\u200e\u2028\u202e\u2060\u2800\u3000\u3164\ufeff\uffa0"
)


def random_bytes(seed: int) -> bytes:
    """Bytes as a token may hold them: whole characters, and pieces of broken ones."""
    generator = random.Random(seed)
    characters = "aé·↵⟨⟩◌\u0301\u200d東🙂 \n\ufffd\u00b7"
    pieces = [
        generator.choice(characters).encode() if generator.random() < 0.6 else generator.randbytes(1) for _ in range(6)
    ]
    return b"".join(pieces)[: generator.randrange(1, 12)]


@pytest.mark.parametrize(
    ("piece", "shown"),
    [
        (b"cat", "cat"),
        (b" cat", "·cat"),
        (b"\n\t\r", "↵⇥␍"),
        (b"\xe6\x9d", "⟨E6 9D⟩"),
        (b"\xb1", "⟨B1⟩"),
        (b" \xe6", "·⟨E6⟩"),
        ("東".encode(), "東"),
        ("\u0301".encode(), "◌\u0301"),
        ("e\u0301".encode(), "e\u0301"),
        (b"\0", "⟨U+0000⟩"),
        ("\u200d".encode(), "⟨U+200D⟩"),
        ("\ufffd".encode(), "⟨U+FFFD⟩"),
        ("·".encode(), "⟨U+00B7⟩"),
        ("⟨E6⟩".encode(), "⟨U+27E8⟩E6⟨U+27E9⟩"),
        (b"<b>$x$</b>", "<b>$x$</b>"),
    ],
)
def test_bytes_are_shown_by_these_signs(piece, shown):
    assert visible(piece) == shown


@pytest.mark.parametrize("character", PRINTS_NOTHING, ids=lambda character: f"U+{ord(character):04X}")
def test_what_prints_nothing_is_shown_by_a_sign(character):
    assert all(unicodedata.category(sign)[0] not in "CZ" for sign in visible(character.encode()))
    assert visible(character.encode()) != character


def test_every_token_of_smollm2_is_shown_differently():
    tokenizer = smollm2().tokenizer
    shown = [unicodedata.normalize("NFC", tokenizer.show(id_)) for id_ in tokenizer.bytes_of]
    assert len(set(shown)) == len(shown)
    assert all(shown)
    assert not any("\ufffd" in text for text in shown)


def test_any_two_different_byte_strings_are_shown_differently():
    pieces = {random_bytes(seed) for seed in range(20_000)} | {bytes([byte]) for byte in range(256)}
    shown = {visible(piece) for piece in pieces}
    assert len(shown) == len(pieces)
    assert all(shown)
    assert not any("\ufffd" in text for text in shown)


@pytest.mark.parametrize(("text", "unspaced"), [("東", True), ("ひ", True), ("カ", True), ("ไ", True), ("ก", True)])
def test_scripts_without_spaces_are_known(text, unspaced):
    assert is_unspaced(text) is unspaced


@pytest.mark.parametrize("text", "aé1 한🙂ש\nम!")
def test_scripts_with_spaces_and_signs_are_not_unspaced(text):
    assert not is_unspaced(text)


def test_boundaries_find_the_character_of_every_byte():
    text = "a東🙂é"
    boundaries = character_boundaries(text)
    owners = [index for index, character in enumerate(text) for _ in character.encode()]
    assert [boundaries.floor(byte) for byte in range(len(owners))] == owners
    assert [boundaries.ceil(byte) for byte in range(len(owners))] == [
        owner if byte in boundaries.offsets else owner + 1 for byte, owner in enumerate(owners)
    ]
    assert boundaries.ceil(len(owners)) == len(text)
