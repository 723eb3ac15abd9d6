"""Norms and feed-forwards: what a block has beside attention. Each is chosen by its name in the config."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from model.config import Config
from model.trace import FeedForwardTrace


class LayerNorm(nn.Module):
    """Subtracts the mean, divides by the standard deviation, then gain and shift (Ba et al. 2016, equation 4)."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.epsilon = config.norm_epsilon
        self.weight = nn.Parameter(torch.ones(config.d_model))
        self.bias = nn.Parameter(torch.zeros(config.d_model))

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Each row with mean 0 and variance 1, times the gain, plus the shift."""
        return functional.layer_norm(x, self.weight.shape, self.weight, self.bias, self.epsilon)


class RMSNorm(nn.Module):
    """Divides by the root mean square, then the gain (Zhang and Sennrich 2019). No mean is taken off."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.epsilon = config.norm_epsilon
        self.weight = nn.Parameter(torch.ones(config.d_model))

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Each row with mean square 1, times the gain."""
        return functional.rms_norm(x, self.weight.shape, self.weight, self.epsilon)


class FeedForward(nn.Module):
    """Expand, activate, contract, each token alone (Vaswani et al. 2017, equation 2, with GELU for ReLU)."""

    def __init__(self, config: Config, approximate: str) -> None:
        super().__init__()
        bias = config.biases == "all"
        self.approximate = approximate
        self.expand = nn.Linear(config.d_model, config.d_ff, bias=bias)
        self.contract = nn.Linear(config.d_ff, config.d_model, bias=bias)

    def forward(self, x: Float[Tensor, "*batch seq d_model"]) -> FeedForwardTrace:
        """The hidden units before and after GELU (Hendrycks and Gimpel 2016), and the output."""
        before = self.expand(x)
        hidden = functional.gelu(before, approximate=self.approximate)
        output = self.contract(hidden)
        return FeedForwardTrace(before, hidden, output)


class SwiGLU(nn.Module):
    """A feed-forward whose hidden units are gated by a second map of the input (Shazeer 2020)."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        bias = config.biases == "all"
        self.gate = nn.Linear(config.d_model, config.d_ff, bias=bias)
        self.expand = nn.Linear(config.d_model, config.d_ff, bias=bias)
        self.contract = nn.Linear(config.d_ff, config.d_model, bias=bias)

    def forward(self, x: Float[Tensor, "*batch seq d_model"]) -> FeedForwardTrace:
        """The gate before its activation, the gated hidden units, and the output."""
        before = self.gate(x)
        hidden = functional.silu(before)
        hidden *= self.expand(x)
        output = self.contract(hidden)
        return FeedForwardTrace(before, hidden, output)


NORMS = {"layer": LayerNorm, "rms": RMSNorm}
FEED_FORWARDS = {
    "gelu": lambda config: FeedForward(config, approximate="none"),
    "gelu_tanh": lambda config: FeedForward(config, approximate="tanh"),
    "swiglu": SwiGLU,
}
