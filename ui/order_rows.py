"""Which rows of a run only moved with their tokens and which changed: the verdicts, and a row a token."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from model import numpy_decoder, order, zoo
from model.knobs import Knobs
from model.order import Changes, Order
from model.tokenizer import Token
from ui import order_formulas, proof, session, theme
from ui.chart import chart
from ui.picks import TOKEN_LIMIT, Place
from ui.session import Run
from ui.text import t, words
from viz import order as pictures
from viz.order import Differences

UNPLACED = "lab-none"
About = tuple[zoo.Model, tuple[Token, ...], Order]  # a model, a sentence's tokens, the old place at each new place


def compared(about: About, at: Place) -> dict[str, Changes]:
    """Both orders in the four settings; for the model without positions, told or not is the same, and two are enough.

    Computed once for the whole server.
    """
    model, tokens, moved = about
    ids, until = [token.id for token in tokens], _layer(model, at)
    found = {}
    for name, knobs in order.settings(len(tokens)).items():
        if model.name == UNPLACED and name.startswith("untold"):
            continue

        def compute(knobs: Knobs = knobs) -> Changes:
            return order.changes(model.decoder, ids, moved, knobs, until)

        key = ("order", model.name, tuple(ids), moved, str(knobs), until)
        found[name] = session.runs().get(key, compute, lambda changes: changes.bytes)
    return found


def unplaced(run: Run, moved: Order) -> tuple[About | None, str]:
    """The lab's model without positions, its own tokens of this text, and the same move; or why there is none."""
    entry = zoo.MODELS[UNPLACED]
    if entry.find() is None:
        return None, t("sentence.no_weights", title=entry.title)
    model = session.ready(UNPLACED)
    tokens = model.tokenizer.encode(run.text)
    if len(tokens) > TOKEN_LIMIT:
        return None, t("order.unplaced_too_long", given=len(tokens), allowed=TOKEN_LIMIT)
    return (model, tokens, order.carried(run.tokens, moved, tokens)), ""


def verdicts(at: Place, abouts: Mapping[str, About], found: Mapping[str, dict[str, Changes]]) -> None:
    """Mask off and on, places untold and told: how many rows only moved, and the greatest difference."""
    theme.heading(t("order.verdicts"))
    theme.caption(t("order.verdicts_caption", layer=_layer(abouts["picked"][0], at)))
    table: dict[str, list[str]] = {" ": [t("order.open"), t("order.causal")]}
    for name, changes in found.items():
        model = abouts[name][0]
        for told in ("untold", "told"):
            if f"{told}_open" in changes:
                both = (changes[f"{told}_{mask}"] for mask in ("open", "causal"))
                title = zoo.MODELS[UNPLACED].title if model.name == UNPLACED else t(f"order.{told}")
                table[theme.plain(title)] = [_verdict(model, at, one) for one in both]
    st.table(table)
    st.latex(order_formulas.equivariance(theme.current()))
    _equivariant(abouts["picked"][0], at, found["picked"])


def _verdict(model: zoo.Model, at: Place, changes: Changes) -> str:
    layer = _layer(model, at)
    same = changes.relative[layer] <= model.tolerance
    rows, kept = len(same), int(same.sum())
    greatest = pictures.short(changes.difference[layer].max().item())
    if kept == rows:
        return theme.plain(t("order.all_moved", rows=rows, greatest=greatest))
    return theme.plain(t("order.some_changed", changed=rows - kept, rows=rows, greatest=greatest))


def _equivariant(model: zoo.Model, at: Place, found: Mapping[str, Changes]) -> None:
    """The rows move, so place by place they differ; what is summed over all of them does not."""
    changes = found.get("untold_open") or found["told_open"]
    layer = _layer(model, at)
    numbers = {
        "matched": changes.difference[layer].max().item(),
        "by_place": changes.by_place[layer].item(),
        "mean": changes.mean[layer].item(),
    }
    theme.caption(t("order.equivariant", **{name: pictures.short(number) for name, number in numbers.items()}))


def picture(name: str, at: Place, about: About, found: Mapping[str, Changes]) -> None:
    """One model's differences: a row a token, a column a setting."""
    model, tokens, moved = about
    layer = _layer(model, at)
    title = zoo.MODELS[model.name].title
    theme.heading(t("order.rows", title=title, layer=layer))
    caption = "order.rows_caption" if name == "picked" else "order.unplaced_caption"
    theme.caption(t(caption, tokens=len(tokens), d_model=model.config.d_model))
    relative = np.stack([changes.relative[layer].numpy() for changes in found.values()], axis=1)
    absolute = np.stack([changes.difference[layer].numpy() for changes in found.values()], axis=1)
    picked = at.query if name == "picked" else None
    figure = pictures.differences(
        Differences(absolute, relative, relative <= model.tolerance),
        [token.visible for token in tokens],
        _columns(model, found),
        picked=picked,
        words=words("order.axes"),
        theme=theme.current(),
    )
    code = t("order.code", model=model.name, ids=[token.id for token in tokens], moved=list(moved), layer=layer)
    chart(
        figure,
        key=f"order-{name}",
        alt=t("order.rows_alt", title=title, layer=layer, tokens=len(tokens), settings=len(found)),
        height=pictures.height(len(tokens)),
        labels=words("chart"),
        table=_as_text(tokens, _columns(model, found), absolute),
        view=f"{model.name}-{st.session_state['sentence_number']}",
        on_pick=(lambda pick: st.session_state.update(query=pick.row)) if name == "picked" else None,
        take_away={"name": f"order-{model.name}-{layer}", "code": code},
    )
    about_key = (model.name, tuple(token.id for token in tokens), moved, layer)
    proof.compare(
        f"order-{name}", relative, lambda: _proof(model, tokens, moved, layer, tuple(found)), model.tolerance, about_key
    )


def _columns(model: zoo.Model, found: Mapping[str, Changes]) -> list[str]:
    """The names of the settings; a model without positions has only mask or no mask to tell."""
    prefix = "unplaced_" if model.name == UNPLACED else ""
    return [t(f"order.columns.{prefix}{name}") for name in found]


def _as_text(tokens: tuple[Token, ...], columns: list[str], absolute: np.ndarray) -> list[list[str]]:
    header = [t("order.axes.token"), *(column.replace("<br>", ", ") for column in columns)]
    rows = zip(tokens, absolute, strict=True)
    return [header, *([token.visible, *(f"{value:.4g}" for value in row)] for token, row in rows)]


def _layer(model: zoo.Model, at: Place) -> int:
    """The picked layer, or the last one of a model that has fewer."""
    return min(at.layer, model.config.layers - 1)


def _proof(model: zoo.Model, tokens: tuple[Token, ...], moved: Order, layer: int, names: tuple[str, ...]) -> np.ndarray:
    """The relative differences again, from the token ids on, by the NumPy decoder."""
    weights = model.decoder.arrays()
    ids, place = np.array([token.id for token in tokens]), np.array(moved)
    columns = []
    for name in names:
        knobs = order.settings(len(tokens))[name]
        given = {"causal": knobs.causal, "positions": knobs.positions, "until": layer}
        with proof.ONE_AT_A_TIME:
            rows = [
                numpy_decoder.run(model.config, weights, some, **given)[f"blocks.{layer}.output"]
                for some in (ids, ids[place])
            ]
        first, second = rows[0][place], rows[1]
        largest = np.maximum(np.maximum(np.abs(first), np.abs(second)).max(axis=-1), 1.0)
        columns.append((np.abs(first - second).max(axis=-1) / largest)[np.argsort(place)])
    return np.stack(columns, axis=1)
