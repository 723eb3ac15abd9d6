"""What all parts of Compare share: the picked schemes, their runs of one sentence, the place, small multiples."""

from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import lab_results, zoo
from model.lab_results import Results
from model.visible import is_unspaced
from ui import address, picks, session, theme
from ui.picks import TOKEN_LIMIT, Place
from ui.session import Run
from ui.text import language, t, words

DEFAULT = ("rope", "alibi", "sinusoidal")
ACROSS = 3


@dataclass(frozen=True, eq=False)
class Together:
    """One sentence under several schemes: the runs there are, and for the others why there is none.

    `shown` is any of the runs: all have the same tokens. `language` is the sentence's, for the heads' scores.
    """

    schemes: list[str]
    runs: dict[str, Run]
    problems: dict[str, str]
    shown: Run
    language: str


def schemes() -> list[str]:
    """The picked schemes, in the table's order."""
    names = words("compare.schemes")
    picked = st.pills(
        t("compare.pick"),
        lab_results.SCHEMES,
        selection_mode="multi",
        default=DEFAULT,
        format_func=names.get,
        key="schemes",
        persist_state="session",
        on_change=address.tell,
        args=("schemes",),
        label_visibility="collapsed",
        wrap=True,
    )
    return [scheme for scheme in lab_results.SCHEMES if scheme in picked]


def results() -> Results | None:
    """The table of measured results; where it is not there, the page says what makes it."""
    try:
        return lab_results.results()
    except ValueError:
        st.info(t("compare.no_table"))
        st.code(lab_results.COMMAND, language=None)
        return None


def together(said: Run, chosen: list[str]) -> Together | None:
    """The sentence under each of the schemes. None where no scheme can run it; the page has said why."""
    runs, problems = {}, {}
    for scheme in chosen:
        found = _run(scheme, said.text)
        if isinstance(found, Run):
            runs[scheme] = found
        else:
            problems[scheme] = found
    if not runs:
        for scheme, problem in problems.items():
            theme.caption(t("compare.problem", scheme=words("compare.schemes")[scheme], problem=problem), warning=True)
        return None
    spoken = "zh" if any(is_unspaced(character) for character in said.text) else "en"
    return Together(chosen, runs, problems, next(iter(runs.values())), spoken)


def _run(scheme: str, text: str) -> Run | str:
    """The run, or why there is none."""
    name = f"lab-{scheme}"
    if zoo.MODELS[name].find() is None:
        return t("compare.no_weights", command=zoo.MODELS[name].bring)
    using = session.ready(name)
    if scheme == "learned":
        given, context = len(using.tokenizer.encode(text)), using.config.context
        if context < given <= TOKEN_LIMIT:
            return t("compare.undefined", last=context - 1, given=given)
    return picks.attempt(using, text)


def kept_place() -> Place:
    """The place as other pages and parts left it, for the link to share."""
    return Place(**{name: st.session_state.get(name, value) for name, value in _example_place().items()})


def _example_place() -> dict[str, int]:
    return dict(zip(picks.PLACE, zoo.MODELS["lab-rope"].example(language()).place, strict=True))


def multiples(chosen: list[str]) -> Iterator[tuple[str, DeltaGenerator]]:
    """Each scheme and its place in the grid of small multiples, three in a row."""
    for start in range(0, len(chosen), ACROSS):
        columns = st.columns(ACROSS, gap="medium")
        yield from zip(chosen[start : start + ACROSS], columns, strict=False)
