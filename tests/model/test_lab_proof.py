"""The lab's losses by NumPy are those of lab_scores, which PyTorch computes."""

import pytest
import torch

from model import lab_proof, lab_scores
from model.config import POSITIONS
from model.corpus import windows
from model.decoder import Decoder
from model.train import Settings, fresh_decoder


def tiny(position: str) -> Decoder:
    return fresh_decoder(Settings(position=position, context=32, layers=1, d_model=16, d_ff=16).config, 0)


@pytest.mark.parametrize("position", POSITIONS)
def test_moved_losses_agree(position):
    decoder = tiny(position)
    ours, again = lab_scores.moved(decoder, count=4), lab_proof.moved(decoder, count=4)
    assert list(ours) == list(again)
    assert [loss is None for loss in ours.values()] == [loss is None for loss in again.values()]
    for name, loss in ours.items():
        assert loss is None or again[name] == pytest.approx(loss, abs=1e-4)


@pytest.mark.parametrize("position", ["rope", "learned"])
def test_losses_within_the_trained_length_agree(position):
    decoder = tiny(position)
    ours = lab_scores.by_length(decoder, count=4)["loss"][:1]
    assert lab_proof.inside(decoder, count=4) == pytest.approx(ours, abs=1e-4)


@torch.inference_mode()
def test_the_last_loss_of_a_log_is_that_of_all_its_test_windows():
    decoder = tiny("alibi")
    from random import Random

    test = windows(Random("test"), Settings().test_windows, 32, test=True)
    logits = decoder(test.ids).logits
    ours = torch.nn.functional.cross_entropy(logits.transpose(1, 2), test.targets).item()
    assert lab_proof.trained(decoder) == pytest.approx(ours, abs=1e-4)
