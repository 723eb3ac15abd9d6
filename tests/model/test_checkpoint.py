"""Weights on disk: what was saved is what is loaded, what is damaged is refused or made again."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from model import checkpoint
from model.checkpoint import build, load, load_gguf, save
from model.config import BIASES, FEED_FORWARDS, NORMS, Config
from model.decoder import Decoder
from model.position import SCHEMES
from tests.model import tiny_gguf
from tests.model.pretrained import smollm2_file

CONFIGS = [
    Config(
        vocab=11, d_model=24, layers=2, heads=4, kv_heads=2, d_ff=20, context=16,
        position=scheme, norm=NORMS[index % 2], feed_forward=FEED_FORWARDS[index % 3],
        biases=BIASES[index % 3], tied=index % 2 == 0, d_head=8 if index == 3 else 0, rotary_dim=4 if index == 3 else 0,
    )
    for index, scheme in enumerate(SCHEMES)
]  # fmt: skip
ON_LINUX = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="asks Linux what a process holds in memory")
CARD = {"title": "a model", "language": "中文", "steps": 300, "loss": [2.5, 1.25]}


def decoder(config: Config = CONFIGS[0], seed: int = 0) -> Decoder:
    """A decoder with weights of its own."""
    torch.manual_seed(seed)
    return Decoder(config)


def same(one: Decoder, other: Decoder) -> bool:
    """Whether every parameter is equal, bit for bit, and so is the config."""
    ours, theirs = one.state_dict(), other.state_dict()
    equal = all(torch.equal(tensor, theirs[name]) for name, tensor in ours.items())
    return equal and ours.keys() == theirs.keys() and one.config == other.config


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.position)
def test_what_was_saved_is_what_is_loaded(tmp_path, config):
    saved = decoder(config)
    save(tmp_path / "new" / "model", saved, CARD)
    loaded, card = load(tmp_path / "new" / "model")
    assert same(saved, loaded)
    assert {key: card[key] for key in CARD} == CARD
    assert Config.from_json(json.dumps(card["config"])) == config
    ids = torch.tensor([1, 5, 3, 10])
    assert torch.equal(saved(ids).logits, loaded(ids).logits)
    assert not any(parameter.requires_grad for parameter in loaded.parameters())


def test_names_with_dots_stay_apart(tmp_path):
    save(tmp_path / "rope-0.1", decoder(seed=1), CARD)
    save(tmp_path / "rope-0.2", decoder(seed=2), CARD)
    assert same(load(tmp_path / "rope-0.1")[0], decoder(seed=1))
    assert same(load(tmp_path / "rope-0.2")[0], decoder(seed=2))


def test_a_tied_head_is_the_embedding_table_itself(tmp_path):  # B45
    save(tmp_path / "tied", decoder(CONFIGS[0]), CARD)
    loaded, _ = load(tmp_path / "tied")
    assert loaded.config.tied
    assert "unembed.weight" not in load_file(tmp_path / "tied.safetensors")
    assert loaded.unembedding.data_ptr() == loaded.embed.weight.data_ptr()


def test_a_decoder_is_built_around_the_tensors_without_copying_them():
    weights = decoder().state_dict()
    built = build(CONFIGS[0], weights)
    assert all(tensor.data_ptr() == weights[name].data_ptr() for name, tensor in built.state_dict().items())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("window", 4),
        ("vocab", "eleven"),
        ("layers", 0),
        ("heads", 5),
        ("norm", "batch"),
        ("position", "rotary"),
        ("norm_epsilon", -1.0),
        ("kv_heads", 3),
        ("tied", 1),
    ],
)
@pytest.mark.usefixtures("unchecked")
def test_a_config_that_cannot_be_is_refused_by_the_name_of_its_key(tmp_path, key, value):
    save(tmp_path / "model", decoder(), CARD)
    rewrite(tmp_path / "model.json", lambda card: card["config"].update({key: value}))
    with pytest.raises(ValueError, match=key):
        load(tmp_path / "model")


def rewrite(path: Path, change: Callable[[dict], object]) -> None:
    """Changes a card on disk."""
    card = json.loads(path.read_text(encoding="utf-8"))
    change(card)
    path.write_text(json.dumps(card), encoding="utf-8")


@pytest.mark.parametrize("key", ["vocab", "d_model", "layers", "heads", "d_ff", "context"])
def test_a_config_that_lacks_a_key_is_refused_by_its_name(tmp_path, key):
    save(tmp_path / "model", decoder(), CARD)
    rewrite(tmp_path / "model.json", lambda card: card["config"].pop(key))
    with pytest.raises(ValueError, match=f"lacks {key}"):
        load(tmp_path / "model")


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("d_ff", 21, r"expand\.weight is \(20, 24\).*\(21, 24\)"),
        ("vocab", 12, r"embed\.weight is \(11, 24\).*\(12, 24\)"),
        ("layers", 1, r"unknown blocks\.1\."),
        ("layers", 3, r"lacks blocks\.2\."),
        ("layers", 10**9, "1000000000 layers"),
        ("tied", False, r"lacks unembed\.weight"),
        ("position", "learned", r"lacks position\.weight"),
        ("biases", "none", r"unknown blocks\.0\.\S*bias"),
        ("d_model", 2**40, "no memory|is"),
    ],
)
def test_weights_that_do_not_fit_the_config_are_refused_by_name(tmp_path, key, value, words):
    save(tmp_path / "model", decoder(), CARD)
    rewrite(tmp_path / "model.json", lambda card: card["config"].update({key: value}))
    with pytest.raises(ValueError, match=words):
        load(tmp_path / "model")


@pytest.mark.parametrize("suffix", [".json", ".safetensors"])
def test_a_missing_file_is_refused_by_name(tmp_path, suffix):  # B46
    save(tmp_path / "model", decoder(), CARD)
    (tmp_path / f"model{suffix}").unlink()
    with pytest.raises(ValueError, match=f"model{suffix} is missing"):
        load(tmp_path / "model")


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"3", b"null", b"{}", b'{"config": 3}', b'{"config": []}', b"\xff\xfe\x00", b"PK\x03\x04"],
)
def test_a_card_that_is_none_is_refused(tmp_path, content):
    save(tmp_path / "model", decoder(), CARD)
    (tmp_path / "model.json").write_bytes(content)
    with pytest.raises(ValueError, match=r"card|config"):
        load(tmp_path / "model")


def test_weights_cut_short_anywhere_are_refused(tmp_path):
    save(tmp_path / "model", decoder(), CARD)
    path = tmp_path / "model.safetensors"
    whole = path.read_bytes()
    for cut in [*range(0, len(whole), len(whole) // 40), 7, 8, 9, len(whole) - 1]:
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match=r"model\.safetensors is damaged or cut short"):
            load(tmp_path / "model")


def failing(written: bytes, error: Exception) -> Callable:
    """A save_file that stops halfway."""

    def stop(_, path: Path, **__) -> None:
        Path(path).write_bytes(written)
        raise error

    return stop


def test_a_save_that_fails_leaves_the_old_files_and_nothing_else(tmp_path, monkeypatch):
    save(tmp_path / "model", decoder(seed=1), CARD)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(checkpoint, "save_file", failing(b"half", OSError("the disk is full")))
    with pytest.raises(OSError, match="full"):
        save(tmp_path / "model", decoder(seed=2), CARD | {"steps": 600})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_card_that_cannot_be_written_is_refused_before_the_weights_are(tmp_path):
    save(tmp_path / "model", decoder(seed=1), CARD)
    with pytest.raises(TypeError):
        save(tmp_path / "model", decoder(seed=2), {"path": Path("x")})
    assert same(load(tmp_path / "model")[0], decoder(seed=1))


def test_files_can_be_read_by_whoever_may_read_new_files(tmp_path):
    save(tmp_path / "model", decoder(), CARD)
    (tmp_path / "plain").touch()
    modes = {path.stat().st_mode for path in tmp_path.iterdir()}
    assert len(modes) == 1


@pytest.fixture
def gguf(tmp_path) -> Path:
    """A tiny pretrained file."""
    return tiny_gguf.write(tmp_path / "tiny.gguf")


@pytest.fixture
def cache(tmp_path) -> Path:
    return tmp_path / "deep" / "cache"


def kept_file(cache: Path) -> Path:
    """The one unpacked file."""
    (found,) = cache.glob("*.safetensors")
    return found


def test_a_later_load_gives_the_same_without_unpacking(gguf, cache, monkeypatch):
    first, first_tokenizer = load_gguf(gguf, cache)
    monkeypatch.setattr(checkpoint, "GGUFFile", None)
    later, later_tokenizer = load_gguf(gguf, cache)
    assert same(first, later)
    assert first_tokenizer.encode("the 日本") == later_tokenizer.encode("the 日本")
    assert first_tokenizer.bytes_of == later_tokenizer.bytes_of


def test_the_share_that_is_unpacked_grows_to_all_of_it_and_is_told_once(gguf, cache):
    shares = []
    load_gguf(gguf, cache, report=shares.append)
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)
    assert shares[-1] == 1
    shares.clear()
    load_gguf(gguf, cache, report=shares.append)
    assert shares == []


def flip(kept: Path) -> None:
    content = bytearray(kept.read_bytes())
    content[len(content) // 2] ^= 1
    kept.write_bytes(content)


DAMAGE = {
    "a flipped bit": flip,
    "cut short": lambda kept: kept.write_bytes(kept.read_bytes()[:-1]),
    "emptied": lambda kept: kept.write_bytes(b""),
    "gone": Path.unlink,
    "no note of its hash": lambda kept: kept.with_suffix(".sha256").unlink(),
    "an empty note": lambda kept: kept.with_suffix(".sha256").write_bytes(b""),
    "a note that is no text": lambda kept: kept.with_suffix(".sha256").write_bytes(b"\xff\xfe"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_cache_is_made_again(gguf, cache, tmp_path, monkeypatch, damage):
    load_gguf(gguf, cache)
    damage(kept_file(cache))
    whole, _ = load_gguf(gguf, tmp_path / "another cache")  # one that is mapped must not be damaged
    assert same(whole, load_gguf(gguf, cache)[0])
    assert sorted(path.suffix for path in cache.iterdir()) == [".safetensors", ".sha256"]
    monkeypatch.setattr(checkpoint, "GGUFFile", None)
    assert same(whole, load_gguf(gguf, cache)[0])


def test_a_changed_file_of_the_same_name_is_unpacked_anew(gguf, cache):
    first, _ = load_gguf(gguf, cache)
    tiny_gguf.write(gguf, held=tiny_gguf.tensors(seed=1))
    assert not same(first, load_gguf(gguf, cache)[0])


def test_a_cache_that_cannot_be_written_does_not_stop_a_load(gguf, tmp_path, capsys):
    (tmp_path / "file").touch()
    loaded, _ = load_gguf(gguf, tmp_path / "file" / "cache")
    assert "cannot be written" in capsys.readouterr().err
    assert same(loaded, load_gguf(gguf, tmp_path / "cache")[0])


@pytest.mark.parametrize("error", [OSError("the disk is full"), SafetensorError("the disk is full")])
def test_a_full_disk_does_not_stop_a_load_and_keeps_no_half_file(gguf, cache, monkeypatch, capsys, error):
    monkeypatch.setattr(checkpoint, "save_file", failing(b"half", error))
    loaded, _ = load_gguf(gguf, cache)
    assert "the disk is full" in capsys.readouterr().err
    assert list(cache.iterdir()) == []
    monkeypatch.undo()
    assert same(loaded, load_gguf(gguf, cache)[0])


def test_a_cache_that_cannot_be_read_does_not_stop_a_load(gguf, cache, capsys):
    first, _ = load_gguf(gguf, cache)
    note = kept_file(cache).with_suffix(".sha256")
    note.unlink()
    note.mkdir()
    assert same(first, load_gguf(gguf, cache)[0])
    assert "cannot be written" in capsys.readouterr().err


def test_the_cache_folder_is_the_users_or_the_one_named(monkeypatch, tmp_path):
    for name in ("GLASSFORMER_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert checkpoint.cache_folder() == tmp_path / ".cache" / "glassformer"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    assert checkpoint.cache_folder() == tmp_path / "user" / "glassformer"
    monkeypatch.setenv("GLASSFORMER_CACHE", str(tmp_path / "named"))
    assert checkpoint.cache_folder() == tmp_path / "named"


@ON_LINUX
def test_a_later_load_maps_the_file_into_memory(gguf, cache):
    """The tensors are windows on the mapped file, not copies of it."""
    load_gguf(gguf, cache)
    loaded, _ = load_gguf(gguf, cache)
    lines = Path("/proc/self/maps").read_text().splitlines()
    ranges = [line.split()[0].split("-") for line in lines if line.endswith(str(kept_file(cache)))]
    for tensor in loaded.state_dict().values():
        assert any(int(start, 16) <= tensor.data_ptr() < int(end, 16) for start, end in ranges)


def run_python(code: str, *arguments: object) -> subprocess.Popen:
    """A fresh process that runs this code."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])


MEMORY = """
import sys, pathlib
from model.checkpoint import load_gguf
def own():
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) * 1024
before = own()
loaded = load_gguf(pathlib.Path(sys.argv[1]))
print(own() - before)
"""


@ON_LINUX
def test_a_later_load_takes_little_memory_of_its_own():
    path = smollm2_file()
    load_gguf(path)
    grown = int(run_python(MEMORY, path).communicate()[0])
    unpacked = 4 * 134_000_000
    assert grown < unpacked / 4


TOGETHER = """
import hashlib, sys, pathlib
from model.checkpoint import load_gguf
decoder, tokenizer = load_gguf(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
digest = hashlib.sha256()
for name, tensor in sorted(decoder.state_dict().items()):
    digest.update(tensor.numpy().tobytes())
print(digest.hexdigest(), [token.id for token in tokenizer.encode("the")])
"""


def test_two_processes_may_load_at_once(gguf, cache):
    processes = [run_python(TOGETHER, gguf, cache) for _ in range(2)]
    said = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert said[0] == said[1] != ""
    assert not list(cache.glob("*.part"))
    assert same(load_gguf(gguf, cache)[0], load_gguf(gguf, cache.parent / "other")[0])
    assert os.listdir(cache)
