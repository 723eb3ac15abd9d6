"""Two orders of one sentence: how the second is chosen, who crossed whom, and what the order changes."""

import streamlit as st

from model import order
from model.order import Order, Piece
from ui import controls, order_rows, theme
from ui.chart import chart
from ui.order_rows import UNPLACED, About
from ui.picks import Place
from ui.session import Run
from ui.text import t, words
from viz import order as pictures

EXAMPLES = ("我 喜欢 你", "I like you")
AT_ONCE = 64  # tokens of a large model that are run in both orders without being asked for
LARGE = 10_000_000  # parameters


def show(run: Run, at: Place) -> None:
    """The second order and its controls, the crossing beside the verdicts, and the pictures of the differences."""
    parts = order.pieces(run.tokens)
    chosen = _choose(run, at, parts)
    moved = order.places(run.tokens, parts, chosen)
    left, right = st.columns([1.15, 1], gap="medium")
    with left:
        _crossing(run, at, moved)
    with st.container(key="order-notes"):  # always there, so that the charts keep their place
        abouts = _abouts(run, moved) if _wanted(run) else {}
    found = {name: order_rows.compared(about, at) for name, about in abouts.items()}
    if not found:
        return
    with right:
        order_rows.verdicts(at, abouts, found)
    for column, (name, changes) in zip(st.columns([1.7, 1], gap="medium"), found.items(), strict=False):
        with column:
            order_rows.picture(name, at, abouts[name], changes)
    theme.caption(t("order.truth"))


def _abouts(run: Run, moved: Order) -> dict[str, About]:
    """The picked model, and beside it the lab's model without positions."""
    abouts = {"picked": (run.model, run.tokens, moved)}
    if run.model.name != UNPLACED:
        other, problem = order_rows.unplaced(run, moved)
        if other:
            abouts["unplaced"] = other
        else:
            theme.caption(problem)
    return abouts


def _choose(run: Run, at: Place, parts: tuple[Piece, ...]) -> Order:
    """The box in which the other order is typed, and the buttons that write into it."""
    usual = order.exchanged(parts)
    left, right = st.columns([1, 1.25], gap="medium", vertical_alignment="bottom")
    typed = left.text_input(
        t("order.label"),
        key="order",
        live="0",
        bind="query-params",
        placeholder=t("order.placeholder", text=order.written(parts, usual)),
        autocomplete="off",
    )
    reading = order.read(parts, typed or "")
    chosen = reading.order if (typed or "").strip() else usual
    picked, other = (_piece_of(parts, place) for place in (at.query, at.key))
    buttons = {
        "swap": (order.swapped(chosen, picked, other) if None not in (picked, other) else chosen, "swap_horiz"),
        "reverse": (chosen[::-1], "u_turn_left"),
        "left": (order.shifted(chosen, picked, -1) if picked is not None else chosen, "arrow_back"),
        "right": (order.shifted(chosen, picked, 1) if picked is not None else chosen, "arrow_forward"),
        "reset": (tuple(range(len(parts))), "undo"),
    }
    with right, st.container(horizontal=True, key="order-buttons", gap="small", vertical_alignment="center"):
        for name, (after, icon) in buttons.items():
            st.button(
                t(f"order.{name}"),
                key=f"order-{name}",
                on_click=_write,
                args=(order.written(parts, after),),
                disabled=after == chosen,
                icon=f":material/{icon}:",
            )
        for number, example in enumerate(EXAMPLES):
            st.button(example, key=f"order-example-{number}", on_click=_example, args=(example,), type="tertiary")
    with st.container(key="order-status"):
        said = t("order.about", order=order.written(parts, chosen)[:200])
        unknown = ", ".join(reading.unknown)[:60]
        theme.caption(t("order.unknown", words=unknown) if unknown else said, warning=bool(unknown))
    return chosen


def _piece_of(parts: tuple[Piece, ...], place: int) -> int | None:
    """The piece with this token; BOS belongs to none."""
    return next((number for number, piece in enumerate(parts) if place in piece.tokens), None)


def _write(text: str) -> None:
    st.session_state["order"] = text


def _example(text: str) -> None:
    st.session_state["text"], st.session_state["order"] = text, ""


def _crossing(run: Run, at: Place, moved: Order) -> None:
    kept = sum(old == new for new, old in enumerate(moved))
    theme.heading(t("order.crossing"))
    theme.caption(t("order.crossing_caption", moved=len(moved) - kept, tokens=len(moved)))
    figure = pictures.crossing(run.labels, moved, picked=at.query, words=words("order.axes"), theme=theme.current())
    chart(
        figure,
        key="order-crossing",
        alt=t("order.crossing_alt", moved=len(moved) - kept, tokens=len(moved)),
        height=210,
        labels=words("chart"),
        table=[
            [t("order.axes.token"), t("order.axes.from"), t("order.axes.to")],
            *([run.labels[old], str(old), str(moved.index(old))] for old in range(len(moved))),
        ],
        view=controls.view(run),
        on_pick=lambda pick: st.session_state.update(query=min(pick.row, len(moved) - 1)),
        take_away={"name": "order", "code": t("order.crossing_code", moved=list(moved))},
    )


def _wanted(run: Run) -> bool:
    """Whether the eight runs are to be made: for a long text in a large model only when the reader asks."""
    size = sum(parameter.numel() for parameter in run.model.decoder.parameters())
    if size < LARGE or len(run.tokens) <= AT_ONCE:
        return True
    asked = st.session_state.get("order-asked") == run.key
    if not asked:
        theme.caption(t("order.long", tokens=len(run.tokens), allowed=AT_ONCE))
        asked = st.button(t("order.ask"), key="order-ask")
        if asked:
            st.session_state["order-asked"] = run.key
    return asked
