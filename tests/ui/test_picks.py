"""The place is known before its boxes are shown, and is what they then show."""

import pytest
from streamlit.testing.v1 import AppTest

from ui.picks import PLACE


def _page() -> None:
    """Notes the place, what the boxes then say, and whether a forward pass was needed for it."""
    import streamlit as st

    from tests.ui.tiny_run import tiny_run
    from ui import picks

    run = tiny_run(seq=st.session_state.get("seq", 7))
    at, show_boxes = picks.ahead(run, st.container())
    st.session_state["noted"] = at, show_boxes(), "forward" in vars(run)


@pytest.mark.parametrize(
    "picked",
    [{}, {"layer": 1, "head": 3, "query": 6, "key": 2}, {"query": 200}, {"layer": 9, "head": -1}, {"key": None}],
)
def test_the_place_ahead_is_the_place_that_the_boxes_then_show(picked):
    test = AppTest.from_function(_page, default_timeout=20).run()
    for name, value in picked.items():
        test.session_state[name] = value
    test.run()
    assert not test.exception
    at, boxes, computed = test.session_state["noted"]
    assert boxes == at
    assert not computed
    assert [box.key for box in test.number_input] == list(PLACE)


def test_a_text_that_became_shorter_brings_the_place_within_it_and_keeps_the_boxes_as_they_are():
    test = AppTest.from_function(_page, default_timeout=20).run()
    test.number_input(key="query").set_value(6).run()
    test.session_state["seq"] = 3
    test.run()
    at, boxes, _ = test.session_state["noted"]
    assert at == boxes
    assert at.query == 2
    assert test.number_input(key="query").value == 6
