"""The overview's questions to a run: how long the residual stream is, what comes next, and how early that is settled.

The logit lens (nostalgebraist 2020) reads the residual stream after each block as if it were the last. What it shows
is what the unembedding would say there, not what the model knows there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.analysis import likeliest
from model.decoder import Decoder
from model.trace import LightTrace, held_bytes

ROWS = 64  # rows of logits in memory at a time: a large vocabulary has 200 kB a row
FULL_COLOUR = 3.0  # a colour scale ends at this many standard deviations of the table it shows


@dataclass(frozen=True, eq=False)
class Answers:
    """The likeliest next tokens after each token, the likeliest first, and their probabilities."""

    ids: Int[Tensor, "seq count"]
    probabilities: Float[Tensor, "seq count"]

    @property
    def bytes(self) -> int:
        """Memory held by the tensors."""
        return held_bytes(self)


@torch.inference_mode()
def answers(decoder: Decoder, kept: LightTrace, count: int) -> Answers:
    """The `count` likeliest next tokens at every place of one sentence."""
    tops = []
    for residual in kept.output.split(ROWS):
        _, logits = decoder.read_out(residual)
        tops.append(likeliest(logits, count))
    ids, probabilities = zip(*tops, strict=True)
    return Answers(torch.cat(ids), torch.cat(probabilities))


@torch.inference_mode()
def norms(kept: LightTrace) -> Float[Tensor, "seq layers"]:
    """The Euclidean length of each token's residual stream after each block."""
    return _depths(kept).norm(dim=-1)


@torch.inference_mode()
def lens(
    decoder: Decoder, kept: LightTrace, lanes: Sequence[int], finals: Int[Tensor, " seq"]
) -> Float[Tensor, "seq layers"]:
    """How probable each token of `finals` already is after each block; NaN in the lanes that are not asked for.

    `lanes` are places in the sentence; `finals` are the token ids that the model ends with at every place (see
    `answers`), so that after the last block this is the model's own probability. One unembedding a lane and block.
    """
    asked = list(lanes)
    shares = torch.full((len(finals), len(kept.inputs)), torch.nan)
    residuals = _depths(kept)[asked].flatten(0, 1)
    wanted = finals[asked].repeat_interleave(len(kept.inputs))[:, None]
    parts = []
    for residual, ids in zip(residuals.split(ROWS), wanted.split(ROWS), strict=True):
        _, logits = decoder.read_out(residual)
        parts.append(torch.softmax(logits, dim=-1).gather(-1, ids))
    shares[asked] = torch.cat(parts).reshape(len(asked), -1)
    return shares


@torch.inference_mode()
def reach(decoder: Decoder) -> dict[str, float]:
    """Where the colour scales of the embedding and of the position vectors end, one number a model.

    Sinusoids end at 1; of a learned table, as of the embeddings, the scale holds three standard deviations.
    """
    position = decoder.state_dict().get("position.weight")
    learned = decoder.config.position == "learned" and position is not None
    return {
        "embedding": FULL_COLOUR * decoder.embed.weight.std().item(),
        "position": FULL_COLOUR * position.std().item() if learned else 1.0,
    }


def _depths(kept: LightTrace) -> Float[Tensor, "seq layers d_model"]:
    """The residual stream after each block."""
    return torch.stack(kept.outputs, dim=-2)
