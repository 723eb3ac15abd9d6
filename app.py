"""The list of pages, the language and the page's settings; everything else is in the pages."""

import streamlit as st

from ui import header
from ui.text import t

st.set_page_config(page_title="Glassformer", page_icon="🔍", layout="wide", initial_sidebar_state="collapsed")

page = st.navigation(
    {
        "": [
            st.Page("pages/overview.py", title=t("pages.overview"), url_path="overview", default=True),
            st.Page("pages/attention.py", title=t("pages.attention"), url_path="attention"),
        ],
        t("pages.about_position"): [
            st.Page("pages/position.py", title=t("pages.position"), url_path="position"),
            st.Page("pages/relative.py", title=t("pages.relative"), url_path="relative"),
            st.Page("pages/rope.py", title=t("pages.rope"), url_path="rope"),
            st.Page("pages/order.py", title=t("pages.order"), url_path="order"),
        ],
        t("pages.compared"): [
            st.Page("pages/compare.py", title=t("pages.compare"), url_path="compare"),
            st.Page("pages/same_maths.py", title=t("pages.same_maths"), url_path="same-maths"),
        ],
    },
    position="top",
)
header.show()
page.run()
