"""A page for tests/browser/test_tokens.py: token strips of several scripts and sizes."""

import streamlit as st

from ui.tokens import token_strip

WORDS = {
    "strip": "Tokens",
    "token": "token {index}: {text}, id {id}",
    "part": "part {part} of {parts} of {whole}",
    "query": "query",
    "key": "key",
    "failed": "The tokens cannot be shown here.",
}

st.set_page_config(layout="wide")


def chip(index: int, text: str, group: int, **more) -> dict:
    return {"index": index, "text": text, "id": 500 + 7 * index, "group": group, "kind": "word", "title": text} | more


def words(sentence: str) -> list[dict]:
    return [chip(index, text, index) for index, text in enumerate(sentence.split(" "))]


def mixed() -> list[dict]:
    """A word, an emoji of four bytes, a Chinese character of two tokens, Arabic, Hebrew, markup."""
    pieces = [chip(0, "The", 0), chip(1, "·cat", 1, shade=0.8)]
    for part, byte in enumerate(("F0", "9F", "98", "80")):
        pieces.append(chip(2 + part, byte, 2, kind="byte", group_text="😀", shade=0.1))
    pieces += [
        chip(6, "E4 B8", 3, kind="character", group_text="东"),
        chip(7, "9C", 3, kind="character", group_text="东"),
    ]
    for text in ("·السلام", "·عليكم", "·שלום", "<b>", "·👩‍👩‍👧", "&amp;", "<|endoftext|>"):
        index = len(pieces)
        pieces.append(chip(index, text, index, kind="special" if text.startswith("<|") else "word", shade=index / 20))
    return pieces


def remember(index: int) -> None:
    st.session_state["query"] = index


@st.fragment
def page() -> None:
    query = st.number_input("Query", value=1, key="query")
    sentence = st.text_input("Sentence", value="a b c", key="sentence", live="0")
    settings = {"words": WORDS, "on_pick": remember}
    result = token_strip(mixed(), key="mixed", picked=query, second=7, **settings)
    st.text(f"mixed: {result}")
    typed = words(sentence)
    st.text(f"typed: {token_strip(typed, key='typed', picked=min(query, len(typed) - 1), **settings)}")
    many = words(" ".join(f"·word{index}" for index in range(256)))
    st.text(f"many: {token_strip(many, key='many', picked=query, **settings)}")
    shades = [chip(index, f"·w{index}", index, shade=index / 10) for index in range(11)]
    token_strip(shades, key="shades", picked=None, words=WORDS)
    st.text(f"query: {query}")


page()
