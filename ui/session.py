"""What all readers of a server share: the loaded models and the runs made with them. All of it is read-only.

A run is kept in its light form under (model, text, knobs); many who ask for the same at once wait for one computation.
"""

import gc
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st

from model import zoo
from model.decoder import ForwardPass
from model.knobs import Knobs
from model.tokenizer import Token
from model.trace import BlockTrace, LightTrace, held_bytes

KEPT_BYTES = int(os.environ.get("GLASSFORMER_KEPT_MB", "512")) * 2**20


@dataclass(frozen=True, eq=False)
class Run:
    """A sentence on its way through a model, with the knobs as they are.

    No block is computed before it, or a later one, is asked for: what needs fewer of them is shown sooner.
    """

    model: zoo.Model
    text: str
    tokens: tuple[Token, ...]
    knobs: Knobs

    @cached_property
    def forward(self) -> ForwardPass:
        """The forward pass, shared by the whole server."""
        return runs().get(self.key, lambda: self.model.begin(self.tokens, self.knobs), lambda begun: begun.bytes)

    @property
    def kept(self) -> LightTrace:
        """All that the forward pass computed, in its light form."""
        return self.forward.kept

    @property
    def key(self) -> tuple[str, str, str]:
        """What distinguishes this run from every other."""
        return self.model.name, self.text, str(self.knobs)

    @property
    def labels(self) -> list[str]:
        """The tokens in visible form."""
        return [token.visible for token in self.tokens]

    def next_tokens(self, count: int) -> list[tuple[int, float]]:
        """The likeliest tokens after the last one: their ids and probabilities."""
        return self.model.next_tokens(self.kept, count)

    def block(self, layer: int) -> BlockTrace:
        """All of one block, computed again from its kept input."""
        key = ("block", *self.key, layer)
        return runs().get(key, lambda: self.forward.open_block(layer), held_bytes)


class Shared:
    """A cache for all sessions: bounded in bytes, least recently used out first, each value computed once."""

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self._held: OrderedDict[Hashable, tuple[Future, int]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def bytes(self) -> int:
        """Memory that the kept values are counted with."""
        with self._lock:
            return sum(size for _, size in self._held.values())

    def peek(self, key: Hashable) -> Any | None:
        """The value under `key` if it is there, without waiting."""
        with self._lock:
            future, _ = self._held.get(key, (None, 0))
        return future.result() if future and future.done() else None

    def get(self, key: Hashable, compute: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        """The value under `key`; the first to ask computes it, others wait. A failure is raised and not kept."""
        with self._lock:
            found = self._held.get(key)
            if found is None:
                future: Future = Future()
                self._held[key] = (future, 0)
            else:
                future = found[0]
                self._held.move_to_end(key)
        if found is None:
            self._fill(key, future, compute, size)
        return future.result()

    def _fill(self, key: Hashable, future: Future, compute: Callable[[], Any], size: Callable[[Any], int]) -> None:
        try:
            value = compute()
        except BaseException as error:
            with self._lock:
                del self._held[key]
            future.set_exception(error)
            return
        with self._lock:
            self._held[key] = (future, size(value))
            self._shrink(key)
        future.set_result(value)

    def _shrink(self, newest: Hashable) -> None:
        total = sum(size for _, size in self._held.values())
        for key in list(self._held):
            if total <= self.bound:
                return
            future, size = self._held[key]
            if key != newest and future.done():
                del self._held[key]
                total -= size


@st.cache_resource(show_spinner=False)
def runs() -> Shared:
    """The server's runs and opened blocks."""
    return Shared(KEPT_BYTES)


@st.cache_resource(show_spinner=False)
def models() -> Shared:
    """The server's loaded models; as many as the operator offers."""
    return Shared(2**62)


@st.cache_resource(show_spinner=False)
def loading() -> dict[str, float]:
    """How far each model is that is being unpacked, 0 to 1; every reader who waits looks here."""
    return {}


def load(name: str, shared: Shared, done: dict[str, float]) -> zoo.Model:
    """A model, loaded once for the whole server into `shared`; `done` is told how far it is."""

    def first_time() -> zoo.Model:
        model = zoo.load(name, lambda share: done.update({name: share}))
        gc.collect()
        gc.freeze()  # a full collection over torch's objects would hold up every reader by more than 100 ms
        return model

    return shared.get(name, first_time, lambda _: 0)


def ready(name: str) -> zoo.Model:
    """A model by its name in the zoo, loaded once for the whole server."""
    return load(name, models(), loading())


def run(model: zoo.Model, text: str, tokens: tuple[Token, ...], knobs: Knobs) -> Run:
    """The run of a text; a ValueError says what the decoder does not take."""
    model.check(tokens, knobs)
    return Run(model, text, tokens, knobs)
