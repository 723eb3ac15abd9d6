"""While the tests run, every shape in a signature of `model` is checked; at run time such checks cost nothing."""

import jaxtyping
import pytest
import torch

from viz import theme

# The tower: a whole number may stand for a float, as Python's own rules for types have it.
jaxtyping.install_import_hook("model", "beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))")
torch.set_num_threads(1)
theme.CHECKED = True  # every figure that a test makes is one that Plotly knows


@pytest.fixture
def unchecked(monkeypatch) -> None:
    """Without those checks, as a reader's wrong input meets the code."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


@pytest.fixture
def computed(monkeypatch) -> list:
    """Every block that computed something, in order, since the test began."""
    from model.decoder import Block  # after the hook above

    blocks, forward = [], Block.forward
    monkeypatch.setattr(Block, "forward", lambda block, *given: blocks.append(block) or forward(block, *given))
    return blocks


@pytest.fixture(scope="session")
def smollm2():
    """SmolLM2-135M as the app loads it, once for all tests that read it."""
    from tests.model import pretrained  # after the hook above

    return pretrained.smollm2()


@pytest.fixture
def only_smollm2(monkeypatch) -> None:
    """A server whose operator offers SmolLM2 alone, so that every page opens with it."""
    from tests.model import pretrained

    pretrained.smollm2_file()
    monkeypatch.setenv("GLASSFORMER_MODELS", "smollm2")
