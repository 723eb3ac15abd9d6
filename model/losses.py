"""How surprised a model was by each token of a sentence."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from model.decoder import Decoder
from model.trace import LightTrace


@torch.inference_mode()
def losses(decoder: Decoder, kept: LightTrace, ids: Sequence[int]) -> Float[Tensor, " seq"]:
    """−ln p of each token after those before it, in nats; NaN for the first, which nothing predicts.

    0 is a token foreseen for sure; ln vocab is what guessing among all tokens alike would cost.
    """
    found = torch.full((len(ids),), torch.nan)
    if len(ids) > 1:
        _, logits = decoder.read_out(kept.output[:-1])
        found[1:] = functional.cross_entropy(logits, torch.tensor(ids[1:]), reduction="none")
    return found
