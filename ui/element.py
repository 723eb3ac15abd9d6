"""How an element of ours reaches the browser: a stub of a few lines in the page, the real script in static/.

Streamlit sends an element's inline script again with every rerun, so the stub is tiny and imports its module by
absolute URL. The URL carries a version, a hash of the scripts, because static files come without Cache-Control.
Where new data overtake a call that is still waiting for its module, Streamlit ends the older call, though the element
stays: only the end of the newest call removes what was drawn.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import plotly
import streamlit as st

STATIC = Path(__file__).parent.parent / "static"
PLOTLY_SCRIPT = "plotly.min.js"

STUB = """const newest = new WeakMap()
export default function (component) {{
  const place = component.parentElement
  newest.set(place, component)
  const url = new URL("app/static/{script}?v={version}", document.baseURI)
  const ready = import(url.href)
  ready.then((module) => module.draw(component)).catch((error) => {{
    place.querySelector("figure").textContent = `${{component.data.words.failed}} ${{error.message}}`
  }})
  const remove = (module) => newest.get(place) === component && module.remove(place)
  return () => ready.then(remove).catch(() => {{}})
}}
"""


@cache
def version() -> str:
    """A short name for the scripts and style sheets as they are on disk, and for the Plotly they use."""
    digest = hashlib.sha256(plotly.__version__.encode())
    for file in sorted(STATIC.iterdir()):
        if file.suffix in (".js", ".css") and file.name != PLOTLY_SCRIPT:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def register(name: str, script: str) -> Callable:
    """Registers the element `name`, drawn by static/`script`; returns Streamlit's mounting command for it."""
    return st.components.v2.component(
        name,
        html=f'<figure\nclass="{name}" style="margin: 0"></figure>',
        js=STUB.format(script=script, version=version()),
        isolate_styles=False,  # Plotly puts its style sheet into the document, where a shadow root would not see it
    )


def require_words(words: dict[str, str], names: tuple[str, ...], element: str) -> None:
    """Refuses a table of words in which one that the element shows is missing."""
    missing = [name for name in names if name not in words]
    if missing:
        raise ValueError(f"{element} has no word for {', '.join(missing)}; it needs all of: {', '.join(names)}.")
