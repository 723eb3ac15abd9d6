"""Reading a GGUF file through the `gguf` library: config, tensors by our names, tokenizer parts.

Everything is checked before a tensor is unpacked: the file is whole, of a kind and architecture that is known here,
and each of its tensors is used. Rows of queries and keys in llama-architecture files lie in neighbour pairs, as our
RoPE turns them, so they are used as stored.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFReader, GGUFValueType
from gguf.quants import dequantize

from model.config import Config

READABLE_TYPES = ("F32", "F16", "BF16", "Q4_0", "Q4_1", "Q8_0")


class GGUFFile:
    """An opened GGUF file that has passed the checks. Its tensors stay on disk until asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        _check_magic(path)
        try:
            self._reader = _Reader(path)
        except Exception as error:
            raise ValueError(f"{path.name} is damaged or cut short: it cannot be read as GGUF ({error}).") from error
        architecture = self._read("general.architecture", str, "")
        if architecture not in ARCHITECTURES:
            known = ", ".join(ARCHITECTURES)
            raise ValueError(f"{path.name} holds a model of architecture {architecture!r}; known here are {known}.")
        self._prefix = architecture
        self._tensors = {tensor.name: tensor for tensor in self._reader.tensors}
        self.config = self._config()
        self._names = ARCHITECTURES[architecture]["tensors"](self.config)
        self._check_tensors()

    def __len__(self) -> int:
        """How many tensors there are."""
        return len(self._names)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Our name and the shape of each tensor, without unpacking any."""
        return {name: _shape(self._tensors[foreign]) for foreign, name in self._names.items()}

    def tensors(self) -> Iterator[tuple[str, np.ndarray]]:
        """Our name and float32 values of each tensor, unpacked one at a time."""
        for foreign, name in self._names.items():
            tensor = self._tensors[foreign]
            values = np.array(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
            values = values.reshape(_shape(tensor))
            if not np.isfinite(values).all():
                raise ValueError(f"{self.path.name} is damaged: {foreign} holds values that are not numbers.")
            yield name, values

    def tokenizer(self) -> dict[str, Any]:
        """What the file says of its tokenizer: tokens, merges, splitting rule, BOS (or None), special token ids."""
        kind = self._read("tokenizer.ggml.model", str, "missing")
        if kind != "gpt2":
            raise ValueError(
                f"{self.path.name} has a tokenizer of kind {kind!r}; known here is 'gpt2' (byte-level BPE)."
            )
        tokens = self._list("tokenizer.ggml.tokens", str)
        if len(tokens) != self.config.vocab:
            raise ValueError(f"{self.path.name} names {len(tokens)} tokens but embeds {self.config.vocab}.")
        adds_bos = self._read("tokenizer.ggml.add_bos_token", bool, False)
        types = self._list("tokenizer.ggml.token_type", int)
        return {
            "tokens": tokens,
            "merges": self._list("tokenizer.ggml.merges", str),
            "splitter": self._read("tokenizer.ggml.pre", str, "missing"),
            "bos": self._read("tokenizer.ggml.bos_token_id", int) if adds_bos else None,
            "special": [id_ for id_, type_ in enumerate(types) if type_ == CONTROL],
        }

    def _read(self, key: str, kind: type, *default: Any) -> Any:
        field = self._reader.fields.get(key)
        if field is None and default:
            return default[0]
        if field is None:
            raise ValueError(f"{self.path.name} does not say {key}.")
        value = _contents(field)
        if not isinstance(value, kind):
            raise ValueError(f"{self.path.name} is damaged: {key} is {value!r:.40}, not of type {kind.__name__}.")
        return value

    def _list(self, key: str, kind: type) -> list:
        values = self._read(key, list)
        if not all(isinstance(value, kind) for value in values):
            raise ValueError(f"{self.path.name} is damaged: {key} holds what is not of type {kind.__name__}.")
        return values

    def _config(self) -> Config:
        def number(name: str, kind: type, *default: Any) -> Any:
            return self._read(f"{self._prefix}.{name}", kind, *default)

        scaling = number("rope.scaling.type", str, "none")
        if scaling != "none" or "rope_freqs.weight" in self._tensors:
            raise ValueError(f"{self.path.name} scales its rotary positions ({scaling}); that is not supported here.")
        layers = number("block_count", int)
        if layers > len(self._tensors):
            raise ValueError(f"{self.path.name} says it has {layers} layers, but holds {len(self._tensors)} tensors.")
        return Config(
            vocab=_shape(self._tensor("token_embd.weight"))[0],
            d_model=number("embedding_length", int),
            layers=layers,
            heads=number("attention.head_count", int),
            kv_heads=number("attention.head_count_kv", int, 0),
            d_head=number("attention.key_length", int, 0),
            d_ff=number("feed_forward_length", int),
            context=number("context_length", int),
            norm_epsilon=number("attention.layer_norm_rms_epsilon", float),
            rotary_base=number("rope.freq_base", float, 10000.0),
            rotary_dim=number("rope.dimension_count", int, 0),
            tied="output.weight" not in self._tensors,
            **ARCHITECTURES[self._prefix]["config"],
        )

    def _tensor(self, name: str) -> Any:
        if name not in self._tensors:
            raise ValueError(f"{self.path.name} lacks the tensor {name}.")
        return self._tensors[name]

    def _check_tensors(self) -> None:
        unknown = sorted(set(self._tensors) - set(self._names))
        if unknown:
            raise ValueError(f"{self.path.name} has tensors that would go unused: {', '.join(unknown[:5])}.")
        for name in self._names:
            kind = self._tensor(name).tensor_type.name
            if kind not in READABLE_TYPES:
                raise ValueError(f"{name} is stored as {kind}; readable here are {', '.join(READABLE_TYPES)}.")


class _Reader(GGUFReader):
    """The library's reader, held to the file: alone it reads on past the end, as often as a damaged count says."""

    reads = 0

    def _get(self, offset, dtype, count=1, override_order=None):
        self.reads += 1
        if self.reads > MOST_READS:
            raise ValueError("its header does not end")
        return np.frombuffer(self.data, np.dtype(dtype).newbyteorder("<"), int(count), int(offset))


def llama_tensors(config: Config) -> dict[str, str]:
    """The llama architecture's tensor names and ours."""
    names = {"token_embd.weight": "embed.weight", "output_norm.weight": "final_norm.weight"}
    if not config.tied:
        names["output.weight"] = "unembed.weight"
    for layer in range(config.layers):
        for foreign, ours in LLAMA_BLOCK.items():
            names[f"blk.{layer}.{foreign}.weight"] = f"blocks.{layer}.{ours}.weight"
    return names


def _check_magic(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(8)
    if head[:4] != b"GGUF":
        raise ValueError(f"{path.name} is not a GGUF file: it begins with {head[:4]!r}, not b'GGUF'.")
    version = int.from_bytes(head[4:], "little")
    if version not in (2, 3):
        raise ValueError(f"{path.name} is GGUF version {version}; versions 2 and 3 are readable.")


def _shape(tensor: Any) -> tuple[int, ...]:
    return tuple(int(size) for size in reversed(tensor.shape))


def _contents(field: Any) -> Any:
    """A field's value; for lists of strings much quicker than the library's own way."""
    if field.types[0] is GGUFValueType.ARRAY and field.types[1] is GGUFValueType.STRING:
        return [field.parts[place].tobytes().decode() for place in field.data]
    return field.contents()


MOST_READS = 4_000_000  # several times what the largest vocabularies take
CONTROL = 3
LLAMA_BLOCK = {
    "attn_norm": "attention_norm",
    "attn_q": "attention.query",
    "attn_k": "attention.key",
    "attn_v": "attention.value",
    "attn_output": "attention.output",
    "ffn_norm": "feed_forward_norm",
    "ffn_gate": "feed_forward.gate",
    "ffn_up": "feed_forward.expand",
    "ffn_down": "feed_forward.contract",
}
ARCHITECTURES = {
    "llama": {
        "config": {"norm": "rms", "feed_forward": "swiglu", "position": "rope", "biases": "none"},
        "tensors": llama_tensors,
    },
}
