"""What readers share: computed once, bounded, and never kept when it failed."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from model.knobs import Knobs
from tests.ui.tiny_run import tiny_run
from ui import session
from ui.session import Shared


def test_many_who_ask_at_once_wait_for_one_computation():
    shared, calls, gate = Shared(100), [], threading.Event()

    def compute():
        calls.append(1)
        gate.wait(5)
        return "value"

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(shared.get, "key", compute, len) for _ in range(8)]
        gate.set()
        assert {future.result() for future in asked} == {"value"}
    assert len(calls) == 1


def test_the_kept_bytes_stay_within_the_bound_and_the_oldest_go_first():
    shared = Shared(10)
    for number in range(50):
        shared.get(number, lambda: b"xxx", len)
        assert shared.bytes <= 10
    assert shared.peek(49)
    assert shared.peek(0) is None


def test_what_is_asked_for_again_is_kept_longer():
    shared = Shared(6)
    for key in ("a", "b", "a", "c"):
        shared.get(key, lambda: b"xxx", len)
    assert shared.peek("a")
    assert shared.peek("b") is None


def test_a_failure_reaches_the_one_who_asked_and_is_not_kept():
    shared = Shared(10)

    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        shared.get("key", fail, len)
    assert shared.get("key", lambda: "fine", len) == "fine"


def test_a_value_larger_than_the_bound_is_still_returned():
    shared = Shared(2)
    assert shared.get("key", lambda: b"large", len) == b"large"


def test_a_run_computes_a_block_when_it_is_asked_for_and_then_shares_it(monkeypatch, computed):
    shared = Shared(2**20)
    monkeypatch.setattr(session, "runs", lambda: shared)
    model, text = tiny_run().model, "seven one seven"
    asked, again = (session.run(model, text, model.tokenizer.encode(text), Knobs()) for _ in range(2))
    assert asked.labels
    assert not computed
    assert asked.forward.weights(0) is again.forward.weights(0)
    assert computed == [model.decoder.blocks[0]]
    assert len(asked.kept.weights) == model.config.layers
    assert torch.equal(again.kept.output, asked.kept.output)
    assert computed == list(model.decoder.blocks)
    assert shared.bytes == asked.kept.bytes


def test_what_the_decoder_does_not_take_is_refused_without_a_forward_pass():
    run = tiny_run("learned")
    with pytest.raises(ValueError, match="position 300 does not exist"):
        session.run(run.model, "long", (run.tokens * 43)[:301], Knobs())
    with pytest.raises(ValueError, match="3 positions were given for 7 tokens"):
        session.run(run.model, run.text, run.tokens, Knobs(positions=(0, 1, 2)))
