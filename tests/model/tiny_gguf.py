"""Tiny llama-architecture GGUF files for the tests: whole, or wrong in one place that the test chooses."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter

from tests.model.bpe_oracle import STAND_IN

D_MODEL, HEADS, KV_HEADS, D_FF, LAYERS = 64, 4, 2, 96, 2
SPECIAL = ["<|end|>", "<|start|>"]
MERGES = ["Ġ t", "h e", "Ġt he", "æ Ĺ", "æĹ ¥"]
TOKENS = [*SPECIAL, *STAND_IN.values(), *(merge.replace(" ", "") for merge in MERGES)]
NORMAL, CONTROL = 1, 3


def fields(**changes: Any) -> dict[str, Any]:
    """What a whole file says of itself. Changes by the key's name with __ for each dot; None leaves a key out."""
    said = {
        "llama.block_count": LAYERS,
        "llama.context_length": 128,
        "llama.embedding_length": D_MODEL,
        "llama.feed_forward_length": D_FF,
        "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": KV_HEADS,
        "llama.attention.layer_norm_rms_epsilon": 2.0**-20,
        "llama.rope.freq_base": 50000.0,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": TOKENS,
        "tokenizer.ggml.token_type": [CONTROL] * len(SPECIAL) + [NORMAL] * (len(TOKENS) - len(SPECIAL)),
        "tokenizer.ggml.merges": MERGES,
        "tokenizer.ggml.bos_token_id": 1,
    }
    said |= {name.replace("__", "."): value for name, value in changes.items()}
    return {name: value for name, value in said.items() if value is not None}


def tensors(d_head: int = D_MODEL // HEADS, tied: bool = True, seed: int = 0) -> dict[str, np.ndarray]:
    """Random float32 tensors by the file's names, shaped (out, in)."""
    shapes = {"token_embd.weight": (len(TOKENS), D_MODEL), "output_norm.weight": (D_MODEL,)}
    if not tied:
        shapes["output.weight"] = (len(TOKENS), D_MODEL)
    for layer in range(LAYERS):
        block = {
            "attn_norm": (D_MODEL,),
            "attn_q": (HEADS * d_head, D_MODEL),
            "attn_k": (KV_HEADS * d_head, D_MODEL),
            "attn_v": (KV_HEADS * d_head, D_MODEL),
            "attn_output": (D_MODEL, HEADS * d_head),
            "ffn_norm": (D_MODEL,),
            "ffn_gate": (D_FF, D_MODEL),
            "ffn_up": (D_FF, D_MODEL),
            "ffn_down": (D_MODEL, D_FF),
        }
        shapes |= {f"blk.{layer}.{name}.weight": shape for name, shape in block.items()}
    generator = np.random.default_rng(seed)
    return {name: generator.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def write(
    path: Path,
    said: Mapping[str, Any] | None = None,
    held: Mapping[str, np.ndarray] | None = None,
    kinds: Mapping[str, str] | None = None,
    architecture: str = "llama",
) -> Path:
    """A file that says `said` and holds `held`; `kinds` names the storage of tensors that come as raw bytes."""
    writer = GGUFWriter(path, architecture)
    for key, value in (fields() if said is None else said).items():
        adder = next(adder for kind, adder in ADDERS.items() if isinstance(value, kind))
        getattr(writer, adder)(key, value)
    for name, values in (tensors() if held is None else held).items():
        kind = (kinds or {}).get(name)
        writer.add_tensor(name, values, raw_dtype=None if kind is None else GGMLQuantizationType[kind])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


ADDERS = {str: "add_string", bool: "add_bool", int: "add_uint32", float: "add_float32", list: "add_array"}
