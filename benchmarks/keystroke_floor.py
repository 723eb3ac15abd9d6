"""The bare page of the keystroke benchmark: one text box, one chart, two figures made beforehand."""

import numpy as np
import streamlit as st

from ui.chart import chart
from ui.text import words
from viz import attention
from viz.theme import LIGHT

SEQ = 32
WORDS = {"query": "query", "key": "key", "weight": "weight"}


@st.cache_resource(show_spinner=False)
def figures() -> list:
    """Two heads of 32 tokens."""
    made = []
    for seed in range(2):
        raw = np.tril(np.random.default_rng(seed).random((SEQ, SEQ)).astype(np.float32))
        weights = raw / raw.sum(axis=1, keepdims=True)
        tokens = [f"t{number}" for number in range(SEQ)]
        made.append(attention.head_weights(weights, tokens, picked=(7, 1), causal=True, words=WORDS, theme=LIGHT))
    return made


@st.fragment
def page() -> None:
    """A key press shows the other figure."""
    text = st.text_input("Text", key="text", live="0")
    chart(figures()[len(text) % 2], key="floor-chart", alt="A head", height=470, labels=words("chart"), view="floor")


page()
