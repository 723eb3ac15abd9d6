"""ALiBi: a fixed slope a head, and the triangle of penalties that it makes, for any number of heads."""

import numpy as np
import streamlit as st

from model import numpy_decoder
from model.position_bias import alibi, if_scores_were_equal, one_series, slopes
from ui import controls, formulas, picks, proof, theme
from ui import position_formulas as latex
from ui.chart import Pick, chart
from ui.picks import Boxes, Place
from ui.session import Run
from ui.text import t, words
from viz import lines
from viz.lines import Axis, Line, Mark
from viz.theme import ROLES
from viz.triangles import triangles

HEADS = [1, 2, 3, 4, 6, 8, 9, 12, 14, 16]
SHOWN = 24  # tokens drawn at once
TOLERANCE = 1e-6


def show(run: Run, at: Place, boxes: Boxes) -> None:
    """How many heads; their triangles; the picked cell; the slopes beside the rule that is not used; the reach."""
    with boxes[0]:
        heads = st.selectbox(
            t("relative.alibi.heads"), HEADS, index=HEADS.index(4), key="alibi_heads", bind="query-params"
        )
    head = picks.number("head", t("place.head", last=heads - 1), heads - 1, at.head, highest=63, where=boxes[1])
    all_slopes = slopes(heads)
    seq = min(len(run.tokens), SHOWN)
    bias = alibi(heads, seq)
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        _triangles(run, at, head, bias.numpy(), all_slopes)
    with right:
        theme.heading(t("relative.alibi.cell", head=head, query=at.query, key=at.key))
        apart = max(0, at.query - at.key)
        st.latex(formulas.lines(latex.alibi(theme.current(), all_slopes[head], head, heads, apart)))
        theme.caption(t("relative.hidden") if at.key > at.query else t("relative.alibi.fixed"))
        _slopes(heads, head, all_slopes)
        _reach(if_scores_were_equal(bias).numpy(), head, seq)


def _triangles(run: Run, at: Place, head: int, bias: np.ndarray, all_slopes: list[float]) -> None:
    heads, seq = bias.shape[:2]
    limit = max(1.0, float(np.ceil(max(all_slopes) * (seq - 1))))
    theme.heading(t("relative.alibi.title", heads=heads))
    theme.caption(caption("alibi", run, heads, seq, limit))
    chart(
        triangles(
            bias,
            [f"{place}: m {slope:.3g}" for place, slope in enumerate(all_slopes)],
            limit=limit,
            picked=(head, at.query, at.key),
            words=words("relative.axes"),
            theme=theme.current(),
        ),
        key="alibi-triangles",
        alt=t("relative.alibi.alt", heads=heads, seq=seq, limit=f"{limit:g}"),
        height=160 + 110 * (-(-heads // 4)),
        labels=words("chart"),
        table=[[t("relative.axes.head"), "m"], *([str(one), f"{slope:.6g}"] for one, slope in enumerate(all_slopes))],
        view=f"{controls.view(run)}-{heads}-{seq}",
        on_pick=pick_triangle,
        take_away={"name": f"alibi-{heads}", "code": t("relative.alibi.code", heads=heads, seq=seq)},
    )

    def numpy_bias() -> np.ndarray:
        places = np.arange(seq)
        return -numpy_decoder.alibi_slopes(heads)[:, None, None] * np.abs(places[:, None] - places[None, :])

    proof.compare("alibi", bias, numpy_bias, TOLERANCE, (heads, seq))


def pick_triangle(found: Pick) -> None:
    """A click in a triangle picks its head, and the cell's query and key."""
    st.session_state["head"] = found.trace
    st.session_state["query"], st.session_state["key"] = found.row, found.column


def caption(name: str, run: Run, heads: int, seq: int, limit: float) -> str:
    """The line over the triangles of a scheme; of a long text it says how much is drawn."""
    told = t(f"relative.{name}.caption", heads=heads, seq=seq, limit=f"{limit:g}")
    return told if seq == len(run.tokens) else told + t("relative.first_tokens", seq=seq, all=len(run.tokens))


def _slopes(heads: int, head: int, all_slopes: list[float]) -> None:
    axes = words("relative.axes")
    places = np.arange(heads)
    curves = [Line(places, np.array(all_slopes), t("relative.alibi.rule"), ROLES["position"], dots=True)]
    whole = heads & (heads - 1) == 0
    if not whole:
        other = np.array(one_series(heads))
        curves.append(Line(places, other, t("relative.alibi.not_used"), theme.current().quiet, dash="dot", dots=True))
    theme.heading(t("relative.alibi.slopes"))
    theme.caption(t("relative.alibi.slopes_whole" if whole else "relative.alibi.slopes_other", heads=heads))
    chart(
        lines.lines(
            curves,
            x=Axis(axes["head"], (-0.5, max(4, heads) - 0.5)),
            y=Axis(axes["slope"], (0.003, 1.0), log=True),
            marks=[Mark(head)],
            theme=theme.current(),
        ),
        key="alibi-slopes",
        alt=t("relative.alibi.slopes_alt", heads=heads),
        height=220,
        labels=words("chart"),
        table=lines.table(curves, axes["head"]),
        view=str(heads),
        on_pick=lambda found: st.session_state.update(head=found.row),
        take_away={"name": f"slopes-{heads}", "code": t("relative.alibi.code", heads=heads, seq=8)},
    )
    proof.compare("alibi-slopes", np.array(all_slopes), lambda: numpy_decoder.alibi_slopes(heads), TOLERANCE, heads)


def by_head(x: np.ndarray, values: np.ndarray, head: int, steps: bool = False) -> tuple[list[int], list[Line]]:
    """A quiet curve a head, the picked one last and bold; and which head each of the curves is."""
    name, colours = words("relative.axes")["head"], theme.current()
    shown = [one for one in range(len(values)) if one != head] + [head]
    curves = [
        Line(
            x,
            values[one],
            f"{name} {one}",
            colours.text["position"] if one == head else colours.quiet,
            width=2.5 if one == head else 1,
            dots=one == head and not steps,
            steps=steps,
            legend=False,
        )
        for one in shown
    ]
    return shown, curves


def _reach(weights: np.ndarray, head: int, seq: int) -> None:
    axes = words("relative.axes")
    apart = np.arange(seq)
    shown, curves = by_head(apart, weights[:, ::-1], head)
    theme.heading(t("relative.alibi.reach", head=head))
    theme.caption(t("relative.alibi.reach_caption", seq=seq))
    chart(
        lines.lines(
            curves,
            x=Axis(axes["distance"], (-0.5, SHOWN - 0.5)),
            y=Axis(axes["weight"], (0, 1)),
            theme=theme.current(),
        ),
        key="alibi-reach",
        alt=t("relative.alibi.reach_alt", head=head),
        height=220,
        labels=words("chart"),
        table=lines.table(curves, axes["distance"]),
        view="",
        on_pick=lambda found: st.session_state.update(head=shown[found.column]),
        take_away={"name": "alibi-reach", "code": t("relative.alibi.code", heads=len(weights), seq=seq)},
    )
