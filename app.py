"""The list of pages, the language and the page's settings; everything else is in the pages."""

import streamlit as st

from ui import header
from ui.text import t

st.set_page_config(page_title="Glassformer", page_icon="🔍", layout="wide", initial_sidebar_state="collapsed")

page = st.navigation(
    [
        st.Page("pages/overview.py", title=t("pages.overview"), url_path="overview", default=True),
        st.Page("pages/attention.py", title=t("pages.attention"), url_path="attention"),
    ],
    position="top",
)
header.show()
page.run()
