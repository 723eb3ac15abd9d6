"""Results on disk: what was measured, by which command, when, on which machine, with which versions."""

import json
import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median

FOLDER = Path(__file__).parent / "results"
PACKAGES = ("torch", "numpy", "transformers", "tokenizers", "safetensors", "gguf", "streamlit", "plotly")


def record(name: str, rows: list[dict], note: str) -> None:
    """Writes results/<name>.json and prints the rows."""
    about = {
        "command": " ".join([f"python -m benchmarks.{name}", *sys.argv[1:]]),
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
        "machine": {"processor": processor(), "cores": os.cpu_count(), "load": os.getloadavg()[0]},
        "versions": {"python": platform.python_version()} | {package: version(package) for package in PACKAGES},
        "note": note,
        "rows": rows,
    }
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))


def compared(ours: list[float], theirs: list[float], bar: float) -> dict:
    """Medians in seconds, the median of the ratios of neighbours in time, and the ratio of the quickest of each."""
    ratio = median(one / other for one, other in zip(ours, theirs, strict=True))
    return {
        "seconds": round(median(ours), 4),
        "against_seconds": round(median(theirs), 4),
        "ratio": round(ratio, 3),
        "ratio_of_quickest": round(min(ours) / min(theirs), 3),
        "bar": bar,
        "holds": ratio <= bar,
    }


def failed(rows: list[dict]) -> int:
    """The exit code: 1 if a bar does not hold."""
    return int(not all(row["holds"] for row in rows))


def processor() -> str:
    """What the machine calls its processor."""
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
