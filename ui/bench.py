"""The softmax bench: a few scores through scale, mask, temperature and softmax; typed, or the picked row's."""

import math
import re
import unicodedata

import numpy as np
import streamlit as st

from model import steps
from model.steps import BENCH_ENTRIES, BENCH_LIMITS, Softmax
from ui import formulas, theme
from ui.chart import chart
from ui.element import STATIC
from ui.picks import Place
from ui.session import Run
from ui.step_pictures import shown_keys
from ui.text import t, words
from viz import bench as picture
from viz.bench import Table

STYLE = STATIC / "stepper.css"
START = "2.3 7.8 1.5 4.2"
SEPARATORS = re.compile(r"[\s,;、]+")


def show(run: Run, at: Place) -> None:
    """The scores to type, what is done to them, and what comes out."""
    st.html(STYLE)
    theme.heading(t("bench.heading"))
    scores = _scores()
    names = _names(scores)
    hidden = _mask(names)
    width, temperature = _settings()
    st.button(
        t("bench.take", layer=at.layer, head=at.head, query=at.query),
        key="bench-take",
        on_click=take,
        args=(run, at),
        icon=":material/download:",
    )
    found = steps.softmax(scores, hidden, width, temperature)
    _results(scores, hidden, names, found)
    _origin()
    _formulas(found, width, temperature)


def read(text: str) -> tuple[list[float], str | None]:
    """The scores in a text, or why they cannot be used, in the reader's language."""
    parts = [part for part in SEPARATORS.split(unicodedata.normalize("NFKC", text)) if part]
    if not parts:
        return [], t("bench.none", example=START)
    if len(parts) > BENCH_ENTRIES:
        return [], t("bench.too_many", given=len(parts), entries=BENCH_ENTRIES)
    scores = []
    for part in parts:
        score = _number(part)
        if score is None:
            return [], t("bench.no_number", given=part[:20], example=START)
        low, high = BENCH_LIMITS["score"]
        if not low <= score <= high:
            return [], t("bench.too_great", given=part[:20], low=f"{low:g}", high=f"{high:g}")
        scores.append(score)
    return scores, None


def take(run: Run, at: Place) -> None:
    """Puts the picked row into the bench: q·k as it is, or with the bias already in it where the scheme has one."""
    row = steps.steps(
        run.model.decoder, run.block(at.layer), run.forward.positions, (at.layer, at.head, at.query, at.key), run.knobs
    ).row
    places = shown_keys(row.scores.numpy(), _greatest_key(row), BENCH_ENTRIES)
    bare = run.knobs.scale == 1 and np.array_equal(row.biased.numpy(), row.scaled.numpy())
    values = (row.products if bare else row.biased).numpy()[places]
    st.session_state["bench"] = " ".join(f"{value:.6g}" for value in values)
    st.session_state["bench_mask"] = []
    st.session_state["bench_width"] = len_head(run) if bare else 1
    st.session_state["bench_heat"] = float(run.knobs.temperature)
    st.session_state["bench-taken"] = {
        "names": [run.labels[place] for place in places],
        "layer": at.layer,
        "head": at.head,
        "query": run.labels[at.query],
        "shown": len(places),
        "all": int((~row.hidden).sum()),
        "share": f"{row.weights.numpy()[places].sum():.3f}",
        "bare": bare,
    }


def len_head(run: Run) -> int:
    """The width of one head of the run's model."""
    return run.model.config.d_head


def _greatest_key(row: steps.Row) -> int:
    return int(row.scores.argmax())


def _number(text: str) -> float | None:
    """A finite number in any of the world's digits, with either minus sign; else None."""
    try:
        value = float(text.replace("−", "-"))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _scores() -> list[float]:
    """The typed scores; while they cannot be read, a message says why and the last ones stay in the picture."""
    text = st.text_input(t("bench.scores"), value=START, key="bench", live="0", bind="query-params", autocomplete="off")
    scores, problem = read(text or "")
    with st.container(key="bench-status"):
        kept = st.session_state.get("bench-kept", START)
        about = t("bench.about", entries=BENCH_ENTRIES)
        theme.caption(f"{problem} {t('bench.kept', text=kept)}" if problem else about, warning=bool(problem))
    if problem:
        return read(kept)[0]
    st.session_state["bench-kept"] = text
    return scores


def _names(scores: list[float]) -> list[str]:
    """The tokens of a row that was taken, as long as there is a score for each; else s0, s1 …"""
    taken = st.session_state.get("bench-taken")
    if taken and len(taken["names"]) == len(scores):
        return taken["names"]
    return [f"s{index}" for index in range(len(scores))]


def _mask(names: list[str]) -> list[bool]:
    """Which entries the reader hides."""
    entries = list(range(len(names)))
    chosen = st.session_state.get("bench_mask", [])
    if not set(chosen) <= set(entries):  # set only where it must be: see picks.number
        st.session_state["bench_mask"] = [entry for entry in chosen if entry in entries]
    hidden = st.pills(
        t("bench.mask"),
        entries,
        selection_mode="multi",
        format_func=lambda entry: f"s{entry}",
        key="bench_mask",
        wrap=True,
        bind="query-params",
    )
    return [entry in hidden for entry in entries]


def _settings() -> tuple[float, float]:
    left, right = st.columns(2)
    low, high = BENCH_LIMITS["width"]
    width = left.number_input(t("bench.width"), int(low), int(high), 1, 1, key="bench_width", bind="query-params")
    low, high = BENCH_LIMITS["temperature"]
    heat = right.number_input(t("bench.heat"), low, high, 1.0, 0.1, key="bench_heat", bind="query-params")
    return float(width), heat


def _origin() -> None:
    """Says where the scores come from, when they are a head's."""
    taken = st.session_state.get("bench-taken")
    if not taken or len(taken["names"]) != len(read(st.session_state["bench-kept"])[0]):
        return
    told = [t("bench.taken", **{name: taken[name] for name in ("layer", "head", "query")})]
    if not taken["bare"]:
        told.append(t("bench.biased"))
    if taken["shown"] < taken["all"]:
        told.append(t("bench.part", shown=taken["shown"], all=taken["all"], share=taken["share"]))
    theme.caption(" ".join(told))


def _results(scores: list[float], hidden: list[bool], names: list[str], found: Softmax) -> None:
    table = Table(np.array(scores), found.scaled, found.exponentials, found.weights, np.array(hidden))
    said = words("bench.columns")
    figure = picture.bench(table, names, words=said, theme=theme.current())
    columns = zip(names, scores, found.scaled, found.exponentials, found.weights, strict=True)
    rows = [[name, *(f"{number:.6g}" for number in numbers)] for name, *numbers in columns]
    chart(
        figure,
        key="bench-chart",
        alt=t("bench.alt", entries=len(scores)),
        height=26 * (max(len(scores), 4) + 2) + 8,
        labels=words("chart"),
        table=[[said[name] for name in ("entry", "score", "scaled", "exponential", "weight")], *rows],
        view=f"bench-{len(scores)}",
        take_away={"name": "softmax", "code": code(scores, hidden)},
    )
    nothing = found.peak is None
    theme.caption(t("bench.nothing") if nothing else t("bench.caption", entries=len(scores)), warning=nothing)


def code(scores: list[float], hidden: list[bool]) -> str:
    """NumPy lines that compute the bench's weights."""
    width, heat = st.session_state["bench_width"], st.session_state["bench_heat"]
    return t("bench.code", scores=scores, hidden=hidden, width=width, temperature=heat)


def _formulas(found: Softmax, width: float, temperature: float) -> None:
    told = [formulas.bench_scale(width, temperature)]
    if found.peak is not None:
        told.append(formulas.bench(found, int(found.weights.argmax())))
    with st.container(key="bench-formula"):
        st.latex(formulas.lines(told))
    if found.peak is not None:
        theme.caption(t("bench.peak", peak=f"{found.peak:.4g}"))
