"""A real browser on a real server: fixtures for every test in this folder.

`serve(script, env)` starts Streamlit on a free port; `page` is a tab that fails its test on any error it reports and
on any request that leaves this machine.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from tests.browser.server import ARGUMENTS, BROWSERS, beside_static, start_server

SIZES = {"desktop": (1280, 720), "wide": (1920, 1080), "phone": (390, 844), "narrow": (320, 640)}
NEEDED = "The browser tests need Chromium: install it (apt-get install chromium), or set GLASSFORMER_NO_BROWSER=1."
PATIENCE = 20_000  # milliseconds: a ceiling for a busy machine, never a pause


@pytest.fixture(scope="session")
def serve(tmp_path_factory) -> Iterator[Callable[..., str]]:
    """serve(script, env={}) -> the address of a server that runs it; one server a script and environment."""
    started: dict[tuple, tuple[str, subprocess.Popen]] = {}

    def start(script: Path, env: dict[str, str] | None = None) -> str:
        identity = (script, tuple(sorted((env or {}).items())))
        if identity not in started:
            folder = tmp_path_factory.mktemp("app") / "run"
            log = tmp_path_factory.mktemp("log") / "server.txt"
            started[identity] = start_server(beside_static(script, folder), env or {}, log)
        return started[identity][0]

    yield start
    for _, process in started.values():
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, once for all tests."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
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
