"""The lab's measured losses computed again with NumPy: the same held-out windows, the formulas of numpy_decoder."""

from collections.abc import Sequence
from functools import lru_cache
from random import Random

import numpy as np
import torch
from jaxtyping import Float

from model import numpy_decoder
from model.corpus import Windows, windows
from model.decoder import Decoder
from model.lab_scores import BUCKET, LENGTHS, SHIFT
from model.train_settings import Settings

ROWS = 16  # windows in memory at a time


def inside(decoder: Decoder, count: int = 64) -> Float[np.ndarray, " bucket"]:
    """The mean loss over each bucket of 32 places within the trained length, as lab_scores.by_length reports it."""
    context = decoder.config.context
    long = _held_out("long", count, context * LENGTHS[-1])
    found = _losses(decoder, long.ids[:, :context], long.targets[:, :context])
    return found.reshape(count, -1, BUCKET).mean(axis=(0, 2))


def moved(decoder: Decoder, count: int = 64) -> dict[str, float | None]:
    """The mean loss as it is, with positions shifted and with positions shuffled, as lab_scores.moved reports it."""
    context = decoder.config.context
    test = _held_out("moved", count, context)
    shuffled = torch.randperm(context, generator=torch.Generator().manual_seed(0)).tolist()
    places = {"as_is": range(context), "shifted": range(SHIFT, SHIFT + context), "shuffled": shuffled}
    if decoder.config.position == "learned":
        places.pop("shifted")
    found = {name: float(_losses(decoder, test.ids, test.targets, list(at)).mean()) for name, at in places.items()}
    return {"as_is": None, "shifted": None, "shuffled": None} | found


def trained(decoder: Decoder) -> float:
    """The mean loss on the windows that training was watched with, as the last line of its log has it."""
    test = _held_out("test", Settings().test_windows, decoder.config.context)
    return float(_losses(decoder, test.ids, test.targets).mean())


@lru_cache(maxsize=4)
def _held_out(name: str, count: int, length: int) -> Windows:
    return windows(Random(name), count, length, test=True)


def _losses(
    decoder: Decoder, ids: torch.Tensor, targets: torch.Tensor, positions: Sequence[int] | None = None
) -> Float[np.ndarray, "window seq"]:
    weights = decoder.arrays()
    parts = []
    for rows, wanted in zip(ids.split(ROWS), targets.split(ROWS), strict=True):
        logits = numpy_decoder.run(decoder.config, weights, rows.numpy(), positions=positions)["logits"]
        shares = numpy_decoder.softmax(logits)
        parts.append(-np.log(np.take_along_axis(shares, wanted.numpy()[..., None], axis=-1)[..., 0]))
    return np.concatenate(parts)
