"""The RoPE page's parts on a tiny model: formulas with its own numbers, code that runs, words that are true."""

import math
import re

import numpy as np
import pytest
import torch

from model.decoder import Decoder
from model.knobs import Knobs
from model.rotary_scaling import SCALINGS, needed, scaled
from model.steps import planes
from tests.ui.tiny_run import tiny_run
from ui import rope, rope_distance, rope_formulas, rope_precision, rope_scalings
from ui.picks import Place
from ui.rope import Scene, scene
from viz.theme import LIGHT

AT = Place(1, 2, 5, 3)


@pytest.fixture(scope="module")
def here() -> Scene:
    """A cell of a model whose heads turn all of their ten dimensions, and share keys."""
    return scene(tiny_run("rope", d_head=10), AT, 1)


def test_the_scene_holds_the_cells_own_vectors(here):
    trace = here.run.block(1).attention
    assert torch.equal(here.couple.query, trace.query[2, 5])
    assert torch.equal(here.couple.key, trace.key[1, 3])
    assert (here.places, here.distance, here.kv_head) == ((5, 3), 2, 1)
    product = trace.raw_scores[2, 5, 3].item()
    assert here.couple.parts(*here.places).sum().item() == pytest.approx(product, rel=1e-5)
    torch.testing.assert_close(here.couple.turned("query", 5).flatten().float(), trace.rotated_query[2, 5])


def test_the_formula_of_a_plane_ends_in_its_part(here):
    pair = here.couple.query.tolist(), here.couple.key.tolist()
    for plane, frequency in enumerate(here.couple.frequencies.tolist()):
        lines = rope_formulas.part(LIGHT, plane, *pair, frequency, here.distance)
        part = here.couple.parts(*here.places)[plane].item()
        assert rf"\mathbf{{{rope_formulas.number(part)}}}" in lines[-1]


def test_an_angle_is_position_times_frequency(here):
    line = rope_formulas.angle(LIGHT, "query", 43, 1, 0.25)
    assert line.endswith("10.75")
    assert "43" in line


@pytest.mark.parametrize("kind", SCALINGS)
def test_every_scaling_has_a_formula_with_its_settings_in(kind):
    told = {"factor": 4.0, "trained": 64, "length": 256}
    given = {name: value for name, value in told.items() if name in needed(kind)}
    found = scaled(kind, 16, 1e4, **given)
    lines = rope_formulas.scaling(kind, told, found, 16, 1e4)
    assert "10000" in "".join(lines) or kind in ("linear", "llama3")
    assert lines[-1].endswith(r"\mathbf{1.139}") == (kind == "yarn")


def ran(code: str, here: Scene, monkeypatch) -> dict:
    """What the reader's lines of code leave behind, run on this model's tensors."""
    trace = here.run.block(AT.layer).attention
    tensors = {f"blocks.{AT.layer}.attention.{name}": getattr(trace, name).numpy() for name in ("query", "key")}
    monkeypatch.setattr(np, "load", lambda path: tensors)
    left: dict = {}
    exec(code, left)
    return left


def test_the_code_to_take_away_computes_the_parts(here, monkeypatch):
    left = ran(rope.code(here, "turn", m=105, n=103), here, monkeypatch)
    np.testing.assert_allclose(left["parts"], here.couple.parts(105, 103), atol=1e-9)


def test_the_code_to_take_away_computes_the_curve(here, monkeypatch, capsys):
    ran(rope.code(here, "distance", first=-3, last=20), here, monkeypatch)
    told = [float(line.split()[1]) for line in capsys.readouterr().out.strip().splitlines()]
    np.testing.assert_allclose(told, here.couple.by_distance(np.arange(-3, 21)).sum(dim=-1), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("kind", SCALINGS)
def test_the_code_to_take_away_computes_the_scalings(here, monkeypatch, kind):
    told = {"factor": 4.0, "trained": 64, "length": 256}
    given = {name: value for name, value in told.items() if name in needed(kind)}
    left = ran(rope_scalings._code(here, kind, given), here, monkeypatch)
    found = scaled(kind, 10, 1e4, **given)
    np.testing.assert_allclose(left["frequencies"], found.frequencies, rtol=1e-9)
    assert left["a"] == pytest.approx(found.factor)


def test_the_code_to_take_away_computes_the_fault(here, monkeypatch):
    left = ran(rope.code(here, "precision", limit=4096), here, monkeypatch)
    wrong = np.abs(left["rounded"] - left["exact"]).max(axis=-1)
    shown = rope_precision.errors(10, 1e4, 4096)[list(rope_precision.FAULTS).index("bfloat16")]
    np.testing.assert_allclose(wrong.reshape(128, -1).max(axis=-1), shown, atol=1e-5)


def test_slow_planes_are_those_that_do_not_come_round_in_the_trained_length(here):
    context = here.run.model.config.context
    by_hand = sum(2 * math.pi * 1e4 ** (pair / 5) > context for pair in range(5))
    assert rope_distance.untrained(here) == {"slow": by_hand, "planes": 5, "trained": context}


def test_a_score_is_the_models_own(here):
    score = rope_distance.score(here, here.couple, np.array([here.distance]))
    assert score[0] == pytest.approx(here.run.block(1).attention.scores[2, 5, 3].item(), rel=1e-5)


def moved(run, positions: tuple[int, ...]):
    """The first block of the same run with other positions."""
    decoder: Decoder = run.model.decoder
    ids = torch.tensor([token.id for token in run.tokens])
    with torch.inference_mode():
        return decoder(ids, Knobs(positions=positions))


def test_rope_turns_queries_and_keys_only(here):  # misconception 6
    seq = len(here.run.tokens)
    as_is, apart = moved(here.run, tuple(range(seq))), moved(here.run, tuple(3 * place for place in range(seq)))
    assert not as_is.position_part.any()
    one, other = as_is.blocks[0].attention, apart.blocks[0].attention
    for name in ("query", "key", "value"):
        assert torch.equal(getattr(one, name), getattr(other, name))
    for name in ("rotated_query", "rotated_key"):
        assert not torch.equal(getattr(one, name)[:, 1:], getattr(other, name)[:, 1:])
    assert planes(one.query[0, 2]).norm(dim=-1) == pytest.approx(planes(one.rotated_query[0, 2]).norm(dim=-1), rel=1e-5)


def test_a_made_key_is_as_long_as_the_old_one(here):
    made = rope_distance.key_for(here.couple, 17)
    assert made.key.norm().item() == pytest.approx(here.couple.key.norm().item(), rel=1e-6)


def test_no_formula_holds_a_word(here):
    pair = here.couple.query.tolist(), here.couple.key.tolist()
    lines = [*rope_formulas.part(LIGHT, 0, *pair, 1.0, 2), rope_formulas.angle(LIGHT, "key", 1, 0, 1.0)]
    bare = re.sub(r"\\[A-Za-z]+(\{#\w+\})?", "", " ".join(lines))
    assert not re.search(r"[A-Za-z]{3,}", bare)
