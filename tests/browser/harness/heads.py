"""A page for tests/browser/test_heads.py: the wall of heads, Q K V and the contributions, and nothing else."""

import streamlit as st

from ui import contributions, controls, picks, projections, wall

st.set_page_config(layout="wide")

run = controls.sentence(controls.model()).run
at = picks.place(run)
wall.show(run, at)
projections.show(run, at)
contributions.show(run, at)
