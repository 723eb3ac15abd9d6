"""The page's address is its state: which parameters there are, what of a link is not understood, the link to share."""

import re
from collections.abc import Callable, Mapping
from urllib.parse import urlencode

import streamlit as st

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
        elif name in UNBOUND:
            st.session_state[name] = value


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
    if isinstance(value, list):
        return [f"s{entry}" if name == "bench_mask" else str(entry) for entry in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _one_of(choices: Callable[[], list[str]]) -> Callable[[str], bool]:
    return lambda value: value in choices()


def _number(value: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", value) is not None


def _switch(value: str) -> bool:
    return value in ("true", "false")


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
    "words": _switch,
    "first": _switch,
    "panel": _one_of(lambda: list(words("attention.panels"))),
    "bench": lambda value: True,
    "bench_mask": lambda value: True,
    "bench_heat": _number,
    "bench_width": _number,
    "change": _switch,
    "mask": _switch,
    "scale": _number,
    "heat": _number,
    "off": lambda value: all(re.fullmatch(r"\d+\.\d+", head) for head in value.split(",")),
}
# A widget writes the words it shows into the address, which differ by language; such a one is read from it here.
UNBOUND = {"panel"}
