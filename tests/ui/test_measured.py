"""Roles are measured once for all readers, beside the pages, and a failure is told and not repeated."""

import threading
from types import SimpleNamespace

import pytest

from model import roles
from ui.measured import Measuring


class Held:
    """Something that can be held weakly, as a model can."""


@pytest.fixture
def slow(monkeypatch):
    """A measurement that waits for `gate`, and a list of the models that it was asked for."""
    state = SimpleNamespace(gate=threading.Event(), asked=[])

    def measure(model):
        state.asked.append(model)
        assert state.gate.wait(20)
        return "measured"

    monkeypatch.setattr(roles, "kept", lambda model: None)
    monkeypatch.setattr(roles, "measure_and_keep", measure)
    return state


def test_who_asks_does_not_wait_and_all_share_one_measurement(slow):
    measuring, model = Measuring(), Held()
    asked = [measuring.ask(model) for _ in range(5)]
    assert not any(promise.done() for promise in asked)
    slow.gate.set()
    assert {promise.result(20) for promise in asked} == {"measured"}
    assert slow.asked == [model]


def test_what_an_earlier_start_wrote_is_there_at_once(slow, monkeypatch):
    monkeypatch.setattr(roles, "kept", lambda model: "kept")
    promise = Measuring().ask(Held())
    assert promise.done()
    assert promise.result() == "kept"
    assert not slow.asked


def test_a_failure_is_kept_and_told(slow, monkeypatch):
    def fail(model):
        slow.asked.append(model)
        raise ValueError("too short")

    monkeypatch.setattr(roles, "measure_and_keep", fail)
    measuring, model = Measuring(), Held()
    assert str(measuring.ask(model).exception(20)) == "too short"
    assert measuring.ask(model).done()
    assert len(slow.asked) == 1
