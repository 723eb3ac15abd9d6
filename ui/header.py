"""The line at the top of every page: which model, which language; and what is said once about the address."""

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from model import zoo
from ui import theme
from ui.text import LANGUAGES, browser_language, t

KNOWN = ("text", "model", "lang", "layer", "head", "query", "key")


def show(page: StreamlitPage) -> None:
    """The pickers, and a message for whatever in the address is not understood."""
    st.html(theme.PAGE_STYLE)
    st.html('<div class="glass-brand">Glassformer</div>')
    _read_address(page)
    titles = [entry.title for entry in zoo.offered().values()]
    with st.container(key="header", horizontal=True, vertical_alignment="center", gap="small"):
        st.selectbox(
            t("header.model"), titles, key="model", bind="query-params", label_visibility="collapsed", width=170
        )
        st.segmented_control(
            t("header.language"),
            list(LANGUAGES.values()),
            default=LANGUAGES[browser_language()],
            key="lang",
            required=True,
            bind="query-params",
            label_visibility="collapsed",
        )


def model_name() -> str:
    """The picked model's name in the zoo."""
    title = st.session_state.get("model")
    offered = zoo.offered()
    return next((name for name, entry in offered.items() if entry.title == title), next(iter(offered)))


def _read_address(page: StreamlitPage) -> None:
    """Runs once a session, before the widgets: they drop what they do not understand without a word."""
    if st.session_state.get("address_read"):
        return
    given = {name: st.query_params[name] for name in st.query_params}
    if given.get("lang") in LANGUAGES:  # a short name typed by hand: the picker knows only the names it shows
        st.switch_page(page, query_params={**given, "lang": LANGUAGES[given["lang"]]})
    st.session_state["address_read"] = True
    refused = [f"{name}={value}"[:60] for name, value in given.items() if not _understood(name, value)]
    if refused:
        st.session_state["address_refused"] = refused
    for name in st.session_state.get("address_refused", []):
        st.toast(t("header.not_understood", given=theme.plain(name)), icon=":material/link_off:", duration="long")


def _understood(name: str, value: str) -> bool:
    if name == "text":
        return True
    if name == "model":
        return value in [entry.title for entry in zoo.offered().values()]
    if name == "lang":
        return value in LANGUAGES or value in LANGUAGES.values()
    if name in KNOWN:
        return value.isdecimal()
    return False
