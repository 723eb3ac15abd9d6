"""A page for tests/browser/test_stepper.py: a text box, and the Stepper over a run of a tiny random decoder."""

import streamlit as st

from tests.ui.tiny_run import tiny_run
from ui import stepper, theme
from ui.picks import Place

st.set_page_config(layout="wide")
st.html(theme.PAGE_STYLE)
st.session_state["sentence_number"] = 0


@st.cache_resource
def run():
    """One run for all sessions."""
    return tiny_run()


st.text_input("Words", key="words")
stepper.show(run(), Place(1, 3, 5, st.session_state.get("key", 2)))
