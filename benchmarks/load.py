"""How long a reader waits for SmolLM2: a later load with its tokenizer, against transformers with the same file.

python -m benchmarks.load        each load in a fresh process, in turn; imports are not counted
"""

import subprocess
import sys
from pathlib import Path

from benchmarks.record import compared, failed, record

ROUNDS = 5
BAR = 0.25
OURS = """
import time
from model import zoo
start = time.perf_counter()
model = zoo.load("smollm2")
print(time.perf_counter() - start)
assert len(model.tokenizer.encode("The cat")) == 2
"""
THEIRS = """
import time
import gguf, torch, transformers.modeling_gguf_pytorch_utils
from transformers import AutoTokenizer, LlamaForCausalLM, modeling_utils
from model import zoo
modeling_utils.is_accelerate_available = lambda *_: True  # asked for, and not needed on one device
path = zoo.find_smollm2()
start = time.perf_counter()
tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
model = LlamaForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32)
print(time.perf_counter() - start)
assert len(tokenizer("The cat")["input_ids"]) == 2
"""


def seconds(code: str) -> float:
    """The number that this code prints in a process of its own."""
    command = [sys.executable, "-c", code]
    here = Path(__file__).parents[1]
    return float(
        subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, cwd=here).stdout
    )


def main() -> int:
    """Measures, and writes results/load.json."""
    seconds(OURS)  # the first load of all unpacks the file
    pairs = [(seconds(OURS), seconds(THEIRS)) for _ in range(ROUNDS)]
    ours, theirs = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    against = "transformers, model and tokenizer, from the same GGUF file"
    rows = [{"what": "a later load, model and tokenizer", "against": against} | compared(ours, theirs, BAR)]
    record("load", rows, f"ratio: median over {ROUNDS} neighbouring pairs of loads, each in a fresh process")
    return failed(rows)


if __name__ == "__main__":
    sys.exit(main())
