"""What each head of a layer adds to the picked token through W_O, and what √d_head does to the layer's scores."""

import math

import numpy as np
import streamlit as st

from model.analysis import head_contributions
from model.spread import Side, Spread, spread
from ui import controls, proof, theme
from ui.chart import Pick, chart
from ui.picks import Place
from ui.session import Run
from ui.text import t, words
from viz import contributions as pictures
from viz.projections import greatest


def show(run: Run, at: Place) -> None:
    """Concat · W_O of the query token, head by head, and the spread of the layer's scores."""
    heads(run, at)
    scores(run, at)


def heads(run: Run, at: Place) -> None:
    """A row a head: its piece of Concat, what it adds, how long that is; their sum beside the attention's output."""
    parts, difference = _parts(run, at)
    theme.heading(t("contributions.title", layer=at.layer, token=run.labels[at.query]))
    theme.caption(
        t(
            "contributions.caption",
            joined=parts.concat.size,
            d_model=parts.added.shape[1],
            heads=len(parts.concat),
            difference=f"{difference:.1e}",
        )
    )
    pooled = parts.added.shape[1] > pictures.COLUMNS
    figure = pictures.contributions(
        parts,
        picked=at.head,
        titles={
            "concat": t("contributions.concat", most=f"{greatest(parts.concat):.3g}"),
            "added": t("contributions.added", most=f"{greatest(parts.added):.3g}"),
            "norms": t("contributions.norms"),
        },
        theme=theme.current(),
    )
    chart(
        figure,
        key="contributions-chart",
        alt=t("contributions.alt", layer=at.layer, token=run.labels[at.query]),
        height=32 + 26 * len(parts.rows),
        labels=words("chart"),
        table=_table(parts),
        view=controls.view(run),
        on_pick=_pick_row(len(parts.concat)),
        take_away={"name": f"contributions-{at.layer}", "code": _code(run, at)},
    )
    note = t("contributions.pooled", columns=pictures.COLUMNS) if pooled else ""
    theme.caption(note + t("contributions.not_why"))
    proof.badge(run, at.layer, "attention.output", key="contributions")


def _parts(run: Run, at: Place) -> tuple[pictures.Parts, float]:
    """The query token's parts, and how far their sum lies from the output that the run computed."""
    attention = run.model.decoder.blocks[at.layer].attention
    trace = run.block(at.layer).attention
    gains = run.knobs.gains(at.layer, run.model.config.heads)
    added = [*head_contributions(attention, trace, gains)[:, at.query].numpy()]
    rows = [t("contributions.head", head=head) for head in range(len(added))]
    if attention.output.bias is not None:
        added.append(attention.output.bias.numpy())
        rows.append(t("contributions.bias"))
    total = np.sum(added, axis=0)
    difference = np.abs(total - trace.output[at.query].numpy()).max()
    concat = trace.mixed[:, at.query].numpy() * np.array(gains, dtype=np.float32)[:, None]
    return pictures.Parts(concat, np.stack([*added, total]), [*rows, t("contributions.sum")]), float(difference)


def _pick_row(heads: int):
    def pick(pick: Pick) -> None:
        if pick.row < heads:
            st.session_state["head"] = pick.row

    return pick


def _table(parts: pictures.Parts) -> list[list[str]]:
    norms = np.linalg.norm(parts.added, axis=1)
    rows = [[name, f"{norm:.3g}"] for name, norm in zip(parts.rows, norms, strict=True)]
    return [["", t("contributions.norms")], *rows]


def scores(run: Run, at: Place) -> None:
    """The same dot products with and without √d_head: how they spread, and what the softmax makes of them."""
    d_head = run.model.config.d_head
    found = spread(run.block(at.layer).attention, run.knobs)
    theme.heading(t("contributions.spread", layer=at.layer, d_head=d_head))
    seen = at.query + 1 if run.knobs.causal else len(run.tokens)
    theme.caption(
        t(
            "contributions.spread_caption",
            pairs=f"{len(found.divided.products):,}",
            d_head=d_head,
            expected=f"{math.sqrt(d_head):.3g}",
            head=at.head,
            token=run.labels[at.query],
        )
    )
    sides = {"without": found.without, "divided": found.divided}
    figure = pictures.spread(
        {name: side.products.numpy() for name, side in sides.items()},
        {name: side.weights[at.head, at.query, :seen].numpy() for name, side in sides.items()},
        run.labels,
        picked=at.key,
        titles={name: _title(name, side, d_head) for name, side in sides.items()},
        words=words("contributions.axes"),
        theme=theme.current(),
    )
    chart(
        figure,
        key="spread-chart",
        alt=t("contributions.spread_alt", layer=at.layer, d_head=d_head, token=run.labels[at.query]),
        height=330,
        labels=words("chart"),
        table=_spread_table(sides, d_head),
        view=controls.view(run),
        take_away={"name": f"spread-{at.layer}", "code": _code(run, at)},
    )
    _say_choice(found)
    proof.badge(run, at.layer, "attention.scores", key="spread")


def _title(name: str, side: Side, d_head: int) -> str:
    return t(f"contributions.{name}", d_head=d_head, deviation=f"{side.deviation:.3g}")


def _say_choice(found: Spread) -> None:
    """What the softmax makes of either; nothing where no query has a choice of keys."""
    if math.isnan(found.divided.entropy):
        return
    values = {
        f"{name}_{number}": f"{getattr(side, number):.2f}"
        for name, side in (("without", found.without), ("divided", found.divided))
        for number in ("largest", "entropy")
    }
    theme.caption(t("contributions.choice", **values))


def _spread_table(sides: dict[str, Side], d_head: int) -> list[list[str]]:
    names = words("contributions.numbers")
    rows = [[_title(name, side, d_head), side.largest, side.entropy] for name, side in sides.items()]
    return [["", names["largest"], names["entropy"]], *([label, f"{a:.3g}", f"{b:.3g}"] for label, a, b in rows)]


def _code(run: Run, at: Place) -> str:
    return t("contributions.code", text=repr(run.text), model=run.model.name, layer=at.layer, query=at.query)
