"""The head large: on its way as soon as its own block is computed."""

import pytest
from streamlit.testing.v1 import AppTest

from model.decoder import Block


def _page() -> None:
    import streamlit as st

    from tests.ui.tiny_run import tiny_run
    from ui import head
    from ui.picks import Place

    st.session_state["sentence_number"] = 0
    run, note = tiny_run(seq=7 + st.session_state["layer"], layers=5), st.session_state["note"]
    head.show(run, Place(st.session_state["layer"], 2, 6, 1), meanwhile=note)


@pytest.mark.parametrize("layer", [0, 2, 4])
def test_no_block_behind_the_picked_one_is_computed_before_the_head_is_on_its_way(monkeypatch, layer):
    blocks, computed, forward = [], [], Block.forward
    monkeypatch.setattr(Block, "forward", lambda block, *given: blocks.append(block) or forward(block, *given))
    monkeypatch.setattr("ui.chart.SENDING", 0)
    test = AppTest.from_function(_page, default_timeout=20)
    test.session_state["layer"] = layer
    test.session_state["note"] = (computed.append(len(blocks)) for _ in range(1))
    test.run()
    assert not test.exception
    assert computed == [layer + 1]
