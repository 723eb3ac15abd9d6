"""The machine's pictures: every number in its lane, whatever the tokens are, and on a fixed scale."""

from itertools import pairwise

import numpy as np
import pytest

from viz import answers, overview, strip
from viz.arcs import ARCS
from viz.lanes import TALLEST, Lanes
from viz.theme import THEMES

STAGES = ("token", "id", "embedding", "position", "blocks", "norm", "answer", "block", "dimension")
ASIDE = ("attention", "place", "next", "likeliest", "weight")
WORDS = {word: word for word in (*STAGES, *ASIDE)}
LIGHT = THEMES["light"]
HARD = ["the", "the", "1", "2", "10", "<b>", "a&b", "שלום", "2026-11-30"]
each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
each_length = pytest.mark.parametrize("seq", [1, 2, 11, 40, 41, 100, 256])


def lanes_of(seq: int, picked: int = 0) -> Lanes:
    return Lanes([HARD[lane % len(HARD)] for lane in range(seq)], list(range(100, 100 + seq)), picked)


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def machine(seq: int, depth=None, *, kind="norm", width=96, layers=30, theme=LIGHT, picked=0, **options):
    depth = np.abs(numbers(seq, layers)) + 0.5 if depth is None else depth
    options = {"layer": 3, "ends": {"embedding": 2.0, "position": 1.0}, "words": WORDS, "theme": theme} | options
    return overview.machine(lanes_of(seq, picked), numbers(seq, width), depth, kind=kind, **options)


def aside(seq: int, *, picked=0, weights=None, theme=LIGHT):
    shares = np.sort(np.random.default_rng(seq).dirichlet(np.ones(5), seq).astype(np.float32))[:, :-4:-1]
    weights = np.full(seq, 1 / seq, dtype=np.float32) if weights is None else weights
    texts = [[HARD[(lane + rank) % len(HARD)] for rank in range(3)] for lane in range(seq)]
    return shares, answers.answers(lanes_of(seq, picked), weights, texts, shares, words=WORDS, theme=theme)


def drawn(figure, mode: str) -> list:
    return [trace for trace in figure.data if trace.type == "scatter" and trace.mode == mode]


def size(figure) -> int:
    return len(figure.to_json())


@each_theme
@each_length
def test_the_blocks_trace_has_a_cell_a_lane_and_block_and_tells_the_norm_itself(theme, seq):
    norms = np.abs(numbers(seq, 30)) * 1000 + 1
    cells = machine(seq, norms, theme=theme).data[overview.BLOCKS]
    assert np.allclose(10 ** cells.z.astype(np.float64), norms, rtol=1e-4)
    assert np.array_equal(cells.customdata, norms)
    assert cells.zmin <= cells.z.min()
    assert cells.z.max() <= cells.zmax


def test_probabilities_are_on_the_scale_0_to_1_and_lanes_that_are_not_read_stay_blank():
    shares = np.full((5, 30), np.nan, dtype=np.float32)
    shares[2] = np.linspace(0, 1, 30)
    cells = machine(5, shares, kind="answer").data[overview.BLOCKS]
    assert (cells.zmin, cells.zmax) == (0, 1)
    assert np.array_equal(cells.z, shares, equal_nan=True)


@pytest.mark.parametrize("width", [48, 96, 576])
def test_a_strip_shows_of_each_run_of_entries_the_one_of_greatest_magnitude(width):
    vectors = numbers(6, width)
    values, _ = strip.pooled(vectors)
    runs = vectors.reshape(6, strip.COLUMNS, -1)
    assert np.array_equal(np.abs(values), np.abs(runs).max(axis=-1))


@pytest.mark.parametrize("width", [1, 7, 47, 48, 49, 100, 576])
def test_a_strips_entries_are_the_vectors_own_in_their_order(width):
    vectors = numbers(6, width)
    values, dimensions = strip.pooled(vectors)
    assert values.shape == dimensions.shape == (6, min(width, strip.COLUMNS))
    for row in range(6):
        assert np.array_equal(values[row], vectors[row, dimensions[row]])
        assert np.abs(values[row]).max() == np.abs(vectors[row]).max()
        assert (np.diff(dimensions[row]) > 0).all()


@pytest.mark.parametrize("width", [5, 48, 576])
def test_strips_are_symmetric_about_zero_and_fill_their_place(width):
    figure = machine(4, width=width, position=np.ones((4, width), dtype=np.float32))
    strips = [trace for trace in figure.data if trace.type == "heatmap"][1:]
    assert [each.zmax for each in strips] == [2.0, 1.0]
    for drawn_strip in strips:
        assert drawn_strip.zmin == -drawn_strip.zmax
        columns = drawn_strip.z.shape[1]
        assert drawn_strip.x0 - drawn_strip.dx / 2 == pytest.approx(-0.5)
        assert drawn_strip.x0 + (columns - 0.5) * drawn_strip.dx == pytest.approx(strip.COLUMNS - 0.5)


@pytest.mark.parametrize(
    "position", [None, np.zeros((3, 96), dtype=np.float32)], ids=["without", "with a position part"]
)
def test_the_stages_stand_side_by_side_and_never_overlap(position):
    figure = machine(3, position=position)
    axes = figure.layout.to_plotly_json()
    domains = [axes[name]["domain"] for name in ("xaxis", "xaxis2", "xaxis3", "xaxis5", "xaxis4") if name in axes]
    assert len(domains) == (4 if position is None else 5)
    for before, after in pairwise(domains):
        assert before[1] < after[0]
    assert domains[-1][1] == pytest.approx(1)


@pytest.mark.parametrize("layers", [1, 2, 6, 12, 30])
def test_the_framed_block_is_named_once_over_its_column(layers):
    for layer in range(layers):
        figure = machine(2, layers=layers, layer=layer)
        axis = figure.layout.xaxis4
        assert list(axis.tickvals) == sorted(set(axis.tickvals))
        assert layer in axis.tickvals
        frame = next(shape for shape in figure.layout.shapes if shape.line.color == LIGHT.text["residual"])
        assert (frame.x0, frame.x1) == (layer - 0.5, layer + 0.5)


@each_theme
@each_length
def test_both_pictures_have_the_same_lanes(theme, seq):
    left, (_, right) = machine(seq, theme=theme, picked=seq // 2), aside(seq, theme=theme, picked=seq // 2)
    for figure in (left, right):
        assert list(figure.layout.yaxis.range) == [seq - 0.5, -0.5]
        assert list(figure.layout.yaxis.tickvals) == list(range(seq))
        frame = next(shape for shape in figure.layout.shapes if shape.line.color == theme.text["query"])
        assert (frame.y0 + frame.y1) / 2 == seq // 2
    assert left.layout.margin.t == right.layout.margin.t
    assert left.layout.margin.b == right.layout.margin.b


@each_length
def test_point_n_of_what_can_be_clicked_is_lane_n(seq):
    _, right = aside(seq)
    for trace in (*machine(seq).data, *right.data):
        if trace.hoverinfo == "skip":
            continue
        if trace.type == "heatmap":
            assert len(trace.z) == seq
        else:
            assert np.array_equal(trace.y, np.arange(seq))


@each_length
def test_lanes_with_text_never_touch_and_the_picked_one_always_has_it(seq):
    for picked in {0, seq // 3, seq - 1}:
        lanes = lanes_of(seq, picked)
        shown = lanes.labelled(LIGHT)
        assert picked in shown
        assert (np.diff(shown) * lanes.pixels >= LIGHT.size).all()
    assert lanes.height <= max(TALLEST, 6 * seq) + 60


@each_length
def test_bars_are_as_long_as_the_probabilities_on_a_scale_that_ends_at_1(seq):
    shares, figure = aside(seq)
    bars = next(trace for trace in figure.data if trace.base is not None and trace.type == "bar")
    assert np.allclose(bars.x / (answers.BAR_END - answers.BAR), shares[:, 0], atol=1e-6)


def test_arcs_run_from_the_query_to_the_keys_it_reads_most_and_are_wider_for_greater_weights():
    weights = np.array([0.3, 0.0, 0.5, 0.002, 0.198], dtype=np.float32)
    _, figure = aside(5, picked=4, weights=weights)
    arcs = drawn(figure, "lines")
    ends = {round(float(arc.y[0])): arc for arc in arcs} | {round(float(arc.y[-1])): arc for arc in arcs}
    assert ends.keys() == {0, 2, 4}
    assert ends[0].line.width < ends[2].line.width
    assert [list(dot.y) for dot in drawn(figure, "markers")] == [[4]]


def test_only_so_many_arcs_are_drawn_and_they_are_the_strongest():
    weights = np.arange(1, 101, dtype=np.float32) / 5050
    _, figure = aside(100, picked=99, weights=weights)
    arcs, dots = drawn(figure, "lines"), drawn(figure, "markers")
    assert len(arcs) + len(dots) == ARCS
    assert min(float(arc.y[0]) for arc in arcs) == pytest.approx(100 - ARCS, abs=0.01)


@pytest.mark.parametrize(
    ("probability", "written"),
    [(0.42, ".42"), (1, "1.0"), (0.996, "1.0"), (0.0049, "<.01"), (0.005, ".01"), (0, "<.01")],
)
def test_a_probability_is_written_in_at_most_four_signs(probability, written):
    assert answers.chance(probability) == written


def test_markup_in_tokens_stays_text():
    _, right = aside(9)
    for figure in (machine(9), right):
        texts = [text for trace in figure.data for text in (trace.text if trace.text is not None else ())]
        texts += [text for trace in figure.data for text in (trace.hovertext if trace.hovertext is not None else ())]
        assert any("&lt;b&gt;" in text for text in texts)
        assert not any("<b><b>" in text or "a&b" in text for text in texts)


def test_the_scale_of_the_norms_stays_while_they_grow_within_half_a_decade():
    assert (
        overview.norm_scale(np.array([[34.0, 900.0]])) == overview.norm_scale(np.array([[40.0, 500.0]])) == (1.5, 3.0)
    )
    low, high = overview.norm_scale(np.array([[10.0]]))
    assert low <= 1 < high


def test_a_key_press_at_32_tokens_sends_little():
    _, right = aside(32)
    assert size(machine(32, width=576)) + size(right) < 100_000


def test_the_tables_tell_every_lane():
    lanes, depth = lanes_of(4), np.arange(8, dtype=np.float32).reshape(4, 2)
    rows = overview.table(lanes, depth, 1, WORDS)
    assert [row[-1] for row in rows] == ["block 1", "1", "3", "5", "7"]
    told = answers.table(lanes, [["x", "<b>"]] * 4, np.full((4, 2), 0.25), WORDS)
    assert told[1] == ["the", "x 0.25", "<b> 0.25"]
    assert len({len(row) for row in told}) == 1
