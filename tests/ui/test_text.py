"""The tables of words: the same keys and the same places to fill in, in each language."""

import re
from pathlib import Path

import pytest

from ui import text

ROOT = Path(__file__).parent.parent.parent
PLACES = re.compile(r"\{(\w*)")


def test_both_languages_have_the_same_keys():
    assert text.table("en").keys() == text.table("zh").keys()


@pytest.mark.parametrize("key", text.table("en"))
def test_both_languages_fill_in_the_same_values(key):
    assert set(PLACES.findall(text.table("en")[key])) == set(PLACES.findall(text.table("zh")[key]))


def test_every_key_that_the_code_asks_for_exists():
    asked = set()
    for path in [ROOT / "app.py", *ROOT.glob("ui/*.py"), *ROOT.glob("pages/*.py")]:
        asked |= set(re.findall(r"\bt\(\"([\w.]+)\"", path.read_text(encoding="utf-8")))
    assert asked
    assert asked <= text.table("en").keys()


def test_chinese_prose_uses_full_width_punctuation():
    for key, value in text.table("zh").items():
        if not key.endswith("code"):
            assert not re.search(r"[\u4e00-\u9fff][,;:!?](\s|$)", value), key


def test_chinese_texts_are_chinese():
    """Only signs, numbers and code may do without a Chinese character."""
    for key, value in text.table("zh").items():
        if not re.search(r"[\u4e00-\u9fff]", value) and not key.endswith("code"):
            bare = PLACES.sub("", value)
            assert not re.search(r"[A-Za-z]{5}", bare), key
