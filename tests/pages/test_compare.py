"""The Compare page with hard texts, in both languages, its numbers against the models' and the table's."""

import json

import numpy as np
import pytest

from model import lab_results, zoo
from model.lab_results import SCHEMES
from tests.pages.pictures import numbers, said, type_in, wire_bytes
from tests.pages.texts import EMPTY, TEXTS, TOO_LONG
from ui import text as words

LANGUAGES = tuple(words.LANGUAGES)
ALL = ",".join(SCHEMES)


@pytest.fixture
def compare(start):
    """A function that opens the Compare page with all six schemes."""
    if not (lab_results.WEIGHTS / "results.json").exists():
        pytest.skip(f"this makes the lab's table: {lab_results.COMMAND}")

    def opened(language: str = "en", schemes: str = ALL, **address: str):
        page = start(language, schemes=schemes, **address).switch_page("pages/compare.py").run()
        assert not page.exception
        return page

    return opened


def charts(page) -> dict[str, dict]:
    """The figures that the page sent, by key, as the browser gets them."""
    sent = [json.loads(element.proto.json) for element in page.get("bidi_component")]
    return {data["key"]: json.loads(data["figure"]) for data in sent if "figure" in data}


@pytest.mark.parametrize("language", LANGUAGES)
def test_six_schemes_show_the_weights_of_the_heads_that_the_table_names(compare, language):
    page = compare(language)
    text = page.text_input(key="text").value
    results = lab_results.results()
    for scheme in SCHEMES:
        head = results[scheme][0].best("coreference", language)
        model = zoo.load(f"lab-{scheme}")
        weights = model.run(model.tokenizer.encode(text)).blocks[head.layer].attention.weights[head.head].numpy()
        seen = np.tri(len(weights), dtype=bool)
        shown = numbers(charts(page)[f"square-{scheme}"]["data"][0]["z"])
        assert shown[seen] == pytest.approx(weights[seen], abs=1e-6)
        title = words.table(language)["compare.head"].format(
            scheme=words.table(language)[f"compare.schemes.{scheme}"],
            layer=head.layer,
            head=head.head,
            score=f"{head.score:.2f}",
        )
        assert title in said(page)


def test_losses_are_those_of_the_models(compare):
    page = compare()
    shown = numbers(charts(page)["compare-losses"]["data"][0]["z"])
    for row, scheme in enumerate(SCHEMES):
        model = zoo.load(f"lab-{scheme}")
        ids = [token.id for token in model.tokenizer.encode(page.text_input(key="text").value)]
        logits = model.run(model.tokenizer.encode(page.text_input(key="text").value)).logits.double().numpy()
        shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        ours = [-np.log(shares[place, id_]) for place, id_ in enumerate(ids[1:])]
        assert shown[row, 1:] == pytest.approx(ours, abs=1e-4)
        assert np.isnan(shown[row, 0])


@pytest.mark.parametrize("language", LANGUAGES)
def test_hard_texts_are_compared_or_refused_in_words(compare, language):
    page = compare(language)
    table = words.table(language)
    for sentence in TEXTS.values():
        page = type_in(page, sentence)
        assert not page.exception, sentence
        count = len(zoo.load("lab-rope").tokenizer.encode(sentence))
        undefined = table["compare.undefined"].format(last=63, given=count)
        assert (undefined in said(page)) == (count > 64), sentence
        assert ("square-learned" in charts(page)) == (count <= 64), sentence
        assert "square-rope" in charts(page), sentence


def test_one_update_of_six_schemes_is_small_enough_for_the_wire(compare):
    page = type_in(compare(), ("Tom took the apple because he was hungry. " * 4)[:143])
    tokens = len(zoo.load("lab-rope").tokenizer.encode(page.text_input(key="text").value))
    assert 31 <= tokens <= 36
    assert wire_bytes(page) <= 300_000
    page = type_in(page, "Tom took the apple because he was hungry. " * 27)
    assert wire_bytes(page) <= 600_000  # bounded at 256 tokens


@pytest.mark.parametrize("show", ["scores", "bias"])
def test_scores_and_bias_are_shown_on_one_symmetric_scale(compare, show):
    page = compare(show=show)
    cells = {scheme: charts(page)[f"square-{scheme}"]["data"][0] for scheme in SCHEMES}
    assert len({(cell["zmin"], cell["zmax"]) for cell in cells.values()}) == 1
    assert cells["rope"]["zmin"] == -cells["rope"]["zmax"]
    if show == "bias":
        adds = {scheme for scheme in SCHEMES if np.nanmax(np.abs(numbers(cells[scheme]["z"]))) > 0}
        assert adds == {"alibi", "t5"}


def test_every_role_can_be_picked(compare):
    page = compare()
    roles = lab_results.results()["rope"][0].heads
    for role in roles:
        page = page.segmented_control(key="role").set_value(role).run()
        assert not page.exception
        assert words.table("en")[f"compare.definitions.{role}"] in said(page)
    assert set(roles) == {name.split(".")[-1] for name in words.table("en") if name.startswith("compare.roles.")}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", ["length", "moved", "training"])
def test_measured_parts_show_what_the_table_and_the_logs_have(compare, language, part):
    page = compare(language, part=part)
    results = lab_results.results()
    table = words.table(language)
    if part == "moved":
        shown = numbers(charts(page)["compare-moved"]["data"][0]["z"])
        for row, scheme in zip(shown, SCHEMES, strict=True):
            for cell, name in zip(row, ("as_is", "shifted", "shuffled"), strict=True):
                mean = lab_results.band(seed.moved[name] for seed in results[scheme])
                assert np.isnan(cell) if mean is None else cell == pytest.approx(mean.mean, abs=1e-4)
        return
    for scheme in SCHEMES:
        shown = numbers(charts(page)[f"{part}-{scheme}"]["data"][0]["y"])
        if part == "training":
            expected = np.mean([log["test_loss"] for log in lab_results.training(scheme)], axis=0)
        else:
            rows = np.array([seed.loss for seed in results[scheme]], dtype=float)
            expected = rows.mean(axis=0)[np.isfinite(rows).all(axis=0)]
        assert shown == pytest.approx(expected, abs=1e-4)
    if part == "length":
        assert table["compare.cannot"].format(last=63) in said(page)
        for line in ("relative", "absolute", "learned"):
            assert table[f"compare.misconceptions.{line}"] in said(page)


def test_every_kind_of_sentence_can_be_picked_at_length_and_in_training(compare):
    page = compare(part="length", schemes="rope,learned")
    page = page.selectbox(key="kind").set_value("copy").run()
    assert not page.exception
    shares = [seed.late_accuracy[2]["copy"] for seed in lab_results.results()["rope"]]
    assert numbers(charts(page)["length-rope"]["data"][0]["y"])[1] == pytest.approx(np.mean(shares), abs=1e-4)
    assert len(numbers(charts(page)["length-learned"]["data"][0]["y"])) == 1
    page = compare(part="training", column="copy", schemes="none")
    assert page.selectbox(key="column").value == "copy"


@pytest.mark.parametrize("badge", ["heads", "next", "losses"])
def test_numpy_agrees_on_this_sentence(compare, badge):
    page = compare()
    page = page.button(key=f"check-{badge}").click().run()
    assert not page.exception
    assert any("NumPy agrees" in element.value for element in page.markdown)


@pytest.mark.parametrize("part", ["length", "moved", "training"])
def test_numpy_agrees_with_what_was_measured(compare, part):
    page = compare(part=part, schemes="learned")
    page = page.button(key=f"check-{part}").click().run()
    assert not page.exception
    assert any("NumPy agrees" in element.value for element in page.markdown)


def test_of_a_long_text_a_part_is_shown_and_learned_is_undefined(compare):
    page = type_in(compare(), "Tom took the apple because he was hungry. " * 15)
    assert not page.exception
    assert "square-learned" not in charts(page)
    assert numbers(charts(page)["square-rope"]["data"][0]["z"]).shape == (64, 64)
    assert words.table("en")["compare.part"].split("{")[0].strip() in said(page)
    page = page.number_input(key="query").set_value(120).run()
    assert charts(page)["square-rope"]["data"][0]["y0"] <= 120
    only = type_in(compare(schemes="learned"), "Tom took the apple because he was hungry. " * 15)
    assert "64" in said(only)
    assert not charts(only)


def test_too_long_and_empty_texts_are_refused_in_words(compare):
    page = type_in(compare(), TOO_LONG)
    assert not page.exception
    assert "256" in said(page)
    page = type_in(page, EMPTY)
    assert words.table("en")["sentence.empty"] in said(page)
    assert not charts(page)


def test_with_no_scheme_picked_the_page_asks_for_one(compare):
    page = compare()
    page = page.pills(key="schemes").set_value([]).run()
    assert not page.exception
    assert words.table("en")["compare.none_picked"] in said(page)


def test_the_shared_link_names_schemes_part_and_role(compare):
    page = compare(schemes="t5,none", role="induction")
    link = page.code[0].value
    for part in ("schemes=t5%2Cnone", "part=sentence", "role=induction", "show=weights", "query=6"):
        assert part in link, link


def test_another_picked_model_changes_nothing_here(compare):
    page = compare(model="SmolLM2-135M", text="Tom took the apple because he was hungry.", query="6", key="1")
    assert set(charts(page)) >= {f"square-{scheme}" for scheme in SCHEMES}


def test_without_the_table_the_page_says_what_makes_it(compare, monkeypatch, tmp_path):
    read = lab_results.results
    monkeypatch.setattr(lab_results, "results", lambda: read(tmp_path))
    page = compare()
    assert any(lab_results.COMMAND in code.value for code in page.code)
    assert not charts(page)
