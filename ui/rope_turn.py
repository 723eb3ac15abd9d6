"""The turn itself: every plane's arrows, one plane large, and a score that stays while both positions move together."""

import numpy as np
import streamlit as st

from model import numpy_rotary
from model.knobs import Knobs
from model.position_bias import greatest_change
from model.steps import planes
from model.turned_score import scores
from ui import controls, formulas, proof, rope, session, theme
from ui import rope_formulas as told
from ui.chart import chart
from ui.picks import Place
from ui.rope import Scene
from ui.session import Run
from ui.text import t, words
from viz import rope as pictures
from viz.turned_planes import PLANES_SHOWN, turned_planes

SAME = 1e-6  # of |q|·|k|: what float32 leaves of an exact law
ROLES = ("query", "key")


def show(run: Run, at: Place) -> None:
    """The controls and what they do to the score; then all planes, what each adds, and one plane large."""
    together, alone, plane = _settings(run)
    scene = rope.scene(run, at, plane)
    moved = (scene.places[0] + together + alone, scene.places[1] + together)
    _verdict(scene, moved, together, alone)
    left, right = st.columns([1.25, 1], gap="large")
    with left:
        _planes(scene, moved)
        _parts(scene, moved)
    with right:
        _plane(scene, moved)
        _formulas(scene, moved)
    _whole(scene, together)


def _settings(run: Run) -> tuple[int, int, int]:
    """By how much both positions are moved, by how much the query's alone, and which plane is large."""
    first, second, third = st.columns([1.5, 1.5, 1], gap="medium", vertical_alignment="bottom")
    together = first.slider(t("rope.together"), 0, 500, 0, key="rope_together", bind="query-params")
    alone = second.slider(t("rope.alone"), -20, 20, 0, key="rope_alone", bind="query-params")
    with third:
        return together, alone, rope.plane(run)


def _verdict(scene: Scene, moved: tuple[int, int], together: int, alone: int) -> None:
    """The score at both places, turned by the decoder's own code, and whether it stayed."""
    couple = scene.couple
    before, after = scores(scene.run.model.decoder.position, couple.query, couple.key, [scene.places, moved])
    share = abs(after - before) / couple.lengths if couple.lengths else 0.0
    name = "start" if moved == scene.places else "stays" if share <= SAME else "changes"
    values = {"before": f"{before:.4f}", "after": f"{after:.4f}", "together": together, "alone": f"{alone:+d}"}
    words_, numbers = st.columns([1, 1.5], gap="medium", vertical_alignment="center")
    with words_:
        theme.heading(t(f"rope.verdict.{name}", **values, **scene.names))
        if alone == 0 and share > SAME:
            theme.caption(t("rope.verdict.broken", share=f"{share:.1e}"), warning=True)
    both = rf"{told.score(scene.theme, scene.places, before)} \qquad {told.score(scene.theme, moved, after)}"
    with numbers:
        st.latex(formulas.lines([both, told.change(before, after, couple.lengths)]))


def _planes(scene: Scene, moved: tuple[int, int]) -> None:
    couple, said = scene.couple, words("rope.axes")
    after = _turned(scene, moved)
    theme.heading(t("rope.planes", layer=scene.at.layer, head=scene.at.head))
    shown = min(len(couple.frequencies), PLANES_SHOWN)
    theme.caption(t("rope.planes_caption", planes=shown, last=2 * shown - 1))
    figure = turned_planes(
        {role: planes(getattr(couple, role)).numpy() for role in ROLES},
        after,
        {role: place * couple.frequencies.numpy() for role, place in zip(ROLES, moved, strict=True)},
        picked=scene.plane,
        words=said,
        theme=scene.theme,
        wide=True,
    )
    chart(
        figure,
        key="rope-planes",
        alt=t("rope.planes_alt", planes=shown, **scene.names),
        height=50 * -(-shown // 8) + 40,
        labels=words("chart"),
        table=_table([said["plane"], said["query"], said["key"]], scene, moved),
        view=controls.view(scene.run),
        on_pick=rope.pick_plane,
        take_away={"name": "rope-planes", "code": rope.code(scene, "turn", m=moved[0], n=moved[1])},
    )
    ours = np.stack([after[role] for role in ROLES])
    proof.compare("rope-planes", ours, lambda: _turned_again(scene, moved), 1e-9, (scene.key, moved))


def _plane(scene: Scene, moved: tuple[int, int]) -> None:
    """The picked plane to scale, its angles in symbols and numbers."""
    couple, plane = scene.couple, scene.plane
    frequency = couple.frequencies[plane].item()
    theme.heading(t("rope.one", plane=plane, first=2 * plane, second=2 * plane + 1))
    wave = f"{2 * np.pi / frequency:.4g}" if frequency else "∞"
    theme.caption(t("rope.one_caption", wave=wave))
    after = _turned(scene, moved)
    arrows = [
        pictures.Arrow(
            role, role[0], planes(getattr(couple, role))[plane].numpy(), after[role][plane], place * frequency
        )
        for role, place in zip(ROLES, moved, strict=True)
    ]
    longest = max(float(np.linalg.norm(arrow.before)) for arrow in arrows)
    figure = pictures.one_plane(arrows, radius=longest, words=words("rope.axes"), theme=scene.theme)
    chart(
        figure,
        key="rope-plane",
        alt=t("rope.one_alt", plane=plane, **scene.names),
        height=330,
        labels=words("chart"),
        table=_table([words("rope.axes")["plane"], "q", "k"], scene, moved, plane),
        view=f"{controls.view(scene.run)}-{scene.at}-{plane}",
        take_away={"name": f"rope-plane-{plane}", "code": rope.code(scene, "turn", m=moved[0], n=moved[1])},
    )
    ours = np.stack([arrow.after for arrow in arrows])
    proof.compare("rope-plane", ours, lambda: _turned_again(scene, moved)[:, plane], 1e-9, (scene.key, moved, plane))


def _parts(scene: Scene, moved: tuple[int, int]) -> None:
    """What each plane adds to the score, at the moved places and, as outlines, at the true ones."""
    couple, said = scene.couple, words("rope.axes")
    now, before = couple.parts(*moved).numpy(), couple.parts(*scene.places).numpy()
    theme.heading(t("rope.parts", sum=f"{now.sum():.4g}"))
    theme.caption(t("rope.parts_caption", planes=len(now)))
    figure = pictures.plane_parts(now, before, couple.bounds.numpy(), picked=scene.plane, words=said, theme=scene.theme)
    header = [said["plane"], said["now"], said["before"], said["bound"]]
    columns = zip(now, before, couple.bounds.numpy(), strict=True)
    chart(
        figure,
        key="rope-parts",
        alt=t("rope.parts_alt", planes=len(now)),
        height=220,
        labels=words("chart"),
        table=[header, *([str(place), *(f"{value:.6g}" for value in row)] for place, row in enumerate(columns))],
        view=controls.view(scene.run),
        on_pick=rope.pick_plane,
        take_away={"name": "rope-parts", "code": rope.code(scene, "turn", m=moved[0], n=moved[1])},
    )
    pair = couple.query.numpy(), couple.key.numpy()

    def again() -> np.ndarray:
        return numpy_rotary.parts(*pair, moved, rope.frequencies_again(scene))

    proof.compare("rope-parts", now, again, 1e-9, (scene.key, moved))


def _formulas(scene: Scene, moved: tuple[int, int]) -> None:
    """The picked plane's angles and its part of the score, in symbols and numbers."""
    couple, plane = scene.couple, scene.plane
    frequency, distance = couple.frequencies[plane].item(), moved[0] - moved[1]
    angles = [told.angle(scene.theme, role, place, plane, frequency) for role, place in zip(ROLES, moved, strict=True)]
    pair = couple.query.tolist(), couple.key.tolist()
    st.latex(formulas.lines([*angles, *told.part(scene.theme, plane, *pair, frequency, distance)]))


def _whole(scene: Scene, together: int) -> None:
    """The whole model with every position moved, when asked for; then what else is true of the turn."""
    if st.toggle(t("rope.whole"), key="rope_whole", bind="query-params", help=t("rope.whole_help")):
        heads = scene.run.model.config.layers * scene.run.model.config.heads
        values = {"together": together, "heads": heads, "greatest": f"{_greatest_change(scene.run, together):.1e}"}
        theme.caption(t("rope.whole_found", **values) if together else t("rope.whole_still"))
    for name in ("values", "lengths", "knows"):
        theme.caption(t(f"rope.truth.{name}"))


def _greatest_change(run: Run, together: int) -> float:
    """The model runs again with every position larger by so much: the greatest change of any attention weight."""
    moved = Knobs(positions=tuple((run.forward.positions + together).tolist()))
    other = session.run(run.model, run.text, run.tokens, moved)
    return greatest_change(run.kept, other.kept)


def _turned(scene: Scene, moved: tuple[int, int]) -> dict[str, np.ndarray]:
    return {role: scene.couple.turned(role, place).numpy() for role, place in zip(ROLES, moved, strict=True)}


def _turned_again(scene: Scene, moved: tuple[int, int]) -> np.ndarray:
    pair = (getattr(scene.couple, role).numpy() for role in ROLES)
    turned = (
        numpy_rotary.turn(one, place, rope.frequencies_again(scene)) for one, place in zip(pair, moved, strict=True)
    )
    return np.stack([vector.reshape(-1, 2) for vector in turned])


def _table(header: list[str], scene: Scene, moved: tuple[int, int], plane: int | None = None) -> list[list[str]]:
    """Each plane's turned numbers as text, or one plane's."""
    after = _turned(scene, moved)
    chosen = range(len(after["query"])) if plane is None else (plane,)
    pairs = ([", ".join(f"{value:.6g}" for value in after[role][place]) for role in ROLES] for place in chosen)
    return [header, *([str(place), *row] for place, row in zip(chosen, pairs, strict=True))]
