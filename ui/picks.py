"""The pickers of layer, head, query and key, or of those that mean something on a page; and the lab's runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import zoo
from model.decoder import UNTOUCHED
from model.knobs import Knobs
from ui import address, session
from ui.session import Run
from ui.text import language, t, words

TOKEN_LIMIT = 256
PLACE = ("layer", "head", "query", "key")
Boxes = Sequence[DeltaGenerator]  # the columns that are left for a part's own controls


@dataclass(frozen=True)
class Place:
    """What the reader picked: a layer, a head, the query's token and the key's, all from 0."""

    layer: int
    head: int
    query: int
    key: int


def number(
    name: str, label: str, limit: int, first: int, *, highest: int | None = None, where: DeltaGenerator | None = None
) -> int:
    """A box for a whole number 0…limit, bound to the address under `name`; what lies outside is brought back.

    `highest`, where given, is what the box itself may hold: a text that is being typed is short for a moment. Python
    never sets a box meanwhile, because Streamlit would then write its own, older text into the address. The returned
    number is within `limit`.
    """
    highest = limit if highest is None else highest
    address.within(name, highest)
    if st.session_state.get(name, 0) not in range(highest + 1):
        _bring_back(name, highest)
    given = (where or st).number_input(
        label,
        0,
        highest,
        min(first, highest),
        1,
        key=name,
        bind="query-params",
        on_change=_bring_back,
        args=(name, limit),
    )
    return min(given, limit)


def _bring_back(name: str, limit: int) -> None:
    st.session_state[name] = min(max(st.session_state[name] or 0, 0), limit)


def place(run: Run, labels: dict[str, str] | None = None, columns: Boxes | None = None) -> Place:
    """Boxes for layer, head, query and key, or for those with a label, in the first of the columns.

    `labels` are the boxes' words by their names, with {last} in them. What has no box is as other pages left it.
    """
    labels = labels or words("place")
    columns = columns or st.columns(len(labels), gap="small")
    entry = zoo.MODELS.get(run.model.name)
    firsts = entry.example(language()).place if entry else (0, 0, 0, 0)
    values = {}
    for name, limit, first in zip(PLACE, _limits(run), firsts, strict=True):
        if name in labels:
            highest = TOKEN_LIMIT - 1 if name in ("query", "key") else limit
            where = columns[list(labels).index(name)]
            values[name] = number(name, labels[name].format(last=limit), limit, first, highest=highest, where=where)
        else:
            kept = st.session_state.get(name)
            values[name] = min(first if kept is None else kept, limit)
    return Place(**values)


def ahead(run: Run, where: DeltaGenerator) -> tuple[Place, Callable[[], object]]:
    """The place before its boxes stand in `where`, and what then shows them: a picture need not wait for the boxes.

    Only the first time they are shown at once, because what they begin with may stand in the address, which they read.
    """

    def show() -> Place:
        with where:
            return place(run)

    picked = [st.session_state.get(name) for name in PLACE]
    if None in picked:
        return show(), lambda: None
    return Place(*(min(max(given, 0), limit) for given, limit in zip(picked, _limits(run), strict=True))), show


def _limits(run: Run) -> tuple[int, int, int, int]:
    config, last = run.model.config, len(run.tokens) - 1
    return config.layers - 1, config.heads - 1, last, last


def choose(
    key: str,
    label: str,
    names: dict[str, str],
    first: str,
    where: DeltaGenerator | None = None,
    label_visibility: str = "collapsed",
) -> str:
    """One of a few things, side by side; `names` are what they are called on screen. The address follows."""
    return (where or st).segmented_control(
        label,
        list(names),
        default=first,
        required=True,
        format_func=names.get,
        key=key,
        persist_state="session",
        label_visibility=label_visibility,
        wrap=True,
        on_change=address.tell,
        args=(key,),
    )


def choose_listed(key: str, label: str, names: dict[str, str], first: str | None = None) -> str:
    """One of many things, from a list; without `first`, it begins with the first of them. The address follows."""
    return st.selectbox(
        label,
        list(names),
        index=list(names).index(first) if first else 0,
        format_func=names.get,
        key=key,
        persist_state="session",
        on_change=address.tell,
        args=(key,),
    )


def attempt(model: zoo.Model, text: str, knobs: Knobs = UNTOUCHED) -> Run | str:
    """The run of a text, or why there is none: too many tokens, or the tokenizer's or the decoder's own words."""
    try:
        tokens = model.tokenizer.encode(text)
        if len(tokens) > TOKEN_LIMIT:
            over = len(tokens) - TOKEN_LIMIT
            return t("sentence.too_long", given=len(tokens), allowed=TOKEN_LIMIT, over=over)
        return session.run(model, text, tokens, knobs)
    except ValueError as error:
        return str(error)


def lab_run(name: str, text: str, knobs: Knobs = UNTOUCHED) -> Run | str:
    """The same of one of the lab's models by its name; without its weights, what brings them."""
    try:
        return attempt(session.ready(name), text, knobs)
    except ValueError as error:
        return str(error)
