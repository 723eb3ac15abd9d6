"""The app, run without a browser. `start(language, **address)` opens it as a reader's link would, on its first page;
`app(…)` goes on to the Attention page.
"""

from pathlib import Path

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from ui import chart

pytest.register_assert_rewrite("tests.pages.pictures")  # so that its assertions also show what they saw
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def pages_are_told(monkeypatch) -> None:
    """As on a server that has run app.py once. AppTest forgets it before every run, and would run page files alone."""
    original = PagesManager.__init__

    def told(self, *arguments, **options) -> None:
        original(self, *arguments, **options)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", told)


@pytest.fixture(autouse=True)
def nothing_waits_for_a_browser(monkeypatch) -> None:
    """There is none that would draw; what a page computes meanwhile is still begun."""
    monkeypatch.setattr(chart, "SENDING", 0)
    monkeypatch.setattr(chart, "DRAWING", 0.005)


@pytest.fixture
def start():
    """A function that opens the app; the first run loads the model."""

    def opened(language: str, **address: str) -> AppTest:
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        test.query_params["lang"] = language
        for name, value in address.items():
            test.query_params[name] = value
        return test.run()

    return opened


@pytest.fixture
def app(start):
    """A function that opens the app's Attention page."""

    def opened(language: str, **address: str) -> AppTest:
        return start(language, **address).switch_page("pages/attention.py").run()

    return opened
