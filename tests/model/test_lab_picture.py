"""What Compare says in words of the lab's results, asserted on the shipped table, logs and weights."""

import pytest
import torch

from model import lab_results, zoo
from model.corpus import TOKENIZER
from model.lab_picture import BUCKETS, LARGE, SMALL, STATEMENTS, increase, inside, trained_buckets
from model.lab_results import SCHEMES, WEIGHTS, band, results, training
from model.lab_tokenizer import BOS
from model.position import t5_bucket
from model.train import Settings, fresh_decoder
from ui.text import LANGUAGES, table

pytestmark = pytest.mark.skipif(
    not (WEIGHTS / "results.json").exists(), reason=f"this makes the table: {lab_results.COMMAND}"
)
RELATIVE = ("rope", "alibi", "t5")


@pytest.fixture(scope="module")
def found():
    return results()


def mean(seeds, bucket: int) -> float:
    return band(seed.loss[bucket] for seed in seeds).mean


def test_every_statement_that_ours_does_not_share_is_explained_and_no_other(found):
    differing = {name for name, rule in STATEMENTS.items() if not rule(found).agrees}
    assert differing == {"order", "t5"}
    for language in LANGUAGES:
        words = table(language)
        for name, rule in STATEMENTS.items():
            assert words[f"compare.reported.{name}"]
            assert "{" not in words[f"compare.ours.{name}"].format(**rule(found).numbers)
        for name in differing:
            assert words[f"compare.why.{name}"].format(**STATEMENTS[name](found).numbers)


def test_within_the_trained_length_schemes_differ_by_little_but_in_this_order(found):
    losses = inside(found)
    assert max(losses.values()) - min(losses.values()) <= SMALL
    assert sorted(losses, key=losses.get) == ["rope", "t5", "alibi", "learned", "sinusoidal", "none"]


def test_the_order_within_is_that_of_counting(found):
    """Those with the lower loss count from the beginning of a list; the other three do so less well."""
    right = {scheme: band(seed.accuracy["item"] for seed in seeds).mean for scheme, seeds in found.items()}
    assert min(right[scheme] for scheme in RELATIVE) > max(
        right[scheme] for scheme in SCHEMES if scheme not in RELATIVE
    )


def test_past_the_trained_length_each_scheme_does_as_the_page_says(found):
    near = {scheme: increase(seeds, BUCKETS["1.5"]) for scheme, seeds in found.items()}
    assert near["sinusoidal"] > LARGE
    assert near["learned"] is None
    assert 0 < near["rope"] < SMALL < LARGE < increase(found["rope"], -1)
    assert abs(increase(found["alibi"], -1)) < SMALL
    assert increase(found["t5"], BUCKETS["2"]) > SMALL
    assert increase(found["t5"], -1) < increase(found["rope"], -1)


def test_early_places_have_the_higher_loss(found):
    assert all(mean(seeds, 0) > mean(seeds, 1) for seeds in found.values())


def test_windows_of_training_reach_only_some_of_the_buckets_of_t5():
    told = trained_buckets()
    assert t5_bucket(torch.tensor([[63, 511]]), 32, 128).tolist() == [[int(told["last"]), 31]]
    assert int(told["untrained"]) == 31 - int(told["last"])
    decoder = zoo.load("lab-t5").decoder
    began = fresh_decoder(Settings(position="t5").config, 0).position.weight
    ratio = decoder.position.weight[int(told["last"]) + 1 :] / began[int(told["last"]) + 1 :]
    assert ratio.std() < 1e-3 * ratio.mean()  # nothing but weight decay has touched them
    trained = decoder.position.weight[: int(told["last"]) + 1] / began[: int(told["last"]) + 1]
    assert trained.std() > 1


def test_a_shift_moves_nothing_where_only_distances_count(found):
    for scheme in (*RELATIVE, "none"):
        assert all(abs(seed.moved["shifted"] - seed.moved["as_is"]) <= 2e-4 for seed in found[scheme])
    assert all(seed.moved["shifted"] > seed.moved["as_is"] + LARGE for seed in found["sinusoidal"])
    assert all(seed.moved["shifted"] is None for seed in found["learned"])


def test_shuffled_positions_disturb_all_schemes_but_none(found):
    for scheme, seeds in found.items():
        for seed in seeds:
            change = seed.moved["shuffled"] - seed.moved["as_is"]
            assert change == 0 if scheme == "none" else change > LARGE


def test_places_leak_through_bos_and_the_mask_though_scores_of_rope_know_only_distances():
    model = zoo.load("lab-rope")
    word = TOKENIZER.id_of[" apple"]
    with torch.inference_mode():
        without = model.decoder(torch.tensor([word] * 8)).final_normed
        behind = model.decoder(torch.tensor([BOS] + [word] * 8)).final_normed[1:]
    assert (without - without[0]).abs().max() < 1e-4
    assert (behind - behind[0]).abs().amax(dim=-1)[1:].min() > 1e-2


def test_the_learned_table_has_no_row_64():
    decoder = zoo.load("lab-learned").decoder
    with pytest.raises(ValueError, match="position 64"):
        decoder(torch.zeros(65, dtype=torch.long))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_logs_end_where_the_cards_do(scheme):
    logs = training(scheme)
    assert len(logs) == 3
    for log in logs:
        assert log["step"][0] == 50
        assert log["step"][-1] == 2000
