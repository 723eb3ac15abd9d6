"""What it costs to show one's work: a full trace against the same run thrown away, and against transformers.

python -m benchmarks.trace_cost [--threads N]        with SmolLM2, at several lengths; the app runs with one thread

What a full trace keeps must be fresh memory each time, which the system hands out page by page: where pages are dear,
that alone decides. On Linux MALLOC_TRIM_THRESHOLD_=1073741824 MALLOC_MMAP_THRESHOLD_=1073741824 let a process keep
its memory.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable

import torch
from torch import Tensor
from transformers import LlamaForCausalLM, modeling_utils

from benchmarks.record import compared, failed, record
from model import zoo
from model.decoder import UNTOUCHED, Decoder

LENGTHS = (16, 64, 128)
ROUNDS = 25
TEXT = "The cat sat on the mat because it was tired, and the dog lay down beside it. " * 10


def thrown_away(decoder: Decoder, ids: Tensor) -> Tensor:
    """The logits alone; every other result is let go as soon as the next stage has used it."""
    positions = torch.arange(len(ids))
    gains = [1.0] * decoder.config.heads
    x = decoder.position.embed(decoder.embed(ids), positions)
    for block in decoder.blocks:
        x = block(x, decoder.position, positions, UNTOUCHED, gains).output
    return decoder.read_out(x)[1]


def their_decoder() -> LlamaForCausalLM:
    """The same file in transformers, with explicit attention."""
    path = zoo.find_smollm2()
    modeling_utils.is_accelerate_available = lambda *_: True  # asked for, and not needed on one device
    model = LlamaForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, attn_implementation="eager", dtype=torch.float32
    )
    return model.eval()


def seconds(task: Callable[[], object]) -> float:
    """How long a task takes, its result included until it is done."""
    start = time.perf_counter()
    result = task()
    passed = time.perf_counter() - start
    del result
    return passed


def interleaved(one: Callable, other: Callable) -> tuple[list[float], list[float]]:
    """Times of both, taken in turn, so that what else the machine does slows both alike."""
    for task in (one, other):
        task()
    pairs = [(seconds(one), seconds(other)) for _ in range(ROUNDS)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


@torch.inference_mode()
def rows(decoder: Decoder, theirs: LlamaForCausalLM, ids: Tensor) -> list[dict]:
    """All comparisons at one length."""
    assert torch.equal(decoder(ids).logits, thrown_away(decoder, ids))
    tasks = {
        "full trace": lambda: decoder(ids),
        "light trace and logits": lambda: decoder.read_out(decoder.light(ids).output),
        "the same run, each block thrown away": lambda: thrown_away(decoder, ids),
        "transformers with attentions and hidden states": lambda: theirs(
            ids[None], output_attentions=True, output_hidden_states=True, use_cache=False
        ),
    }
    found = []
    for (what, against), bar in BARS.items():
        ours, others = interleaved(tasks[what], tasks[against])
        about = {"what": what, "against": against, "tokens": len(ids), "threads": torch.get_num_threads()}
        found.append(about | compared(ours, others, bar))
        print(found[-1], file=sys.stderr)
    return found


def main() -> int:
    """Measures, and writes results/trace_cost.json."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=1)
    threads = parser.parse_args().threads
    model, theirs = zoo.load("smollm2"), their_decoder()
    torch.set_num_threads(threads)
    ids = torch.tensor([token.id for token in model.tokenizer.encode(TEXT)])
    found = [row for length in LENGTHS for row in rows(model.decoder, theirs, ids[:length])]
    kept = ", ".join(f"{name}={os.environ[name]}" for name in MALLOC if name in os.environ) or "the system's own"
    note = f"ratio: median over {ROUNDS} neighbouring pairs of runs; rules for memory: {kept}"
    record("trace_cost", found, note)
    return failed(found)


MALLOC = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_")
BARS = {
    ("full trace", "the same run, each block thrown away"): 1.15,
    ("full trace", "transformers with attentions and hidden states"): 1.0,
    ("light trace and logits", "the same run, each block thrown away"): 1.15,
}


if __name__ == "__main__":
    sys.exit(main())
