"""GGUF files: what they say becomes a config and exact numbers, and what is wrong is refused before memory is taken."""

import random
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from model import gguf_file
from model.checkpoint import load_gguf
from model.gguf_file import READABLE_TYPES, GGUFFile
from tests.model import tiny_gguf
from tests.model.tiny_gguf import D_FF, D_MODEL, HEADS, KV_HEADS, LAYERS, TOKENS, fields, tensors, write


class Unpacking(Exception):
    """A tensor was about to be unpacked."""


@pytest.fixture
def nothing_unpacked(monkeypatch) -> None:
    """From here on, unpacking a tensor is an Unpacking error."""

    def refuse(*_):
        raise Unpacking

    monkeypatch.setattr(gguf_file, "dequantize", refuse)


def test_the_config_is_what_the_file_says(tmp_path):
    config = GGUFFile(write(tmp_path / "tiny.gguf")).config
    assert (config.vocab, config.d_model, config.layers, config.d_ff) == (len(TOKENS), D_MODEL, LAYERS, D_FF)
    assert (config.heads, config.kv_heads, config.d_head) == (HEADS, KV_HEADS, D_MODEL // HEADS)
    assert (config.norm, config.feed_forward, config.biases) == ("rms", "swiglu", "none")
    assert (config.position, config.rotary_base, config.rotary_dim) == ("rope", 50000.0, config.d_head)  # B39
    assert (config.context, config.norm_epsilon, config.tied) == (128, 2.0**-20, True)


def test_heads_may_be_wider_than_their_share_of_the_residual_stream(tmp_path):  # B52
    said, held = fields(llama__attention__key_length=32), tensors(d_head=32)
    config, values = read(write(tmp_path / "wide.gguf", said, held))
    assert config.d_head == config.rotary_dim == 32
    assert values["blocks.0.attention.query.weight"].shape == (HEADS * 32, D_MODEL)
    assert values["blocks.0.attention.output.weight"].shape == (D_MODEL, HEADS * 32)


def test_rotation_may_be_partial(tmp_path):  # B38
    config = GGUFFile(write(tmp_path / "partial.gguf", fields(llama__rope__dimension_count=8))).config
    assert (config.d_head, config.rotary_dim) == (16, 8)


def test_without_a_count_of_key_heads_every_head_has_its_own(tmp_path):
    said = fields(llama__attention__head_count_kv=None)
    assert GGUFFile(write(tmp_path / "tiny.gguf", said)).config.kv_heads == HEADS


@pytest.mark.parametrize("tied", [True, False])
def test_a_file_without_output_rows_is_tied(tmp_path, tied):  # B45, B48
    config, values = read(write(tmp_path / "tiny.gguf", held=tensors(tied=tied)))
    assert config.tied is tied
    assert ("unembed.weight" in values) is not tied


def read(path: Path) -> tuple:
    """The config, and every tensor by our name."""
    file = GGUFFile(path)
    return file.config, dict(file.tensors())


FOREIGN_NAMES = {
    "embed": "token_embd",
    "final_norm": "output_norm",
    "unembed": "output",
    "blocks.1.attention_norm": "blk.1.attn_norm",
    "blocks.1.attention.query": "blk.1.attn_q",
    "blocks.1.attention.key": "blk.1.attn_k",
    "blocks.1.attention.value": "blk.1.attn_v",
    "blocks.1.attention.output": "blk.1.attn_output",
    "blocks.1.feed_forward_norm": "blk.1.ffn_norm",
    "blocks.1.feed_forward.gate": "blk.1.ffn_gate",
    "blocks.1.feed_forward.expand": "blk.1.ffn_up",
    "blocks.1.feed_forward.contract": "blk.1.ffn_down",
}


def test_every_tensor_comes_under_our_name_as_it_is_stored(tmp_path):
    """Also the rows of queries and keys: they lie in neighbour pairs, as our rotation turns them (B47)."""
    held = tensors(tied=False)
    _, values = read(write(tmp_path / "tiny.gguf", held=held))
    assert len(values) == len(held)
    for ours, foreign in FOREIGN_NAMES.items():
        np.testing.assert_array_equal(values[f"{ours}.weight"], held[f"{foreign}.weight"])
    assert all(value.dtype == np.float32 for value in values.values())


def blocks(raw: np.ndarray, *parts: tuple[str, int]) -> list[np.ndarray]:
    """Rows of raw bytes as blocks of 32 numbers, each cut into parts of this type and count."""
    layout = np.dtype([(f"part{index}", kind, (count,)) for index, (kind, count) in enumerate(parts)])
    return [raw.view(layout)[name] for name in layout.names]


def nibbles(packed: np.ndarray) -> np.ndarray:
    """Sixteen low halves of bytes, then the sixteen high ones."""
    return np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32)


def q4_0(raw: np.ndarray) -> np.ndarray:
    step, packed = blocks(raw, ("<f2", 1), ("u1", 16))
    return step.astype(np.float32) * (nibbles(packed) - 8)


def q4_1(raw: np.ndarray) -> np.ndarray:
    step, lowest, packed = blocks(raw, ("<f2", 1), ("<f2", 1), ("u1", 16))
    return step.astype(np.float32) * nibbles(packed) + lowest.astype(np.float32)


def q8_0(raw: np.ndarray) -> np.ndarray:
    step, numbers = blocks(raw, ("<f2", 1), ("i1", 32))
    return step.astype(np.float32) * numbers.astype(np.float32)


def bf16(raw: np.ndarray) -> np.ndarray:
    """The upper halves of float32."""
    return (raw.view("<u2").astype(np.uint32) << 16).view(np.float32)


# Bytes for 32 numbers, where float16 numbers lie among them, and the definition.
STORAGE: dict[str, tuple[int, list[int], Callable]] = {
    "F32": (128, [], lambda raw: raw.view("<f4")),
    "F16": (64, list(range(0, 64, 2)), lambda raw: raw.view("<f2").astype(np.float32)),
    "BF16": (64, [], bf16),
    "Q4_0": (18, [0], q4_0),
    "Q4_1": (20, [0, 2], q4_1),
    "Q8_0": (34, [0], q8_0),
}


def random_blocks(kind: str, rows: int) -> np.ndarray:
    """Random bytes that hold D_MODEL finite numbers a row."""
    size, scales, _ = STORAGE[kind]
    generator = np.random.default_rng(size)
    raw = generator.integers(0, 256, (rows, D_MODEL // 32, size), dtype=np.uint8)
    if kind in ("F32", "BF16"):
        width = 4 if kind == "F32" else 2
        raw[..., width - 1 :: width] &= 0x3F  # exponents that are not those of infinity
    for place in scales:
        raw[..., place + 1] &= 0x3F
    return raw.reshape(rows, -1)


@pytest.mark.parametrize("kind", READABLE_TYPES)
def test_numbers_are_unpacked_exactly_by_the_definition(tmp_path, kind):  # B49
    raw = random_blocks(kind, D_FF)
    stored = raw.view({"F32": "<f4", "F16": "<f2"}.get(kind, "u1"))
    path = write(
        tmp_path / "tiny.gguf",
        held=tensors() | {"blk.1.ffn_up.weight": stored},
        kinds={"blk.1.ffn_up.weight": kind},
    )
    values = read(path)[1]["blocks.1.feed_forward.expand.weight"]
    assert values.shape == (D_FF, D_MODEL)
    np.testing.assert_array_equal(values, STORAGE[kind][2](raw).reshape(D_FF, D_MODEL))
    assert np.ptp(values) > 0


def without(name: str) -> dict[str, np.ndarray]:
    return {foreign: values for foreign, values in tensors().items() if foreign != name}


def stored_as(kind: str, bytes_a_row: int) -> dict:
    name = "blk.1.ffn_up.weight"
    raw = np.zeros((D_FF, bytes_a_row), dtype=np.uint8)
    return {"held": tensors() | {name: raw}, "kinds": {name: kind}}


def reshaped(name: str, *shape: int) -> dict:
    return {"held": tensors() | {name: np.ones(shape, dtype=np.float32)}}


WRONG = {
    "another architecture": ({"architecture": "mamba"}, "architecture 'mamba'.*llama"),
    "a missing tensor": ({"held": without("blk.1.ffn_up.weight")}, r"lacks the tensor blk\.1\.ffn_up\.weight"),
    "no embedding": ({"held": without("token_embd.weight")}, r"lacks the tensor token_embd\.weight"),
    "an extra tensor": (reshaped("blk.0.attn_q.bias", D_MODEL), r"unused.*blk\.0\.attn_q\.bias"),
    "an extra layer": (reshaped("blk.2.attn_q.weight", D_MODEL, D_MODEL), r"unused.*blk\.2\.attn_q\.weight"),
    "64-bit numbers": ({"held": tensors() | {"output_norm.weight": np.ones(D_MODEL)}}, "output_norm.* F64.*Q4_1"),
    "too few key rows": (reshaped("blk.0.attn_k.weight", 16, D_MODEL), r"key\.weight is \(16, 64\).*\(32, 64\)"),
    "a turned tensor": (reshaped("blk.0.ffn_up.weight", D_MODEL, D_FF), r"expand\.weight is \(64, 96\).*\(96, 64\)"),
    "a long norm": (reshaped("output_norm.weight", 65), r"final_norm\.weight is \(65,\).*\(64,\)"),
    "scaled rotation": ({"said": fields(llama__rope__scaling__type="linear")}, r"rotary.*linear"),
    "rotation of long contexts": ({"said": fields(llama__rope__scaling__type="yarn")}, r"rotary.*yarn"),
    "rotation by table": (reshaped("rope_freqs.weight", 8), "rotary"),
    "too wide a rotation": ({"said": fields(llama__rope__dimension_count=32)}, "rotary_dim 32"),
    "odd heads": ({"said": fields(llama__attention__head_count=3, llama__attention__head_count_kv=1)}, "heads 3"),
    "no heads": ({"said": fields(llama__attention__head_count=0)}, "heads"),
    "too many layers": ({"said": fields(llama__block_count=2**31)}, "layers"),
    "too wide for any memory": ({"said": fields(llama__embedding_length=2**31 + 64)}, "no memory"),
    "too wide": ({"said": fields(llama__feed_forward_length=2**31)}, r"\(96, 64\)"),
    "a word for a number": ({"said": fields(llama__block_count="two")}, "llama.block_count is 'two', not.* int"),
    "a list for a number": ({"said": fields(llama__attention__head_count=[4, 4])}, "head_count is .4, 4., not.* int"),
    "a tokenizer of another kind": ({"said": fields(tokenizer__ggml__model="llama")}, "kind 'llama'.*gpt2"),
    "a splitting rule unknown": ({"said": fields(tokenizer__ggml__pre="dbrx")}, "rule 'dbrx'.*smollm"),  # B17
    "no splitting rule": ({"said": fields(tokenizer__ggml__pre=None)}, "rule 'missing'.*smollm"),
    "a token too few": ({"said": fields(tokenizer__ggml__tokens=TOKENS[:-1])}, "names 262 tokens but embeds 263"),
    "a token twice": ({"said": fields(tokenizer__ggml__tokens=[*TOKENS[:-1], "Ġ"])}, "holds Ġ twice"),
    "numbers for tokens": ({"said": fields(tokenizer__ggml__tokens=list(range(len(TOKENS))))}, "tokens holds.* str"),
    "a merge of no tokens": ({"said": fields(tokenizer__ggml__merges=["x z"])}, "merges do not fit"),
    "no bos to add": (
        {"said": fields(tokenizer__ggml__add_bos_token=True, tokenizer__ggml__bos_token_id=None)},
        "does not say tokenizer.ggml.bos_token_id",
    ),
    **{f"stored as {kind}": (stored_as(kind, size), f"stored as {kind}; readable") for kind, size in
       {"Q5_0": 44, "Q5_1": 48, "Q8_1": 80, "IQ4_NL": 36}.items()},
}  # fmt: skip


@pytest.mark.usefixtures("nothing_unpacked")
@pytest.mark.parametrize(("changes", "words"), WRONG.values(), ids=WRONG)
def test_a_file_that_cannot_be_used_is_refused_by_name_before_it_is_unpacked(tmp_path, changes, words):
    path = write(tmp_path / "wrong.gguf", **changes)
    with pytest.raises(ValueError, match=words):
        load_gguf(path, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


NEEDED = [key for key in fields() if key not in ("llama.attention.head_count_kv", "llama.rope.freq_base")]
NEEDED = [key for key in NEEDED if not key.endswith(("bos_token_id", "ggml.model", "ggml.pre"))]


@pytest.mark.usefixtures("nothing_unpacked")
@pytest.mark.parametrize("key", NEEDED)
def test_a_number_that_the_file_does_not_say_is_asked_for_by_name(tmp_path, key):
    said = {name: value for name, value in fields().items() if name != key}
    with pytest.raises(ValueError, match=f"does not say {key}"):
        load_gguf(write(tmp_path / "silent.gguf", said), tmp_path / "cache")


@pytest.mark.usefixtures("nothing_unpacked")
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a GGUF file"),
        (b"GG", "not a GGUF file"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "not a GGUF file"),
        (b"\x08\x00\x00\x00\x00\x00\x00\x00{}", "not a GGUF file"),
        (b"GGUF", "version 0"),
        (b"GGUF" + struct.pack("<I", 1) + bytes(100), "version 1"),
        (b"GGUF" + struct.pack("<I", 4) + bytes(100), "version 4"),
        (b"GGUF" + struct.pack(">I", 3) + bytes(100), "version 50331648"),
        (b"GGUF" + struct.pack("<I", 3), "damaged or cut short"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 0), "architecture ''"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 0), "damaged or cut short"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "damaged or cut short"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**62), "damaged or cut short"),
    ],
)
def test_a_foreign_file_is_refused(tmp_path, content, words):
    path = tmp_path / "foreign.gguf"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=words):
        load_gguf(path, tmp_path / "cache")


def test_an_endless_list_is_refused_without_reading_it(tmp_path):
    """A damaged length may promise more items than memory could hold."""
    key = b"endless"
    for kind in (0, 4, 8):  # bytes, whole numbers, strings
        head = struct.pack("<IQQQ", 3, 0, 1, len(key)) + key + struct.pack("<IIQ", 9, kind, 2**60)
        path = tmp_path / "endless.gguf"
        path.write_bytes(b"GGUF" + head + bytes(1000))
        assert peak(lambda: refused(path)) < 2_000_000  # noqa: B023


def peak(task: Callable) -> int:
    """The most memory, in bytes, that Python held more than before."""
    tracemalloc.start()
    task()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def refused(path: Path) -> None:
    with pytest.raises(ValueError, match="damaged or cut short"):
        GGUFFile(path)


@pytest.mark.usefixtures("nothing_unpacked")
def test_a_file_cut_short_anywhere_is_refused(tmp_path):
    whole = write(tmp_path / "tiny.gguf").read_bytes()
    header = whole.index(b"ffn_down") + 100
    cuts = {*range(0, header, 131), *range(header, len(whole), len(whole) // 40), len(whole) - 1}
    for cut in cuts:
        path = tmp_path / "cut.gguf"
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match=r"not a GGUF file|version|damaged or cut short"):
            GGUFFile(path)


@pytest.mark.usefixtures("nothing_unpacked")
def test_a_flipped_bit_in_the_header_is_harmless_or_refused(tmp_path):
    """Some bits hold names that nobody reads; all others must end in a refusal, not in a crash or in all the memory."""
    whole = write(tmp_path / "tiny.gguf").read_bytes()
    header = whole.rindex(b"ffn_up.weight") + 40
    generator = random.Random(0)
    places = [*range(24), *generator.sample(range(24, header), 150)]
    path = tmp_path / "flipped.gguf"
    for place in places:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << generator.randrange(8)
        path.write_bytes(flipped)
        with pytest.raises((ValueError, Unpacking)):
            load_gguf(path, tmp_path / "cache")


def test_flipped_bits_never_take_much_memory(tmp_path):
    """The counts and lengths, whose upper bytes are the dangerous ones."""
    whole = write(tmp_path / "tiny.gguf").read_bytes()
    path = tmp_path / "flipped.gguf"
    start = whole.index(b"llama.block_count")
    places = [*range(8, 24), *range(start - 8, start), *range(start + 17, start + 25)]
    places += [whole.index(b"ggml.tokens") + offset for offset in range(11, 27, 2)]
    places += [whole.index(b"token_embd") + offset for offset in range(17, 45, 4)]
    for place in places:
        flipped = bytearray(whole)
        flipped[place] ^= 0x80
        path.write_bytes(flipped)
        assert peak(lambda: opened(path)) < 20_000_000, place


def opened(path: Path) -> None:
    """Opened if it can be."""
    try:
        GGUFFile(path).tokenizer()
    except ValueError:
        return


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_numbers_are_refused_by_the_tensor(tmp_path, bad):
    held = tensors()
    held["blk.1.attn_v.weight"][3, 5] = bad
    with pytest.raises(ValueError, match=r"damaged: blk\.1\.attn_v\.weight"):
        load_gguf(write(tmp_path / "tiny.gguf", held=held), tmp_path / "cache")
    assert not list(tmp_path.glob("cache/*"))


def test_the_special_tokens_are_those_of_the_control_kind(tmp_path):
    parts = GGUFFile(write(tmp_path / "tiny.gguf")).tokenizer()
    assert parts["special"] == [TOKENS.index(text) for text in tiny_gguf.SPECIAL]
    assert parts["bos"] is None
