"""Q, K and V of every token as one head sees them, and the dot product of the picked query and key."""

import streamlit as st

from model import heads
from model.heads import Projections
from ui import controls, picks, proof, theme
from ui.chart import Pick, chart
from ui.picks import Place
from ui.session import Run
from ui.text import t, words
from viz import projections as pictures
from viz.theme import token_labels

SHOWN_ROW = 18  # pixels of one token's row


def show(run: Run, at: Place) -> None:
    """The three matrices of the picked head, before or after the rotation, and q·k term by term."""
    trace = run.block(at.layer).attention
    theme.heading(t("projections.title", layer=at.layer, head=at.head))
    rotated = _side() if run.model.config.position == "rope" else True
    rows = heads.projections(trace, at.head, rotated)
    theme.caption(_caption(run, at, rows))
    _matrices(run, at, rows, rotated)
    _product(run, at, rows, rotated)


def _side() -> bool:
    """The switch between the projections before the rotation and after it: whether after."""
    return picks.choose("side", t("projections.side"), words("projections.sides"), "rotated") == "rotated"


def _caption(run: Run, at: Place, rows: Projections) -> str:
    seq, config = len(run.tokens), run.model.config
    parts = [t("projections.caption", tokens=seq, d_head=config.d_head, d_model=config.d_model)]
    if len(rows.sharing) > 1:
        parts.append(t("projections.shared", first=rows.sharing[0], last=rows.sharing[-1], kv_head=rows.kv_head))
    if config.position != "rope":
        parts.append(t("projections.unturned"))
    seen = pictures.window(seq, at.query)
    if seen.stop - seen.start < seq:
        parts.append(t("projections.window", shown=seen.stop - seen.start, first=seen.start, last=seen.stop - 1))
    return " · ".join(parts)


def _matrices(run: Run, at: Place, rows: Projections, rotated: bool) -> None:
    matrices = {"query": rows.query.numpy(), "key": rows.key.numpy(), "value": rows.value.numpy()}
    names = words("projections.names")
    figure = pictures.side_by_side(
        matrices,
        run.labels,
        picked=(at.query, at.key),
        titles={role: f"{names[role]} ±{pictures.greatest(values):.3g}" for role, values in matrices.items()},
        dimension=t("projections.dimension"),
        theme=theme.current(),
    )
    shown = min(len(run.tokens), pictures.ROWS)
    chart(
        figure,
        key="projections-chart",
        alt=t("projections.alt", layer=at.layer, head=at.head, tokens=len(run.tokens), d_head=run.model.config.d_head),
        height=max(120, min(SHOWN_ROW * shown, 480) + 50),
        labels=words("chart"),
        view=f"{controls.view(run)}-{pictures.window(len(run.tokens), at.query).start}",
        on_pick=_picker(pictures.window(len(run.tokens), at.query).start),
        take_away={"name": f"projections-{at.layer}-{at.head}", "code": _code(run, at, rows, rotated)},
    )
    proof.badge(run, at.layer, "attention.rotated_query" if rotated else "attention.query", key="projections")


def _picker(start: int):
    """A click in Q picks the query's token, one in K or V the key's; the first row drawn is token `start`."""

    def pick(pick: Pick) -> None:
        st.session_state["query" if pick.trace == 0 else "key"] = start + pick.row

    return pick


def _product(run: Run, at: Place, rows: Projections, rotated: bool) -> None:
    names = (run.labels[at.query], run.labels[at.key])
    products = heads.products(rows, at.query, at.key).numpy()
    theme.heading(t("projections.product", query=names[0], key=names[1], sum=f"{products.sum():.4g}"))
    explained = "projections.product_caption" if rotated else "projections.product_before"
    theme.caption(t(explained, d_head=len(products), most=f"{pictures.greatest(products):.3g}"))
    figure = pictures.dot_product(
        rows.query[at.query].numpy(),
        rows.key[at.key].numpy(),
        products,
        names=(f"q {token_labels(names)[0]}", f"k {token_labels(names)[1]}", "q × k"),
        dimension=t("projections.dimension"),
        theme=theme.current(),
    )
    chart(
        figure,
        key="product-chart",
        alt=t("projections.product_alt", query=names[0], key=names[1], d_head=len(products)),
        height=190,
        labels=words("chart"),
        view=controls.view(run),
        take_away={"name": f"product-{at.layer}-{at.head}", "code": _code(run, at, rows, rotated)},
    )
    if rotated:
        proof.badge(run, at.layer, "attention.raw_scores", key="product")


def _code(run: Run, at: Place, rows: Projections, rotated: bool) -> str:
    return t(
        "projections.code",
        text=repr(run.text),
        model=run.model.name,
        before="rotated_" if rotated else "",
        layer=at.layer,
        head=at.head,
        kv_head=rows.kv_head,
        query=at.query,
        key=at.key,
    )
