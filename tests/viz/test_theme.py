"""Colours: every text can be read, and labels stay labels."""

import numpy as np
import pytest

from viz.theme import ROLES, THEMES, _rgb, contrast, token_labels

each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


def test_contrast_is_that_of_the_standard():
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21.0)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.01)


@each_theme
def test_every_text_tone_stands_out_from_the_page(theme):
    tones = {"ink": theme.ink, "quiet": theme.quiet, **theme.text}
    for name, tone in tones.items():
        assert contrast(_rgb(tone), _rgb(theme.background)) >= 4.5, name


@each_theme
def test_numbers_in_cells_stand_out_from_their_own_cell(theme):
    shares = np.linspace(0, 1, 101)
    for share, colour, cell in zip(shares, theme.text_on(shares), theme.cell_colours(shares), strict=True):
        assert contrast(_rgb(colour), cell) >= 4.5, share


@each_theme
def test_the_scales_start_at_the_page_and_the_diverging_one_has_it_at_zero(theme):
    assert theme.sequential[0] == (0.0, theme.background)
    assert dict(theme.diverging)[0.5] == theme.background


@each_theme
def test_every_role_has_a_text_tone(theme):
    assert theme.text.keys() == ROLES.keys()


def test_labels_keep_markup_as_text_and_their_number():
    tokens = ["<b>", "a&b", "the", "the", "1", "2026-11-30", "שלום", "x" * 50]
    labels = token_labels(tokens)
    assert len(labels) == len(tokens)
    assert "<" not in "".join(labels)
    assert "&lt;b&gt;" in labels[0]
    assert len(labels[-1]) <= 14
