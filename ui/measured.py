"""The roles of a model's heads, measured beside the pages: once for the whole server, while readers go on reading."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from weakref import WeakKeyDictionary

import streamlit as st

from model import roles as heads
from model.roles import Roles
from model.zoo import Model


class Measuring:
    """One measurement a model, in a thread of its own. A model that nobody holds any more is forgotten."""

    def __init__(self) -> None:
        self._found: WeakKeyDictionary[Model, Future] = WeakKeyDictionary()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1)

    def ask(self, model: Model) -> Future:
        """The roles, or a promise of them. What an earlier start of the app wrote is there at once."""
        with self._lock:
            if model not in self._found:
                self._found[model] = self._begin(model)
            return self._found[model]

    def _begin(self, model: Model) -> Future:
        kept = heads.kept(model)
        if kept is None:
            return self._pool.submit(heads.measure_and_keep, model)
        known: Future = Future()
        known.set_result(kept)
        return known


@st.cache_resource(show_spinner=False)
def measuring() -> Measuring:
    """The server's measurements."""
    return Measuring()


def roles(model: Model) -> tuple[Roles | None, str]:
    """The roles if they are measured, else None; with it why they cannot be, where that is so."""
    asked = measuring().ask(model)
    if not asked.done():
        return None, ""
    error = asked.exception()
    return (None, str(error)) if error else (asked.result(), "")
