"""Order: what attention knows of it, with positions and without; and why it has to be told."""

import streamlit as st

from ui import controls, order, paths, picks, unordered
from ui.text import t, words


@st.fragment
def page() -> None:
    """The page reads downward: sentence and tokens, then one of its three parts."""
    said = controls.begin()
    if said is None:
        return
    run = said.run
    with st.container(key="picture"):
        tokens = st.container()
        names = words("order.parts")
        left, right = st.columns([1, 1.5], gap="medium", vertical_alignment="bottom")
        part = picks.choose("order_part", t("order.part"), {name: names[name] for name in PARTS}, "orders", where=left)
        with right:
            at = picks.place(run)
        with tokens:
            controls.strip(run, at)
        PARTS[part](run, at)
    controls.share(said, at)


PARTS = {"orders": order.show, "unordered": unordered.show, "paths": paths.show}

page()
