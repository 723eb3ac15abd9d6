"""The address: every parameter has a rule, and what a link says is either understood or named."""

import ast
import re
from pathlib import Path

import pytest

from ui import address
from ui.address import CHOICES, PARAMETERS
from ui.text import words

ROOT = Path(__file__).parent.parent.parent


def test_every_widget_bound_to_the_address_is_a_known_parameter():
    bound = set()
    for path in [*ROOT.glob("ui/*.py"), *ROOT.glob("pages/*.py")]:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            given = {word.arg: word.value for word in call.keywords} if isinstance(call, ast.Call) else {}
            if "bind" in given and isinstance(given["key"], ast.Constant):
                bound.add(given["key"].value)
    assert {"text", "model", "lang", "projector", "mask"} <= bound
    assert bound <= PARAMETERS.keys()


def test_what_a_reader_can_choose_is_in_the_address():
    widgets = {"checkbox", "multiselect", "number_input", "pills", "radio", "segmented_control", "select_slider"}
    widgets |= {"selectbox", "slider", "text_area", "text_input", "toggle"}
    seen, silent = set(), set()
    for path in [*ROOT.glob("ui/*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"]:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in widgets:
                given = {word.arg: ast.unparse(word.value) for word in call.keywords}
                seen.add(given["key"])
                if "bind" not in given and given.get("on_change") != "address.tell":
                    silent.add((path.name, call.func.attr))
    assert {"key", "name", "'text'", "'heads'"} <= seen
    assert {name for name, _ in silent} == {"world.py"}, "only what writes into the sentence, which is in the address"


def test_every_choice_that_tells_the_address_is_known_to_it_by_its_names():
    told = set()
    for path in [*ROOT.glob("ui/*.py"), *ROOT.glob("pages/*.py")]:
        source = path.read_text(encoding="utf-8")
        told |= set(re.findall(r'picks\.choose\w*\(\s*"(\w+)"', source))
        told |= set(re.findall(r'on_change=address\.tell,\s*args=\("(\w+)",\)', source))
    assert told == set(CHOICES)
    for name in told:
        for table in CHOICES[name]:
            assert all(PARAMETERS[name](choice) for choice in words(table))
        assert not PARAMETERS[name]("nonsense")


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("panel", "bench", "cell,bench"),
        ("schemes", "rope,t5", "rope,t6"),
        ("layer", "12", "many"),
        ("query", "0", "-1"),
        ("lang", "中文", "fr"),
        ("model", "SmolLM2-135M", "gpt-5"),
        ("projector", "true", "maybe"),
        ("scale", "0.5", "half"),
        ("off", "13.8", "thirteen"),
    ],
)
def test_a_value_is_understood_or_not(name, good, bad):
    assert PARAMETERS[name](good)
    assert not PARAMETERS[name](bad)


def test_a_link_writes_lists_as_their_widgets_do(monkeypatch):
    monkeypatch.setattr("streamlit.session_state", {"off": ["13.8", "0.0"], "bench_mask": [0, 2], "mask": False})
    link = address.link({"text": "a & b"})
    for part in ("off=13.8&off=0.0", "bench_mask=s0&bench_mask=s2", "mask=false", "text=a+%26+b"):
        assert part in link
