"""From one to eight times the trained length: losses and accuracies, and what papers report held against them."""

import math

import numpy as np
import streamlit as st

from model import lab_proof
from model.lab_picture import STATEMENTS, Found
from model.lab_results import LENGTHS, Results, Scored
from model.lab_scores import BUCKET
from model.sentences import KINDS
from ui import compare, picks, proof, session, theme
from ui.chart import chart
from ui.text import t, words
from viz.curves import Axes, curve

WINDOWS = 64  # of the protocol in lab_scores
HEIGHT = 190
ROUNDED = 1e-4  # the table has four decimals


def show(chosen: list[str], results: Results) -> None:
    """The curves of one quantity, its protocol, and the reported picture."""
    curves(chosen, results)
    picture(results)
    theme.heading(t("compare.misread"))
    for line in words("compare.misconceptions").values():
        theme.caption(line)


def curves(chosen: list[str], results: Results) -> None:
    """Small multiples of the loss by place, or of one kind's accuracy by length."""
    theme.heading(t("compare.length"))
    kinds = words("world.kinds")
    names = words("compare.quantities") | {kind: kinds[kind] for kind in KINDS}
    kind = picks.choose_listed("kind", t("compare.quantity"), names)
    by_place = kind not in KINDS
    trained = _trained_length(results)
    protocol = {"windows": WINDOWS, "bucket": BUCKET, "trained": trained, "longest": trained * LENGTHS[-1]}
    theme.caption(t("compare.by_place" if by_place else "compare.by_kind", **protocol))
    x, values = _points(results, kind)
    axes = _places(results, top(values)) if by_place else _times()
    code = "compare.place_code" if by_place else "compare.kind_code"
    for scheme, column in compare.multiples(chosen):
        with column:
            told = {"quantity": names[kind], "code": t(code, scheme=scheme, kind=kind)}
            multiple("length", scheme, x, {name: values[name] for name in chosen}, axes, **told)
            if np.isnan(values[scheme]).any():
                theme.caption(t("compare.cannot", last=trained - 1))
    _check(chosen, results)


def multiple(
    part: str, scheme: str, x: np.ndarray, values: dict[str, np.ndarray], axes: Axes, *, quantity: str, code: str
) -> None:
    """One scheme's curve, its heading over it, with those of the other picked schemes faint behind it.

    `part` is "length" or "training"; charts of one part mark the same place along their axis.
    """
    name = words("compare.schemes")[scheme]
    theme.heading(name)
    others = [rows.mean(axis=0) for other, rows in values.items() if other != scheme]
    chart(
        curve(x, values[scheme], others, axes, theme.current()),
        key=f"{part}-{scheme}",
        alt=t(f"compare.{part}_alt", scheme=name, quantity=quantity, seeds=len(values[scheme])),
        height=HEIGHT,
        labels=words("chart"),
        table=_table(x, values[scheme], axes),
        view=quantity,
        link={"group": part, "x": "place"},
        take_away={"name": f"{part}-{scheme}", "code": code},
    )


def _trained_length(results: Results) -> int:
    return BUCKET * len(results["rope"][0].places) // LENGTHS[-1]


def _points(results: Results, kind: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Where the points lie along the axis, and each scheme's values, a row a seed; NaN where it cannot run."""
    if kind in KINDS:
        x = np.arange(len(LENGTHS), dtype=np.float32)
        rows = {scheme: [_accuracies(seed, kind) for seed in seeds] for scheme, seeds in results.items()}
    else:
        x = np.array(results["rope"][0].places, dtype=np.float32) + BUCKET / 2
        rows = {scheme: [getattr(seed, kind) for seed in seeds] for scheme, seeds in results.items()}
    return x, {scheme: np.array(row, dtype=np.float32) for scheme, row in rows.items()}


def _accuracies(seed: Scored, kind: str) -> list[float | None]:
    return [None if shares is None else shares[kind] for shares in seed.late_accuracy.values()]


def top(values: dict[str, np.ndarray]) -> float:
    """Where the one scale of all multiples ends: at the next whole number above all schemes' values, picked or not."""
    return float(np.ceil(max(np.nanmax(rows) for rows in values.values())))


def _places(results: Results, end: float) -> Axes:
    trained = _trained_length(results)
    ticks = [trained * times for times in LENGTHS]
    names = [f"{times}×" for times in LENGTHS]
    return Axes(end, (0, ticks[-1]), ticks, names, t("compare.place_hover", half=BUCKET // 2), trained)


def _times() -> Axes:
    names = [f"{times}×" for times in LENGTHS]
    return Axes(1.02, (-0.2, len(LENGTHS) - 0.8), range(len(LENGTHS)), names, t("compare.times_hover"), None)


def _table(x: np.ndarray, values: np.ndarray, axes: Axes) -> list[list[str]]:
    named = dict(zip(axes.ticks, axes.names, strict=True)) if axes.mark is None else {}
    header = ["", *(named.get(float(at), f"{at:g}") for at in x)]
    seeds = [[t("compare.seed", seed=seed), *_cells(row)] for seed, row in enumerate(values)]
    return [header, *seeds]


def _cells(row: np.ndarray) -> list[str]:
    return ["–" if math.isnan(value) else f"{value:.3f}" for value in row]


def _check(chosen: list[str], results: Results) -> None:
    """The losses within the trained length again, of the first seed of each scheme; the rest takes minutes."""
    theme.caption(t("compare.check_inside"))
    ours = np.concatenate([results[scheme][0].loss[: _trained_length(results) // BUCKET] for scheme in chosen])

    def again() -> np.ndarray:
        with proof.ONE_AT_A_TIME:
            return np.concatenate([lab_proof.inside(session.ready(f"lab-{scheme}").decoder) for scheme in chosen])

    proof.compare("length", ours, again, ROUNDED, tuple(chosen))


def picture(results: Results) -> None:
    """Each reported statement, ours beside it, whether they agree, and why not where they do not."""
    theme.heading(t("compare.picture"))
    numbers = sum(tensor.numel() for tensor in session.ready("lab-rope").decoder.parameters())
    theme.caption(t("compare.picture_caption", parameters=f"{numbers:,}", trained=_trained_length(results)))
    for name, rule in STATEMENTS.items():
        found = rule(results)
        reported, ours = st.columns([1, 1.6], gap="medium")
        with reported:
            theme.caption(t(f"compare.reported.{name}"))
        with ours:
            _verdict(found)
            theme.caption(t(f"compare.ours.{name}", **_told(found)))
            if not found.agrees:
                theme.caption(t(f"compare.why.{name}", **_told(found)))


def _told(found: Found) -> dict[str, str]:
    """The numbers of a statement, kinds of sentences by the names that the page gives them."""
    kinds = words("world.kinds")
    return {name: kinds.get(value, value) for name, value in found.numbers.items()}


def _verdict(found: Found) -> None:
    if found.agrees:
        st.badge(t("compare.agrees"), color="green", icon=":material/check:")
    else:
        st.badge(t("compare.differs"), color="orange", icon=":material/difference:")
