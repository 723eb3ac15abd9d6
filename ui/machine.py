"""The machine as one picture of two figures with the same lanes: the blocks, and what comes next."""

import numpy as np
import streamlit as st

from model import lens
from ui import controls, picks, proof, session, theme
from ui.chart import Pick, chart
from ui.picks import Place
from ui.session import Run
from ui.text import t, words
from viz import answers, overview, strip
from viz.arcs import ARCS
from viz.lanes import Lanes

LIKELIEST = 3
LENS_LANES = 64  # of a longer text, the lens of all lanes reads one lane in so many that they are not more
# Side by side, each figure needs room for its words; below this width they are stacked.
NARROW = """<style>@media (max-width: 1099px) {
  .st-key-machine > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] { flex-wrap: wrap; }
  .st-key-machine [data-testid="stColumn"] { min-width: 100%; }
}</style>"""


def show(run: Run, at: Place) -> None:
    """Both figures side by side; on a phone the second stands below the first."""
    lanes = Lanes(run.labels, [token.id for token in run.tokens], at.query, at.key)
    stages = words("overview.stages")
    values = {"layers": run.model.config.layers, "layer": at.layer, "head": at.head}
    stages = {name: text.format(**values) for name, text in stages.items()}
    with st.container(key="machine-top", horizontal=True, vertical_alignment="center", gap="medium"):
        theme.heading(t("overview.heading"))
        view = _pick_view(run)
    st.html(NARROW)
    with st.container(key="machine"):
        left, right = st.columns([1.75, 1], gap="small")
    with left:
        _blocks(run, at, lanes, view, stages)
    with right:
        _answers(run, at, lanes, stages)


def likeliest(run: Run) -> lens.Answers:
    """The likeliest next tokens at every place, computed once for the whole server."""

    def compute() -> lens.Answers:
        return lens.answers(run.model.decoder, run.kept, LIKELIEST)

    return session.runs().get(("answers", *run.key), compute, lambda found: found.bytes)


def answer_so_far(run: Run, query: int, *, all_lanes: bool) -> np.ndarray:
    """The logit lens (seq, layers) of the query's lane, or of all; NaN in the lanes that are not read."""
    own = _lens(run, (query,))
    if not all_lanes:
        return own
    others = _lens(run, tuple(range(0, len(run.tokens), lens_step(len(run.tokens)))))
    return np.where(np.isnan(others), own, others)


def lens_step(tokens: int) -> int:
    """One lane in how many is read by the lens of all lanes."""
    return -(-tokens // LENS_LANES)


def _lens(run: Run, lanes: tuple[int, ...]) -> np.ndarray:
    """These lanes, computed once for the whole server."""

    def compute() -> np.ndarray:
        return lens.lens(run.model.decoder, run.kept, lanes, likeliest(run).ids[:, 0]).numpy()

    return session.runs().get(("lens", *run.key, lanes), compute, lambda found: found.nbytes)


def _pick_view(run: Run) -> str:
    """What the cells show. The lens costs several forward passes, so another text goes back to the norms.

    The address is not told of that: written by Python while a reader types, it would lose the last letters.
    """
    if st.session_state.setdefault("viewed", run.key) != run.key:
        st.session_state["viewed"], st.session_state["view"] = run.key, "norm"
    return picks.choose("view", t("overview.view"), words("overview.views"), "norm")


def _blocks(run: Run, at: Place, lanes: Lanes, view: str, stages: dict[str, str]) -> None:
    """Token, id, embedding and a cell for each block, with its caption and its proof."""
    depth = _depth(run, at, view)
    ends = _ends(run)
    figure = overview.machine(
        lanes,
        run.kept.embeddings.numpy(),
        depth,
        kind="norm" if view == "norm" else "answer",
        layer=at.layer,
        ends=ends,
        words=stages,
        theme=theme.current(),
        position=run.kept.position_part.numpy() if _adds_position(run) else None,
    )
    counts = {"tokens": len(lanes), "layers": run.model.config.layers}
    chart(
        figure,
        key="machine-blocks",
        alt=t("overview.machine_alt", **counts),
        height=lanes.height,
        labels=words("chart"),
        table=overview.table(lanes, depth, at.layer, stages),
        view=controls.view(run),
        on_pick=_pick_cell,
        take_away=_take_away(run, f"machine-{view}"),
    )
    theme.caption(f"{_read_cells(depth, view, counts)} {_read_strip(run, ends)} {_left_out(lanes, view)}")
    proof.badge(run, at.layer, "output", key="machine")


def _answers(run: Run, at: Place, lanes: Lanes, stages: dict[str, str]) -> None:
    """The picked head's arcs, and what comes next after each lane."""
    found = likeliest(run)
    next_tokens = [[run.model.tokenizer.show(id_) for id_ in row] for row in found.ids.tolist()]
    probabilities = found.probabilities.numpy()
    weights = run.forward.weights(at.layer)[at.head][at.query].numpy()
    figure = answers.answers(lanes, weights, next_tokens, probabilities, words=stages, theme=theme.current())
    chart(
        figure,
        key="machine-answers",
        alt=t("overview.answers_alt", tokens=len(lanes), layer=at.layer, head=at.head),
        height=lanes.height,
        labels=words("chart"),
        table=answers.table(lanes, next_tokens, probabilities, stages),
        view=controls.view(run),
        on_pick=_pick_lane,
        take_away=_take_away(run, "next-tokens"),
    )
    theme.caption(t("overview.answers_caption", arcs=ARCS))


def _depth(run: Run, at: Place, view: str) -> np.ndarray:
    if view == "norm":
        return lens.norms(run.kept).numpy()
    with st.spinner(t("overview.computing")):
        return answer_so_far(run, at.query, all_lanes=view == "all")


def _ends(run: Run) -> dict[str, float]:
    """Where the model's colour scales end; reading its whole table takes a while, so once a server."""
    return session.runs().get(("reach", run.model.name), lambda: lens.reach(run.model.decoder), len)


def _read_cells(depth: np.ndarray, view: str, counts: dict[str, int]) -> str:
    if view != "norm":
        return t(f"overview.{view}_caption", **counts)
    low, high = (f"{10**end:,.0f}" if end >= 1 else f"{10**end:.2g}" for end in overview.norm_scale(depth))
    return t("overview.norm_caption", low=low, high=high, **counts)


def _read_strip(run: Run, ends: dict[str, float]) -> str:
    width = run.model.config.d_model
    columns = min(width, strip.COLUMNS)
    read = t("overview.strip_caption", width=width, columns=columns, end=f"{ends['embedding']:.2g}")
    if not _adds_position(run):
        return read
    added = t("overview.position_caption", end=f"{ends['position']:.2g}")
    return f"{read} {added}"


def _adds_position(run: Run) -> bool:
    """Whether the scheme adds a vector to the embeddings, which then has a strip of its own."""
    return run.model.decoder.position.acts_on == "embedding"


def _left_out(lanes: Lanes, view: str) -> str:
    """What a long text leaves no room, or no time, for."""
    stride, step = lanes.stride(theme.current()), lens_step(len(lanes))
    sparse = [t("overview.sparse", stride=stride)] if stride > 1 else []
    unread = [t("overview.unread", step=step)] if view == "all" and step > 1 else []
    return " ".join(unread + sparse)


def _take_away(run: Run, name: str) -> dict[str, str]:
    layers = run.model.config.layers
    return {"name": name, "code": t("overview.code", text=repr(run.text), model=run.model.name, layers=layers)}


def _pick_cell(pick: Pick) -> None:
    """A click on a block's cell picks block and lane; on anything else in a lane, the lane."""
    st.session_state["query"] = pick.row
    if pick.trace == overview.BLOCKS:
        st.session_state["layer"] = pick.column


def _pick_lane(pick: Pick) -> None:
    """A click anywhere in a lane."""
    st.session_state["query"] = pick.row
