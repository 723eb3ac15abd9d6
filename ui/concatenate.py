"""Adding two vectors or putting them end to end: what each makes of one token, and what it costs in parameters."""

import numpy as np
import streamlit as st

from model import parameter_count
from ui import controls, picks, proof, theme
from ui.chart import chart
from ui.picks import Boxes, Place
from ui.session import Run
from ui.text import t, words
from viz import pairs, tables
from viz.tables import Table
from viz.theme import ROLES

WIDTHS = [64, 128, 256, 512, 768, 1024]
VOCAB, HEADS, FACTOR = 37_000, 8, 4  # with width 512 and 6 layers, the sizes of Vaswani et al. 2017's base model
LIMIT = 2.0


def show(run: Run, at: Place, boxes: Boxes) -> None:
    """The picked token's vectors both ways; then a calculator of parameters."""
    _vectors(run, at)
    own = st.columns(4, gap="small")
    with own[0]:
        width = st.selectbox(
            t("position.join.width"), WIDTHS, index=WIDTHS.index(512), key="join_width", bind="query-params"
        )
    layers = picks.number("join_layers", t("position.join.layers"), 96, 6, where=own[1])
    _cost(width, layers)


def _vectors(run: Run, at: Place) -> None:
    token, position = run.kept.embeddings[at.query].numpy(), run.kept.position_part[at.query].numpy()
    width = len(token)
    theme.heading(t("position.join.title", token=run.labels[at.query], position=at.query))
    theme.caption(t("position.join.caption", width=width, both=2 * width, limit=f"{LIMIT:g}"))
    strips = np.full((4, 2 * width), np.nan)
    strips[0, :width] = token
    strips[1, :width] = position
    strips[2, :width] = token + position
    strips[3] = np.concatenate([token, position])
    names = [f"E · {width}", f"P · {width}", f"E+P · {width}", f"E,P · {2 * width}"]
    chart(
        tables.beside(
            [Table(strips, "", "residual", LIMIT)],
            names,
            words={"row": "", "column": t("position.dimension_word")},
            theme=theme.current(),
        ),
        key="join-vectors",
        alt=t("position.join.alt", token=run.labels[at.query], width=width, both=2 * width),
        height=150,
        labels=words("chart"),
        view=controls.view(run),
        take_away={"name": "add-or-join", "code": t("position.join.code", text=repr(run.text), token=at.query)},
    )
    theme.caption(t("position.join.same_as"))


def _cost(width: int, layers: int) -> None:
    added = parameter_count.added(VOCAB, width, layers, HEADS, FACTOR)
    joined = parameter_count.concatenated(VOCAB, (width, width), layers, HEADS, FACTOR)
    names = words("position.join.parts")
    parts = list(names)
    totals = [sum(counts.values()) for counts in (added, joined)]
    theme.heading(t("position.join.cost", width=width, both=2 * width))
    st.latex(rf"{width} + {width} \to {width} \qquad\qquad ({width},\, {width}) \to {2 * width}")
    told = {"added": f"{totals[0]:,}", "joined": f"{totals[1]:,}", "times": f"{totals[1] / totals[0]:.2f}"}
    sizes = {"layers": layers, "heads": HEADS, "factor": FACTOR, "vocab": f"{VOCAB:,}"}
    theme.caption(t("position.join.cost_caption", width=width, both=2 * width, **told, **sizes))
    amounts = [
        (t("position.join.added", width=width), ROLES["residual"], _values(added, parts)),
        (t("position.join.joined", width=2 * width), ROLES["position"], _values(joined, parts)),
    ]
    most = max(float(values.max()) for _, _, values in amounts)
    header = [t("position.join.part"), *(name for name, _, _ in amounts)]
    rows = [[names[part], f"{added[part]:,}", f"{joined[part]:,}"] for part in parts]
    chart(
        pairs.pairs(amounts, list(names.values()), most=most, digits=",.0f", theme=theme.current()),
        key="join-cost",
        alt=t("position.join.cost_alt", width=width, both=2 * width),
        height=300,
        labels=words("chart"),
        table=[header, *rows],
        view="",
        take_away={
            "name": "parameters",
            "code": t("position.join.cost_code", width=width, layers=layers, vocab=VOCAB, factor=FACTOR),
        },
    )
    ours = np.array([_values(added, parts), _values(joined, parts)])
    proof.compare("join-cost", ours, lambda: numpy_counts(width, layers, parts), 0.0, (width, layers))


def _values(counts: dict[str, int], parts: list[str]) -> np.ndarray:
    return np.array([counts[part] for part in parts], dtype=np.float64)


def numpy_counts(width: int, layers: int, parts: list[str]) -> np.ndarray:
    """The counts once more: the entries of every matrix and vector, one by one from their shapes."""
    told = []
    for d_model in (width, 2 * width):
        d_ff = FACTOR * d_model
        shapes = {
            "embedding": [(VOCAB, width)],
            "attention": [(d_model, d_model), (d_model,)] * 4 * layers,
            "feed_forward": [(d_ff, d_model), (d_ff,), (d_model, d_ff), (d_model,)] * layers,
            "norms": [(d_model,), (d_model,)] * (2 * layers + 1),
            "unembedding": [(VOCAB, d_model)],
        }
        told.append([float(sum(np.prod(shape) for shape in shapes[part])) for part in parts])
    return np.array(told)
