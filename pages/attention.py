"""Attention: all heads at once, one head large, one row of it, and one cell taken apart down to the residual stream."""

from collections.abc import Iterator

import streamlit as st

from ui import bench, changes, contributions, controls, head, picks, projections, stepper, wall
from ui.picks import Place
from ui.session import Run
from ui.text import t, words


@st.fragment
def page() -> None:
    """The page reads downward: sentence and tokens; the wall, the head and a panel beside each other; changes.

    It is made in the order in which its numbers are there: the wall last, because it alone waits for every block.
    """
    said = controls.begin()
    if said is None:
        return
    run = said.run
    with st.container(key="picture"):
        tokens = st.container()
        with st.container(key="three"):
            left, middle, right = st.columns([1, 1.25, 1.1], gap="medium")
        large, boxes = middle.container(), middle.container()
        at, show_boxes = picks.ahead(run, boxes)
        with large:
            head.show(run, at, prepare(run, at))
        show_boxes()
        with tokens:
            controls.strip(run, at, run.forward.weights(at.layer)[at.head, at.query].tolist())
        with left:
            all_heads = st.container()
            head.row(run, at)
        with right:
            panel(run, at)
        with all_heads:
            wall.show(run, at)
        if st.toggle(t("attention.change"), key="change", bind="query-params"):
            changes.show(run, at)
    controls.share(said, at)


def prepare(run: Run, at: Place) -> Iterator[object]:
    """Computes what follows the head, piece by piece: its block whole, then the later blocks, for the wall."""
    yield run.block(at.layer)
    for layer in range(at.layer + 1, run.model.config.layers):
        yield run.forward.weights(layer)


def panel(run: Run, at: Place) -> None:
    """What stands beside the head: the picked cell step by step, or another look at the same head."""
    names = words("attention.panels")
    chosen = picks.choose("panel", t("attention.panel"), {name: names[name] for name in PANELS}, "cell")
    PANELS[chosen](run, at)


PANELS = {
    "cell": stepper.show,
    "projections": projections.show,
    "output": contributions.show,
    "bench": bench.show,
}

page()
