"""Angles in too few digits: what goes wrong, from which position on, and what it does to the law of this page."""

from functools import lru_cache

import numpy as np
import streamlit as st

from model import numpy_rotary
from model.rotary_precision import FAULTS, SHORT, cosine_errors, distinct, drift
from ui import controls, picks, proof, rope, theme
from ui.chart import chart
from ui.picks import Place
from ui.rope import Scene
from ui.session import Run
from ui.text import t, words
from viz import rope as pictures
from viz.lines import Axis, Line, lines, table
from viz.stepper import largest
from viz.theme import ROLES

LIMITS = (128, 512, 2048, 8192)
BINS = 128  # stretches of positions that are drawn, each by its greatest error
SHIFTS = 512


def show(run: Run, at: Place) -> None:
    """How far to look and which rounding; the errors of cosines, and what rounding does to a common shift."""
    scene = rope.scene(run, at)
    first, second = st.columns([1, 1.4], gap="medium", vertical_alignment="bottom")
    limit = first.select_slider(t("rope.limit"), LIMITS, 8192, key="rope_limit", bind="query-params")
    names = words("rope.faults")
    faults = {name: names[name] for name in FAULTS if name != "float32"}
    rounded = picks.choose("rope_fault", t("rope.fault"), faults, "bfloat16", second, label_visibility="visible")
    left, right = st.columns([1.25, 1], gap="medium")
    with left:
        _errors(scene, limit)
    with right:
        _drift(scene, limit, rounded)
    near, far = LIMITS[1], LIMITS[-1]
    theme.caption(t("rope.distinct", first=near, told=distinct(near, SHORT), last=far, kept=distinct(far, SHORT)))
    theme.caption(t("rope.ours"))


@lru_cache(maxsize=32)
def errors(width: int, base: float, limit: int) -> np.ndarray:
    """The greatest error of a cosine in each stretch of positions, a row a way of rounding."""
    found = [cosine_errors(np.arange(limit), width, base, rounded).numpy() for rounded in FAULTS]
    return _greatest(np.stack(found))


def _greatest(found: np.ndarray) -> np.ndarray:
    bins = min(BINS, found.shape[1])
    return found.reshape(len(found), bins, -1).max(axis=-1)


def _errors(scene: Scene, limit: int) -> None:
    config, said = scene.run.model.config, words("rope.axes")
    names = words("rope.faults")
    theme.heading(t("rope.errors"))
    bins = min(BINS, limit)
    theme.caption(t("rope.errors_caption", width=config.rotary_dim, base=f"{config.rotary_base:g}", size=limit // bins))
    found = errors(config.rotary_dim, config.rotary_base, limit)
    starts = np.arange(bins) * (limit // bins)
    rows = [f"{names[name]} · {found[row].max():.1g}" for row, name in enumerate(FAULTS)]
    figure = pictures.errors_by_position(found, starts, rows, words=said, theme=scene.theme)
    chart(
        figure,
        key="rope-errors",
        alt=t("rope.errors_alt", limit=limit),
        height=280,
        labels=words("chart"),
        view=f"errors-{limit}",
        take_away={"name": "rope-precision", "code": rope.code(scene, "precision", limit=limit)},
    )

    def again() -> np.ndarray:
        values = (config.rotary_dim, config.rotary_base)
        return _greatest(np.stack([numpy_rotary.cosine_errors(np.arange(limit), *values, name) for name in FAULTS]))

    proof.compare("rope-errors", found, again, 1e-6, (scene.run.model.name, limit))


def _drift(scene: Scene, limit: int, rounded: str) -> None:
    """How the picked cell's score changes while both positions grow together."""
    said, names = words("rope.axes"), words("rope.faults")
    theme.heading(t("rope.drift", **scene.names))
    shifts = np.arange(0, limit, limit // SHIFTS | 1)  # an odd step: even places are rounded less
    found = {name: drift(scene.couple, scene.places, shifts, name).numpy() for name in ("float32", rounded)}
    theme.caption(
        t(
            "rope.drift_caption",
            worst=f"{np.nanmax(np.abs(found[rounded])):.2g}",
            own=f"{np.abs(found['float32']).max():.1g}",
        )
    )
    curves = [
        Line(shifts, found[rounded], names[rounded], scene.theme.ink),
        Line(shifts, found["float32"], names["float32"], ROLES["position"]),
    ]
    edge = max(largest(np.nan_to_num(found[rounded])), 0.01)
    figure = lines(
        curves,
        x=Axis(said["shift"], (0.0, float(limit))),
        y=Axis(said["change"], (-edge, edge)),
        theme=scene.theme,
    )
    chart(
        figure,
        key="rope-drift",
        alt=t("rope.drift_alt", **scene.names),
        height=280,
        labels=words("chart"),
        table=table(curves, said["shift"]),
        view=f"{controls.view(scene.run)}-{limit}-{rounded}",
        take_away={"name": "rope-drift", "code": rope.code(scene, "precision", limit=limit)},
    )
    about = (scene.key, limit, rounded)
    ours = np.stack(list(found.values()))
    proof.compare("rope-drift", ours, lambda: _drift_again(scene, shifts, list(found)), 1e-4, about)


def _drift_again(scene: Scene, shifts: np.ndarray, roundings: list[str]) -> np.ndarray:
    pair, config = (scene.couple.query.numpy(), scene.couple.key.numpy()), scene.run.model.config
    values = (*pair, scene.places, shifts, config.rotary_dim, config.rotary_base)
    return np.stack([numpy_rotary.drift(*values, rounded) for rounded in roundings])
