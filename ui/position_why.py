"""Why sines, and of many frequencies: a plain count and a single wave beside them, and what goes wrong with each."""

import math
from functools import lru_cache

import numpy as np

from model.position_table import distances, most_alike, table
from ui import proof, sinusoids, theme
from ui.chart import chart
from ui.picks import Boxes, Place
from ui.session import Run
from ui.text import t, words
from viz import lines, tables
from viz.lines import Axis, Line
from viz.tables import Table
from viz.theme import ROLES

SHOWN = 64
TOLERANCE = 1e-6
SCHEMES = ("count", "single", "sinusoidal")
ROLE = {"count": "key", "single": "query", "sinusoidal": "position"}


def show(run: Run, at: Place, boxes: Boxes) -> None:
    """How far apart every two positions are under each scheme, and how long their vectors grow."""
    width = sinusoids.width_picker(boxes[2])
    _apart(width)
    _lengths(width, run)


@lru_cache(maxsize=8)  # one for each width
def _measured(width: int) -> tuple[dict[str, np.ndarray], dict[str, tuple[int, int, float]]]:
    """How far apart every two rows are under each scheme, and which two are most alike."""
    rows = {name: table(name, range(SHOWN), width) for name in SCHEMES}
    squares = {name: distances(one).numpy() for name, one in rows.items()}
    return squares, {name: most_alike(one) for name, one in rows.items()}


def _apart(width: int) -> None:
    names = words("position.why.names")
    ends = {"count": (SHOWN - 1) * math.sqrt(width), "single": math.sqrt(2 * width), "sinusoidal": math.sqrt(2 * width)}
    squares, alike = _measured(width)
    shown = [
        Table(squares[name], f"{names[name]} 0…{ends[name]:.4g}", ROLE[name], ends[name], signed=False)
        for name in SCHEMES
    ]
    theme.heading(t("position.why.apart"))
    theme.caption(t("position.why.apart_caption", positions=SHOWN, width=width))
    place = t("position.position_word")
    chart(
        tables.beside(
            shown, [str(place) for place in range(SHOWN)], words={"row": place, "column": place}, theme=theme.current()
        ),
        key="why-apart",
        alt=t("position.why.apart_alt", positions=SHOWN),
        height=330,
        labels=words("chart"),
        view=str(width),
        take_away={"name": "distances", "code": t("position.why.code", width=width, positions=SHOWN)},
    )

    def numpy_squares() -> np.ndarray:
        return np.stack([_numpy_distances(name, width) for name in SCHEMES])

    proof.compare("why-apart", np.stack(list(squares.values())), numpy_squares, TOLERANCE, width)
    for name in SCHEMES:
        first, second, apart = alike[name]
        theme.caption(t(f"position.why.{name}", first=first, second=second, apart=f"{apart:.3g}"))


def _lengths(width: int, run: Run) -> None:
    rows = {name: table(name, range(SHOWN), width) for name in SCHEMES}
    places = np.arange(SHOWN)
    names = words("position.why.names")
    own = float(np.linalg.norm(run.kept.embeddings.numpy(), axis=-1).mean())
    curves = [
        Line(places, rows[name].norm(dim=-1).numpy(), names[name], ROLES[ROLE[name]], dots=name == "single")
        for name in SCHEMES
    ]
    curves.append(Line(places, np.full(SHOWN, own), t("position.why.token"), ROLES["token"], dash="dash"))
    axes = words("position.axes")
    theme.heading(t("position.why.lengths"))
    longest, fixed = float(curves[0].y[-1]), math.sqrt(width / 2)
    told = {"last": SHOWN - 1, "longest": f"{longest:.4g}", "fixed": f"{fixed:.3g}", "token": f"{own:.3g}"}
    theme.caption(t("position.why.lengths_caption", d_model=run.model.config.d_model, width=width, **told))
    chart(
        lines.lines(
            curves,
            x=Axis(axes["position"], (-0.5, SHOWN - 0.5)),
            y=Axis(axes["length"], (1, 2000), log=True),
            theme=theme.current(),
        ),
        key="why-lengths",
        alt=t("position.why.lengths_alt", **told),
        height=260,
        labels=words("chart"),
        table=lines.table(curves, axes["position"]),
        view=str(width),
        take_away={"name": "lengths", "code": t("position.why.code", width=width, positions=SHOWN)},
    )

    def numpy_lengths() -> np.ndarray:
        return np.stack([np.sqrt((_numpy_table(name, width) ** 2).sum(-1)) for name in SCHEMES])

    proof.compare("why-lengths", np.stack([curve.y for curve in curves[:3]]), numpy_lengths, TOLERANCE, width)


def _numpy_table(name: str, width: int) -> np.ndarray:
    """The table once more, from its formula."""
    places = np.arange(SHOWN)[:, None] * np.ones(width)
    if name == "count":
        return places
    pairs = np.arange(width) // 2
    angles = places if name == "single" else places / 10000.0 ** (2 * pairs / width)
    return np.where(np.arange(width) % 2, np.cos(angles), np.sin(angles))


def _numpy_distances(name: str, width: int) -> np.ndarray:
    rows = _numpy_table(name, width)
    return np.sqrt(((rows[:, None] - rows[None, :]) ** 2).sum(-1))
