"""The app, run without a browser: `app(page, language, **address)` opens a page as a reader's link would."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from model import zoo

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def app():
    """A function that opens the app; the first run loads the model."""
    if zoo.find_smollm2() is None:
        pytest.skip(f"SmolLM2's weights are not installed: {zoo.MODELS['smollm2'].bring}")

    def opened(language: str, **address: str) -> AppTest:
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        test.query_params["lang"] = language
        for name, value in address.items():
            test.query_params[name] = value
        return test.run()

    return opened
