"""Pairs of conventions on this sentence's numbers: the list of verdicts, and one pair in full."""

import numpy as np
import streamlit as st

from model import same_maths, zoo
from model.same_maths import PAIRS, Numbers
from model.trace import named_tensors
from model.verdict import Table, Verdict
from ui import address, controls, picks, proof, same_maths_formulas, session, theme
from ui.chart import Pick, chart
from ui.picks import Place
from ui.session import Run
from ui.text import t, words
from viz import same_maths as pictures
from viz.order import short
from viz.same_maths import Line

T5 = "lab-t5"
START = "rope_scores"


def pairs() -> list[str]:
    """The pairs that this server can compute: those of T5 need the lab's trained table."""
    return [name for name, pair in PAIRS.items() if pair.topic != "t5" or zoo.MODELS[T5].find() is not None]


def choose() -> str:
    """The box with all pairs, for the keyboard and for phones; the list beside it does the same."""
    names = words("same_maths.names")
    return picks.choose_listed("pair", t("same_maths.pair"), {name: names[name] for name in pairs()}, START)


def verdicts(run: Run, at: Place, chosen: str) -> None:
    """All pairs, a line each; a click opens one."""
    found = _all(run, at)
    names, said = words("same_maths.names"), words("same_maths.short")
    theme.heading(t("same_maths.list", title=zoo.MODELS[run.model.name].title))
    counts = [f"{pictures.SIGNS[name]} {sum(one.name == name for one in found.values())}" for name in pictures.SIGNS]
    theme.caption(t("same_maths.list_caption", pairs=len(found), counts=" · ".join(counts)))
    lines = [Line(names[name], one.name, one.difference) for name, one in found.items()]
    figure = pictures.verdicts(lines, picked=list(found).index(chosen), words=said, theme=theme.current())

    def pick(pick: Pick) -> None:
        st.session_state["pair"] = list(found)[min(pick.row, len(found) - 1)]
        address.tell("pair")

    header = [t("same_maths.pair"), t("same_maths.verdict"), t("same_maths.difference")]
    chart(
        figure,
        key="same-verdicts",
        alt=t("same_maths.list_alt", pairs=len(found)),
        height=pictures.ROW * len(lines) + 4,
        labels=words("chart"),
        table=[header, *([line.name, said[line.verdict], short(line.difference)] for line in lines)],
        view="verdicts",
        on_pick=pick,
    )


def pair(run: Run, at: Place, name: str) -> None:
    """One pair: the verdict with its numbers, formulas, tables, proof, when it matters, and where it was asked."""
    numbers = _of_run(run, at)
    first, second, found = same_maths.judged(name, numbers)
    topic = PAIRS[name]
    theme.heading(t("same_maths.title", name=words("same_maths.names")[name], verdict=t(f"same_maths.{found.name}")))
    scores = "_scores" if found.name == "different" and topic.holds == "scores" else ""
    theme.caption(t(f"same_maths.because_{found.name}{scores}", **_numbers(found)))
    st.latex(same_maths_formulas.both(name, numbers, theme.current()))
    theme.caption(t(f"same_maths.first.{name}"))
    theme.caption(t(f"same_maths.second.{name}"))
    _tables(run, at, name, (first, second, found))
    st.latex(same_maths_formulas.cell(first[found.place], second[found.place], found.place))
    _check(run, at, name, (first, second))
    st.markdown(f"**{t('same_maths.matters')}** {t(f'same_maths.when.{name}')}")
    if len(run.tokens) == 1 and topic.rows == "token":
        theme.caption(t("same_maths.one_token"), warning=True)
    if topic.question:
        label = t("same_maths.question", place=topic.question.removeprefix("https://github.com/"))
        st.markdown(f":material/open_in_new: [{label}]({topic.question})")


def _all(run: Run, at: Place) -> dict[str, Verdict]:
    """Every verdict, computed once for the whole server."""

    def compute() -> dict[str, Verdict]:
        numbers = _of_run(run, at)
        return {name: same_maths.judged(name, numbers)[2] for name in pairs()}

    key = ("same maths", *run.key, at.layer, at.head, at.query)
    return session.runs().get(key, compute, lambda found: 4096 * len(found))


def _of_run(run: Run, at: Place) -> Numbers:
    """The numbers of the picked layer, head and query, as PyTorch has computed them."""
    tensors = {name: tensor.numpy() for name, tensor in named_tensors(run.block(at.layer))}
    return _numbers_of(run, at, tensors)


def _numbers_of(run: Run, at: Place, tensors: dict[str, np.ndarray]) -> Numbers:
    table = np.zeros((32, 4), dtype=np.float32)
    if zoo.MODELS[T5].find() is not None:
        table = session.ready(T5).decoder.state_dict()["position.weight"].numpy()
    return Numbers(run.model.config, run.model.decoder.arrays(), tensors, table, at.layer, at.head, at.query)


def _numbers(found: Verdict) -> dict[str, str]:
    return {"difference": short(found.difference), "remaining": short(found.remaining)}


def _tables(run: Run, at: Place, name: str, judged_: tuple[Table, Table, Verdict]) -> None:
    first, second, found = judged_
    topic = PAIRS[name]
    rows, columns = (
        _labels(run, kind, size) for kind, size in zip((topic.rows, topic.columns), first.shape, strict=True)
    )
    seen = pictures.window(first.shape, found.place)
    size = {"rows": first.shape[0], "columns": first.shape[1]}
    kinds = {"row": t(f"same_maths.kinds.{topic.rows}"), "column": t(f"same_maths.kinds.{topic.columns}")}
    parts = [t("same_maths.tables_caption", **size, **kinds), t(f"same_maths.scales.{topic.holds}")]
    if not np.isfinite(first).all() or not np.isfinite(second).all():
        parts.append(t("same_maths.blank"))
    if (seen.rows.stop - seen.rows.start, seen.columns.stop - seen.columns.start) != first.shape:
        parts.append(t("same_maths.window", shown=pictures.SHOWN))
    theme.caption(" ".join(parts))
    figure = pictures.tables(
        first,
        second,
        holds=topic.holds,
        rows=rows,
        columns=columns,
        place=found.place,
        words={"first": "A", "second": "B", "difference": "A − B", **kinds},
        theme=theme.current(),
    )
    chart(
        figure,
        key="same-tables",
        alt=t("same_maths.tables_alt", name=words("same_maths.names")[name], **size),
        height=max(190, min(20 * (seen.rows.stop - seen.rows.start), 420) + 90),
        labels=words("chart"),
        view=f"{controls.view(run)}-{name}",
        take_away={"name": f"same-maths-{name}", "code": _code(run, at, name)},
    )


def _labels(run: Run, kind: str, size: int) -> list[str]:
    """Tokens by their text; dimensions, heads and slopes by their number."""
    return run.labels[:size] if kind == "token" else [str(place) for place in range(size)]


def _code(run: Run, at: Place, name: str) -> str:
    values = {"text": repr(run.text), "model": run.model.name, "pair": name}
    return t("same_maths.code", **values, layer=at.layer, head=at.head, query=at.query)


def _check(run: Run, at: Place, name: str, tables: tuple[Table, Table]) -> None:
    """Both tables again from the token ids on, by the NumPy decoder; infinities must stand at the same places."""

    def again() -> np.ndarray:
        trace = proof.by_numpy(run, at.layer)
        start = f"blocks.{at.layer}."
        tensors = {key.removeprefix(start): tensor for key, tensor in trace.items() if key.startswith(start)}
        first, second, _ = same_maths.judged(name, _numbers_of(run, at, tensors))
        return _bare(first, second)

    about = (*run.key, at.layer, at.head, at.query, name)
    proof.compare("same-maths", _bare(*tables), again, run.model.tolerance, about)


def _bare(first: Table, second: Table) -> np.ndarray:
    """Both tables in one, with −∞ for all that is no number or stands for a mask."""
    both = np.stack([first, second])
    return np.where(np.isnan(both) | (both <= -1e8), -np.inf, both)
