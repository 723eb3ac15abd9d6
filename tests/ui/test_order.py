"""The Order page's NumPy lines run as they are offered, and say what the page says."""

import contextlib
import io

import numpy as np
import pytest

from model import order, unordered
from tests.model.test_order import lab
from ui import text as tables

LANGUAGES = tuple(tables.LANGUAGES)
TEXT = "I like you"


def printed(code: str) -> list[str]:
    """What these lines print, line by line."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, {})
    return out.getvalue().strip().splitlines()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lines_of_two_orders_print_the_four_settings(language):
    model = lab("rope")
    ids, moved = [token.id for token in model.tokenizer.encode(TEXT)], (0, 3, 2, 1)
    code = tables.table(language)["order.code"].format(model="lab-rope", ids=ids, moved=list(moved), layer=1)
    lines = printed(code)
    assert [line.split("[")[0].split() for line in lines] == [
        [told, causal] for told in ("True", "False") for causal in ("False", "True")
    ]
    for line, knobs in zip(lines, order.settings(len(ids)).values(), strict=True):
        rows = [float(number) for number in line.split("[")[1].rstrip("]").split()]
        ours = order.changes(model.decoder, ids, moved, knobs).difference[1].numpy()[list(moved)]
        assert np.allclose(rows, ours, atol=1e-4)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lines_of_shuffled_prefixes_print_a_difference_a_layer(language):
    model = lab("none")
    ids = [token.id for token in model.tokenizer.encode("Tom took the apple because he was hungry.")]
    lines = printed(tables.table(language)["unordered.prefix_code"].format(model="lab-none", ids=ids))
    differences = [float(line.split()[1]) for line in lines]
    assert differences[0] < 1e-6 < 1e-3 < min(differences[1:])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lines_of_one_token_over_and_over_print_every_scheme(language):
    for scheme in ("none", "rope", "alibi", "t5", "sinusoidal", "learned"):
        lab(scheme)
    lines = printed(tables.table(language)["unordered.constant_code"].format(id=257, copies=8))
    found = {line.split()[0]: float(line.split()[1]) for line in lines}
    assert max(found[scheme] for scheme in ("none", "rope", "alibi", "t5")) < 1e-6
    assert min(found["sinusoidal"], found["learned"]) > 1e-2
    assert unordered.spread(lab("none").decoder, 257, 8, None)[0] < 1e-5


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lines_of_steps_print_both_counts(language):
    assert printed(tables.table(language)["paths.code"].format(tokens=10, layers=3)) == ["recurrent 12 attention 3"]
    assert not printed(tables.table(language)["order.crossing_code"].format(moved=[0, 2, 1]))
