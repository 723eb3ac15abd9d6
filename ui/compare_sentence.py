"""One sentence under several schemes: heads that play the same role, what comes next, the loss of every token."""

import math

import numpy as np
import streamlit as st

from model import numpy_decoder
from model.lab_results import Head, Results
from model.lens import answers
from model.losses import losses
from ui import compare, controls, picks, proof, theme
from ui.chart import Pick, chart
from ui.compare import Together
from ui.picks import Place
from ui.session import Run, runs
from ui.text import t, words
from viz import compare as pictures

SHOWN = ("weights", "scores", "bias")
LIMITS = (1, 2, 5, 10, 20, 50, 100, 1000)  # where the scale of scores may end: it seldom changes while one types
RANKS = 4
HEIGHT = 320


def heads(found: Together, results: Results, at: Place) -> None:
    """In each scheme the head that plays the picked role best: its weights, scores, or what the scheme adds to them."""
    theme.heading(t("compare.heads"))
    with st.container(horizontal=True, gap="medium", key="compare-choices"):
        role = picks.choose("role", t("compare.role"), words("compare.roles"), "coreference")
        shown = picks.choose("show", t("compare.show"), words("compare.shown"), SHOWN[0])
    best = {scheme: results[scheme][0].best(role, found.language) for scheme in found.runs}
    tensors = {scheme: _tensor(run, best[scheme], shown) for scheme, run in found.runs.items()}
    limit = None if shown == "weights" else _limit(tensors)
    theme.caption(t(f"compare.definitions.{role}") + t("compare.heads_caption"))
    theme.caption(_how_to_read(found, shown, limit, at))
    for scheme, column in compare.multiples(found.schemes):
        with column:
            if scheme in found.runs:
                _square(found.runs[scheme], scheme, best[scheme], tensors[scheme], shown, limit, at)
            else:
                theme.heading(words("compare.schemes")[scheme])
                theme.caption(found.problems[scheme], warning=True)
    _check_heads(found, best, tensors, shown)


def _tensor(run: Run, head: Head, shown: str) -> np.ndarray:
    return getattr(run.block(head.layer).attention, shown)[head.head].numpy()


def _limit(tensors: dict[str, np.ndarray]) -> float:
    """Where the one scale of all squares ends: at the first of `LIMITS` that the greatest number does not pass."""
    greatest = max(float(np.abs(tensor[np.isfinite(tensor)]).max()) for tensor in tensors.values())
    return next((limit for limit in LIMITS if greatest <= limit), LIMITS[-1])


def _how_to_read(found: Together, shown: str, limit: float | None, at: Place) -> str:
    size = len(found.shown.tokens)
    if size <= pictures.SIDE:
        return t(f"compare.read.{shown}", size=size, limit=limit)
    rows, columns = (pictures.span(size, place) for place in (at.query, at.key))
    part = {"top": rows.start, "bottom": rows.stop - 1, "left": columns.start, "right": columns.stop - 1}
    return t(f"compare.read.{shown}", size=size, limit=limit) + t("compare.part", size=size, **part)


def _square(run: Run, scheme: str, head: Head, tensor: np.ndarray, shown: str, limit: float | None, at: Place) -> None:
    name = words("compare.schemes")[scheme]
    theme.heading(t("compare.head", scheme=name, layer=head.layer, head=head.head, score=f"{head.score:.2f}"))
    rows, columns = (pictures.span(len(run.tokens), place) for place in (at.query, at.key))

    def pick(found: Pick) -> None:
        st.session_state["query"], st.session_state["key"] = rows.start + found.row, columns.start + found.column

    what = words("compare.shown")[shown]
    chart(
        pictures.square(
            tensor,
            run.labels,
            picked=(at.query, at.key),
            limit=limit,
            words=words("compare.axes") | {"value": what},
            theme=theme.current(),
        ),
        key=f"square-{scheme}",
        alt=t("compare.square_alt", what=what, scheme=name, layer=head.layer, head=head.head, size=len(run.tokens)),
        height=HEIGHT,
        labels=words("chart"),
        view=controls.view(run),
        on_pick=pick,
        link={"group": "sentence", "x": "key", "y": "query"},
        take_away={"name": f"{shown}-{scheme}-{head.layer}-{head.head}", "code": _code(run, head, shown)},
    )


def _code(run: Run, head: Head, shown: str) -> str:
    name = f"blocks.{head.layer}.attention.{shown}"
    return t("compare.square_code", text=repr(run.text), model=run.model.name, name=name, head=head.head)


def _check_heads(found: Together, best: dict[str, Head], tensors: dict[str, np.ndarray], shown: str) -> None:
    def again() -> np.ndarray:
        parts = []
        for scheme, run in found.runs.items():
            head = best[scheme]
            trace = proof.by_numpy(run, head.layer)
            parts.append(trace[f"blocks.{head.layer}.attention.{shown}"][head.head].ravel())
        return np.concatenate(parts)

    ours = np.concatenate([tensor.ravel() for tensor in tensors.values()])
    about = (found.shown.text, *best.items(), shown)
    proof.compare("heads", ours, again, found.shown.model.tolerance, about)


def following(found: Together) -> None:
    """The likeliest next tokens of each scheme."""
    names = words("compare.schemes")
    tops = {scheme: run.next_tokens(RANKS) for scheme, run in found.runs.items()}
    shares = np.array([[share for _, share in top] for top in tops.values()], dtype=np.float32)
    show = found.shown.model.tokenizer.show
    theme.heading(t("compare.next", token=found.shown.labels[-1]))
    theme.caption(t("compare.next_caption", ranks=RANKS))
    chart(
        pictures.next_tokens(
            [[show(id_) for id_, _ in top] for top in tops.values()],
            shares,
            [names[scheme] for scheme in tops],
            words=words("compare.axes"),
            theme=theme.current(),
        ),
        key="compare-next",
        alt=t("compare.next_alt", ranks=RANKS),
        height=30 + pictures.ROW * len(tops),
        labels=words("chart"),
        view=controls.view(found.shown),
        take_away={"name": "next-tokens", "code": _every_code(found)},
    )

    def again() -> np.ndarray:
        rows = [numpy_decoder.softmax(proof.by_numpy(run)["logits"][-1]) for run in found.runs.values()]
        return np.concatenate([[row[id_] for id_, _ in top] for row, top in zip(rows, tops.values(), strict=True)])

    about = (found.shown.text, *found.runs)
    proof.compare("next", shares.ravel(), again, found.shown.model.tolerance, about)


def surprise(found: Together) -> None:
    """The loss of each token in each scheme, and what the scheme expected there."""
    names = words("compare.schemes")
    told = {scheme: _surprise(run) for scheme, run in found.runs.items()}
    values = np.stack([loss for loss, _ in told.values()])
    vocab = found.shown.model.config.vocab
    top = math.log(vocab)
    theme.heading(t("compare.losses"))
    theme.caption(t("compare.losses_caption", schemes=len(told), size=values.shape[1], top=f"{top:.2f}", vocab=vocab))
    chart(
        pictures.losses(
            values,
            found.shown.labels,
            [names[scheme] for scheme in told],
            [expected for _, expected in told.values()],
            top=top,
            words=words("compare.axes"),
            theme=theme.current(),
        ),
        key="compare-losses",
        alt=t("compare.losses_alt", size=values.shape[1]),
        height=70 + 30 * len(told),
        labels=words("chart"),
        view=controls.view(found.shown),
        on_pick=lambda pick: st.session_state.update(query=pick.column),
        link={"group": "sentence", "x": "query"},
        take_away={"name": "losses", "code": _every_code(found)},
    )
    theme.caption(_mean_losses(names, told))

    def again() -> np.ndarray:
        return np.concatenate([_losses_by_numpy(run) for run in found.runs.values()])

    about = (found.shown.text, *found.runs)
    proof.compare("losses", values[:, 1:].ravel(), again, found.shown.model.tolerance, about)


def _mean_losses(names: dict[str, str], told: dict[str, tuple[np.ndarray, list[str]]]) -> str:
    """The mean loss a token of the sentence in each scheme; of one token there is none."""
    if len(next(iter(told.values()))[1]) < 2:
        return t("compare.one_token")
    means = (f"{names[scheme]} {np.nanmean(loss):.2f}" for scheme, (loss, _) in told.items())
    return t("compare.mean_losses", losses=" · ".join(means))


def _surprise(run: Run) -> tuple[np.ndarray, list[str]]:
    """The losses of a run, and at each token what was held likeliest; computed once for each run."""

    def compute() -> tuple[np.ndarray, list[str]]:
        decoder = run.model.decoder
        before = answers(decoder, run.kept, 1)
        tops = zip(before.ids[:-1, 0].tolist(), before.probabilities[:-1, 0].tolist(), strict=True)
        expected = ["–", *(f"{run.model.tokenizer.show(id_)} {share:.2f}" for id_, share in tops)]
        return losses(decoder, run.kept, [token.id for token in run.tokens]).numpy(), expected

    return runs().get(("losses", *run.key), compute, lambda found: found[0].nbytes + 40 * len(found[1]))


def _losses_by_numpy(run: Run) -> np.ndarray:
    logits = proof.by_numpy(run)["logits"][:-1]
    ids = [token.id for token in run.tokens[1:]]
    return -np.log(numpy_decoder.softmax(logits))[np.arange(len(ids)), ids]


def _every_code(found: Together) -> str:
    models = [run.model.name for run in found.runs.values()]
    return t("compare.every_code", text=repr(found.shown.text), models=repr(models))
