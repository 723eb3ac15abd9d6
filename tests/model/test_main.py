"""python -m model: every tensor of a run in one file, and one line for whatever is wrong."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from model import zoo
from model.__main__ import main
from model.knobs import EXAMPLES, Knobs
from model.trace import named_tensors
from tests.model.pretrained import offer_tiny

TEXT = "the cat 日"


@pytest.fixture
def model(tmp_path, monkeypatch) -> zoo.Model:
    """A tiny model that the zoo knows as "tiny"."""
    return offer_tiny(tmp_path, monkeypatch)


def written(path: Path, *knobs: str) -> tuple[dict[str, np.ndarray], dict]:
    """What the command line writes: the tensors, and what stands beside them."""
    main([TEXT, "--model", "tiny", "--out", str(path), *(["--knobs", *knobs] if knobs else [])])
    with np.load(path) as tensors:
        return dict(tensors), json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("knobs", [(), ("causal=off", "scale=0.5", "gain=1.2:0", "temperature=2")])
def test_every_tensor_is_written_under_its_dotted_name(model, tmp_path, knobs):
    tensors, _ = written(tmp_path / "trace.npz", *knobs)
    trace = model.run(model.tokenizer.encode(TEXT), Knobs.parse(" ".join(knobs)))
    expected = dict(named_tensors(trace))
    assert tensors.keys() == expected.keys()
    assert {"blocks.1.attention.weights", "blocks.0.feed_forward.hidden", "logits"} <= tensors.keys()
    for name, tensor in expected.items():
        np.testing.assert_array_equal(tensors[name], tensor.numpy())


def test_knobs_change_the_run(model, tmp_path):
    as_trained, _ = written(tmp_path / "trained.npz")
    unmasked, about = written(tmp_path / "unmasked.npz", "causal=off")
    assert about["knobs"] == "causal=off"
    assert not np.triu(as_trained["blocks.0.attention.weights"], 1).any()
    assert (np.triu(unmasked["blocks.0.attention.weights"], 1).sum(axis=(1, 2)) > 0).all()


def test_tokens_and_config_stand_beside_the_tensors(model, tmp_path):
    _, about = written(tmp_path / "trace.npz")
    tokens = model.tokenizer.encode(TEXT)
    assert about["model"] == "tiny"
    assert about["text"] == TEXT
    assert about["config"] == asdict(model.config)
    assert [token["id"] for token in about["tokens"]] == [token.id for token in tokens]
    assert bytes.fromhex("".join(token["bytes"] for token in about["tokens"])).decode() == TEXT
    assert [token["visible"] for token in about["tokens"]] == [token.visible for token in tokens]


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["", "--model", "tiny"], "no tokens"),
        (["a", "--model", "gpt5"], "no model 'gpt5'; known are"),
        (["a", "--model", "tiny", "--knobs", "heat=2"], "unknown knob 'heat=2'; known are"),
        (["a", "--model", "tiny", "--knobs", "scale=much"], f"write it like {EXAMPLES['scale']}"),
        (["a", "--model", "tiny", "--knobs", "temperature=0"], "temperature must lie between"),
        (["a", "--model", "tiny", "--knobs", "gain=2.0:0"], "there is no head 2.0"),
        (["a", "--model", "tiny", "--knobs", "positions=1,2,3"], "3 positions were given for 1 tokens"),
        (["a", "--model", "tiny", "--out", "trace.txt"], "must end in .npz"),
        (["a", "--model", "tiny", "--out", "no/such/folder/trace.npz"], "no/such/folder"),
        (["half a \udce6", "--model", "tiny"], "half a character"),
    ],
)
def test_bad_input_ends_with_one_line_and_nothing_written(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    line = ended.value.code
    assert line.startswith("python -m model: ")
    assert words in line
    assert "\n" not in line
    assert sorted(tmp_path.iterdir()) == before


def test_the_exit_code_tells_bad_input():
    command = [sys.executable, "-m", "model", "a", "--model", "gpt5"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.startswith("python -m model: there is no model 'gpt5'")
