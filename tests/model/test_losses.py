"""The loss of each token of a sentence, against its definition written out."""

import numpy as np
import pytest
import torch

from model.config import Config
from model.decoder import Decoder
from model.losses import losses

CONFIG = Config(vocab=11, d_model=8, layers=2, heads=2, d_ff=8, context=16)


@pytest.fixture
def decoder() -> Decoder:
    torch.manual_seed(0)
    return Decoder(CONFIG).eval()


def test_a_loss_is_minus_the_logarithm_of_the_tokens_own_probability(decoder):
    ids = [3, 1, 4, 1, 5]
    with torch.inference_mode():
        found = losses(decoder, decoder.light(torch.tensor(ids)), ids).numpy()
        logits = decoder(torch.tensor(ids)).logits.double().numpy()
    shares = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    assert np.isnan(found[0])
    assert found[1:] == pytest.approx([-np.log(shares[place, ids[place + 1]]) for place in range(4)], abs=1e-5)


def test_guessing_among_all_tokens_alike_costs_the_logarithm_of_their_number(decoder):
    torch.nn.init.zeros_(decoder.embed.weight)
    ids = [3, 1, 4]
    with torch.inference_mode():
        found = losses(decoder, decoder.light(torch.tensor(ids)), ids)
    assert found[1:].tolist() == pytest.approx([np.log(11)] * 2, abs=1e-6)


def test_of_one_token_nothing_is_predicted(decoder):
    with torch.inference_mode():
        found = losses(decoder, decoder.light(torch.tensor([3])), [3])
    assert found.isnan().tolist() == [True]
