"""RoPE: a head's query and key turn with their positions; what that does to a score, and what lengths and digits do."""

import streamlit as st

from ui import controls, picks, rope, rope_distance, rope_precision, rope_scalings, rope_turn


@st.fragment
def page() -> None:
    """The page reads downward: sentence and tokens, which part, the part itself; the pickers at the foot."""
    said = controls.begin()
    if said is None:
        return
    with st.container(key="picture"):
        run = rope.turning(said.run)
        if run is None:
            return
        above = st.container()
        at = picks.place(run)
        with above:
            controls.strip(run, at, run.forward.weights(at.layer)[at.head, at.query].tolist())
            PANELS[rope.panel()](run, at)
    controls.share(said, at)


PANELS = {
    "turn": rope_turn.show,
    "distance": rope_distance.show,
    "scaling": rope_scalings.show,
    "precision": rope_precision.show,
}

page()
