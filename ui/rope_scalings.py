"""The base and the scalings: each plane's wavelength beside the trained length, and what a scaling does to a score."""

from dataclasses import replace

import numpy as np
import streamlit as st

from model import numpy_rotary
from model.rotary_scaling import SCALINGS, Rotation, needed, scaled
from ui import controls, formulas, picks, proof, rope, theme
from ui import rope_formulas as told
from ui.chart import chart
from ui.picks import Place
from ui.rope import Scene
from ui.rope_distance import by_distance, reach, score, untrained
from ui.session import Run
from ui.text import t, words
from viz.lines import Axis, Line, Mark, lines, table
from viz.theme import ROLES

FACTORS = (1, 2, 4, 8, 16, 32)
LENGTHS = (1, 2, 4, 8)
NEAR = 8  # positions


def show(run: Run, at: Place) -> None:
    """Which scaling, how far; its formula; the wavelengths and the score by distance, before and after."""
    kind = _kind()
    settings, distances, plane = _settings(run, kind)
    scene = rope.scene(run, at, plane)
    config = run.model.config
    plain = scaled("none", config.rotary_dim, config.rotary_base)
    found = scaled(kind, config.rotary_dim, config.rotary_base, **settings)
    about, formula = st.columns([1, 1.2], gap="medium", vertical_alignment="center")
    with about:
        theme.caption(t(f"rope.scaling.{kind}"))
    with formula:
        given = settings | {"trained": config.context}
        st.latex(formulas.lines(told.scaling(kind, given, found, config.rotary_dim, config.rotary_base)))
    left, right = st.columns(2, gap="medium")
    with left:
        _waves(scene, kind, settings, plain, found)
    with right:
        _scores(scene, kind, settings, found, distances)
    theme.caption(t("rope.scaling_note"))


def _kind() -> str:
    names = words("rope.scalings")
    return picks.choose("rope_scaling", t("rope.scaling_pick"), {name: names[name] for name in SCALINGS}, "yarn")


def _settings(run: Run, kind: str) -> tuple[dict[str, float], np.ndarray, int]:
    """What the scaling is told, how far to look, and the picked plane."""
    trained = run.model.config.context
    first, second, third, last = st.columns([1, 1, 1, 0.9], gap="medium", vertical_alignment="bottom")
    factor = first.select_slider(t("rope.factor"), FACTORS, 4, key="rope_factor", bind="query-params")
    with second.container(key="rope-length"):  # always there, so that the charts keep their place
        asked = kind == "dynamic"
        label = t("rope.length", trained=trained)
        times = st.select_slider(label, LENGTHS, 4, key="rope_stretch", bind="query-params") if asked else 1
    with third:
        distances = reach()
    with last:
        plane = rope.plane(run)
    told_all = {"factor": float(factor), "trained": trained, "length": times * trained}
    return {name: value for name, value in told_all.items() if name in needed(kind)}, distances, plane


def _waves(scene: Scene, kind: str, settings: dict, plain: Rotation, found: Rotation) -> None:
    """Each plane's wavelength, as trained and scaled, and the trained length as a level line."""
    config, said = scene.run.model.config, words("rope.axes")
    theme.heading(t("rope.waves"))
    theme.caption(t("rope.waves_caption", base=f"{config.rotary_base:g}", **untrained(scene)))
    places = np.arange(len(plain.frequencies))
    level = np.full(len(places), float(config.context))
    curves = [
        Line(places, np.array(plain.wavelengths), t("rope.as_trained"), ROLES["position"], dots=True),
        Line(places, np.array(found.wavelengths), words("rope.scalings")[kind], scene.theme.ink, "dash", dots=True),
        Line(places, level, t("rope.trained", trained=config.context), ROLES["residual"], "dot"),
    ]
    longest = max(max(plain.wavelengths) * FACTORS[-1], config.context)
    figure = lines(
        curves,
        x=Axis(said["plane"], (-0.5, len(places) - 0.5)),
        y=Axis(said["wave"], (2.0, 1.5 * longest), log=True),
        marks=[Mark(scene.plane)],
        theme=scene.theme,
    )
    chart(
        figure,
        key="rope-waves",
        alt=t("rope.waves_alt", planes=len(places)),
        height=340,
        labels=words("chart"),
        table=_frequencies(plain, found),
        view=f"{controls.view(scene.run)}-waves",
        on_pick=rope.pick_plane,
        take_away={"name": f"rope-{kind}", "code": _code(scene, kind, settings)},
    )
    ours = np.array([*found.frequencies, found.factor])

    def again() -> np.ndarray:
        frequencies, factor = numpy_rotary.scaled(kind, config.rotary_dim, config.rotary_base, **settings)
        return np.array([*frequencies, factor])

    proof.compare("rope-waves", ours, again, 1e-12, (scene.run.model.name, kind, tuple(settings.items())))


def _scores(scene: Scene, kind: str, settings: dict, found: Rotation, distances: np.ndarray) -> None:
    """The score of this query and this key by distance, with the frequencies as trained and scaled."""
    theme.heading(t("rope.scaled_score", **scene.names))
    plain, other = (score(scene, couple, distances) for couple in (scene.couple, replace(scene.couple, rotation=found)))
    near = (distances >= 0) & (distances <= NEAR)
    caption = t("rope.scaled_caption", near=NEAR, change=f"{np.abs(other - plain)[near].max():.3g}")
    theme.caption(caption + (t("rope.scaled_factor", factor=f"{found.factor**2:.4g}") if found.factor != 1 else ""))
    curves = [
        Line(distances, plain, t("rope.as_trained"), ROLES["position"]),
        Line(distances, other, words("rope.scalings")[kind], scene.theme.ink, "dash"),
    ]
    chart(
        by_distance(scene, curves, distances),
        key="rope-scaled",
        alt=t("rope.scaled_alt", **scene.names),
        height=340,
        labels=words("chart"),
        table=table(curves, words("rope.axes")["distance"]),
        view=f"{controls.view(scene.run)}-{len(distances)}",
        take_away={"name": f"rope-{kind}-score", "code": _code(scene, kind, settings)},
    )

    def again() -> np.ndarray:
        config, pair = scene.run.model.config, (scene.couple.query.numpy(), scene.couple.key.numpy())
        frequencies, factor = numpy_rotary.scaled(kind, config.rotary_dim, config.rotary_base, **settings)
        parts = numpy_rotary.by_distance(*pair, distances, frequencies, factor)
        return parts.sum(axis=1) / np.sqrt(config.d_head)

    about = (scene.key, kind, tuple(settings.items()), len(distances))
    proof.compare("rope-scaled", other, again, 1e-9, about)


def _frequencies(plain: Rotation, found: Rotation) -> list[list[str]]:
    """The two tables as text, a row a plane."""
    header = [words("rope.axes")[name] for name in ("plane", "frequency", "wave", "scaled_frequency", "scaled_wave")]
    columns = zip(plain.frequencies, plain.wavelengths, found.frequencies, found.wavelengths, strict=True)
    return [header, *([str(place), *(f"{value:.9g}" for value in row)] for place, row in enumerate(columns))]


def _code(scene: Scene, kind: str, settings: dict) -> str:
    values = {"factor": 1.0, "trained": 0, "length": 0} | settings
    return rope.code(scene, "scaling") + t(f"rope.code.{kind}_code", **values) + t("rope.code.scaled_code", **values)
