"""Serial and parallel: how many steps a text needs, and how far it is from one token to another."""

import numpy as np
import streamlit as st

from model import paths
from ui import controls, order_formulas, proof, theme
from ui.chart import chart
from ui.picks import TOKEN_LIMIT, Place
from ui.session import Run
from ui.text import t, words
from viz import paths as pictures

SHOWN = 32  # tokens in the picture of one layer
LENGTHS = np.array(sorted({*range(1, 33), *range(36, TOKEN_LIMIT + 1, 4)}))


def show(run: Run, at: Place) -> None:
    """One layer of each kind with the way from key to query; the counts; and how they grow with the text."""
    tokens, layers = len(run.tokens), run.model.config.layers
    left, right = st.columns([1.7, 1], gap="medium")
    with left:
        _ready(run, at)
    with right:
        _growth(tokens, layers)
    theme.caption(t("paths.limits"))


def _ready(run: Run, at: Place) -> None:
    start = min(max(0, at.query - SHOWN // 2), max(0, len(run.tokens) - SHOWN))
    shown = run.labels[start : start + SHOWN]
    found = {
        kind: paths.journey(kind, len(run.tokens), run.model.config.layers, at.query, at.key) for kind in paths.KINDS
    }
    theme.heading(t("paths.ready", query=run.labels[at.query], key=run.labels[at.key]))
    caption = t("paths.ready_caption", tokens=len(shown))
    theme.caption(caption if len(shown) == len(run.tokens) else f"{caption} {t('paths.window', shown=len(shown))}")
    steps = {kind: paths.ready(kind, len(run.tokens))[start : start + SHOWN] for kind in paths.KINDS}
    inside = start <= at.key < start + SHOWN
    figure = pictures.ready(
        steps,
        shown,
        first_step=int(start),
        picked=(at.query - start, at.key - start if inside else -1),
        words=words("paths.kinds") | words("paths.axes"),
        theme=theme.current(),
    )
    chart(
        figure,
        key="paths-ready",
        alt=t("paths.ready_alt", tokens=len(run.tokens)),
        height=330,
        labels=words("chart"),
        table=_table(run, steps, start),
        view=f"{controls.view(run)}-{start}",
        on_pick=lambda pick: st.session_state.update(query=start + min(pick.row, len(shown) - 1)),
        take_away={"name": "steps", "code": t("paths.code", tokens=len(run.tokens), layers=run.model.config.layers)},
    )
    _counts(run, at, found)


def _counts(run: Run, at: Place, found: dict[str, paths.Journey]) -> None:
    """Steps and way of both kinds, as a table, with the formulas and the check."""
    tokens, layers = len(run.tokens), run.model.config.layers
    kinds = words("paths.kinds")
    none = t("paths.no_way")
    st.table(
        {
            " ": [theme.plain(kinds[kind]) for kind in paths.KINDS],
            t("paths.one_layer"): [str(paths.journey(kind, tokens, 1, 0, 0).steps) for kind in paths.KINDS],
            t("paths.all_layers", layers=layers): [str(found[kind].steps) for kind in paths.KINDS],
            t("paths.way"): [none if found[kind].path is None else str(found[kind].path) for kind in paths.KINDS],
        }
    )
    st.latex(order_formulas.journeys(tokens, layers, at.query, at.key, theme.current()))
    if at.key > at.query:
        theme.caption(t("paths.backwards", key=run.labels[at.key], query=run.labels[at.query]))
    ours = np.array([_numbers(found[kind]) for kind in paths.KINDS])
    about = (tokens, layers, at.query, at.key)
    proof.compare("paths", ours, lambda: _walked(*about), 0.0, about)


def _numbers(journey: paths.Journey) -> tuple[float, float]:
    return float(journey.steps), -1.0 if journey.path is None else float(journey.path)


def _walked(tokens: int, layers: int, query: int, key: int) -> np.ndarray:
    """The same counts, by walking the machine row by row."""
    return np.array([_numbers(paths.walked(kind, tokens, layers, query, key)) for kind in paths.KINDS])


def _growth(tokens: int, layers: int) -> None:
    theme.heading(t("paths.growth"))
    theme.caption(t("paths.growth_caption", layers=layers, limit=TOKEN_LIMIT, tokens=tokens))
    lengths = np.array(sorted({*LENGTHS.tolist(), tokens}))
    counts = {
        kind: np.array([paths.journey(kind, int(length), layers, 0, 0).steps for length in lengths])
        for kind in paths.KINDS
    }
    figure = pictures.by_length(
        lengths, counts, tokens, words=words("paths.kinds") | words("paths.axes"), theme=theme.current()
    )
    header = [t("paths.axes.tokens"), *(words("paths.kinds")[kind] for kind in paths.KINDS)]
    rows = zip(lengths, *(counts[kind] for kind in paths.KINDS), strict=True)
    chart(
        figure,
        key="paths-growth",
        alt=t("paths.growth_alt", layers=layers, limit=TOKEN_LIMIT),
        height=330,
        labels=words("chart"),
        table=[header, *([str(value) for value in row] for row in rows)],
        view="growth",
        take_away={"name": "growth", "code": t("paths.code", tokens=tokens, layers=layers)},
    )
    some = (1, 4, 16, 64)
    ours = [[paths.journey(kind, length, layers, 0, 0).steps for kind in paths.KINDS] for length in some]
    proof.compare("growth", np.array(ours, dtype=float), lambda: _grown(some, layers), 0.0, (some, layers))


def _grown(lengths: tuple[int, ...], layers: int) -> np.ndarray:
    """The steps of texts of some lengths, by walking the machine."""
    rows = [[paths.walked(kind, length, layers, 0, 0).steps for kind in paths.KINDS] for length in lengths]
    return np.array(rows, dtype=float)


def _table(run: Run, steps: dict[str, np.ndarray], start: int) -> list[list[str]]:
    header = [t("paths.axes.token"), *(words("paths.kinds")[kind] for kind in paths.KINDS)]
    count = len(steps["attention"])
    rows = [[run.labels[start + place], *(str(steps[kind][place]) for kind in paths.KINDS)] for place in range(count)]
    return [header, *rows]
