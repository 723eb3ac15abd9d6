"""The score of this query and this key as a function of their distance, and each plane's part of it."""

import math

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model import numpy_rotary
from model.lab_results import band, results
from model.turned_score import Couple, key_for
from ui import controls, formulas, proof, rope, theme
from ui import rope_formulas as told
from ui.chart import chart
from ui.picks import Place
from ui.rope import Scene
from ui.session import Run
from ui.text import t, words
from viz import rope as pictures
from viz.lines import Axis, Line, Mark, lines, table
from viz.stepper import largest
from viz.theme import ROLES

REACHES = (16, 96, 256)
AHEAD = 4  # a quarter as far, keys that come later are drawn as well


def show(run: Run, at: Place) -> None:
    """How far to look, whether to set a made key beside the head's own; the curve, and the planes it is the sum of."""
    distances, peak, plane = _settings(run)
    scene = rope.scene(run, at, plane)
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        _curve(scene, distances, peak)
        theme.caption(t("rope.truth.bound"))
        theme.caption(t("rope.truth.longer", **untrained(scene)))
        theme.caption(measured())
    with right:
        _planes(scene, distances)


def reach() -> np.ndarray:
    """The slider for how far to look; the distances to draw, keys that come later among them."""
    found = st.select_slider(t("rope.reach"), REACHES, 96, key="rope_reach", bind="query-params")
    return np.arange(-(found // AHEAD), found + 1)


def score(scene: Scene, couple: Couple, distances: np.ndarray) -> np.ndarray:
    """q·k ÷ √d_head at each distance."""
    return couple.by_distance(distances).sum(dim=-1).numpy() / math.sqrt(scene.run.model.config.d_head)


def marks(scene: Scene, distances: np.ndarray) -> list[Mark]:
    """The picked distance, and the end of the trained length, where they are in sight."""
    trained = scene.run.model.config.context
    here = Mark(scene.distance, t("rope.here", distance=scene.distance))
    end = Mark(trained, t("rope.trained", trained=trained), "residual")
    return [mark for mark in (here, end) if distances[0] <= mark.x <= distances[-1]]


def untrained(scene: Scene) -> dict[str, int]:
    """How many planes turn less than once within the trained length."""
    config, frequencies = scene.run.model.config, scene.couple.frequencies.numpy()
    slow = int((frequencies * config.context < 2 * math.pi).sum())
    return {"slow": slow, "planes": len(frequencies), "trained": config.context}


def measured() -> str:
    """The loss of the lab's RoPE models within the trained length and beyond it; nothing where none was measured."""
    try:
        seeds = results()["rope"]
    except ValueError:
        return ""
    losses = {f"times{times}": band(seed.late_loss[times] for seed in seeds) for times in seeds[0].late_loss}
    means = {name: f"{found.mean:.2f}" for name, found in losses.items()}
    return t("rope.truth.measured", seeds=len(seeds), **means)


def _settings(run: Run) -> tuple[np.ndarray, int | None, int]:
    first, second, third, last = st.columns([1.1, 1.2, 1.1, 0.9], gap="medium", vertical_alignment="bottom")
    with first:
        distances = reach()
    made = second.toggle(t("rope.made"), key="rope_made", bind="query-params", help=t("rope.made_help"))
    with third.container(key="rope-peak"):  # always there, so that the chart keeps its place
        peak = st.slider(t("rope.peak"), 0, 250, 20, key="rope_peak", bind="query-params") if made else None
    with last:
        return distances, peak, rope.plane(run)


def _curve(scene: Scene, distances: np.ndarray, peak: int | None) -> None:
    theme.heading(t("rope.by_distance", **scene.names))
    own = score(scene, scene.couple, distances)
    best = int(distances[distances >= 0][own[distances >= 0].argmax()])
    theme.caption(t("rope.by_distance_caption", reach=int(distances[-1]), best=best))
    curves = [Line(distances, own, t("rope.own"), ROLES["position"])]
    if peak is not None:
        made = score(scene, key_for(scene.couple, peak), distances)
        curves.append(Line(distances, made, t("rope.made_line", peak=peak), scene.theme.quiet, "dash"))
    chart(
        by_distance(scene, curves, distances),
        key="rope-distance",
        alt=t("rope.by_distance_alt", **scene.names),
        height=320,
        labels=words("chart"),
        table=table(curves, words("rope.axes")["distance"]),
        view=f"{controls.view(scene.run)}-{len(distances)}",
        take_away={"name": "rope-by-distance", "code": _code(scene, distances)},
    )
    root = math.sqrt(scene.run.model.config.d_head)
    about = (scene.key, len(distances))
    proof.compare("rope-distance", own, lambda: _again(scene, distances).sum(axis=1) / root, 1e-9, about)


def by_distance(scene: Scene, curves: list[Line], distances: np.ndarray) -> go.Figure:
    """Scores over distances, the picked cell's own distance marked; the scale is symmetric about 0."""
    edge, said = largest(*(line.y for line in curves)), words("rope.axes")
    return lines(
        curves,
        x=Axis(said["distance"], (float(distances[0]), float(distances[-1]))),
        y=Axis(said["score"], (-edge, edge)),
        marks=marks(scene, distances),
        theme=scene.theme,
    )


def _planes(scene: Scene, distances: np.ndarray) -> None:
    couple = scene.couple
    parts = couple.by_distance(distances).numpy()
    edge = largest(
        couple.by_distance(np.arange(-(REACHES[-1] // AHEAD), REACHES[-1] + 1)).numpy()
    )  # whatever the reach
    theme.heading(t("rope.planes_distance"))
    theme.caption(t("rope.planes_distance_caption", planes=parts.shape[1], edge=f"{edge:.3g}"))
    figure = pictures.planes_by_distance(
        parts.T,
        distances,
        edge=edge,
        here=scene.distance,
        picked=scene.plane,
        words=words("rope.axes"),
        theme=scene.theme,
    )
    chart(
        figure,
        key="rope-planes-distance",
        alt=t("rope.planes_distance_alt", planes=parts.shape[1]),
        height=320,
        labels=words("chart"),
        view=f"{controls.view(scene.run)}-{len(distances)}",
        on_pick=rope.pick_plane,
        take_away={"name": "rope-planes-by-distance", "code": _code(scene, distances)},
    )
    about = (scene.key, len(distances))
    proof.compare("rope-planes-distance", parts, lambda: _again(scene, distances), 1e-9, about)
    pair = couple.query.tolist(), couple.key.tolist()
    frequency = couple.frequencies[scene.plane].item()
    st.latex(formulas.lines(told.part(scene.theme, scene.plane, *pair, frequency, scene.distance)))


def _again(scene: Scene, distances: np.ndarray) -> np.ndarray:
    pair = scene.couple.query.numpy(), scene.couple.key.numpy()
    return numpy_rotary.by_distance(*pair, distances, rope.frequencies_again(scene))


def _code(scene: Scene, distances: np.ndarray) -> str:
    return rope.code(scene, "distance", first=int(distances[0]), last=int(distances[-1]))
