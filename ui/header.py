"""The line at the top of every page: which model, which language, and larger type for a projector."""

import streamlit as st

from model import zoo
from ui import address, theme
from ui.text import LANGUAGES, browser_language, t, words


def show() -> None:
    """The pickers, and a message for whatever in the address is not understood."""
    st.html(theme.PAGE_STYLE)
    st.html('<div class="glass-brand">Glassformer</div>')
    address.read()
    titles = [entry.title for entry in zoo.offered().values()]
    with st.container(key="header", horizontal=True, vertical_alignment="center", gap="small"):
        projector = st.toggle(t("header.projector"), key="projector", bind="query-params")
        st.selectbox(t("header.model"), titles, key="model", bind="query-params", label_visibility="collapsed")
        _about_models()
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


def _about_models() -> None:
    """What each model is good for and which languages it knows; one click takes it."""
    told = words("header.models")
    with st.popover(t("header.about"), icon=":material/info:", type="tertiary", key="models"):
        theme.caption(t("header.lab"))
        for name, entry in zoo.offered().items():
            languages = t("header.comma").join(words("header.languages")[code] for code in entry.languages)
            st.button(entry.title, key=f"take-{name}", on_click=_take, args=(entry.title,))
            theme.caption(told.get(name, "") + t("header.knows", languages=languages))


def _take(title: str) -> None:
    st.session_state["model"] = title


def model_name() -> str:
    """The picked model's name in the zoo."""
    title = st.session_state.get("model")
    offered = zoo.offered()
    return next((name for name, entry in offered.items() if entry.title == title), next(iter(offered)))
