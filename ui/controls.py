"""What every page begins with: the sentence box, its tokens, and the pickers of layer, head, query and key."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.pages_manager import PagesManager

from model import zoo
from ui import address, header, session, theme, world
from ui.chart import Pick
from ui.picks import PLACE, Place, attempt
from ui.session import Run
from ui.text import language, t, words
from ui.tokens import token_strip

CHARACTER_LIMIT = 20_000
CARRIED = ("text", *PLACE)


@dataclass(frozen=True, eq=False)
class Sentence:
    """What the box holds: the run to show, whether it is an earlier text's, and the line under the box."""

    run: Run | None
    earlier: bool
    line: DeltaGenerator


def begin() -> Sentence | None:
    """What every page begins with: model and sentence. None where there is nothing to show; the page has said why."""
    address.carry()
    using = model()
    said = sentence(using) if using else None
    if said is None or said.run is None:
        return None
    theme.dim("picture", said.earlier)
    return said


def model() -> zoo.Model | None:
    """The picked model. While it loads, a bar says how far it is; without weights, the page says what brings them."""
    _enter_through_the_app()
    name = header.model_name()
    entry = zoo.offered()[name]
    slot = st.empty()  # always there, so that what follows keeps its place, and charts their zoom
    if entry.find() is None:
        st.info(t("sentence.no_weights", title=entry.title))
        st.code(entry.bring, language=None)
        return None
    return session.models().peek(name) or _load_in_view(name, entry.title, slot)


def _enter_through_the_app() -> None:
    """Where the first address that a server is ever asked for is a page's, Streamlit runs that file without app.py.

    It does so for every project with a folder named pages, until app.py has said which pages there are.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


def _load_in_view(name: str, title: str, slot: DeltaGenerator) -> zoo.Model:
    shared, done = session.models(), session.loading()
    bar = slot.progress(0.0, t("sentence.loading", title=title))
    with ThreadPoolExecutor(1) as pool:
        loaded = pool.submit(session.load, name, shared, done)
        while not loaded.done():
            bar.progress(done.get(name, 0.0), t("sentence.loading", title=title))
            time.sleep(0.05)
    slot.empty()
    return loaded.result()


def sentence(using: zoo.Model) -> Sentence:
    """The sentence box and the line under it.

    A text that cannot be computed is refused with its counts, and the last good run stands in for it.
    """
    example = zoo.offered()[using.name].example(language())
    _follow(example)
    text = st.text_input(
        t("sentence.label"),
        value=example.text,
        key="text",
        live="0",
        bind="query-params",
        label_visibility="collapsed",
        placeholder=t("sentence.placeholder"),
        autocomplete="off",
    )
    line = st.container(key="status", horizontal=True, vertical_alignment="center")
    with line:
        found = _run(using, text)
        good = st.session_state.get("good")
        if isinstance(found, Run):
            _remember(found)
            theme.caption(_describe(found))
            world.suggest(found)
            return Sentence(found, False, line)
        if not text or not good:
            theme.caption(found, warning=True)
            return Sentence(None, False, line)
        theme.caption(f"{found} {t('sentence.earlier', text=_short(good))}", warning=True)
        earlier = _run(using, good)
        return Sentence(earlier, True, line) if isinstance(earlier, Run) else Sentence(None, False, line)


def _follow(example: zoo.Example) -> None:
    """Where the last example still stands untouched, another model or language opens its own, if it has another."""
    last = st.session_state.get("example", example)
    if example.text != last.text and st.session_state.get("text") == last.text:
        st.session_state["text"] = example.text
        st.session_state.update(zip(PLACE, example.place, strict=True))
    st.session_state["example"] = example


def share(said: Sentence, at: Place) -> None:
    """The link that opens exactly this, under the box. Called when all pickers of the page have their values."""
    address.remember(CARRIED)
    with said.line:
        world.show(said.run)
    with said.line, st.popover(t("address.share"), icon=":material/link:", type="tertiary"):
        theme.caption(t("address.share_help"))
        st.code(address.link({"text": said.run.text, **asdict(at)}), language=None, wrap_lines=True)


def view(run: Run) -> str:
    """Names what the charts show: the same while the reader types on at the end, another for another sentence."""
    return f"{run.model.name}-{st.session_state['sentence_number']}"


def _remember(run: Run) -> None:
    """Keeps the text as the last good one, and counts sentences: one that neither goes on nor goes back is another."""
    before = st.session_state.get("good", "")
    goes_on = run.text.startswith(before) or before.startswith(run.text)
    number = st.session_state.get("sentence_number", 0)
    st.session_state["sentence_number"] = number if goes_on else number + 1
    st.session_state["good"] = run.text


def _run(using: zoo.Model, text: str) -> Run | str:
    """The run of a text, or why there is none."""
    if not text:
        return t("sentence.empty")
    if len(text) > CHARACTER_LIMIT:
        return t("sentence.too_many_characters", given=len(text), allowed=CHARACTER_LIMIT)
    return attempt(using, text)


def _describe(run: Run) -> str:
    title = zoo.offered()[run.model.name].title
    languages = zoo.offered()[run.model.name].languages
    said = t("sentence.counts", tokens=len(run.tokens), characters=len(run.text))
    said += world.lacks(run)
    foreign = "zh" not in languages and any(token.kind == "character" for token in run.tokens)
    return f"{said} {t('sentence.unknown_language', title=title)}" if foreign else said


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def strip(run: Run, at: Place, shades: list[float] | None = None) -> None:
    """The sentence's tokens as chips; a click makes a token the query. `shades` colours each by a weight 0…1.

    The bytes of a word that the lab's world does not have are marked as such.
    """
    strange = {token.group_text for token in world.outside(run)}
    chips = [
        {
            "index": index,
            "text": token.visible,
            "id": token.id,
            "group": token.group,
            "kind": "byte" if token.group_text in strange else token.kind,
            "group_text": token.group_text,
            "title": t("tokens.title", bytes=token.bytes.hex(" ").upper() or "–", id=token.id)
            + (t("tokens.strange") if token.group_text in strange else ""),
            "shade": shades[index] if shades else None,
        }
        for index, token in enumerate(run.tokens)
    ]
    token_strip(chips, key="strip", picked=at.query, second=at.key, words=words("tokens"), on_pick=_pick_query)


def pick_cell(pick: Pick) -> None:
    """A click on a cell of a square of queries and keys."""
    st.session_state["query"], st.session_state["key"] = pick.row, pick.column


def _pick_query(index: int) -> None:
    st.session_state["query"] = index
