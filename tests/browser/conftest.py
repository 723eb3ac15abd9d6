"""A real browser on a real server: fixtures for every test in this folder.

`serve(script, env)` starts Streamlit on a free port; `page` is a tab that fails its test on any error it reports and
on any request that leaves this machine.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

ROOT = Path(__file__).parent.parent.parent
SIZES = {"desktop": (1280, 720), "phone": (390, 844), "narrow": (320, 640)}
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
NEEDED = "The browser tests need Chromium: install it (apt-get install chromium), or set GLASSFORMER_NO_BROWSER=1."
START_SECONDS = 60
PATIENCE = 20_000  # milliseconds: a ceiling for a busy machine, never a pause


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


def _beside_static(script: Path, folder: Path) -> Path:
    """The script, in a folder that has our `static`: Streamlit serves only the one beside the script it runs."""
    if (script.parent / "static").exists():
        return script
    folder.mkdir(parents=True)
    (folder / "static").symlink_to(ROOT / "static", target_is_directory=True)
    return Path(shutil.copy(script, folder / script.name))


@pytest.fixture(scope="session")
def serve(tmp_path_factory) -> Iterator[Callable[..., str]]:
    """serve(script, env={}) -> the address of a server that runs it; one server a script and environment."""
    started: dict[tuple, tuple[str, subprocess.Popen]] = {}

    def start(script: Path, env: dict[str, str] | None = None) -> str:
        identity = (script, tuple(sorted((env or {}).items())))
        if identity not in started:
            folder = tmp_path_factory.mktemp("app") / "run"
            log = tmp_path_factory.mktemp("log") / "server.txt"
            started[identity] = _start(_beside_static(script, folder), env or {}, log)
        return started[identity][0]

    yield start
    for _, process in started.values():
        process.terminate()
        process.wait(timeout=20)


def _start(script: Path, env: dict[str, str], log: Path) -> tuple[str, subprocess.Popen]:
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


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, once for all tests."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None and os.environ.get("GLASSFORMER_NO_BROWSER") == "1":
        pytest.skip("no Chromium, and GLASSFORMER_NO_BROWSER=1 says that this is known")
    if path is None:
        pytest.fail(NEEDED)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        expect.set_options(timeout=PATIENCE)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def profiles(browser) -> dict[tuple, BrowserContext]:
    """Browser profiles by their settings, shared by all tests, so that Plotly is loaded once and not in every test."""
    return {}


@pytest.fixture
def open_page(browser, profiles) -> Iterator[Callable[..., Page]]:
    """open_page(size="phone", dark=True, …) -> a tab; when the test ends, no tab may have reported an error."""
    with _tabs(browser, profiles) as opened:
        yield opened


@pytest.fixture
def page(open_page) -> Page:
    """A tab of 1280 × 720 in the light theme."""
    return open_page()


@contextmanager
def _tabs(browser: Browser, profiles: dict[tuple, BrowserContext]) -> Iterator[Callable[..., Page]]:
    tabs: list[Page] = []
    troubles: list[str] = []

    def opened(size: str = "desktop", dark: bool = False, **settings) -> Page:
        width, height = SIZES[size]
        scheme = "dark" if dark else "light"
        identity = (size, scheme, *sorted(settings.items()))
        if identity not in profiles:
            viewport = {"width": width, "height": height}
            profiles[identity] = browser.new_context(viewport=viewport, color_scheme=scheme, **settings)
        tab = profiles[identity].new_page()
        tab.set_default_timeout(PATIENCE)
        tabs.append(tab)
        tab.on("console", lambda message: _fault(message) and troubles.append(f"console: {message.text}"))
        tab.on("pageerror", lambda error: troubles.append(f"page: {error}"))
        tab.on("request", lambda request: _local(request.url) or troubles.append(f"leaves: {request.url}"))
        return tab

    yield opened
    for tab in tabs:
        tab.close()
    assert not troubles, "\n".join(troubles)


def _fault(message: ConsoleMessage) -> bool:
    """An error, except that Streamlit looks for its own service under a page's address before the server's."""
    return message.type == "error" and not message.location["url"].endswith(("/_stcore/health", "/_stcore/host-config"))


def _local(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:"))
