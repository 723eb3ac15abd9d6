"""The page's address is its state: which parameters there are, what of a link is not understood, the link to share."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from model import zoo
from ui import theme
from ui.text import LANGUAGES, language, t, words


def read() -> None:
    """Runs once a session, before the widgets: these drop what they do not understand without a word."""
    if st.session_state.get("address_read"):
        return
    given = {name: st.query_params[name] for name in st.query_params}
    if given.get("lang") in LANGUAGES:  # a short name typed by hand: the picker knows only the names it shows
        st.query_params["lang"] = LANGUAGES[given["lang"]]
        st.rerun()
    st.session_state["address_read"] = True
    for name, value in given.items():
        if name not in PARAMETERS or not PARAMETERS[name](value):
            refuse(name, value)
        elif name in CHOICES:
            st.session_state[name] = value.split(",") if name == "schemes" else value


def tell(name: str) -> None:
    """Writes a choice into the address by its name: bound, its widget would write words, which differ by language."""
    st.query_params[name] = _written(name, st.session_state[name])


def carry() -> None:
    """On a page just come to, puts back what was said and picked on another: Streamlit forgets it with the page."""
    page, last = get_script_run_ctx().page_script_hash, st.session_state.get("carried_to")
    st.session_state["carried_to"] = page
    if last in (page, None):
        return
    for name, value in st.session_state.get("carried", {}).items():
        st.session_state[name] = value
        with suppress(StreamlitAPIException):  # a name that still has its widget is written by it
            st.query_params[name] = str(value)


def remember(names: tuple[str, ...]) -> None:
    """Keeps these values for other pages. Called when a page has all its widgets."""
    carried = st.session_state.setdefault("carried", {})
    carried |= {name: st.session_state[name] for name in names if name in st.session_state}


def refuse(name: str, value: str) -> None:
    """Says which part of the address was not understood."""
    given = theme.plain(f"{name}={value}"[:60])
    st.toast(t("address.not_understood", given=given), icon=":material/link_off:", duration="long")


def within(name: str, limit: int) -> None:
    """Says so where the address asks for a number that this model or text does not have."""
    value = st.query_params.get(name, "")
    if name not in st.session_state and value.isdecimal() and int(value) > limit:
        refuse(name, value)


def link(values: Mapping[str, object]) -> str:
    """The address that shows what this reader sees, with every value in it, also those at their defaults."""
    base = (st.context.url or "").split("?")[0]
    told = {"model": st.session_state.get("model"), "lang": LANGUAGES[language()], **values}
    told |= {name: st.session_state[name] for name in PARAMETERS if name in st.session_state and name not in told}
    written = {name: _written(name, value) for name, value in told.items() if value is not None}
    return f"{base}?{urlencode(written, doseq=True)}"


def _written(name: str, value: object) -> str | list[str]:
    """A value as its widget writes it into the address; a list becomes the same name several times."""
    if name == "schemes":
        return ",".join(value)
    if isinstance(value, list):
        return [f"s{entry}" if name == "bench_mask" else str(entry) for entry in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _one_of(choices: Callable[[], list[str]]) -> Callable[[str], bool]:
    return lambda value: value in choices()


def _choice(tables: tuple[str, ...]) -> Callable[[str], bool]:
    return _one_of(lambda: [name for table in tables for name in words(table)])


def _number(value: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", value) is not None


def _switch(value: str) -> bool:
    return value in ("true", "false")


# A widget writes the words it shows into the address, which differ by language; such a one is written and read here, by
# the names of its choices: the keys of these texts.
CHOICES: dict[str, tuple[str, ...]] = {
    "view": ("overview.views",),
    "heads": ("wall.roles",),
    "panel": ("attention.panels",),
    "side": ("projections.sides",),
    "part": ("compare.parts",),
    "role": ("compare.roles",),
    "show": ("compare.shown",),
    "position_part": ("position.parts",),
    "added": ("position.sum.schemes",),
    "scheme_shown": ("position.schemes",),
    "relative_part": ("relative.parts",),
    "rope": ("rope.panels",),
    "rope_scaling": ("rope.scalings",),
    "rope_fault": ("rope.faults",),
    "order_part": ("order.parts",),
    "pair": ("same_maths.names",),
    "kind": ("compare.quantities", "world.kinds"),
    "column": ("compare.columns", "world.kinds"),
    "schemes": ("compare.schemes",),
}
PARAMETERS: dict[str, Callable[[str], bool]] = {
    "text": lambda value: True,
    "model": _one_of(lambda: [entry.title for entry in zoo.offered().values()]),
    "lang": _one_of(lambda: list(LANGUAGES.values())),
    "layer": str.isdecimal,
    "head": str.isdecimal,
    "query": str.isdecimal,
    "key": str.isdecimal,
    "step": str.isdecimal,
    "projector": _switch,
    "sorted": _switch,
    "words": _switch,
    "first": _switch,
    "bench": lambda value: True,
    "bench_mask": lambda value: True,
    "bench_heat": _number,
    "bench_width": _number,
    "change": _switch,
    "mask": _switch,
    "scale": _number,
    "heat": _number,
    "pe_width": str.isdecimal,
    "pe_position": str.isdecimal,
    "pe_dimension": str.isdecimal,
    "join_width": str.isdecimal,
    "join_layers": str.isdecimal,
    "asked": str.isdecimal,
    "stretch": _switch,
    "shift_by": str.isdecimal,
    "shift_from": str.isdecimal,
    "apart": str.isdecimal,
    "shift_width": str.isdecimal,
    "start": str.isdecimal,
    "alibi_heads": str.isdecimal,
    "rope_plane": str.isdecimal,
    "rope_together": str.isdecimal,
    "rope_alone": lambda value: re.fullmatch(r"-?\d+", value) is not None,
    "rope_whole": _switch,
    "rope_reach": str.isdecimal,
    "rope_made": _switch,
    "rope_peak": str.isdecimal,
    "rope_factor": str.isdecimal,
    "rope_stretch": str.isdecimal,
    "rope_limit": str.isdecimal,
    "order": lambda value: True,
    "off": lambda value: all(re.fullmatch(r"\d+\.\d+", head) for head in value.split(",")),
}
PARAMETERS |= {name: _choice(tables) for name, tables in CHOICES.items()}
PARAMETERS["schemes"] = lambda value: set(value.split(",")) <= set(words("compare.schemes"))
