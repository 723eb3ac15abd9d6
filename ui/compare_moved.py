"""What a shift of all positions and a shuffle of them do to the loss, scheme by scheme."""

import math

import numpy as np

from model import lab_proof
from model.corpus import TOKENIZER
from model.lab_results import Band, Results, band
from model.lab_scores import SHIFT
from ui import compare_length, proof, session, theme
from ui.chart import chart
from ui.text import t, words
from viz import compare as pictures

LINES = 56  # pixels of a row of three lines
MOVES = ("as_is", "shifted", "shuffled")
TOP = math.log(TOKENIZER.vocab)  # nats: what guessing among all tokens alike costs


def show(chosen: list[str], results: Results) -> None:
    """The table, its protocol and what it says."""
    bands = {scheme: {move: band(seed.moved[move] for seed in results[scheme]) for move in MOVES} for scheme in chosen}
    found = np.array([[row[move].mean if row[move] else math.nan for move in MOVES] for row in bands.values()])
    written = [
        [_written(row[move]) + _change(row, move) if row[move] else t("compare.no_row") for move in MOVES]
        for row in bands.values()
    ]
    told = {"windows": compare_length.WINDOWS, "shift": SHIFT, "seeds": len(results[chosen[0]]), "top": f"{TOP:.2f}"}
    theme.heading(t("compare.moved"))
    theme.caption(t("compare.moved_caption", **told))
    _table(found, written, [words("compare.schemes")[scheme] for scheme in chosen])
    _check(chosen, results)
    for line in words("compare.moved_says").values():
        theme.caption(line)


def _table(found: np.ndarray, written: list[list[str]], names: list[str]) -> None:
    columns = [t(f"compare.moves.{move}", shift=SHIFT) for move in MOVES]
    chart(
        pictures.numbers(
            found,
            written,
            names,
            columns,
            top=TOP,
            words=words("compare.axes"),
            theme=theme.current(),
        ),
        key="compare-moved",
        alt=t("compare.moved_alt", schemes=len(names)),
        height=30 + LINES * len(names),
        labels=words("chart"),
        table=[
            ["", *columns],
            *([name, *map(_one_line, row)] for name, row in zip(names, written, strict=True)),
        ],
        take_away={"name": "moved", "code": t("compare.moved_code", shift=SHIFT)},
    )


def _written(found: Band) -> str:
    """Mean, then least to greatest, in lines of their own: a phone's columns are narrow."""
    return f"{found.mean:.2f}<br>{found.least:.2f}–{found.most:.2f}"


def _one_line(written: str) -> str:
    return written.replace("<br>", "; ")


def _change(row: dict, move: str) -> str:
    """By how much the mean rose or fell against the loss as it is."""
    return "" if move == "as_is" else f"<br>{row[move].mean - row['as_is'].mean:+.2f}"


def _check(chosen: list[str], results: Results) -> None:
    """The losses of the first seed of each scheme again, with NumPy, on the same windows."""
    theme.caption(t("compare.check_moved"))

    def listed(moved: dict[str, float | None]) -> list[float]:
        return [moved[move] for move in MOVES if moved[move] is not None]

    ours = np.concatenate([listed(results[scheme][0].moved) for scheme in chosen])

    def again() -> np.ndarray:
        with proof.ONE_AT_A_TIME:
            decoders = [session.ready(f"lab-{scheme}").decoder for scheme in chosen]
            return np.concatenate([listed(lab_proof.moved(decoder)) for decoder in decoders])

    proof.compare("moved", ours, again, compare_length.ROUNDED, tuple(chosen))
