"""Parameter counts from the config against decoders that were really made, and against published sizes."""

import itertools

import pytest
import torch

from model.config import Config
from model.decoder import Decoder
from model.parameter_count import added, concatenated, parameters, plain

SIZES = {"vocab": 50, "d_model": 24, "layers": 3, "heads": 4, "d_ff": 40, "context": 16}
CHOICES = {
    "position": ("none", "learned", "t5", "rope"),
    "norm": ("layer", "rms"),
    "feed_forward": ("gelu", "swiglu"),
    "biases": ("all", "qkv", "none"),
    "tied": (True, False),
    "kv_heads": (4, 2),
}


@pytest.mark.parametrize("chosen", itertools.product(*CHOICES.values()))
def test_the_parts_add_up_to_all_parameters_of_a_decoder(chosen):
    config = Config(**SIZES, **dict(zip(CHOICES, chosen, strict=True)))
    with torch.device("meta"):
        made = Decoder(config)
    assert sum(parameters(config).values()) == sum(parameter.numel() for parameter in made.parameters())


def test_gpt2_small_has_its_published_size():
    sizes = {"vocab": 50257, "d_model": 768, "layers": 12, "heads": 12, "d_ff": 3072, "context": 1024}
    assert sum(parameters(Config(**sizes, position="learned")).values()) == 124_439_808


def test_putting_end_to_end_doubles_the_width_and_quadruples_the_matrices():
    together, apart = added(1000, 512, 6, 8, 4), concatenated(1000, (512, 512), 6, 8, 4)
    assert apart["embedding"] == together["embedding"]
    assert apart["unembedding"] == 2 * together["unembedding"]
    for part in ("attention", "feed_forward"):
        assert apart[part] / together[part] == pytest.approx(4, rel=2e-3)


def test_a_position_of_no_width_costs_nothing():
    assert concatenated(1000, (512, 0), 6, 8, 4) == added(1000, 512, 6, 8, 4)


def test_adding_is_concatenating_with_the_two_halves_of_the_matrix_equal():
    token, position, matrix = torch.randn(5, 8), torch.randn(5, 8), torch.randn(8, 3)
    both = torch.cat((token, position), dim=-1) @ torch.cat((matrix, matrix))
    assert torch.allclose((token + position) @ matrix, both, atol=1e-5)


def test_the_counted_decoder_can_be_made():
    with torch.device("meta"):
        made = Decoder(plain(1000, 64, 2, 4, 4))
    assert sum(parameter.numel() for parameter in made.parameters()) == sum(added(1000, 64, 2, 4, 4).values())
