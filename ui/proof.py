"""The Check badge: the numbers on screen, computed again by the NumPy decoder while the reader waits."""

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from model import numpy_decoder
from model.trace import named_tensors
from ui.session import Run
from ui.text import t


@dataclass(frozen=True)
class Agreement:
    """The greatest difference between a tensor of ours and NumPy's, and the most that is allowed."""

    name: str
    difference: float
    allowed: float

    @property
    def holds(self) -> bool:
        """Whether the two agree."""
        return self.difference <= self.allowed


def check(run: Run, layer: int) -> dict[str, Agreement]:
    """Every tensor of one block, and the weights of all before it, against NumPy from the token ids on."""
    proof = by_numpy(run, layer)
    ours = {f"blocks.{layer}.{name}": tensor for name, tensor in named_tensors(run.block(layer))}
    ours |= {f"blocks.{at}.attention.weights": run.forward.weights(at) for at in range(layer)}
    return {name: agreement(name, tensor.numpy(), proof[name], run.model.tolerance) for name, tensor in ours.items()}


def by_numpy(run: Run, until: int | None = None) -> dict[str, np.ndarray]:
    """The run again, from the token ids on, by the NumPy decoder; up to a layer, or whole."""
    with ONE_AT_A_TIME:
        return numpy_decoder.run(
            run.model.config,
            run.model.decoder.arrays(),
            np.array([token.id for token in run.tokens]),
            causal=run.knobs.causal,
            scale=run.knobs.scale,
            temperature=run.knobs.temperature,
            positions=run.knobs.positions,
            head_gains={(at, head): gain for at, head, gain in run.knobs.head_gains},
            until=until,
        )


def agreement(name: str, ours: np.ndarray, proof: np.ndarray, tolerance: float) -> Agreement:
    """The greatest difference of two tensors; what is allowed grows with the tensor's largest entry.

    Entries that are −∞ (masked scores) must be so in both; anything else that is not a number never agrees.
    """
    same_gaps = np.array_equal(np.isneginf(ours), np.isneginf(proof))
    finite = ~np.isneginf(proof)
    if not same_gaps or ours.shape != proof.shape:
        return Agreement(name, float("inf"), tolerance)
    differences = np.abs(ours[finite].astype(np.float64) - proof[finite])
    largest = np.abs(proof[finite]).max(initial=0.0)
    difference = float(differences.max(initial=0.0))
    return Agreement(
        name, difference if np.isfinite(difference) else float("inf"), tolerance * max(1.0, float(largest))
    )


def badge(run: Run, layer: int, name: str, *, key: str) -> None:
    """A quiet button; pressed, it shows the greatest difference, until the text, a knob or the layer changes.

    `name` is the tensor within the block that the chart shows, e.g. "attention.weights".
    """
    about = (*run.key, layer)
    kept = st.session_state.get("proof")
    with st.container(horizontal=True, vertical_alignment="center", key=f"proof-{key}"):
        if st.button(t("proof.check"), key=f"check-{key}", help=t("proof.help"), icon=":material/calculate:"):
            with st.spinner(t("proof.working")):
                kept = st.session_state["proof"] = (about, check(run, layer))
        if kept and kept[0] == about:
            _verdict(kept[1][f"blocks.{layer}.{name}"])


def compare(key: str, ours: np.ndarray, numpy_fn: Callable[[], np.ndarray], tolerance: float, about: Hashable) -> None:
    """The same badge for numbers that a formula gives and no trace holds, such as a table of frequencies.

    Args:
        key: the badge's name, one a chart.
        ours: the numbers that the chart shows.
        numpy_fn: computes them again, from the formula, with NumPy alone; called only when the badge is pressed.
        tolerance: how far apart they may lie, relative to the largest of them (or to 1).
        about: all that the numbers depend on; while it stays the same, so does the verdict.
    """
    kept = st.session_state.get(f"compared-{key}")
    with st.container(horizontal=True, vertical_alignment="center", key=f"proof-{key}"):
        if st.button(t("proof.check"), key=f"check-{key}", help=t("proof.help"), icon=":material/calculate:"):
            with st.spinner(t("proof.working")):
                kept = (about, agreement(key, np.asarray(ours), np.asarray(numpy_fn()), tolerance))
            st.session_state[f"compared-{key}"] = kept
        if kept and kept[0] == about:
            _verdict(kept[1])


def _verdict(found: Agreement) -> None:
    values = {"difference": f"{found.difference:.1e}", "allowed": f"{found.allowed:.0e}"}
    if found.holds:
        st.badge(t("proof.agrees", **values), color="green", icon=":material/check:")
    else:
        st.badge(t("proof.differs", **values), color="red", icon=":material/close:")


ONE_AT_A_TIME = threading.Lock()  # a long text's proof takes a gigabyte while it is computed
