"""The small chart of each step of a cell, with its caption, its table and what a pick in it does."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model.steps import Steps, planes
from ui.chart import Pick
from ui.picks import Place
from ui.session import Run
from ui.text import t, words
from viz import row_of_keys as rows
from viz import stepper as pictures
from viz.row_of_keys import RowOfKeys
from viz.stepper import Bars
from viz.theme import Theme
from viz.turned_planes import turned_planes

KEYS_SHOWN = 12


@dataclass(frozen=True, eq=False)
class Scene:
    """What every step draws from: the run, the cell taken apart, the colours."""

    run: Run
    at: Place
    found: Steps
    theme: Theme

    def picked(self, kind: str, numbers: np.ndarray) -> int:
        """The plane or dimension that the reader picked; before that, the one with the greatest number."""
        chosen = st.session_state.get(f"stepper-{kind}")
        return min(chosen, len(numbers) - 1) if chosen is not None else int(np.abs(numbers).argmax())

    @property
    def plane(self) -> int:
        """The plane whose numbers are told."""
        return self.picked("plane", self.found.products.numpy())

    @property
    def turning_plane(self) -> int:
        """The plane whose turn is told: the picked one, or the fastest."""
        return self.picked("plane", self.found.frequencies.numpy())

    @property
    def dimension(self) -> int:
        """The dimension of the head whose numbers are told."""
        found = self.found
        return self.picked("dimension", (found.weighted if found.weighted.any() else found.mixed).numpy())

    @property
    def channel(self) -> int:
        """The dimension of the residual stream whose numbers are told."""
        return self.picked("channel", self.found.head_part.numpy())


@dataclass(frozen=True, eq=False)
class Picture:
    """A chart's figure, its caption, its table as text, and what a pick does."""

    figure: go.Figure
    caption: str
    table: list[list[str]] | None = None
    on_pick: Callable[[Pick], None] | None = None


def vectors(scene: Scene) -> Picture:
    """The query and the key as projected."""
    said, found = words("stepper.axes"), scene.found
    both = [Bars(found.query.numpy(), said["query"], "query"), Bars(found.key.numpy(), said["key"], "key")]
    figure = pictures.vectors(*both, picked=None, words=said, theme=scene.theme)
    caption = t("stepper.picture.vectors", d_head=len(found.query))
    return Picture(figure, caption, _table([said["dimension"], both[0].name, both[1].name], *_values(both)))


def turn(scene: Scene) -> Picture | None:
    """Every plane before and after the turn; nothing for a scheme that turns nothing."""
    found, said = scene.found, words("stepper.axes")
    if not found.turns:
        return None
    before = {"query": planes(found.query).numpy(), "key": planes(found.key).numpy()}
    after = {"query": planes(found.turned_query).numpy(), "key": planes(found.turned_key).numpy()}
    frequencies = found.frequencies.numpy()
    angles = {role: where * frequencies for role, where in zip(after, found.positions, strict=True)}
    figure = turned_planes(before, after, angles, picked=scene.turning_plane, words=said, theme=scene.theme)
    table = _table([said["plane"], said["query"], said["key"]], angles["query"], angles["key"])
    return Picture(figure, t("stepper.picture.turn", planes=len(frequencies)), table, _pick_row("plane"))


def product(scene: Scene) -> Picture:
    """What each plane adds to q·k."""
    said, products = words("stepper.axes"), scene.found.products.numpy()
    figure = pictures.plane_products(products, picked=scene.plane, words=said, theme=scene.theme)
    caption = t(f"stepper.picture.product{'' if scene.found.turns else '_plain'}", planes=len(products))
    return Picture(figure, caption, _table([said["plane"], said["product"]], products), _pick_row("plane"))


def scale(scene: Scene) -> Picture:
    """The row of q·k before and after the scale; the mask comes later, so no key is hidden yet."""
    return _row(scene, "scale", ("scaled", "product"), scene.found.row.scaled, scene.found.row.products)


def score(scene: Scene) -> Picture:
    """The row of scores before and after bias, mask and temperature."""
    return _row(scene, "score", ("score", "scaled"), scene.found.row.scores, scene.found.row.scaled)


def exponential(scene: Scene) -> Picture:
    """The row of exponentials."""
    return _row(scene, "exponential", ("exponential",), scene.found.row.exponentials)


def weight(scene: Scene) -> Picture:
    """The row of weights."""
    return _row(scene, "weight", ("weight",), scene.found.row.weights)


def mix(scene: Scene) -> Picture:
    """What the query takes from this key, and from all keys together."""
    said, found = words("stepper.axes"), scene.found
    both = [Bars(found.weighted.numpy(), said["weighted"], "value"), Bars(found.mixed.numpy(), said["mixed"], "value")]
    figure = pictures.vectors(*both, picked=scene.dimension, words=said, theme=scene.theme)
    caption = t("stepper.picture.mix", d_head=len(found.mixed))
    table = _table([said["dimension"], both[0].name, both[1].name], *_values(both))
    return Picture(figure, caption, table, _pick_row("dimension"))


def arrive(scene: Scene) -> Picture:
    """What the key, the head and all heads add to the residual stream."""
    said, found = words("stepper.axes"), scene.found
    parts = {name: getattr(found, name).numpy() for name in ("key_part", "head_part", "attention")}
    strips = np.stack(list(parts.values()))
    names = [said[name] for name in parts]
    figure = pictures.strips(strips, names, picked=scene.channel, words=said, theme=scene.theme)

    def pick(picked: Pick) -> None:
        st.session_state["stepper-channel"] = picked.column

    return Picture(figure, t("stepper.picture.arrive", d_model=strips.shape[1]), on_pick=pick)


def shown_keys(scores: np.ndarray, picked: int, limit: int = KEYS_SHOWN) -> np.ndarray:
    """The places of the keys that are drawn: all visible ones and the picked one, or the `limit` greatest of them."""
    visible = np.flatnonzero(~np.isneginf(scores))
    others = visible[visible != picked]
    greatest = others[np.argsort(-scores[others], kind="stable")][: limit - 1]
    return np.sort(np.append(greatest, picked))


def _row(scene: Scene, name: str, stages: tuple[str, ...], values, before=None) -> Picture:
    """`stages` names the values, then the ones before, if there are any."""
    row, said = scene.found.row, words("stepper.axes")
    places = shown_keys(row.scores.numpy(), scene.at.key)
    hidden = row.hidden.numpy()[places] & (name != "scale")
    earlier = None if before is None else before.numpy()[places]
    bars = RowOfKeys(places, values.numpy()[places], hidden, earlier)
    named = said | dict(zip(("value", "before"), (said[stage] for stage in stages), strict=False))
    share = name in ("exponential", "weight")
    labels = scene.run.labels
    figure = rows.row_of_keys(bars, labels, picked=scene.at.key, share=share, words=named, theme=scene.theme)
    visible = int((~row.hidden).sum())
    counted = "left_out" if visible > KEYS_SHOWN else "shown"
    keys = t(f"stepper.{counted}", shown=len(places), all=len(labels))
    table = [[said["key"], *(said[stage] for stage in stages)]]
    for index, place in enumerate(places):
        numbers = [bars.values[index], *([] if earlier is None else [earlier[index]])]
        told = [said["masked"] if hidden[index] else f"{numbers[0]:.6g}", *(f"{number:.6g}" for number in numbers[1:])]
        table.append([labels[place], *told])

    def pick(picked: Pick) -> None:
        st.session_state["key"] = int(places[picked.row])

    caption = t(f"stepper.picture.{name}", query=labels[scene.at.query], keys=keys)
    return Picture(figure, caption, table, pick)


def _pick_row(kind: str) -> Callable[[Pick], None]:
    def pick(picked: Pick) -> None:
        st.session_state[f"stepper-{kind}"] = picked.row

    return pick


def _values(both: list[Bars]) -> list[np.ndarray]:
    return [bars.values for bars in both]


def _table(header: list[str], *columns: np.ndarray) -> list[list[str]]:
    """Numbered rows of these columns, as text."""
    numbered = zip(*columns, strict=True)
    return [header, *([str(index), *(f"{value:.6g}" for value in row)] for index, row in enumerate(numbered))]
