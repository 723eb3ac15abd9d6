"""The decoder: embed, N pre-norm blocks, final norm, unembed.

One class for every model here; what differs is named in its config. `forward` returns all it computed.
"""

import threading
from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from model.attention import Attention
from model.config import Config
from model.knobs import Knobs
from model.layers import FEED_FORWARDS, NORMS
from model.position import SCHEMES, PositionEncoding
from model.trace import BlockTrace, LightTrace, Past, Trace

UNTOUCHED = Knobs()


class Block(nn.Module):
    """Attention, then feed-forward, each reading a normed copy of the residual stream and adding to it."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.attention_norm = NORMS[config.norm](config)
        self.attention = Attention(config)
        self.feed_forward_norm = NORMS[config.norm](config)
        self.feed_forward = FEED_FORWARDS[config.feed_forward](config)

    def forward(
        self,
        x: Float[Tensor, "*batch seq d_model"],
        position: PositionEncoding,
        positions: Int[Tensor, " key"],
        knobs: Knobs,
        gains: list[float],
        past: tuple[Tensor, Tensor] | None = None,
    ) -> BlockTrace:
        """Everything this block computed from the residual stream `x`."""
        attention_normed = self.attention_norm(x)
        attention = self.attention(attention_normed, position, positions, knobs, gains, past)
        between = x + attention.output
        feed_forward_normed = self.feed_forward_norm(between)
        feed_forward = self.feed_forward(feed_forward_normed)
        output = between + feed_forward.output
        return BlockTrace(x, attention_normed, attention, between, feed_forward_normed, feed_forward, output)


class Decoder(nn.Module):
    """A decoder-only Transformer that shows its work."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(config.vocab, config.d_model)
        self.position = SCHEMES[config.position](config)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.final_norm = NORMS[config.norm](config)
        self.unembed = None if config.tied else nn.Linear(config.d_model, config.vocab, bias=False)

    def forward(self, ids: Int[Tensor, "*batch seq"], knobs: Knobs = UNTOUCHED, past: Past | None = None) -> Trace:
        """The whole run. With a `past`, `ids` continue it and the rows are those of the full run."""
        positions, embeddings, position_part = self._enter(ids, knobs, past)
        blocks = tuple(self._through(embeddings + position_part, positions, knobs, past))
        final_normed, logits = self.read_out(blocks[-1].output)
        return Trace(positions, embeddings, position_part, blocks, final_normed, logits)

    def light(self, ids: Int[Tensor, "*batch seq"], knobs: Knobs = UNTOUCHED) -> LightTrace:
        """The same run, of which only the blocks' inputs and attention weights are kept. Without gradients."""
        return ForwardPass(self, ids, knobs).kept

    def read_out(
        self, residual: Float[Tensor, "*batch d_model"]
    ) -> tuple[Float[Tensor, "*batch d_model"], Float[Tensor, "*batch vocab"]]:
        """Final norm and logits of a residual stream; of an earlier one, this is the logit lens."""
        final_normed = self.final_norm(residual)
        return final_normed, functional.linear(final_normed, self.unembedding)

    def check(self, ids: Int[Tensor, "*batch seq"], knobs: Knobs = UNTOUCHED) -> None:
        """Raises the ValueError that a run of these would raise: whatever is refused is refused before block 0."""
        self._enter(ids, knobs, None)

    @property
    def unembedding(self) -> Float[Tensor, "vocab d_model"]:
        """The rows whose dot products with the final state are the logits; tied: the embedding table itself."""
        return self.embed.weight if self.unembed is None else self.unembed.weight

    def blocks_of(self, ids: Tensor, knobs: Knobs = UNTOUCHED) -> Iterator[BlockTrace]:
        """Block after block of a run, each computed when it is asked for."""
        positions, embeddings, position_part = self._enter(ids, knobs, None)
        return self._through(embeddings + position_part, positions, knobs, None)

    def arrays(self) -> dict[str, np.ndarray]:
        """Every parameter by its name, as the NumPy decoder reads it; the memory is shared."""
        return {name: tensor.numpy() for name, tensor in self.state_dict().items()}

    def _enter(self, ids: Tensor, knobs: Knobs, past: Past | None) -> tuple[Tensor, Tensor, Tensor]:
        seq = ids.shape[-1]
        if ids.numel() == 0:
            raise ValueError("there are no tokens; the decoder needs at least one.")
        if ids.min() < 0 or ids.max() >= self.config.vocab:
            raise ValueError(f"token ids go from 0 to {self.config.vocab - 1}; got {ids.min()} to {ids.max()}.")
        knobs.check(self.config, seq)
        start = 0 if past is None else int(past.positions[-1]) + 1
        new = torch.arange(start, start + seq) if knobs.positions is None else torch.tensor(knobs.positions)
        embeddings = self.embed(ids)
        position_part = self.position.embed(torch.zeros_like(embeddings), new)
        positions = new if past is None else torch.cat((past.positions, new))
        return positions, embeddings, position_part

    def _through(self, x: Tensor, positions: Tensor, knobs: Knobs, past: Past | None) -> Iterator[BlockTrace]:
        for layer in range(self.config.layers):
            block = self._block(layer, x, positions, knobs, past)
            x = block.output
            yield block

    def _block(self, layer: int, x: Tensor, positions: Tensor, knobs: Knobs, past: Past | None) -> BlockTrace:
        gains = knobs.gains(layer, self.config.heads)
        layer_past = None if past is None else (past.rotated_keys[layer], past.values[layer])
        return self.blocks[layer](x, self.position, positions, knobs, gains, layer_past)


class ForwardPass:
    """A light run on its way: block after block, each computed once, when something of it is first asked for.

    It may be shared: one thread computes a block, others that need it wait. Without gradients.
    """

    @torch.inference_mode()
    def __init__(self, decoder: Decoder, ids: Int[Tensor, "*batch seq"], knobs: Knobs = UNTOUCHED) -> None:
        self._decoder, self._knobs = decoder, knobs
        self.positions, self._embeddings, self._position_part = decoder._enter(ids, knobs, None)
        self._residuals = [self._embeddings + self._position_part]  # the input of every block so far, the last output
        self._weights: list[Tensor] = []
        self._locks = [threading.Lock() for _ in decoder.blocks]

    def weights(self, layer: int) -> Float[Tensor, "*batch heads query key"]:
        """The attention weights of one layer; later blocks need not be computed yet."""
        layer = self._layers[layer]
        self._compute(self._layers[: layer + 1])
        return self._weights[layer]

    @torch.inference_mode()
    def open_block(self, layer: int) -> BlockTrace:
        """All of one block, computed again from its kept input: bit for bit what the run computes."""
        layer = self._layers[layer]
        self._compute(self._layers[:layer])
        return self._decoder._block(layer, self._residuals[layer], self.positions, self._knobs, None)

    @property
    def kept(self) -> LightTrace:
        """The whole run in its light form."""
        self._compute(self._layers)
        *inputs, output = self._residuals
        entry = (self.positions, self._embeddings, self._position_part)
        return LightTrace(*entry, tuple(inputs), tuple(self._weights), output)

    @property
    def bytes(self) -> int:
        """Memory that the whole run holds, known before it is computed."""
        config, embedded = self._decoder.config, self._embeddings
        squares = embedded.nbytes // config.d_model * embedded.shape[-2] * config.heads * config.layers
        return self.positions.nbytes + embedded.nbytes * (config.layers + 3) + squares

    @property
    def _layers(self) -> range:
        return range(len(self._locks))

    @torch.inference_mode()
    def _compute(self, layers: range) -> None:
        """Computes what is missing of the first blocks. Each has its lock, so that nobody waits for later ones."""
        for layer in layers[len(self._weights) :]:
            with self._locks[layer]:
                if layer == len(self._weights):
                    block = self._decoder._block(layer, self._residuals[layer], self.positions, self._knobs, None)
                    self._residuals.append(block.output)
                    self._weights.append(block.attention.weights)
