"""Which layer may import which: data runs one way, from model over viz and ui to pages."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "model": {"model", "numpy", "torch", "jaxtyping"},
    "viz": {"viz", "numpy", "plotly", "pandas", "jaxtyping", "torch"},
    "ui": {"ui", "model", "viz", "streamlit", "plotly", "numpy", "pandas"},
    "pages": {"model", "viz", "ui", "streamlit"},
    "app.py": {"ui", "streamlit"},
}
FILE_FORMATS = {"tokenizers", "safetensors", "gguf"}
READERS = ("tokenizer", "checkpoint", "gguf_file", "train", "snapshots")
FILES = [path for layer in ALLOWED for path in ([ROOT / layer] if layer == "app.py" else (ROOT / layer).rglob("*.py"))]


def imported(path: Path) -> Iterator[str]:
    """The dotted name of everything a file imports, wherever in the file; a relative import begins with a dot."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (f"{module}.{alias.name}" for alias in node.names)


def packages(path: Path) -> set[str]:
    """The packages that a file imports, without the standard library."""
    return {name.split(".")[0] for name in imported(path)} - set(sys.stdlib_module_names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_imports_only_what_its_layer_may(path):
    if not path.exists():
        pytest.skip("this file is not there yet")
    layer = path.relative_to(ROOT).parts[0]
    allowed = ALLOWED[layer] | (FILE_FORMATS if layer == "model" and path.stem in READERS else set())
    assert packages(path) <= allowed


def test_the_numpy_decoder_shares_nothing_with_the_decoder_but_the_config():
    path = ROOT / "model" / "numpy_decoder.py"
    assert {name for name in imported(path) if name.startswith("model")} == {"model.config.Config"}
    assert packages(path) <= {"model", "numpy", "jaxtyping"}
