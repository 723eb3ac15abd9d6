"""One head large: its weights token by token, or word by word where the model splits words; and the picked row."""

from bisect import bisect_right
from collections.abc import Iterator

import streamlit as st

from model.analysis import group_starts, group_weights, without_first
from model.visible import visible
from ui import controls, proof, theme
from ui.chart import Pick, chart, let_draw
from ui.picks import Place
from ui.session import Run
from ui.text import t, words
from viz import attention as pictures
from viz.arcs import ARCS, over_sentence


def show(run: Run, at: Place, meanwhile: Iterator[object]) -> None:
    """The head's weights as a square, with caption, proof and take-away; drawn before anything else is sent.

    All words are sent before the weights are asked for: Streamlit leaves 10 ms between one sending and the next.
    `meanwhile` computes what the page shows next, piece by piece.
    """
    theme.heading(t("head.title", layer=at.layer, head=at.head))
    groups = [token.group for token in run.tokens]
    words_start = group_starts(groups)
    grouped, first = _switches(len(words_start) < len(groups))
    starts = words_start if grouped else list(range(len(groups)))  # the first token of each row
    labels = _whole_words(run, starts) if grouped else run.labels
    size = len(starts)
    note = "" if first else t("head.caption_rest")
    theme.caption(t("head.caption" if len(run.tokens) == size else "head.caption_words", size=size) + note)
    weights = run.forward.weights(at.layer)[at.head]
    if grouped:
        weights = group_weights(weights, groups)
    figure = pictures.head_weights(
        (weights if first or size == 1 else without_first(weights)).numpy(),
        labels,
        picked=tuple(bisect_right(starts, place) - 1 for place in (at.query, at.key)),
        causal=run.knobs.causal,
        words=words("head.axes"),
        theme=theme.current(),
    )
    name = f"blocks.{at.layer}.attention.weights"
    code = t("head.code", name=name, head=at.head, text=repr(run.text), model=run.model.name)

    def pick(found: Pick) -> None:
        st.session_state["query"], st.session_state["key"] = starts[found.row], starts[found.column]

    chart(
        figure,
        key="head-chart",
        alt=t("head.alt", layer=at.layer, head=at.head, size=size),
        height=430,
        labels=words("chart"),
        view=f"{controls.view(run)}-{size == len(run.tokens)}",
        on_pick=pick,
        take_away={"name": f"attention-{at.layer}-{at.head}", "code": code},
    )
    let_draw(meanwhile)
    proof.badge(run, at.layer, "attention.weights", key="head")


def row(run: Run, at: Place) -> None:
    """The query's row of weights as arcs over the sentence, then as bars with the scores they come from."""
    theme.heading(t("head.row", token=run.labels[at.query]))
    theme.caption(t("head.row_caption", d_head=run.model.config.d_head, arcs=ARCS))
    trace = run.block(at.layer).attention
    seen = at.query + 1 if run.knobs.causal else len(run.tokens)
    values = {
        "weights": trace.weights[at.head, at.query, :seen].numpy(),
        "scores": trace.scores[at.head, at.query, :seen].numpy(),
    }
    look = {"words": words("head.axes"), "theme": theme.current()}
    whole = run.forward.weights(at.layer)[at.head, at.query].numpy()
    chart(
        over_sentence(whole, run.labels, picked=(at.query, at.key), **look),
        key="arcs-chart",
        alt=t("head.arcs_alt", token=run.labels[at.query], arcs=ARCS),
        height=150,
        labels=words("chart"),
        view=controls.view(run),
        on_pick=lambda found: st.session_state.update(query=found.row),
    )
    chart(
        pictures.row_bars(values, run.labels, picked=at.key, **look),
        key="row-chart",
        alt=t("head.row_alt", token=run.labels[at.query]),
        height=max(120, 24 * seen + 8),
        labels=words("chart"),
        view=controls.view(run),
        on_pick=lambda found: st.session_state.update(key=found.row),
    )


def _switches(split: bool) -> tuple[bool, bool]:
    """Whether words are seen whole, and whether the first column is shown.

    The first is asked only where words or characters are `split` into several tokens.
    """
    line = st.container(horizontal=True, key="head-switches")  # always there, so that the chart keeps its place
    first = line.toggle(t("head.first"), value=True, key="first", bind="query-params", help=t("head.first_help"))
    if not split:
        return False, first
    return line.toggle(t("head.by_word"), key="words", bind="query-params", help=t("head.by_word_help")), first


def _whole_words(run: Run, starts: list[int]) -> list[str]:
    ends = [*starts[1:], len(run.tokens)]
    return [
        visible(b"".join(token.bytes for token in run.tokens[start:end])) or run.tokens[start].visible
        for start, end in zip(starts, ends, strict=True)
    ]
