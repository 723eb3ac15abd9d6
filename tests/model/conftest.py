"""Tiny decoders for the tests: every scheme, norm and feed-forward of the registries, and the rest spread over them.

A test that asks for `config` runs for each of them; one that asks for `scheme` runs for each position scheme.
"""

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from model.config import BIASES, FEED_FORWARDS, NORMS, POSITIONS, Config
from model.decoder import Decoder

TINY = Config(vocab=29, d_model=24, layers=2, heads=4, d_ff=40, context=64)


def _configs() -> dict[str, Config]:
    """Norm × feed-forward for each scheme; biases, heads, sharing, width of a head, partial rotary and tying vary."""
    configs = {}
    variants = list(itertools.product(NORMS, FEED_FORWARDS))
    for row, position in enumerate(POSITIONS):
        for column, (norm, feed_forward) in enumerate(variants):
            heads = (4, 6)[column % 2]
            sharing = (1, 2, heads)[(row + column) % 3]
            configs[f"{position}-{norm}-{feed_forward}"] = replace(
                TINY,
                heads=heads,
                kv_heads=heads // sharing,
                d_head=(24 // heads, 10)[column // 2 % 2],
                norm=norm,
                feed_forward=feed_forward,
                position=position,
                biases=BIASES[(column + column // 3) % 3],
                tied=column % 2 == 0,
                rotary_dim=(0, 2)[column % 2],
                rotary_base=(10000.0, 100000.0)[column % 2],
                t5_buckets=(32, 8)[column % 2],
                t5_max_distance=(128, 16)[column % 2],
            )
    return configs


CONFIGS = _configs()


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Random inputs are the same in every run."""
    torch.default_generator.manual_seed(0)


@pytest.fixture(params=CONFIGS.values(), ids=CONFIGS)
def config(request) -> Config:
    """Each tiny config in turn."""
    return request.param


@pytest.fixture(params=POSITIONS)
def scheme(request) -> str:
    """Each position scheme in turn."""
    return request.param


@pytest.fixture
def tiny() -> Callable[..., Config]:
    """`tiny(position="rope", kv_heads=2)`: a tiny config with these changes; what it derives is derived anew."""

    def make(**changes) -> Config:
        return replace(TINY, **{"kv_heads": 0, "d_head": 0, "rotary_dim": 0} | changes)

    return make


@pytest.fixture
def random_decoder() -> Callable[..., Decoder]:
    """`random_decoder(config, seed)`: weights so large that no law can hold merely because all is near zero."""

    def make(config: Config, seed: int = 0) -> Decoder:
        decoder = Decoder(config).requires_grad_(False)
        generator = torch.Generator().manual_seed(seed)
        for name, parameter in decoder.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(_sized(name, noise))
        return decoder

    return make


def _sized(name: str, noise: Tensor) -> Tensor:
    if name.startswith(("embed", "position")):
        return noise
    if name.endswith("norm.weight"):
        return 1 + 0.3 * noise
    if name.endswith("bias"):
        return 0.3 * noise
    return 1.2 * noise / noise.shape[-1] ** 0.5


@pytest.fixture
def sentence() -> Callable[..., Tensor]:
    """`sentence(7)`: that many random token ids of the tiny vocabulary; `sentence(2, 7)`: a batch of two."""

    def make(*shape: int, seed: int = 0) -> Tensor:
        return torch.randint(TINY.vocab, shape, generator=torch.Generator().manual_seed(seed))

    return make
