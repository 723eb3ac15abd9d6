"""The line at the top of every page: which model, which language, and larger type for a projector."""

import streamlit as st

from model import zoo
from ui import address, theme
from ui.text import LANGUAGES, browser_language, t


def show() -> None:
    """The pickers, and a message for whatever in the address is not understood."""
    st.html(theme.PAGE_STYLE)
    st.html('<div class="glass-brand">Glassformer</div>')
    address.read()
    titles = [entry.title for entry in zoo.offered().values()]
    with st.container(key="header", horizontal=True, vertical_alignment="center", gap="small"):
        projector = st.toggle(t("header.projector"), key="projector", bind="query-params")
        st.selectbox(t("header.model"), titles, key="model", bind="query-params", label_visibility="collapsed")
        st.segmented_control(
            t("header.language"),
            list(LANGUAGES.values()),
            default=LANGUAGES[browser_language()],
            key="lang",
            required=True,
            bind="query-params",
            label_visibility="collapsed",
        )
    if projector:
        st.html(theme.PROJECTOR_STYLE)


def model_name() -> str:
    """The picked model's name in the zoo."""
    title = st.session_state.get("model")
    offered = zoo.offered()
    return next((name for name, entry in offered.items() if entry.title == title), next(iter(offered)))
