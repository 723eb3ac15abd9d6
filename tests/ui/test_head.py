"""The head large: on its way as soon as its own block is computed, and what follows is begun while it is drawn."""

import itertools
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from ui import chart


def _page() -> None:
    import streamlit as st

    from tests.ui.tiny_run import tiny_run
    from ui import head
    from ui.picks import Place

    st.session_state["sentence_number"] = 0
    layer = st.session_state["layer"]
    run = tiny_run(seq=7 + layer, layers=5)  # another text each time: the server would know it already
    head.show(run, Place(layer, 2, 6, 1), iter(()))


@pytest.mark.parametrize("layer", [0, 2, 4])
def test_when_the_head_is_sent_no_later_block_is_computed_and_only_then_is_the_browser_left_alone(
    monkeypatch, computed, layer
):
    happened = []
    monkeypatch.setattr("ui.head.chart", lambda *given, **named: happened.append(("sent", len(computed))))
    monkeypatch.setattr("ui.head.let_draw", lambda meanwhile: happened.append(("drawn", len(computed))))
    test = AppTest.from_function(_page, default_timeout=20)
    test.session_state["layer"] = layer
    test.run()
    assert not test.exception
    assert happened == [("sent", layer + 1), ("drawn", layer + 1)]


def test_what_comes_next_is_computed_piece_by_piece_only_as_long_as_the_moment_lasts(monkeypatch):
    now = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds))
    monkeypatch.setattr(chart, "time", clock)
    pieces, piece = [], (chart.DRAWING - chart.SENDING) / 2.5

    def endless():
        for number in itertools.count():
            pieces.append(number)
            clock.sleep(piece)
            yield

    chart.let_draw(endless())
    assert pieces == [0, 1, 2]
    now[0] = 0.0
    chart.let_draw(iter(()))
    assert now[0] == pytest.approx(chart.DRAWING)
