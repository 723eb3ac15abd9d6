"""The token strip: the sentence as chips, one a token, that can be picked.

A small element of ours because the order must stay 0…T−1 in every script, and chips of one character must be joined.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from ui.element import register, require_words

WORDS = ("strip", "token", "part", "query", "key", "failed")
KINDS = ("word", "character", "byte", "special")
FIELDS = ("index", "text", "id", "group", "kind", "group_text", "title", "shade")

_ELEMENT = register("glass-tokens", "tokens.js")


def token_strip(
    tokens: list[dict[str, Any]],
    *,
    key: str,
    picked: int | None,
    words: dict[str, str],
    second: int | None = None,
    on_pick: Callable[[int], None] | None = None,
) -> int | None:
    """Shows the tokens as chips, in their order, and returns the one that the reader picked since the last run.

    Args:
        tokens: one dict a token: `index` (its place, from 0), `text` (its visible form, never U+FFFD), `id`,
            `group` (tokens of one character or word share it), `kind` (one of `KINDS`), `group_text` (the whole
            character, shown under the joined chips of one character), `title` (hover text), `shade` (0…1, or None).
        key: the element's name; one key is one DOM node for as long as it is shown.
        picked: the query token's index (blue, marked q), or None.
        second: the key token's index (vermilion, marked k), or None.
        words: all of `WORDS`, in the reader's language. `token` may use {index}, {text} and {id}; `part`, said of a
            token that is a part of a character, may use {part}, {parts} and {whole}.
        on_pick: called with the index before the rerun, so that it may set the keys of widgets.

    Returns:
        The picked index in the run that it caused, else None (a later run does not repeat it).
    """
    require_words(words, WORDS, "The token strip")
    for place, token in enumerate(tokens):
        _require_token(token, place)

    def report() -> None:
        index = _index(st.session_state[key].get("pick"), len(tokens))
        if index is not None and on_pick:
            on_pick(index)

    data = {
        "tokens": [{name: token.get(name) for name in FIELDS} for token in tokens],
        "picked": picked,
        "second": second,
        "words": {name: words[name] for name in WORDS},
    }
    result = _ELEMENT(key=key, data=data, on_pick_change=report)
    return _index(result.get("pick"), len(tokens))


def _require_token(token: dict[str, Any], place: int) -> None:
    unknown = sorted(set(token) - set(FIELDS))
    if unknown:
        raise ValueError(f"Token {place} has {', '.join(unknown)}; a chip knows only {', '.join(FIELDS)}.")
    if token.get("index") != place:
        raise ValueError(f"Token {place} says index {token.get('index')}; the strip shows 0, 1, 2, … in order.")
    if token.get("kind", "word") not in KINDS:
        raise ValueError(f"Token {place} is of kind {token['kind']!r}; a chip may be {', '.join(KINDS)}.")
    shade = token.get("shade")
    if shade is not None and not 0 <= shade <= 1:
        raise ValueError(f"Token {place} has shade {shade}; a shade is a weight from 0 to 1, or None.")


def _index(value: Any, count: int) -> int | None:
    """What the browser reported, if it can be meant of these tokens: it may be older than they are, or forged."""
    return value if type(value) is int and 0 <= value < count else None
