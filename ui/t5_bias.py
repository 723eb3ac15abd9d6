"""T5's bias: the bucket of a distance, and the trained number that each head adds for it."""

import numpy as np
import streamlit as st

from model import numpy_decoder
from model.position_bias import bias as bias_of
from model.position_bias import buckets, ends, t5_by_distance, trained_buckets
from model.zoo import Model
from ui import controls, formulas, picks, proof, session, theme
from ui import position_formulas as latex
from ui.alibi import SHOWN, by_head, caption, pick_triangle
from ui.chart import Pick, chart
from ui.picks import Boxes, Place
from ui.session import Run
from ui.text import t, words
from viz import lines, tables
from viz.lines import Axis, Mark
from viz.tables import Table
from viz.triangles import triangles

FAR = 150  # the greatest distance drawn
TOLERANCE = 1e-6


def show(run: Run, at: Place, boxes: Boxes) -> None:
    """The triangles of the trained table on this sentence, the picked cell's bucket, the table, and it by distance."""
    try:
        model = session.ready("lab-t5")
    except ValueError as error:
        st.info(str(error))
        return
    heads = model.config.heads
    head = picks.number("head", t("place.head", last=heads - 1), heads - 1, at.head, highest=63, where=boxes[0])
    limit = ends(model.decoder.position.weight)
    left, right = st.columns([1, 1], gap="medium")
    with left:
        _triangles(model, run, at, head, limit)
        _cell(model, at, head)
    with right:
        _by_distance(model, max(0, at.query - at.key), head, limit)
        _table(model, max(0, at.query - at.key), head, limit)


def _triangles(model: Model, run: Run, at: Place, head: int, limit: float) -> None:
    heads, seq = model.config.heads, min(len(run.tokens), SHOWN)
    bias = bias_of(model.decoder, seq).numpy()
    theme.heading(t("relative.t5.title"))
    theme.caption(caption("t5", run, heads, seq, limit))
    names = [f"{t('relative.axes.head')} {place}" for place in range(heads)]
    chart(
        triangles(
            bias,
            names,
            limit=limit,
            picked=(head, at.query, at.key),
            words=words("relative.axes"),
            theme=theme.current(),
        ),
        key="t5-triangles",
        alt=t("relative.t5.alt", heads=heads, seq=seq, limit=f"{limit:g}"),
        height=230,
        labels=words("chart"),
        view=f"{controls.view(run)}-{seq}",
        on_pick=pick_triangle,
        take_away={"name": "t5-bias", "code": t("relative.t5.code", seq=seq)},
    )
    proof.compare("t5-triangles", bias, lambda: _numpy_terms(model, seq), TOLERANCE, seq)


def _numpy_terms(model: Model, seq: int) -> np.ndarray:
    """What the proof's own decoder adds to the scores."""
    weights = model.decoder.arrays()
    _, bias = numpy_decoder.position_terms(model.config, weights, np.arange(seq))
    return bias


def _cell(model: Model, at: Place, head: int) -> None:
    apart, config = max(0, at.query - at.key), model.config
    bucket = int(buckets(config, apart + 1)[-1])
    value = float(model.decoder.position.weight[bucket, head])
    theme.heading(t("relative.t5.cell", head=head, query=at.query, key=at.key, apart=apart))
    told = latex.t5_bucket(apart, bucket, config.t5_buckets, config.t5_max_distance)
    st.latex(formulas.lines([*told, *latex.t5_bias(theme.current(), bucket, head, value)]))
    theme.caption(t("relative.hidden_t5") if at.key > at.query else t("relative.t5.not_sqrt"))


def _by_distance(model: Model, apart: int, head: int, limit: float) -> None:
    values = t5_by_distance(model.decoder, FAR + 1).numpy()
    axes = words("relative.axes")
    places = np.arange(FAR + 1)
    shown, curves = by_head(places, values, head, steps=True)
    context, reached = model.config.context, trained_buckets(model.config)
    marks = [Mark(_start(model, reached), t("relative.t5.untrained_mark"), "key"), Mark(apart, "", "residual")]
    theme.heading(t("relative.t5.by_distance", head=head))
    last = model.config.t5_buckets - 1
    theme.caption(t("relative.t5.by_distance_caption", far=_start(model, last), last=last))
    chart(
        lines.lines(
            curves,
            x=Axis(axes["distance"], (-1, FAR + 1)),
            y=Axis(axes["bias"], (-limit, limit)),
            marks=marks,
            theme=theme.current(),
        ),
        key="t5-distance",
        alt=t("relative.t5.by_distance_alt", heads=len(values), head=head),
        height=260,
        labels=words("chart"),
        table=lines.table(curves, axes["distance"]),
        view="",
        on_pick=lambda found: st.session_state.update(head=shown[found.column]),
        take_away={"name": "t5-by-distance", "code": t("relative.t5.distance_code", far=FAR)},
    )
    proof.compare("t5-distance", values, lambda: _numpy_by_distance(model), TOLERANCE, FAR)
    theme.caption(t("relative.t5.untrained", context=context, first=reached, last=last))


def _start(model: Model, bucket: int) -> int:
    """The first distance that falls in a bucket."""
    return buckets(model.config, FAR + 1).tolist().index(bucket)


def _numpy_by_distance(model: Model) -> np.ndarray:
    config = model.config
    found = numpy_decoder.t5_bucket(-np.arange(FAR + 1), config.t5_buckets, config.t5_max_distance)
    return model.decoder.position.weight.numpy()[found].T


def _table(model: Model, apart: int, head: int, limit: float) -> None:
    weight = model.decoder.position.weight.numpy().T
    bucket = int(buckets(model.config, apart + 1)[-1])
    theme.heading(t("relative.t5.table"))
    theme.caption(t("relative.t5.table_caption", heads=weight.shape[0], buckets=weight.shape[1], numbers=weight.size))
    axes = words("relative.axes")

    def pick(found: Pick) -> None:
        st.session_state["head"] = found.row

    chart(
        tables.beside(
            [Table(weight, f"±{limit:g}", "position", limit)],
            [f"{axes['head']} {place}" for place in range(len(weight))],
            picked=(head, bucket),
            words={"row": "", "column": axes["bucket"]},
            theme=theme.current(),
        ),
        key="t5-table",
        alt=t("relative.t5.table_alt", heads=weight.shape[0], buckets=weight.shape[1]),
        height=160,
        labels=words("chart"),
        view="",
        on_pick=pick,
        take_away={"name": "t5-table", "code": t("relative.t5.distance_code", far=FAR)},
    )
