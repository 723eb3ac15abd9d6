"""The wall of heads: every head of this sentence at once, to be filtered and sorted by what each head mostly does."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from model.roles import BLOCK, NONE, SENTENCES, SEQUENCES, THRESHOLD, Roles, in_the_lab, roles_of
from ui import address, controls, measured, proof, session, theme
from ui.chart import Pick, chart
from ui.picks import Place
from ui.session import Run
from ui.text import t, words
from viz import wall as pictures

ALL = "all"
TILE, TALL, WALL = 20, 56, 224  # pixels: a small tile, the greatest, and the height that few heads may take
HeadPicked = Callable[[int, int], None]


def pick_head(layer: int, head: int) -> None:
    """Makes this head the one that the page shows."""
    st.session_state["layer"], st.session_state["head"] = layer, head


def show(run: Run, at: Place, on_pick: HeadPicked = pick_head) -> None:
    """The wall, its filters, and the picked head's role. `on_pick(layer, head)` is called before the rerun."""
    roles, problem = measured.roles(run.model)
    theme.heading(t("wall.title"))
    caption = st.container()
    chosen = _filter(run, roles)
    wall = st.container()
    _say(run, roles, problem, at)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="wall-line"):
        by_role = _sort(roles, chosen)
        _definitions(run)
        proof.badge(run, at.layer, "attention.weights", key="wall")
    places = _order(run, roles, chosen, by_role)
    by_place = chosen == ALL and not by_role
    with caption:
        theme.caption(_caption(run, len(places), by_place))
    with wall:
        if places:
            _wall(run, at, roles, places, by_place, on_pick)
        else:
            theme.caption(t("wall.nobody", role=words("wall.roles")[chosen]))


def _caption(run: Run, heads: int, by_place: bool) -> str:
    parts = [t("wall.caption" if by_place else "wall.caption_sorted", heads=heads)]
    if run.knobs.causal:
        parts.append(t("wall.future"))
    if len(run.tokens) > pictures.SIDE:
        parts.append(t("wall.pooled", side=pictures.SIDE))
    return " · ".join(parts)


def _filter(run: Run, roles: Roles | None) -> str:
    """The pills. They are there from the start, so that nothing moves once they can be used."""
    names = words("wall.roles")
    known = (*roles_of(run.model), NONE)
    if (given := st.session_state.get("heads", ALL)) not in (ALL, *known):  # another model's role
        if "wall-seen" not in st.session_state:
            address.refuse("heads", given)
        st.session_state["heads"] = ALL
        address.tell("heads")
    st.session_state["wall-seen"] = True
    counts = {role: len(roles.heads(role)) for role in known} if roles else {}
    counts |= {ALL: sum(counts.values())} if roles else {}
    chosen = st.pills(
        t("wall.filter"),
        (ALL, *known),
        default=ALL,
        required=True,
        format_func=lambda role: f"{names[role]} {counts.get(role, '')}".strip(),
        key="heads",
        disabled=roles is None,
        label_visibility="collapsed",
        wrap=True,
        persist_state="session",
        on_change=address.tell,
        args=("heads",),
    )
    return chosen if roles else ALL


def _sort(roles: Roles | None, chosen: str) -> bool:
    useless = roles is None or chosen != ALL
    wanted = st.toggle(t("wall.sort"), key="sorted", disabled=useless, bind="query-params", persist_state="session")
    return wanted and not useless


def _definitions(run: Run) -> None:
    lab = in_the_lab(run.model)
    sample = t("wall.lab_sample", sentences=SENTENCES) if lab else t("wall.sample", sequences=SEQUENCES, block=BLOCK)
    definitions = words("wall.lab_definitions" if lab else "wall.definitions")
    with st.popover(t("wall.how"), type="tertiary"):
        theme.caption(sample)
        for role in roles_of(run.model):
            theme.caption(definitions[role])
        theme.caption(t("wall.threshold", threshold=THRESHOLD))
        theme.caption(t("wall.lab_limits" if lab else "wall.limits"))


def _say(run: Run, roles: Roles | None, problem: str, at: Place) -> None:
    """One line in one place: that the roles are being measured, why they cannot be, or the picked head's scores."""
    if roles:
        names = words("wall.roles")
        scores = " · ".join(f"{names[role]} {values[at.layer, at.head]:.2f}" for role, values in roles.scores.items())
        role = names[roles.names[at.layer][at.head]]
        theme.caption(t("wall.picked", layer=at.layer, head=at.head, role=role, scores=scores))
    elif problem:
        theme.caption(t("wall.problem", problem=problem), warning=True)
    else:
        _waiting(run)


@st.fragment(run_every=1.0)
def _waiting(run: Run) -> None:
    """Looks once a second whether the roles are there; the page meanwhile goes on without them."""
    roles, problem = measured.roles(run.model)
    theme.caption(t("wall.measuring"))
    if roles or problem:
        st.rerun()


def _order(run: Run, roles: Roles | None, chosen: str, by_role: bool) -> list[tuple[int, int]]:
    """The (layer, head) to show, in their order: row by row of the wall, or by role and score."""
    config = run.model.config
    if roles and chosen != ALL:
        return roles.heads(chosen)
    if roles and by_role:
        return [place for role in (*roles_of(run.model), NONE) for place in roles.heads(role)]
    return [(layer, head) for head in range(config.heads) for layer in range(config.layers)]


def _wall(
    run: Run,
    at: Place,
    roles: Roles | None,
    places: list[tuple[int, int]],
    by_place: bool,
    on_pick: HeadPicked,
) -> None:
    config = run.model.config
    tile_height = min(max(TILE, WALL // config.heads), TALL)
    tiles = thumbnails(run)
    full = pictures.by_place(tiles.shape[-1], config.layers, config.heads, tile_height)
    grid = full if by_place else pictures.of_some(tiles.shape[-1], len(places), full, tile_height)
    names = words("wall.roles")
    figure = pictures.wall(
        pictures.Heads(
            tiles=np.stack([tiles[layer, head] for layer, head in places]),
            places=places,
            roles=[names[roles.names[layer][head]] if roles else "" for layer, head in places],
            scores=np.array([roles.score(layer, head) if roles else np.nan for layer, head in places], np.float32),
        ),
        grid,
        hover=t("wall.hover") if roles else t("wall.place"),
        axes=by_place,
        picked=places.index((at.layer, at.head)) if (at.layer, at.head) in places else None,
        theme=theme.current(),
    )

    def picked(pick: Pick) -> None:
        place = pick.row * grid.columns + pick.column
        if place < len(places):
            on_pick(*places[place])

    code = t("wall.code", text=repr(run.text), model=run.model.name, layer=at.layer, head=at.head, side=pictures.SIDE)
    chart(
        figure,
        key="wall-chart",
        alt=t("wall.alt", heads=len(places), layer=at.layer, head=at.head),
        height=config.heads * tile_height + pictures.MARGIN["t"] + pictures.MARGIN["b"],
        labels=words("chart"),
        table=_table(run, roles),
        view=f"{controls.view(run)}-{len(places)}-{by_place}",
        on_pick=picked,
        take_away={"name": "heads", "code": code},
    )


def thumbnails(run: Run) -> np.ndarray:
    """Every head's thumbnail, layer by layer; made once for each run."""

    def compute() -> np.ndarray:
        return np.stack([pictures.thumbnails(layer.numpy(), run.knobs.causal) for layer in run.kept.weights])

    return session.runs().get(("wall", *run.key), compute, lambda tiles: tiles.nbytes)


def _table(run: Run, roles: Roles | None) -> list[list[str]]:
    """What each head mostly does, for a reader who listens: a row a head, a column a layer."""
    config = run.model.config
    names = words("wall.roles")
    header = [t("wall.corner"), *(str(layer) for layer in range(config.layers))]
    rows = [
        [names[roles.names[layer][head]] if roles else "–" for layer in range(config.layers)]
        for head in range(config.heads)
    ]
    return [header, *([str(head), *row] for head, row in enumerate(rows))]
