"""A Streamlit server of a script, on a free port of this machine; and how Chromium is started to look at it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
START_SECONDS = 60


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


def beside_static(script: Path, folder: Path) -> Path:
    """The script, in a folder that has our `static`: Streamlit serves only the one beside the script it runs."""
    if (script.parent / "static").exists():
        return script
    folder.mkdir(parents=True)
    (folder / "static").symlink_to(ROOT / "static", target_is_directory=True)
    return Path(shutil.copy(script, folder / script.name))


def start_server(script: Path, env: dict[str, str], log: Path) -> tuple[str, subprocess.Popen]:
    """The address of a new server of this script, and its process; `log` takes what it prints."""
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", "--server.headless", "true", "--server.fileWatcherType", "none"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + START_SECONDS
    while not _healthy(url):
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise RuntimeError(f"The server of {script.name} did not start:\n{log.read_text()}")
        time.sleep(0.1)
    return url, process
