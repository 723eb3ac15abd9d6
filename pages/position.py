"""Position: what a vector of each place is, why it is made of waves, and where it enters the machine."""

import streamlit as st

from ui import concatenate, controls, entry, learned_table, picks, position_sum, position_why, sinusoids, theme
from ui.text import t, words


@st.fragment
def page() -> None:
    """The page reads downward: sentence, tokens, the question of the moment, its charts."""
    said = controls.begin()
    if said is None:
        return
    run = picks.lab_run("lab-sinusoidal", said.run.text)
    with st.container(key="picture"):
        if isinstance(run, str):
            theme.caption(run, warning=True)
            return
        tokens = st.container()
        part = question()
        theme.caption(t(f"position.about.{part}"))
        show, picked = PARTS[part]
        with st.container(key="position-boxes"):  # always there, so that the charts below keep their place
            boxes = st.columns([1, 1, 1.4, 0.6], gap="small", vertical_alignment="bottom") if part in BOXED else []
        at = picks.place(run, {name: t("position.token") for name in picked}, boxes)
        with tokens:
            controls.strip(run, at)
        show(run, at, boxes[len(picked) :])
    controls.share(said, at)


def question() -> str:
    """Which of the page's questions is open."""
    names = words("position.parts")
    return picks.choose("position_part", t("position.part"), {name: names[name] for name in PARTS}, "sum")


# Each question: what shows it, and what of the place is picked in it.
PARTS = {
    "sum": (position_sum.show, ("query",)),
    "waves": (sinusoids.show, ()),
    "why": (position_why.show, ()),
    "join": (concatenate.show, ("query",)),
    "learned": (learned_table.show, ()),
    "entry": (entry.show, ()),
}
BOXED = ("sum", "waves", "why", "join")  # the questions with number boxes of their own above the charts

page()
