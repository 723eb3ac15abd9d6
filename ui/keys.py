"""Keys that press a button of the page: Streamlit's `shortcut=` takes one a button, a presenter's remote sends others.

The keys are the reader's own while text is typed, and the browser's while the button is out of sight or disabled.
"""

import streamlit as st

from ui.element import register, require_words

WORDS = ("failed",)

_ELEMENT = register("glass-keys", "keys.js")


def keys(buttons: dict[str, str], *, key: str, words: dict[str, str]) -> None:
    """Lets each key of `buttons`, by the browser's name for it (" ", "PageDown"), press the button of that key=.

    `words` gives "failed", which is shown before the reason when the script cannot be loaded.
    """
    require_words(words, WORDS, "The keyboard")
    with st.container(key=key):
        _ELEMENT(key=f"{key}-element", data={"buttons": buttons, "words": words})
