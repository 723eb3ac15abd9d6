"""The bench's picture: numbers, bars and sums agree; hidden entries are hatched."""

import numpy as np
import pytest

from viz.bench import Table, bench
from viz.theme import THEMES

WORDS = {name: name for name in ("score", "scaled", "exponential", "weight", "sum", "masked")}


def draw(scores, hidden=None, names=None, theme=THEMES["light"]):
    scores = np.array(scores, dtype=float)
    hidden = np.zeros(len(scores), dtype=bool) if hidden is None else np.array(hidden)
    scaled = np.where(hidden, -np.inf, scores)
    seen = ~hidden
    exponentials = np.where(seen, np.exp(scores - scores.max()), 0)
    weights = exponentials / max(exponentials.sum(), 1e-300)
    table = Table(scores, scaled, exponentials, weights, hidden)
    return table, bench(table, names or [f"s{index}" for index in range(len(scores))], words=WORDS, theme=theme)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("count", [1, 4, 12])
def test_a_row_an_entry_with_its_weight_from_zero_to_one(theme, count):
    table, figure = draw(np.arange(count), theme=theme)
    assert np.allclose(figure.data[0].x, table.weights)
    assert list(figure.layout.xaxis.range) == [0, 1]
    assert len(figure.layout.yaxis.ticktext) == count + 1


def test_the_written_numbers_are_the_tables_and_the_last_row_is_their_sum():
    table, figure = draw([2.3, 7.8, 1.5, 4.2])
    columns = {trace.text[0]: trace.text[1:] for trace in figure.data[1:5]}
    for name, numbers in (("score", table.scores), ("exponential", table.exponentials), ("weight", table.weights)):
        written = [float(text.replace("−", "-")) for text in columns[f"<b>{name}</b>"][:-1]]
        assert written == pytest.approx(numbers, rel=2e-2, abs=5e-5)
    total = columns["<b>exponential</b>"][-1]
    assert float(total.strip("</b>")) == pytest.approx(table.exponentials.sum(), rel=1e-3)


@pytest.mark.parametrize("scores", [[1e6, -1e6, 0.0], [12345.678, -0.012345, 1e-7], [-99999.0, 3.14159, 0.1]])
def test_no_number_is_longer_than_its_column_on_a_phone(scores):
    _, figure = draw(scores)
    assert all(len(text) <= 7 for trace in figure.data[1:5] for text in trace.text[1:-1])


def test_hidden_entries_are_hatched_and_have_no_bar():
    _, figure = draw([1.0, 2.0, 3.0], hidden=[False, True, True])
    assert np.isnan(figure.data[0].x[1:]).all()
    assert list(figure.data[-1].y) == [1, 2]
    assert figure.data[2].text[2] == "−∞"
    assert figure.data[4].text[2] == "0"


def test_names_with_markup_are_only_names():
    _, figure = draw([1.0], names=["<img src=x>"])
    assert "<img" not in figure.layout.yaxis.ticktext[0]
