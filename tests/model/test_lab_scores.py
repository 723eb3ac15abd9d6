"""Laws of the lab's scores, and the bars that the trained models have to meet."""

import json
from random import Random

import pytest
import torch
from torch.nn import functional

from model.checkpoint import load
from model.config import POSITIONS
from model.corpus import WORLDS, windows
from model.decoder import Decoder
from model.lab_scores import (
    LENGTHS,
    WEIGHTS,
    accuracies,
    alone,
    alone_accuracies,
    best_head,
    by_length,
    head_roles,
    moved,
)
from model.snapshots import load_snapshots, save_snapshots
from model.train import Settings, data_hash, fresh_decoder

CARDS = sorted(WEIGHTS.glob("*-[0-9].json"))
BARS = {"order": 0.98, "coreference": 0.98, "copy": 0.98, "last": 0.98}
BARRED = ("rope", "alibi", "t5")


def tiny(position: str) -> Decoder:
    return fresh_decoder(Settings(position=position, context=32, layers=2, d_model=16, d_ff=16).config, 0)


def test_perfect_logits_score_one_and_one_wrong_token_fails_its_sentence_only():
    test = windows(Random(0), 4, 48, test=True)
    perfect = functional.one_hot(test.targets, 2000).float()
    assert set(accuracies(test, perfect).values()) == {1.0}
    window, start, made = next(placed for placed in test.placed if placed[2].kind == "copy")
    perfect[window, start + made.answers[-1] - 1, 1999] = 2.0
    wrong = accuracies(test, perfect)
    copies = sum(each.kind == "copy" for _, _, each in test.placed)
    assert wrong.pop("copy") == pytest.approx(1 - 1 / copies)
    assert set(wrong.values()) == {1.0}


def test_what_fills_up_a_short_sentence_changes_nothing():
    decoder = tiny("rope")
    made, test = alone("copy", 5)
    logits = decoder(test.ids).logits
    for row, each in enumerate(made):
        single = decoder(test.ids[row, : len(each.ids)]).logits
        torch.testing.assert_close(logits[row, : len(each.ids)], single, atol=1e-5, rtol=0)


@pytest.mark.parametrize("position", POSITIONS)
def test_losses_stop_where_a_scheme_cannot_run(position):
    found = by_length(tiny(position), count=4)
    assert len(found["loss"]) == len(found["places"]) == 32 * LENGTHS[-1] // 32
    runs = 1 if position == "learned" else LENGTHS[-1]
    assert [loss is not None for loss in found["loss"]] == [place < runs for place in range(LENGTHS[-1])]
    assert [loss is not None for loss in found["late_loss"].values()] == [times <= runs for times in LENGTHS]


@pytest.mark.parametrize("position", POSITIONS)
def test_only_relative_schemes_do_not_mind_a_shift(position):
    found = moved(tiny(position), count=4)
    if position == "learned":
        assert found["shifted"] is None
    else:
        changed = abs(found["shifted"] - found["as_is"]) > 1e-4
        assert changed == (position == "sinusoidal")
    assert (abs(found["shuffled"] - found["as_is"]) > 1e-6) == (position != "none")


def test_head_roles_are_weights_of_every_head():
    roles = head_roles(tiny("alibi"), count=8)
    assert set(roles) == {"coreference", "coreference_it", "induction", "answer", "previous", "first"}
    for scores in (torch.tensor(scores) for languages in roles.values() for scores in languages.values()):
        assert scores.shape == (2, 4)
        assert ((scores >= 0) & (scores <= 1)).all()


def test_snapshots_come_back_in_half_precision(tmp_path):
    first, second = tiny("rope"), tiny("rope").half()
    save_snapshots(tmp_path / "a", {20: second.state_dict(), 0: first.half().state_dict()})
    back = load_snapshots(tmp_path / "a", first.config)
    assert list(back) == [0, 20]
    assert torch.equal(back[20].embed.weight, second.embed.weight.float())


def test_every_scheme_is_there_with_three_seeds_and_the_same_data():
    cards = [json.loads(card.read_text(encoding="utf-8")) for card in CARDS]
    assert [card["name"] for card in cards] == [f"{scheme}-{seed}" for scheme in sorted(POSITIONS) for seed in range(3)]
    assert len({card["data"] for card in cards}) == 1
    alike = [{**card["settings"], "position": None, "seed": None} for card in cards]
    assert all(settings == alike[0] for settings in alike)
    assert cards[0]["data"] == data_hash(windows(Random("train"), alike[0]["train_windows"], alike[0]["context"]))


@pytest.mark.parametrize("card", [card for card in CARDS if card.stem.startswith(BARRED)], ids=lambda card: card.stem)
def test_a_trained_model_answers_held_out_sentences(card):
    decoder, about = load(card.with_suffix(""))
    found = alone_accuracies(decoder, count=150)
    assert about["settings"]["position"] == decoder.config.position
    assert {kind: found[kind] for kind in BARS if found[kind] < BARS[kind]} == {}


def test_the_table_on_disk_is_what_the_weights_give():
    results = json.loads((WEIGHTS / "results.json").read_text(encoding="utf-8"))
    assert list(results) == [card.stem for card in CARDS]
    decoder, _ = load(WEIGHTS / "sinusoidal-1")
    for kind, share in alone_accuracies(decoder).items():
        assert share == pytest.approx(results["sinusoidal-1"]["accuracy"][kind], abs=0.005)
    assert moved(decoder)["shuffled"] == pytest.approx(results["sinusoidal-1"]["moved"]["shuffled"], abs=1e-3)


@pytest.mark.parametrize("card", [card for card in CARDS if card.stem.startswith("rope")], ids=lambda card: card.stem)
def test_one_head_looks_from_the_pronoun_to_its_name(card):
    decoder, _ = load(card.with_suffix(""))
    roles = head_roles(decoder, count=150)
    for role in ("coreference", "coreference_it"):
        assert all(best_head(roles, role, language) > 0.6 for language in WORLDS), role


def test_the_trained_models_are_small():
    assert sum(file.stat().st_size for file in WEIGHTS.glob("*")) <= 25e6
