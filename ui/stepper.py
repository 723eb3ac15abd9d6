"""The Stepper: one cell of one head taken apart, a step at a time, each with its formula, its numbers and its proof."""

import streamlit as st

from model.steps import Steps, steps
from ui import address, controls, formulas, proof, theme
from ui.chart import chart
from ui.element import STATIC
from ui.formulas import Symbols
from ui.keys import stepping_keys
from ui.picks import Place
from ui.session import Run
from ui.step_pictures import Picture, Scene
from ui.steps import STEPS
from ui.text import language, t, words

STYLE = STATIC / "stepper.css"
HEIGHT = 230


def show(run: Run, at: Place) -> None:
    """The heading, the way through the steps, and the step that is open."""
    st.html(STYLE)
    scene = Scene(run, at, take_apart(run, at), theme.current())
    theme.heading(_heading(scene))
    name = _way()
    with st.container(key="stepper-body"):
        _step(scene, name)


def take_apart(run: Run, at: Place) -> Steps:
    """All numbers of the picked cell."""
    place = (at.layer, at.head, at.query, at.key)
    return steps(run.model.decoder, run.block(at.layer), run.forward.positions, place, run.knobs)


def _heading(scene: Scene) -> str:
    names = {"query": scene.run.labels[scene.at.query], "key": scene.run.labels[scene.at.key]}
    if not scene.found.cell.visible:
        return t("stepper.heading_masked", **names)
    return t("stepper.heading", weight=f"{scene.found.cell.weight:.3f}", **names)


def _way() -> str:
    """Back, the dashes, Next; returns the open step's name. The dashes hold the step's number and lead to any step."""
    last = len(STEPS)
    address.within("step", last)
    if st.session_state.get("step", 1) not in range(1, last + 1):
        st.session_state["step"] = last
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="stepper-way"):
        back = st.container(key="stepper-back", width="content")
        number = st.segmented_control(
            t("stepper.step"),
            list(range(1, last + 1)),
            default=1,
            required=True,
            key="step",
            bind="query-params",
            label_visibility="collapsed",
        )
        back.button(t("stepper.back"), key="stepper-go-back", on_click=_go, args=(-1,), disabled=number == 1)
        st.button(t("stepper.next"), key="stepper-go-on", on_click=_go, args=(1,), disabled=number == last)
    said = {"failed": t("stepper.failed")}
    stepping_keys(number, last, near="stepper-way", key="stepper-keys", words=said, on_step=_open)
    return list(STEPS)[number - 1]


def _go(by: int) -> None:
    _open(min(max(st.session_state["step"] + by, 1), len(STEPS)))


def _open(step: int) -> None:
    st.session_state["step"] = step


def _step(scene: Scene, name: str) -> None:
    step = STEPS[name]
    number = list(STEPS).index(name) + 1
    with st.container(key="stepper-what"):
        theme.caption(t("stepper.count", step=number, steps=len(STEPS), what=_prose(step.what(scene))))
    with st.container(key="stepper-formula"):
        st.latex(formulas.lines(step.lines(scene, Symbols(scene.theme, scene.at.query, scene.at.key))))
    picture = step.picture(scene)
    if picture:
        _chart(scene, name, picture)
        theme.caption(picture.caption)
    proof.badge(scene.run, scene.at.layer, step.tensor, key="stepper")
    theme.caption(t("stepper.keys"))


def _prose(sentences: list[str]) -> str:
    """Sentences in a row; Chinese has no space between them."""
    return ("" if language() == "zh" else " ").join(sentences)


def _chart(scene: Scene, name: str, picture: Picture) -> None:
    found = scene.found
    sizes = {"d_head": len(found.query), "planes": len(found.products), "d_model": len(found.attention)}
    chart(
        picture.figure,
        key="stepper-chart",
        alt=t(f"stepper.alt.{name}", **sizes),
        height=HEIGHT,
        labels=words("chart"),
        table=picture.table,
        view=f"{controls.view(scene.run)}-{name}",
        on_pick=picture.on_pick,
        take_away={"name": f"step-{name}", "code": code(scene.run, scene.at, found)},
    )


def code(run: Run, at: Place, found: Steps) -> str:
    """NumPy lines that compute the cell again from the tensors that `python -m model` writes."""
    return t(
        "stepper.code",
        text=repr(run.text),
        model=run.model.name,
        knobs=f" --knobs {run.knobs}" if str(run.knobs) else "",
        layer=at.layer,
        head=at.head,
        kv_head=found.kv_head,
        query=at.query,
        key=at.key,
        d_head=len(found.query),
        scale=run.knobs.scale,
        temperature=run.knobs.temperature,
        seen=at.query + 1 if run.knobs.causal else len(run.tokens),
    )
