"""The numbers of one block of one sentence, by name, whichever decoder has computed them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from model.config import Config


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the pairs are computed on: one block of one sentence, and which layer, head and query are picked.

    tensors    the block's tensors by their names in a trace, such as "attention.query"; only the block's own
    weights    every parameter of the model
    t5_table   (buckets, heads): the trained relative bias that stands in where the model has none of its own
    """

    config: Config
    weights: Mapping[str, np.ndarray]
    tensors: Mapping[str, np.ndarray]
    t5_table: Float[np.ndarray, "buckets t5_heads"]
    layer: int
    head: int
    row: int

    @property
    def positions(self) -> np.ndarray:
        """0, 1, 2 …, one a token."""
        return np.arange(len(self.tensors["attention_normed"]))

    @property
    def query(self) -> Float[np.ndarray, "seq d_head"]:
        """The picked head's queries, before any rotation."""
        return self.tensors["attention.query"][self.head].astype(np.float64)

    @property
    def key(self) -> Float[np.ndarray, "seq d_head"]:
        """The keys that the picked head reads, before any rotation."""
        kv_head = self.head // (self.config.heads // self.config.kv_heads)
        return self.tensors["attention.key"][kv_head].astype(np.float64)

    @property
    def normed(self) -> Float[np.ndarray, "seq d_model"]:
        """What goes into the projections: the residual stream after the norm."""
        return self.tensor("attention_normed")

    @property
    def products(self) -> Float[np.ndarray, "query key"]:
        """q·k of the picked head as the model computes them."""
        return self.tensors["attention.raw_scores"][self.head].astype(np.float64)

    @property
    def scores(self) -> Float[np.ndarray, "query key"]:
        """q·k ÷ √d_head of the picked head, without bias and mask."""
        return self.products / math.sqrt(self.config.d_head)

    @property
    def turning(self) -> tuple[float, int]:
        """RoPE's base and how many dimensions turn: the model's, or 10000 and all for a model without RoPE."""
        if self.config.position == "rope":
            return self.config.rotary_base, self.config.rotary_dim
        return 10000.0, self.config.d_head // 2 * 2

    def tensor(self, name: str) -> np.ndarray:
        """One of the block's tensors, in float64."""
        return self.tensors[name].astype(np.float64)

    def weight(self, part: str) -> np.ndarray:
        """A parameter of the block's attention, such as "query.weight", in float64."""
        return self.weights[f"blocks.{self.layer}.attention.{part}"].astype(np.float64)
