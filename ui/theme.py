"""The page's own style sheet, the theme the reader sees, and the one place where a reader's text is made harmless."""

import html
import re
from dataclasses import replace

import streamlit as st

from ui.element import STATIC
from viz.theme import THEMES, Theme

PAGE_STYLE = STATIC / "page.css"
PROJECTOR_STYLE = STATIC / "projector.css"
PROJECTOR_SIZE = 17


def current() -> Theme:
    """The colours of the theme that the reader's browser shows, and the size of type in charts."""
    found = THEMES.get(st.context.theme.type or "light", THEMES["light"])
    return replace(found, size=PROJECTOR_SIZE) if st.session_state.get("projector") else found


def plain(text: str) -> str:
    """Text of a reader for places that read Markdown: every sign that Markdown would act on is escaped."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~$:<>&])", r"\\\1", text)


def heading(text: str) -> None:
    """A small heading over a chart. Its text may hold tokens: nothing in it is acted on."""
    st.html(f'<h2 class="glass-heading">{html.escape(text)}</h2>')


def caption(text: str, *, warning: bool = False) -> None:
    """A quiet line that says how to read something. Its text may hold tokens: nothing in it is acted on."""
    role = ' role="status"' if warning else ""
    st.html(f'<p class="glass-caption{" glass-warning" if warning else ""}"{role}>{html.escape(text)}</p>')


def dim(container: str, dimmed: bool) -> None:
    """Pales the container of that key, in place: what it shows is an earlier text's."""
    st.html(f"<style>.st-key-{container} {{ opacity: {0.4 if dimmed else 1}; transition: opacity 0.2s; }}</style>")
