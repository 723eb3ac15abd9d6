"""What a causal decoder without positions can know of the order, shown on the lab's trained one."""

import numpy as np
import streamlit as st

from model import numpy_decoder, unordered, zoo
from model.order import Order
from model.tokenizer import Token
from ui import controls, order_formulas, proof, session, theme
from ui.chart import chart
from ui.order_rows import UNPLACED
from ui.picks import TOKEN_LIMIT, Place
from ui.session import Run
from ui.text import t, words
from viz import order as pictures
from viz.order import Differences

COPIES = 8
COUNTED = 4  # places whose 1/t is written out
SCHEMES = ("none", "rope", "alibi", "t5", "sinusoidal", "learned")


def show(run: Run, at: Place) -> None:
    """The last row under shuffled prefixes, by layer; then one token over and over, by scheme."""
    if zoo.MODELS[UNPLACED].find() is None:
        st.info(t("sentence.no_weights", title=zoo.MODELS[UNPLACED].title))
        st.code(zoo.MODELS[UNPLACED].bring, language=None)
        return
    model = session.ready(UNPLACED)
    tokens = model.tokenizer.encode(run.text)
    if len(tokens) > TOKEN_LIMIT:
        theme.caption(t("order.unplaced_too_long", given=len(tokens), allowed=TOKEN_LIMIT), warning=True)
        return
    left, right = st.columns(2, gap="medium")
    with left:
        _prefixes(run, model, tokens)
    with right:
        _constants(run, at, model, tokens)


def _prefixes(run: Run, model: zoo.Model, tokens: tuple[Token, ...]) -> None:
    """The last token's row when the tokens before it are shuffled."""
    orders = unordered.prefix_orders(len(tokens), first=1)
    last = tokens[-1].visible
    theme.heading(t("unordered.prefix", token=last))
    if not orders:
        theme.caption(t("unordered.too_short"))
        return
    ids = [token.id for token in tokens]
    named = [" ".join(tokens[place].visible for place in order) for order in orders]
    key = ("unordered", model.name, tuple(ids))
    found = session.runs().get(
        key, lambda: unordered.prefix_changes(model.decoder, ids, orders).numpy(), lambda table: table.nbytes
    )
    theme.caption(t("unordered.prefix_caption", orders=len(orders), title=zoo.MODELS[UNPLACED].title, last=last))
    figure = pictures.by_layer(
        found,
        named,
        tolerance=model.tolerance,
        words=words("unordered.axes"),
        theme=theme.current(),
    )
    chart(
        figure,
        key="unordered-prefix",
        alt=t("unordered.prefix_alt", orders=len(orders), layers=found.shape[1]),
        height=300,
        labels=words("chart"),
        table=_table(named, found),
        view=controls.view(run),
        take_away={"name": "prefix", "code": t("unordered.prefix_code", model=model.name, ids=ids)},
    )
    _read(model, found)
    proof.compare("unordered-prefix", found, lambda: _proof(model, ids, orders), model.tolerance, key)


def _read(model: zoo.Model, found: np.ndarray) -> None:
    """Which layers know nothing of the order of the prefix, in words, from the numbers."""
    told = set()
    for layer, greatest in enumerate(found.max(axis=0).tolist()):
        verdict = "unmoved" if greatest <= model.tolerance else "moved"
        verdict = "moved_too" if verdict in told else verdict
        told.add(verdict)
        theme.caption(t(f"unordered.{verdict}", layer=layer, layers=layer + 1, greatest=pictures.short(greatest)))


def _table(named: list[str], found: np.ndarray) -> list[list[str]]:
    header = [t("unordered.axes.order"), *(t("unordered.axes.layer", layer=at) for at in range(found.shape[1]))]
    return [header, *([name, *(f"{value:.4g}" for value in row)] for name, row in zip(named, found, strict=True))]


def _proof(model: zoo.Model, ids: list[int], orders: tuple[Order, ...]) -> np.ndarray:
    """The same, all orders at once, by the NumPy decoder."""
    weights = model.decoder.arrays()
    places = np.array([range(len(ids)), *orders])
    with proof.ONE_AT_A_TIME:
        trace = numpy_decoder.run(model.config, weights, np.array(ids)[places])
    columns = []
    for layer in range(model.config.layers):
        rows = trace[f"blocks.{layer}.output"][:, -1]
        largest = np.maximum(np.maximum(np.abs(rows), np.abs(rows[:1])).max(axis=-1), 1.0)
        columns.append((np.abs(rows - rows[:1]).max(axis=-1) / largest)[1:])
    return np.stack(columns, axis=1)


def _constants(run: Run, at: Place, unplaced: zoo.Model, tokens: tuple[Token, ...]) -> None:
    """One token over and over, in every scheme of the lab, with BOS before it and without."""
    token = repeated(run, at, tokens)
    schemes = [scheme for scheme in SCHEMES if zoo.MODELS[f"lab-{scheme}"].find() is not None]
    models = [session.ready(f"lab-{scheme}") for scheme in schemes]
    theme.heading(t("unordered.constant", token=token.visible, copies=COPIES))
    theme.caption(t("unordered.constant_caption", copies=COPIES))
    key = ("constant", token.id, tuple(schemes))
    found = session.runs().get(key, lambda: _spreads(models, token.id), lambda table: table.nbytes)
    layers = unplaced.config.layers
    columns = [t(f"unordered.{side}", layer=layer) for side in ("bare", "after_bos") for layer in range(layers)]
    figure = pictures.differences(
        Differences(found, found, found <= unplaced.tolerance),
        [words("unordered.schemes")[scheme] for scheme in schemes],
        columns,
        picked=None,
        words=words("order.axes"),
        theme=theme.current(),
    )
    chart(
        figure,
        key="unordered-constant",
        alt=t("unordered.constant_alt", token=token.visible, copies=COPIES, schemes=len(schemes)),
        height=pictures.height(len(schemes)),
        labels=words("chart"),
        view="constant",
        take_away={"name": "constant", "code": t("unordered.constant_code", id=token.id, copies=COPIES)},
    )
    uneven = session.runs().get(
        ("uneven", token.id), lambda: unordered.unevenness(unplaced.decoder, token.id, COPIES), lambda _: 8
    )
    theme.caption(t("unordered.even", uneven=pictures.short(uneven)))
    theme.caption(t("unordered.count"))
    st.latex(order_formulas.count(unordered.count(COUNTED)))
    proof.compare("unordered-constant", found, lambda: _constant_proof(models, token.id), unplaced.tolerance, key)


def repeated(run: Run, at: Place, tokens: tuple[Token, ...]) -> Token:
    """The lab's token in which the picked token begins; the last token where BOS is picked."""
    start = run.tokens[at.query].char_span[0] if run.tokens[at.query].group >= 0 else len(run.text)
    own = [token for token in tokens if token.group >= 0 and token.char_span[0] <= start]
    return own[-1] if own else tokens[-1]


def _spreads(models: list[zoo.Model], token: int) -> np.ndarray:
    rows = []
    for model in models:
        sides = [unordered.spread(model.decoder, token, COPIES, bos) for bos in (None, model.tokenizer.bos)]
        rows.append(np.concatenate([side.numpy() for side in sides]))
    return np.stack(rows)


def _constant_proof(models: list[zoo.Model], token: int) -> np.ndarray:
    rows = []
    for model in models:
        weights = model.decoder.arrays()
        row = []
        for first in ([], [model.tokenizer.bos]):
            trace = numpy_decoder.run(model.config, weights, np.array([*first, *[token] * COPIES]))
            outputs = [trace[f"blocks.{layer}.output"][-COPIES:] for layer in range(model.config.layers)]
            row += [np.abs(rows_ - rows_[0]).max() / max(1.0, np.abs(rows_).max()) for rows_ in outputs]
        rows.append(row)
    return np.array(rows)
