"""Relative: what stays when every position moves, and the two schemes that add to the scores by distance."""

import streamlit as st

from ui import alibi, controls, distance, picks, shift_map, similarity, t5_bias, theme
from ui.text import t, words


@st.fragment
def page() -> None:
    """The page reads downward: sentence, tokens, the question of the moment, its charts."""
    said = controls.begin()
    if said is None:
        return
    run = picks.lab_run("lab-alibi", said.run.text)
    with st.container(key="picture"):
        if isinstance(run, str):
            theme.caption(run, warning=True)
            return
        tokens = st.container()
        part = question()
        theme.caption(t(f"relative.about.{part}"))
        boxes = st.columns(4, gap="small", vertical_alignment="bottom")
        show, picked = PARTS[part]
        at = picks.place(run, {name: t(f"relative.{name}") for name in picked}, boxes)
        with tokens:
            controls.strip(run, at)
        show(run, at, boxes[len(picked) :])
    controls.share(said, at)


def question() -> str:
    """Which of the page's questions is open."""
    names = words("relative.parts")
    return picks.choose("relative_part", t("position.part"), {name: names[name] for name in PARTS}, "distance")


# Each question: what shows it, and what of the place is picked in it.
PARTS = {
    "distance": (distance.show, ("query", "key")),
    "shift": (shift_map.show, ()),
    "similarity": (similarity.show, ()),
    "alibi": (alibi.show, ("query", "key")),
    "t5": (t5_bias.show, ("query", "key")),
}

page()
