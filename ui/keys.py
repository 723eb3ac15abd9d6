"""Stepping by the keyboard, heard anywhere on a page: → Space PageDown go on, ← PageUp go back.

Streamlit's `shortcut=` takes one key a button and loses presses that come faster than the server answers; a
presenter's remote sends PageDown and PageUp. The keys stay the reader's own where text is typed, and the browser's
where the steps are out of sight or at their end.
"""

from collections.abc import Callable

import streamlit as st

from ui.element import register, require_words

WORDS = ("failed",)

_ELEMENT = register("glass-keys", "keys.js")


def stepping_keys(
    at: int, last: int, *, near: str, key: str, words: dict[str, str], on_step: Callable[[int], None]
) -> None:
    """Hears the keys while the container of key `near` is in sight; `on_step` gets the step, 1 to `last`, to go to.

    `at` is the step that is open. `on_step` is called before the rerun, so that it may set the keys of widgets.
    `words` gives "failed", shown before the reason when the script cannot be loaded.
    """
    require_words(words, WORDS, "The keyboard")

    def report() -> None:
        step = st.session_state[f"{key}-element"].get("step")
        if type(step) is int and 1 <= step <= last:  # it may be older than the page, or forged
            on_step(step)

    with st.container(key=key):
        data = {"at": at, "last": last, "near": near, "words": words}
        _ELEMENT(key=f"{key}-element", data=data, on_step_change=report)
