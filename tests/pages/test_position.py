"""The Position page: every question in both languages and with hard texts, its numbers and its words."""

import re

import numpy as np
import pytest

from model import numpy_decoder, zoo
from model.position import SCHEMES
from tests.pages.pictures import data, figure, numbers, press_checks, said, survives_hard_texts, type_in, wire_bytes
from tests.pages.texts import EMPTY, TOO_LONG
from ui import text as words
from ui.formulas import number

LANGUAGES = tuple(words.LANGUAGES)
PARTS = ("sum", "waves", "why", "join", "learned", "entry")
TEXT = "小明 喜欢 吃 苹果"


@pytest.fixture
def position(start):
    """A function that opens the page as a link would."""

    def opened(language: str = "en", **address: str):
        # AppTest gives a widget that both pages have its value from the address only in the second run.
        page = start(language, **address).switch_page("pages/position.py").run().run()
        assert not page.exception
        return page

    return opened


def lab(scheme: str, text: str):
    """A run of one of the lab's models."""
    model = zoo.load(f"lab-{scheme}")
    return model.run(model.tokenizer.encode(text))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
def test_every_question_can_be_opened_by_its_link_and_its_checks_agree(position, language, part):
    page = position(language, position_part=part)
    table = words.table(language)
    assert table[f"position.about.{part}"] in said(page)
    assert page.segmented_control(key="position_part").value == part
    press_checks(page)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
def test_hard_texts_break_nothing(position, language, part):
    survives_hard_texts(position(language, position_part=part))


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_text_says_so_and_one_that_is_too_long_keeps_the_last_picture(position, language):
    page = type_in(position(language), TEXT)
    page = type_in(page, TOO_LONG)
    assert re.search(r"\d+.*256", said(page))
    assert figure(page, "position-sum")
    page = type_in(page, EMPTY)
    assert words.table(language)["sentence.empty"] in said(page)


@pytest.mark.parametrize("scheme", ["sinusoidal", "learned"])
def test_the_three_tables_are_the_models_and_the_formula_is_the_picked_cells(position, scheme):
    page = position(text=TEXT, query="4", pe_dimension="9", added=scheme)
    trace = lab(scheme, TEXT)
    drawn = figure(page, "position-sum")["data"]
    wanted = (trace.embeddings, trace.position_part, trace.blocks[0].input)
    for cells, tensor, limit in zip(drawn, wanted, (1, 1, 2), strict=True):
        np.testing.assert_array_equal(numbers(cells["z"]), tensor.numpy())
        assert (cells["zmin"], cells["zmax"]) == (-limit, limit)
        assert tensor.abs().max() <= limit  # no cell beyond the fixed scale
    for tensor in wanted:
        assert number(tensor[4, 9].abs().item()) in page.latex[0].value
    lengths = [f"{tensor[4].norm().item():.3g}" for tensor in wanted]
    line = words.table("en")["position.sum.cell_lengths"]
    told = line.format(token="·苹果", E=lengths[0], P=lengths[1], X=lengths[2])
    assert told in said(page)


def test_the_lengths_are_the_models_and_so_is_their_ratio(position):
    page = position(text=TEXT)
    trace = lab("sinusoidal", TEXT)
    curves = figure(page, "position-lengths")["data"]
    wanted = [trace.embeddings, trace.position_part, trace.blocks[0].input]
    for curve, tensor in zip(curves, wanted, strict=True):
        np.testing.assert_allclose(numbers(curve["y"]), tensor.norm(dim=-1).numpy(), rtol=1e-5)
        assert numbers(curve["y"]).max() < figure(page, "position-lengths")["layout"]["yaxis"]["range"][1]
    ratio = wanted[1].norm(dim=-1).mean() / wanted[0].norm(dim=-1).mean()
    assert f"{ratio:.2f} times as long" in said(page)


def test_the_same_word_twice_has_one_row_of_e_and_two_of_x(position):
    page = position(text="the apple the apple")
    token, place, both = (numbers(cells["z"]) for cells in figure(page, "position-sum")["data"])
    np.testing.assert_array_equal(token[1], token[3])
    assert np.abs(both[1] - both[3]).max() > 0.1
    assert np.abs(place[1] - place[3]).max() > 0.1


@pytest.mark.parametrize("language", LANGUAGES)
def test_positions_are_said_to_be_counted_from_0_and_are(position, language):  # misconception 31
    page = position(language, text=TEXT)
    assert {"en": "Positions are counted from 0", "zh": "位置从 0 数起"}[language] in said(page)
    place = numbers(figure(page, "position-sum")["data"][1]["z"])
    np.testing.assert_allclose(place[0], np.tile([0, 1], 32), atol=1e-7)


def test_the_lab_does_not_multiply_the_embedding_by_the_root_of_the_width(position):
    trace, decoder = lab("sinusoidal", TEXT), zoo.load("lab-sinusoidal").decoder
    ids = [token.id for token in zoo.load("lab-sinusoidal").tokenizer.encode(TEXT)]
    assert (trace.embeddings == decoder.embed.weight[ids]).all()
    assert words.table("en")["position.sum.unscaled"].format(d_model=64) in said(position())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_past_the_learned_table_is_refused_in_the_decoders_own_words(position, language):  # misconception 12
    page = type_in(position(language, added="learned"), "苹果" * 70)
    assert page.code[-1].value.startswith("The learned table has positions 0 to 63; position 64 does not exist")
    assert words.table(language)["position.sum.refused"] in said(page)
    assert figure(page, "position-sum") is None
    page = page.segmented_control(key="added").set_value("sinusoidal").run()
    assert figure(page, "position-sum")


@pytest.mark.parametrize(("width", "row", "column"), [(8, 5, 0), (8, 50, 3), (64, 1000, 63), (512, 10, 101)])
def test_the_table_of_waves_is_the_formulas_and_the_live_numbers_are_the_cells(position, width, row, column):
    page = position(position_part="waves", pe_width=str(width), pe_position=str(row), pe_dimension=str(column))
    count = 32 if width == 512 else 64  # positions that are drawn
    first = row // count * count
    cells = figure(page, "sinusoid-table")["data"][0]
    wanted = numpy_decoder.sinusoid(np.arange(first, first + count), width)
    np.testing.assert_allclose(numbers(cells["z"]), wanted, atol=1e-6)
    assert (cells["zmin"], cells["zmax"]) == (-1, 1)  # misconception 14
    value = f"{abs(wanted[row - first, column]):.4g}"
    assert value[:6] in page.latex[0].value
    assert f"= {column // 2}," in page.latex[0].value  # misconception 3: the exponent counts pairs
    longest = 2 * np.pi * 10000 ** ((width - 2) / width)
    assert f"{longest:,.1f}" in said(page)


def test_a_dimension_that_the_table_does_not_have_is_brought_back(position):
    page = position(position_part="waves", pe_width="8", pe_dimension="500")
    line = words.table("en")["position.waves.cell"]
    assert line.format(position=5, dimension=7) in said(page)
    page = page.number_input(key="pe_dimension").set_value(300).run()
    assert not page.exception
    assert page.number_input(key="pe_dimension").value == 7


def test_the_widest_table_stays_within_the_wire(position):
    assert wire_bytes(position(position_part="waves", pe_width="512")) < 300_000


def test_the_counter_examples_do_what_is_said_of_them(position):
    page = position(position_part="why", pe_width="8")
    told = said(page)
    for wanted in ("closer than 2.83", "positions 18 and 62 are only 0.0354", "0 and 63, are still 0.645"):
        assert wanted in told
    count, single, waves, tokens = (numbers(curve["y"]) for curve in figure(page, "why-lengths")["data"])
    np.testing.assert_allclose(count, np.sqrt(8) * np.arange(64), rtol=1e-6)
    np.testing.assert_allclose(single, 2, rtol=1e-6)
    np.testing.assert_allclose(waves, 2, rtol=1e-6)
    assert count[-1] > 100 * tokens[0]  # a count would drown the tokens
    squares = [numbers(cells["z"]) for cells in figure(page, "why-apart")["data"]]
    assert squares[1][18, 62] == pytest.approx(0.0354, abs=1e-4)


@pytest.mark.parametrize("language", LANGUAGES)
def test_joining_doubles_the_width_and_its_parameters_are_counted(position, language):
    page = position(language, position_part="join", text=TEXT, query="2")
    strips = numbers(figure(page, "join-vectors")["data"][0]["z"])
    trace = lab("sinusoidal", TEXT)
    token, place = trace.embeddings[2].numpy(), trace.position_part[2].numpy()
    np.testing.assert_array_equal(strips[3], np.concatenate([token, place]))
    np.testing.assert_allclose(strips[2, :64], token + place, rtol=1e-6)
    assert np.isnan(strips[:3, 64:]).all()
    added, joined = (numbers(bars["x"]).sum() for bars in figure(page, "join-cost")["data"])
    assert f"{56_803_328:,}" in said(page)
    assert f"{132_411_392:,}" in said(page)
    assert (added, joined) == pytest.approx((56_803_328, 132_411_392), rel=1e-6)
    assert r"512 + 512 \to 512" in page.latex[0].value


def test_the_learned_table_is_the_trained_one_beside_the_fixed_one(position):
    page = position(position_part="learned")
    learned, fixed = (numbers(cells["z"]) for cells in figure(page, "learned-tables")["data"])
    np.testing.assert_array_equal(learned, zoo.load("lab-learned").decoder.position.weight.numpy())
    np.testing.assert_allclose(fixed, numpy_decoder.sinusoid(np.arange(64), 64), atol=1e-6)
    assert figure(page, "learned-tables")["data"][0]["zmax"] == 1
    page = page.toggle(key="stretch").set_value(True).run()
    assert figure(page, "learned-tables")["data"][0]["zmax"] == pytest.approx(np.abs(learned).max())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("asked", "refused"), [("63", False), ("64", True), ("4095", True)])
def test_a_position_past_the_end_is_refused_and_the_fixed_table_has_it(position, language, asked, refused):
    page = position(language, position_part="learned", asked=asked)
    table = words.table(language)
    assert (table["position.decoder_says"] in said(page)) == refused
    if refused:
        assert f"position {asked} does not exist in it" in page.code[-1].value
    fixed = numpy_decoder.sinusoid(np.array([int(asked)]), 64)[0]
    assert ", ".join(f"{value:.3f}" for value in fixed[:6]) in said(page)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_scheme_lights_the_place_that_the_code_says(position, language, scheme):
    page = position(language, position_part="entry", scheme_shown=scheme)
    drawn = figure(page, "entry")["layout"]
    lit = [shape["y0"] for shape in drawn["shapes"] if shape["line"]["width"] == 2.5]
    acts_on = SCHEMES[scheme].acts_on
    wanted = {"embedding": 0.2, "query and key": 2.2, "score": 3.2}.get(acts_on)
    assert lit == ([] if wanted is None else [pytest.approx(wanted)])
    place = words.table(language)[f"position.entry.places.{acts_on.replace(' ', '_')}"]
    assert place in data(page, "entry")["table"][1]


def test_the_place_shown_first_is_that_of_the_readers_model(position):
    page = position(position_part="entry", model="Lab ALiBi")
    assert page.segmented_control(key="scheme_shown").value == "alibi"


def test_no_scheme_changes_the_values():  # misconception 6
    for scheme in SCHEMES:
        model = zoo.load(f"lab-{scheme}")
        trace = model.run(model.tokenizer.encode(TEXT))
        block, weights = trace.blocks[0], model.decoder.blocks[0].attention.value
        wanted = weights(block.attention_normed).unflatten(-1, (4, 16)).transpose(0, 1)
        assert (block.attention.value - wanted).abs().max() < 1e-6


def test_trained_numbers_are_those_of_the_labs_models(position):
    told = said(position(position_part="entry"))
    for scheme in SCHEMES:
        position_table = zoo.load(f"lab-{scheme}").decoder.position
        count = sum(parameter.numel() for parameter in position_table.parameters())
        assert f"{count:,}" in told


@pytest.mark.parametrize("text", [" ".join(["apple"] * 31), "苹果" * 250])
def test_long_texts_stay_within_the_wire(position, text):
    page = type_in(position(), text)
    for part in PARTS:
        page = page.segmented_control(key="position_part").set_value(part).run()
        assert not page.exception
        assert wire_bytes(page) < 300_000, part


def test_another_models_page_still_shows_the_labs_tables(position):
    page = position(model="SmolLM2-135M", text="The cat sat")
    assert numbers(figure(page, "position-sum")["data"][0]["z"]).shape[1] == 64
