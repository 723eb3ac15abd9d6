"""A run of a tiny random decoder, for parts of pages that show a run of any model."""

from functools import cache

import tokenizers
import torch
from tokenizers import models, pre_tokenizers, trainers

from model.config import Config
from model.decoder import Decoder
from model.knobs import Knobs
from model.tokenizer import Tokenizer
from model.zoo import Model
from ui.session import Run

TEXT = "one <b>two</b> $x$ four:red[5] 六 شمس seven"
VOCAB = 400


@cache
def tiny_tokenizer() -> Tokenizer:
    """A byte-level BPE that knows every word of TEXT as one token."""
    library = tokenizers.Tokenizer(models.BPE())
    words = pre_tokenizers.Split(" ", "merged_with_next")
    library.pre_tokenizer = pre_tokenizers.Sequence([words, pre_tokenizers.ByteLevel(False, use_regex=False)])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=VOCAB, initial_alphabet=alphabet, show_progress=False)
    library.train_from_iterator([f"{TEXT} {TEXT}"], trainer)
    return Tokenizer(library)


def tiny_run(scheme: str = "rope", knobs: Knobs | None = None, seq: int = 7, **changes) -> Run:
    """`seq` words of TEXT, over and over, through two layers of four heads; `changes` go into the config."""
    sizes = {"vocab": VOCAB, "d_model": 24, "layers": 2, "heads": 4, "kv_heads": 2, "d_ff": 40, "context": 300}
    config = Config(**(sizes | changes), position=scheme)
    torch.default_generator.manual_seed(1)
    decoder = Decoder(config).requires_grad_(False)
    for parameter in decoder.parameters():
        parameter.mul_(3)
    words = TEXT.split()
    text = " ".join(words[place % len(words)] for place in range(seq))
    model = Model(f"tiny-{scheme}-{changes}", decoder, tiny_tokenizer(), 1e-5)
    tokens = model.tokenizer.encode(text)
    assert len(tokens) == seq
    return Run(model, text, tokens, knobs or Knobs())
