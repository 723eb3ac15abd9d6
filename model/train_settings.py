"""The numbers that a training run is made of, checked when they are put together."""

import math
from dataclasses import dataclass, fields
from functools import cached_property

from model.config import Config
from model.corpus import TOKENIZER


@dataclass(frozen=True)
class Settings:
    """What a run is made of; with the code, this decides every number of it. `train_windows` have `context` tokens.

    `sure_weight` is how many times a token that can be known for sure counts in the loss, against one that is chance.
    """

    position: str = "rope"
    seed: int = 0
    steps: int = 2000
    batch: int = 32
    context: int = 64
    layers: int = 3
    heads: int = 4
    d_model: int = 64
    d_ff: int = 128
    learning_rate: float = 0.003
    warmup: int = 100
    weight_decay: float = 0.01
    clip: float = 1.0
    sure_weight: float = 4.0
    train_windows: int = 20480
    test_windows: int = 128

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "clip", "learning_rate", "sure_weight", "test_windows"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise ValueError(f"{name} must be above 0; got {getattr(self, name)}.")
        if self.train_windows < self.batch:
            raise ValueError(f"train_windows {self.train_windows} must be at least one batch of {self.batch}.")
        if self.context < 32:
            raise ValueError(f"context must be at least 32, room for a few sentences; got {self.context}.")
        if not 0 <= self.warmup < self.steps:
            raise ValueError(f"warmup must be from 0 to steps - 1 = {self.steps - 1}; got {self.warmup}.")
        if self.weight_decay < 0 or self.seed < 0:
            raise ValueError("weight_decay and seed must not be negative.")
        _ = self.config

    @cached_property
    def config(self) -> Config:
        """The model's config: LayerNorm, GELU, biases, tied embeddings, for every scheme alike."""
        shape = {name: getattr(self, name) for name in ("position", "context", "layers", "heads", "d_model", "d_ff")}
        return Config(vocab=TOKENIZER.vocab, **shape)

    def rate(self, step: int) -> float:
        """The learning rate of a step: linear up during warm-up, then a cosine down to a hundredth."""
        if step < self.warmup:
            return self.learning_rate * (step + 1) / self.warmup
        done = (step - self.warmup) / (self.steps - self.warmup)
        return self.learning_rate * (0.01 + 0.99 * (1 + math.cos(math.pi * done)) / 2)

    def command(self) -> str:
        """The command line of this run."""
        changed = [field for field in fields(self) if getattr(self, field.name) != field.default]
        options = {"position": self.position, "seed": self.seed} | {f.name: getattr(self, f.name) for f in changed}
        return "python -m model.train " + " ".join(
            f"--{name.replace('_', '-')} {value}" for name, value in options.items()
        )
