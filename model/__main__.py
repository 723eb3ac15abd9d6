"""python -m model "The cat sat" --model smollm2 --out trace.npz: every tensor of a run, by its dotted name."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np

from model import zoo
from model.knobs import EXAMPLES, Knobs
from model.trace import named_tensors


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line; bad input ends it with one line that says what to do."""
    options = _parser().parse_args(arguments)
    try:
        _run(options)
    except (ValueError, OSError) as error:
        sys.exit(f"python -m model: {error}")


def _run(options: argparse.Namespace) -> None:
    if options.out.suffix != ".npz":
        raise ValueError(f"--out {options.out} must end in .npz")
    knobs = Knobs.parse(" ".join(options.knobs))
    model = zoo.load(options.model)
    tokens = model.tokenizer.encode(options.text)
    trace = model.run(tokens, knobs)
    tensors = {name: tensor.numpy() for name, tensor in named_tensors(trace)}
    np.savez(options.out, **tensors)
    about = {
        "model": options.model,
        "text": options.text,
        "knobs": str(knobs),
        "config": asdict(model.config),
        "tokens": [{**asdict(token), "bytes": token.bytes.hex(" ")} for token in tokens],
    }
    beside = options.out.with_suffix(".json")
    beside.write_text(json.dumps(about, ensure_ascii=False, indent=2), encoding="utf-8")
    print(f"{options.out}: {len(tensors)} tensors of {len(tokens)} tokens; {beside}: tokens and config.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m model", description="Every tensor of one run, in an .npz file.")
    parser.add_argument("text", help="the sentence")
    parser.add_argument("--model", default=next(iter(zoo.MODELS)), help=f"which model runs it: {', '.join(zoo.MODELS)}")
    parser.add_argument("--out", type=Path, default=Path("trace.npz"), help="where the tensors go (default: trace.npz)")
    examples = ", ".join(EXAMPLES.values())
    parser.add_argument("--knobs", nargs="*", default=[], metavar="KNOB", help=f"what to change: {examples}")
    return parser


if __name__ == "__main__":
    main()
