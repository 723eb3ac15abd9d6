"""Same maths: conventions that look different and are not, or look alike and are not, on the reader's numbers."""

import streamlit as st

from ui import controls, picks, same_maths
from ui.text import t
from ui.theme import caption


@st.fragment
def page() -> None:
    """The page reads downward: sentence and tokens; the list of verdicts, and one pair of conventions beside it."""
    said = controls.begin()
    if said is None:
        return
    run = said.run
    with st.container(key="picture"):
        tokens = st.container()
        caption(t("same_maths.about"))
        left, right = st.columns([1, 1.9], gap="medium")
        with right:
            chosen = same_maths.choose()
            at = picks.place(run)
            same_maths.pair(run, at, chosen)
        with left:
            same_maths.verdicts(run, at, chosen)
        with tokens:
            controls.strip(run, at)
    controls.share(said, at)


page()
