"""What the parts of the RoPE page draw from: a run that turns, one query and one key of it, where they are moved to."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from model import numpy_rotary, zoo
from model.turned_score import Couple, couple_of
from ui import picks, theme
from ui.chart import Pick
from ui.picks import Place
from ui.session import Run
from ui.text import t, words
from viz.theme import Theme

LAB = "lab-rope"


@dataclass(frozen=True, eq=False)
class Scene:
    """The run, the picked cell, its query and key before their turn, and the plane that is looked at."""

    run: Run
    at: Place
    couple: Couple
    plane: int
    theme: Theme

    @property
    def places(self) -> tuple[int, int]:
        """The positions of the query and of the key."""
        positions = self.run.forward.positions
        return int(positions[self.at.query]), int(positions[self.at.key])

    @property
    def distance(self) -> int:
        """Query position − key position."""
        return self.places[0] - self.places[1]

    @property
    def kv_head(self) -> int:
        """The head whose keys the picked head reads."""
        config = self.run.model.config
        return self.at.head // (config.heads // config.kv_heads)

    @property
    def key(self) -> tuple:
        """All that the query and key depend on."""
        return (*self.run.key, self.at)

    @property
    def names(self) -> dict[str, str]:
        """The two tokens, for the words of the page."""
        return {"query": self.run.labels[self.at.query], "key": self.run.labels[self.at.key]}


def turning(run: Run) -> Run | None:
    """This run where its model turns queries and keys; else the same text in the lab's RoPE, and the page says so."""
    said = st.container(key="rope-instead")  # always there, so that the charts keep their place
    config = run.model.config
    if config.position == "rope":
        return run
    title = zoo.offered()[run.model.name].title
    with said:
        entry = zoo.MODELS[LAB]
        if entry.find() is None:
            theme.caption(t("rope.nothing", title=title, does=t(f"rope.does.{config.position}")), warning=True)
            st.code(entry.bring, language=None)
            return None
        does = t(f"rope.does.{config.position}")
        theme.caption(t("rope.instead", title=title, does=does, other=entry.title), warning=True)
        found = picks.lab_run(LAB, run.text)
        if isinstance(found, Run):
            return found
        theme.caption(found, warning=True)
    return None


def scene(run: Run, at: Place, plane: int = 0) -> Scene:
    """The picked cell's query and key, and the picked plane."""
    couple = couple_of(run.model.decoder, run.block(at.layer).attention, at.head, at.query, at.key)
    return Scene(run, at, couple, plane, theme.current())


def plane(run: Run) -> int:
    """The box that picks a plane, bound to the address; one that this model does not have is brought back."""
    last = (run.model.config.d_head + 1) // 2 - 1
    return picks.number("rope_plane", t("rope.plane", last=last), last, 0)


def frequencies_again(scene: Scene) -> np.ndarray:
    """The model's table, computed by NumPy: what a proof begins with."""
    config = scene.run.model.config
    return numpy_rotary.frequencies(config.rotary_dim, config.rotary_base)


def pick_plane(pick: Pick) -> None:
    """A click in a chart whose rows are planes."""
    st.session_state["rope_plane"] = pick.row


def code(scene: Scene, what: str, **values: object) -> str:
    """NumPy lines that compute a chart's numbers from the tensors that `python -m model` writes."""
    config = scene.run.model.config
    start = t(
        "rope.code.start_code",
        text=repr(scene.run.text),
        model=scene.run.model.name,
        layer=scene.at.layer,
        head=scene.at.head,
        kv_head=scene.kv_head,
        query=scene.at.query,
        key=scene.at.key,
        base=config.rotary_base,
        width=config.rotary_dim,
    )
    return start + t(f"rope.code.{what}_code", **values)


def panel() -> str:
    """Which part of the page is open."""
    names = words("rope.panels")
    return picks.choose("rope", t("rope.panel"), names, "turn")
