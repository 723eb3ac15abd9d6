"""The Relative page: every question in both languages and with hard texts, its numbers and its words."""

import re

import numpy as np
import pytest

from model import numpy_decoder, zoo
from model.knobs import Knobs
from model.shift_map import first_rise, similarities
from tests.pages.pictures import figure, numbers, press_checks, said, survives_hard_texts, type_in, wire_bytes
from tests.pages.texts import EMPTY, TOO_LONG
from ui import text as words

LANGUAGES = tuple(words.LANGUAGES)
PARTS = ("distance", "shift", "similarity", "alibi", "t5")
TEXT = "小明 喜欢 吃 苹果"


@pytest.fixture
def relative(start):
    """A function that opens the page as a link would."""

    def opened(language: str = "en", **address: str):
        # AppTest gives a widget that both pages have its value from the address only in the second run.
        page = start(language, **address).switch_page("pages/relative.py").run().run()
        assert not page.exception
        return page

    return opened


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
def test_every_question_can_be_opened_by_its_link_and_its_checks_agree(relative, language, part):
    page = relative(language, relative_part=part)
    assert words.table(language)[f"relative.about.{part}"] in said(page)
    assert press_checks(page)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
def test_hard_texts_break_nothing(relative, language, part):
    survives_hard_texts(relative(language, relative_part=part))


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_text_says_so_and_one_that_is_too_long_keeps_the_last_picture(relative, language):
    page = type_in(relative(language), TEXT)
    page = type_in(page, TOO_LONG)
    assert re.search(r"\d+.*256", said(page))
    assert figure(page, "distances")
    page = type_in(page, EMPTY)
    assert words.table(language)["sentence.empty"] in said(page)


@pytest.mark.parametrize("start_at", [0, 7, 1000])
def test_from_apple_to_eat_is_1_and_to_like_is_2_whatever_the_start(relative, start_at):
    page = relative("zh", text=TEXT, query="4", key="3", start=str(start_at))
    line = words.table("zh")["relative.distance.to"]
    for token, place, apart in (("·吃", 3, 1), ("·喜欢", 2, 2), ("小明", 1, 3)):
        assert line.format(token=token, position=start_at + place, apart=apart) in said(page)
    cells = numbers(figure(page, "distances")["data"][0]["z"])
    assert (cells[4, 3], cells[4, 2]) == (1, 2)
    assert rf"{start_at + 4} - {start_at + 3} = \mathbf{{1}}" in page.latex[0].value


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_button_brings_the_sentence_of_the_article(relative, language):
    page = relative(language).button(key="distance-example").click().run()
    assert not page.exception
    assert page.text_input(key="text").value == TEXT
    assert page.number_input(key="query").value == 4
    assert "苹果" in said(page)


def test_absolute_schemes_move_with_the_start_and_relative_ones_do_not(relative):  # property 15
    page = relative(text=TEXT, start="20")
    changes = numbers(figure(page, "moved")["data"][0]["x"])
    for scheme, change in zip(("none", "sinusoidal", "learned", "rope", "alibi", "t5"), changes, strict=True):
        model = zoo.load(f"lab-{scheme}")
        tokens = model.tokenizer.encode(TEXT)
        moved = model.run(tokens, Knobs(positions=tuple(range(20, 25))))
        pairs = zip(model.run(tokens).blocks, moved.blocks, strict=True)
        wanted = max(float((a.attention.weights - b.attention.weights).abs().max()) for a, b in pairs)
        assert change == pytest.approx(wanted, abs=1e-6)
        assert (change > 0.05) == (scheme in ("sinusoidal", "learned")), scheme


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_start_past_the_learned_table_is_refused_in_the_decoders_own_words(relative, language):
    page = relative(language, text=TEXT, start="60")
    told = words.table(language)["relative.distance.refused"]
    assert list(figure(page, "moved")["data"][0]["text"]).count(told) == 1
    assert "position 64 does not exist in it" in page.code[-1].value


@pytest.mark.parametrize(("shift", "first"), [(0, 10), (1, 11), (2, 12), (10, 20), (1000, 1000)])
def test_the_map_takes_every_start_to_the_row_k_places_on(relative, shift, first):  # property 2
    page = relative(relative_part="shift", shift_by=str(shift), shift_from=str(first))
    before, moved, after = (numbers(cells["z"]) for cells in figure(page, "shift-applied")["data"])
    starts = np.array(sorted({10, 11, 12, 20, first}))
    np.testing.assert_allclose(before, numpy_decoder.sinusoid(starts, 8), atol=1e-6)
    np.testing.assert_allclose(after, numpy_decoder.sinusoid(starts + shift, 8), atol=1e-6)
    np.testing.assert_allclose(moved, after, atol=1e-6)
    matrix = numbers(figure(page, "shift-matrix")["data"][0]["z"])
    np.testing.assert_allclose(before @ matrix.T, after, atol=1e-5)
    off = matrix.copy()
    for even in range(0, 8, 2):
        off[even : even + 2, even : even + 2] = 0
    assert not off.any()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("width", "rise"), [(4, 3), (8, 3), (64, 5), (128, 11), (512, 43)])
def test_the_first_rise_is_said_where_it_is(relative, language, width, rise):  # misconception 4
    page = relative(language, relative_part="similarity", pe_width=str(width))
    line = words.table(language)["relative.similarity.rise"]
    assert line.format(width=width, rise=rise, next=rise + 1) in said(page)
    drawn = figure(page, "similarity")
    values = numbers(drawn["data"][0]["y"])
    rows = numpy_decoder.sinusoid(np.arange(101), width)
    np.testing.assert_allclose(values, rows @ rows[0], rtol=1e-5, atol=1e-5 * width)
    low, high = drawn["layout"]["yaxis"]["range"]
    assert low <= values.min() <= values.max() <= high


def test_every_width_rises_within_the_drawn_distances():
    for width in (4, 8, 16, 32, 64, 128, 256, 512):
        assert first_rise(similarities(101, width)) is not None


def test_after_the_projections_the_product_depends_on_more_than_the_distance():
    decoder = zoo.load("lab-sinusoidal").decoder
    attention = decoder.blocks[0].attention
    rows = numpy_decoder.sinusoid(np.arange(60), 64)
    query, key = (rows @ part.weight.numpy()[:16].T for part in (attention.query, attention.key))
    diagonal = np.diagonal(query @ key.T, -1)
    assert diagonal.std() > 0.05 * np.abs(diagonal).mean()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("heads", [1, 4, 6, 12, 16])
def test_alibis_triangles_are_numpys_for_any_number_of_heads(relative, language, heads):
    page = relative(language, relative_part="alibi", alibi_heads=str(heads), text=TEXT, head="0")
    tiles = figure(page, "alibi-triangles")["data"]
    slopes = numpy_decoder.alibi_slopes(heads)
    places = np.arange(5)
    for tile, slope in zip(tiles, slopes, strict=True):
        seen = np.tri(5, dtype=bool)
        wanted = -slope * (places[:, None] - places)
        np.testing.assert_allclose(numbers(tile["z"])[seen], wanted[seen], rtol=1e-5)
        assert tile["zmin"] == -tile["zmax"] == tiles[0]["zmin"]
        assert np.abs(wanted[seen]).max() <= tile["zmax"]
    whole = heads & (heads - 1) == 0
    table = words.table(language)
    said_of = table["relative.alibi.slopes_whole" if whole else "relative.alibi.slopes_other"]
    assert said_of.format(heads=heads) in said(page)
    assert len(figure(page, "alibi-slopes")["data"]) == (1 if whole else 2)  # misconception 10
    reach = numbers(figure(page, "alibi-reach")["data"][-1]["y"])
    assert reach.sum() == pytest.approx(1, abs=1e-5)
    assert (np.diff(reach) < 0).all()


def test_a_key_after_the_query_is_said_to_be_hidden(relative):
    for part, line in (("alibi", "hidden"), ("t5", "hidden_t5"), ("distance", "hidden")):
        page = relative(relative_part=part, text=TEXT, query="1", key="3")
        assert words.table("en")[f"relative.{line}"] in said(page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_t5s_numbers_are_the_trained_ones(relative, language):
    page = relative(language, relative_part="t5", text="苹果" * 21, query="20", key="1", head="2")
    weight = zoo.load("lab-t5").decoder.position.weight.numpy()
    np.testing.assert_array_equal(numbers(figure(page, "t5-table")["data"][0]["z"]), weight.T)
    # Distance 19 is the first of bucket 17.
    assert r"\beta(19)" in page.latex[0].value
    assert f"{abs(weight[17, 2]):.4g}"[:5] in page.latex[0].value
    curve = numbers(figure(page, "t5-distance")["data"][-1]["y"])
    assert curve[19] == weight[17, 2]
    assert len(set(curve[113:].tolist())) == 1  # misconception 11
    told = words.table(language)
    assert told["relative.t5.by_distance_caption"].format(far=113, last=31) in said(page)
    assert told["relative.t5.untrained"].format(context=64, first=27, last=31) in said(page)
    tiles = figure(page, "t5-triangles")["data"]
    assert len(tiles) == 4
    assert numbers(tiles[2]["z"])[20, 1] == weight[17, 2]


@pytest.mark.parametrize("text", [" ".join(["apple"] * 31), "苹果" * 250])
def test_long_texts_stay_within_the_wire_and_say_what_is_left_out(relative, text):
    page = type_in(relative(alibi_heads="16"), text)
    for part in PARTS:
        page = page.segmented_control(key="relative_part").set_value(part).run()
        assert not page.exception
        assert wire_bytes(page) < 300_000, part
        if part in ("alibi", "t5"):
            assert "the first 24 of" in said(page)
