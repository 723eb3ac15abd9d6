"""Where a position enters the machine: the place of each of the six schemes, read from what the code says of itself."""

import html

import streamlit as st

from model.config import Config
from model.parameter_count import position_parameters
from model.position import SCHEMES
from ui import header, picks, session, theme
from ui.chart import chart
from ui.picks import Boxes, Place
from ui.session import Run
from ui.text import t, words
from viz.entry import entry


def show(run: Run, at: Place, boxes: Boxes) -> None:
    """The scheme to look at, the machine with its place lit, and all six in a table."""
    names = words("position.schemes")
    config = session.ready(header.model_name()).config
    scheme = picks.choose(
        "scheme_shown", t("position.entry.scheme"), {name: names[name] for name in SCHEMES}, config.position
    )
    left, right = st.columns([1, 1], gap="medium")
    with left:
        _machine(scheme, names[scheme], config.layers)
    with right:
        _told(scheme, names, config)


def _machine(scheme: str, name: str, layers: int) -> None:
    acts_on = SCHEMES[scheme].acts_on
    places = words("position.entry.places")
    theme.heading(t("position.entry.title", scheme=name))
    theme.caption(t("position.entry.caption"))
    chart(
        entry(
            acts_on,
            words("position.entry.stages"),
            {place: places[_key(place)] for place in ("embedding", "query and key", "score")},
            t("position.entry.block", layers=layers),
            theme.current(),
        ),
        key="entry",
        alt=t("position.entry.alt", scheme=name, place=places[_key(acts_on)].replace("<br>", " ")),
        height=480,
        labels=words("chart"),
        table=[[t("position.entry.scheme"), t("position.entry.where")], [name, places[_key(acts_on)]]],
        view="",
        take_away={"name": "where-positions-enter", "code": t("position.entry.code")},
    )


def _told(scheme: str, names: dict[str, str], config: Config) -> None:
    theme.heading(names[scheme])
    theme.caption(t(f"position.entry.what.{scheme}"))
    theme.heading(t("position.entry.all"))
    head = [
        t("position.entry.scheme"),
        t("position.entry.where"),
        t("position.entry.times"),
        t("position.entry.trained"),
    ]
    places = words("position.entry.short")
    lines = []
    for one, encoding in SCHEMES.items():
        times = {"embedding": t("position.entry.once"), "nothing": "–"}.get(encoding.acts_on, t("position.entry.every"))
        learned = position_parameters(_as(config, one))
        lines.append([names[one], places[_key(encoding.acts_on)], times, f"{learned:,}"])
    st.html(table(head, lines))
    theme.caption(t("position.entry.note", d_model=config.d_model, heads=config.heads))


def table(head: list[str], lines: list[list[str]]) -> str:
    """A small table as HTML; nothing in its cells is acted on."""
    told = "".join(f"<tr>{_cells('td', line)}</tr>" for line in lines)
    return f'<table class="glass-caption"><thead><tr>{_cells("th", head)}</tr></thead><tbody>{told}</tbody></table>'


def _cells(kind: str, texts: list[str]) -> str:
    style = "text-align: left; padding: 4px 14px 4px 0"
    return "".join(f'<{kind} style="{style}">{html.escape(text)}</{kind}>' for text in texts)


def _as(config: Config, scheme: str) -> Config:
    """This model's sizes with another scheme, and a learned table as long as its context."""
    sizes = {"vocab": config.vocab, "d_model": config.d_model, "layers": config.layers, "heads": config.heads}
    return Config(**sizes, d_ff=config.d_ff, context=config.context, position=scheme)


def _key(acts_on: str) -> str:
    return acts_on.replace(" ", "_")
