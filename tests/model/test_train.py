"""Laws of the lab's training."""

import csv
import json
import shlex
from collections import Counter
from dataclasses import asdict, replace

import pytest
import torch

from model import train
from model.checkpoint import load
from model.config import POSITIONS
from model.train import Run, Settings

SMALL = {"context": 32, "layers": 1, "d_model": 16, "d_ff": 16}
TINY = Settings(steps=12, warmup=3, batch=4, train_windows=16, test_windows=4, **SMALL)


@pytest.mark.parametrize("position", POSITIONS)
def test_sixty_steps_lower_the_loss_in_every_scheme(position):
    run = Run(replace(TINY, position=position, steps=60, batch=8, train_windows=32))
    losses = [run.advance() for _ in range(60)]
    assert sum(losses[-5:]) < 0.9 * sum(losses[:5])


def test_a_killed_run_ends_as_if_it_had_not_been_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(train, "SAVE_EVERY", 4)
    whole, killed, resumed = tmp_path / "whole", tmp_path / "killed", Run(TINY)
    for folder in (whole, killed):
        folder.mkdir()
    list(train.train(Run(TINY), whole, 2, snapshots=True))
    rows = train.train(Run(TINY), killed, 2, snapshots=True)
    for _ in range(4):
        next(rows)
    rows.close()
    list(train.train(resumed, killed, 2, snapshots=True))
    for name in ("rope-0.safetensors", "rope-0-snapshots.safetensors", "rope-0.csv"):
        assert (whole / name).read_bytes() == (killed / name).read_bytes()
    assert not (killed / "rope-0.state").exists()


def test_a_state_of_other_settings_is_refused():
    with pytest.raises(ValueError, match="other settings"):
        Run(TINY).resume(Run(replace(TINY, seed=1)).state())


def test_a_seed_decides_the_weights_and_not_the_data():
    first, again, other = Run(TINY), Run(TINY), Run(replace(TINY, seed=1))
    for run in (first, again, other):
        run.advance()
    assert all(torch.equal(a, b) for a, b in zip(first.decoder.parameters(), again.decoder.parameters(), strict=True))
    assert not torch.equal(first.decoder.embed.weight, other.decoder.embed.weight)
    assert train.data_hash(first.data) == train.data_hash(other.data)


def test_schemes_begin_with_the_same_weights_and_see_the_same_data():
    runs = {position: Run(replace(TINY, position=position)) for position in POSITIONS}
    assert len({train.data_hash(run.data) for run in runs.values()}) == 1
    without = runs["none"].decoder.state_dict()
    for run in runs.values():
        state = run.decoder.state_dict()
        assert all(torch.equal(state[name], tensor) for name, tensor in without.items())


def test_every_window_is_seen_once_an_epoch_in_another_order():
    epochs = [[row for step in range(5) for row in train.batch_rows(5 * epoch + step, 4, 20)] for epoch in (0, 1)]
    orders = [[int(row) for row in epoch] for epoch in epochs]
    assert Counter(orders[0]) == Counter(orders[1]) == Counter(range(20))
    assert orders[0] != orders[1]


def test_the_rate_rises_in_warm_up_and_then_only_falls():
    rates = [TINY.rate(step) for step in range(TINY.steps)]
    assert rates[:3] == sorted(rates[:3])
    assert rates[2:] == sorted(rates[2:], reverse=True)
    assert max(rates) == pytest.approx(TINY.learning_rate)


def test_sure_tokens_count_as_often_as_asked():
    losses, sure = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[True, False], [False, True]])
    repeated = torch.tensor([1.0] * 3 + [2.0, 3.0] + [4.0] * 3)
    torch.testing.assert_close(train.weighted(losses, sure, 3.0), repeated.mean())


def test_every_parameter_is_trained_by_the_optimizer():
    for position in POSITIONS:
        decoder = train.fresh_decoder(replace(TINY, position=position).config, 0)
        groups = train.adamw(decoder, 0.1).param_groups
        trained = [id(parameter) for group in groups for parameter in group["params"]]
        assert sorted(trained) == sorted(id(parameter) for parameter in decoder.parameters())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("steps", 0), ("batch", 0), ("learning_rate", float("nan")), ("warmup", 12), ("context", 8), ("clip", -1.0)),
        *(("train_windows", 3), ("weight_decay", -0.1), ("seed", -1), ("heads", 3), ("position", "rotary")),
    ],
)
def test_impossible_settings_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=name):
        replace(TINY, **{name: value})


def test_the_command_on_the_card_trains_the_same_model(tmp_path, capsys):
    options = shlex.split(TINY.command())[3:]
    train.main([*options, "--out", str(tmp_path), "--log-every", "4", "--snapshots"])
    assert "12/12" in capsys.readouterr().out
    decoder, card = load(tmp_path / "rope-0")
    assert card["settings"] == asdict(TINY)
    assert card["command"] == TINY.command()
    again = Run(TINY)
    for _ in range(TINY.steps):
        again.advance()
    torch.testing.assert_close(decoder.embed.weight, again.decoder.embed.weight)
    with (tmp_path / "rope-0.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["step"] for row in rows] == ["4", "8", "12"]
    assert json.loads((tmp_path / "rope-0.json").read_text())["result"]["step"] == 12


def test_a_bad_command_line_ends_in_one_line(capsys):
    with pytest.raises(SystemExit, match="warmup must be"):
        train.main(["--steps", "10", "--warmup", "20"])
