"""Overview: the whole machine at once, a lane a token, from the text to the probabilities of what comes next."""

import streamlit as st

from ui import controls, machine, picks
from ui.text import t


@st.fragment
def page() -> None:
    """The page reads downward: sentence, tokens, the machine, its pickers, the way into it."""
    said = controls.begin()
    if said is None:
        return
    run = said.run
    with st.container(key="picture"):
        above = st.container()
        at = picks.place(run)
        with above:
            controls.strip(run, at, run.forward.weights(at.layer)[at.head, at.query].tolist())
            machine.show(run, at)
        st.page_link("pages/attention.py", label=t("overview.attention"), icon=":material/arrow_forward:")
    controls.share(said, at)


page()
