"""Compare: one sentence under up to six schemes of position; and how they do at length, moved, and in training."""

import streamlit as st

from ui import compare, compare_length, compare_moved, compare_sentence, compare_training, controls, picks, theme
from ui.session import Run
from ui.text import t, words


@st.fragment
def page() -> None:
    """The page reads downward: sentence, schemes, and one part at a time."""
    said = controls.begin()
    if said is None:
        return
    with st.container(key="picture"):
        theme.caption(t("compare.about"))
        with st.container(horizontal=True, gap="medium", key="compare-pickers"):
            chosen = compare.schemes()
            part = picks.choose("part", t("compare.part_picker"), words("compare.parts"), "sentence")
        if not chosen:
            theme.caption(t("compare.none_picked"), warning=True)
        at = PARTS[part](said.run, chosen) if chosen else compare.kept_place()
    controls.share(said, at)


def sentence(run: Run, chosen: list[str]) -> controls.Place:
    """Heads matched by role, what comes next, and the losses, of the sentence in the box."""
    found, results = compare.together(run, chosen), compare.results()
    if not found or not results:
        return compare.kept_place()
    above = st.container()
    at = picks.place(found.shown, {name: words("place")[name] for name in ("query", "key")})
    with above:
        controls.strip(found.shown, at)
        compare_sentence.heads(found, results, at)
    compare_sentence.following(found)
    compare_sentence.surprise(found)
    return at


def length(run: Run, chosen: list[str]) -> controls.Place:
    """Beyond the trained length, measured."""
    if results := compare.results():
        compare_length.show(chosen, results)
    return compare.kept_place()


def moved(run: Run, chosen: list[str]) -> controls.Place:
    """All positions shifted, and shuffled."""
    if results := compare.results():
        compare_moved.show(chosen, results)
    return compare.kept_place()


def training(run: Run, chosen: list[str]) -> controls.Place:
    """How the schemes learned."""
    compare_training.show(chosen)
    return compare.kept_place()


PARTS = {"sentence": sentence, "length": length, "moved": moved, "training": training}

page()
