"""A config that cannot be is refused by name; one that can be survives its JSON."""

import json
from dataclasses import FrozenInstanceError, asdict

import pytest

from model import config as names
from model.config import Config
from model.layers import FEED_FORWARDS, NORMS
from model.position import SCHEMES

IMPOSSIBLE = [
    ("vocab", {"vocab": 0}),
    ("layers", {"layers": -1}),
    ("context", {"context": 0}),
    ("d_ff", {"d_ff": "wide"}),
    ("heads", {"heads": 2.0}),
    ("layers", {"layers": True}),
    ("tied", {"tied": 1}),
    ("norm", {"norm": "batch"}),
    ("feed_forward", {"feed_forward": "relu"}),
    ("position", {"position": "shaw"}),
    ("biases", {"biases": "some"}),
    ("heads", {"heads": 5}),
    ("kv_heads", {"kv_heads": 3}),
    ("kv_heads", {"kv_heads": 8}),
    ("d_head", {"d_head": -2}),
    ("norm_epsilon", {"norm_epsilon": 0.0}),
    ("norm_epsilon", {"norm_epsilon": float("nan")}),
    ("rotary_base", {"rotary_base": float("inf")}),
    ("rotary_dim", {"position": "rope", "rotary_dim": 3}),
    ("rotary_dim", {"position": "rope", "rotary_dim": 8}),
    ("d_head", {"position": "rope", "d_head": 5}),
    ("d_model", {"position": "sinusoidal", "d_model": 23, "d_head": 6}),  # B35: odd widths have a sine without cosine
    ("t5_buckets", {"position": "t5", "t5_buckets": 1}),
    ("t5_max_distance", {"position": "t5", "t5_max_distance": 16}),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("key", "changes"), IMPOSSIBLE, ids=lambda value: str(value))
def test_an_impossible_config_is_refused_by_the_name_of_its_key(tiny, key, changes):
    with pytest.raises(ValueError, match=key):
        tiny(**changes)


def test_a_refusal_says_what_is_allowed(tiny):
    with pytest.raises(ValueError, match=r"layer, rms.*'batch'"):
        tiny(norm="batch")


def test_a_config_survives_its_json(config):
    assert Config.from_json(config.to_json()) == config


def test_what_is_left_out_follows_from_the_rest(tiny):
    config = tiny(heads=4)
    assert (config.kv_heads, config.d_head, config.rotary_dim) == (4, 6, 6)
    assert tiny(d_head=10).rotary_dim == 10


def test_heads_may_be_wider_than_their_share_of_the_residual_stream(tiny):  # B52
    assert tiny(d_model=40, heads=4, d_head=16).d_head == 16


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "null", '"vocab"'])
def test_json_that_is_no_config_is_a_value_error(text):
    with pytest.raises(ValueError):
        Config.from_json(text)


def test_an_unknown_key_is_refused_by_name(tiny):
    values = asdict(tiny()) | {"window": 4}
    with pytest.raises(ValueError, match="window"):
        Config.from_json(json.dumps(values))


def test_a_missing_key_is_refused_by_name(tiny):
    values = asdict(tiny())
    del values["d_ff"]
    with pytest.raises(ValueError, match="d_ff"):
        Config.from_json(json.dumps(values))


@pytest.mark.usefixtures("unchecked")
def test_json_may_write_a_whole_number_for_any_other(tiny):
    values = asdict(tiny()) | {"rotary_base": 500000}
    assert Config.from_json(json.dumps(values)).rotary_base == 500000.0


def test_a_config_cannot_be_changed(tiny):
    with pytest.raises(FrozenInstanceError):
        tiny().heads = 8


def test_every_name_that_a_config_may_hold_is_in_a_registry():
    assert set(names.NORMS) == set(NORMS)
    assert set(names.FEED_FORWARDS) == set(FEED_FORWARDS)
    assert set(names.POSITIONS) == set(SCHEMES)
