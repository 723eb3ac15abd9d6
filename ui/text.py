"""The words on screen, from tables with the same keys in each language: text/en/*.toml and text/zh/*.toml."""

import tomllib
from functools import cache
from pathlib import Path

import streamlit as st

FOLDER = Path(__file__).parent.parent / "text"
LANGUAGES = {"en": "EN", "zh": "中文"}


def language() -> str:
    """The reader's choice, else the address's, else the browser's first language if it has a table, else English."""
    chosen = st.session_state.get("lang") or st.query_params.get("lang")
    for code, name in LANGUAGES.items():
        if chosen in (code, name):
            return code
    return browser_language()


def browser_language() -> str:
    """The browser's first language where there is a table for it, else English."""
    first = (st.context.locale or "").split("-")[0].lower()
    return first if first in LANGUAGES else "en"


def t(key: str, /, **values: object) -> str:
    """The text named `table.key` in the reader's language, with {values} filled in."""
    text = table(language())[key]
    return text.format(**values) if values else text


def words(prefix: str) -> dict[str, str]:
    """All texts whose keys begin with `prefix.`, by the rest of their key: what an element of ours asks for."""
    start = prefix + "."
    return {key.removeprefix(start): text for key, text in table(language()).items() if key.startswith(start)}


@cache
def table(code: str) -> dict[str, str]:
    """All texts of one language by their dotted keys; the file's name is the first part."""
    texts: dict[str, str] = {}
    for path in sorted((FOLDER / code).glob("*.toml")):
        _flatten(path.stem, tomllib.loads(path.read_text(encoding="utf-8")), texts)
    return texts


def _flatten(prefix: str, values: dict, texts: dict[str, str]) -> None:
    for name, value in values.items():
        if isinstance(value, dict):
            _flatten(f"{prefix}.{name}", value, texts)
        else:
            texts[f"{prefix}.{name}"] = value
