"""A vector as a strip of colours: a few columns for many entries, symmetric about 0."""

from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int

from viz.lanes import Lanes
from viz.theme import Theme

COLUMNS = 48


def pooled(
    vectors: Float[np.ndarray, "seq d_model"], columns: int = COLUMNS
) -> tuple[Float[np.ndarray, "seq columns"], Int[np.ndarray, "seq columns"]]:
    """At most `columns` entries a row: of each run of neighbours the one of greatest magnitude, and its dimension."""
    width = vectors.shape[1]
    columns = min(columns, width)
    edges = np.arange(columns + 1) * width // columns
    parts = [np.abs(vectors[:, start:end]).argmax(axis=1) + start for start, end in pairwise(edges)]
    dimensions = np.stack(parts, axis=1)
    return np.take_along_axis(vectors, dimensions, axis=1), dimensions


def trace(
    vectors: Float[np.ndarray, "seq d_model"],
    axis: str,
    end: float,
    lanes: Lanes,
    *,
    name: str,
    dimension: str,
    theme: Theme,
) -> dict:
    """The strips of all lanes on the x axis `axis`, which runs over `COLUMNS` cells; the scale goes from −end to end.

    `dimension` is the word for it in the reader's language.
    """
    values, dimensions = pooled(vectors)
    return {
        "type": "heatmap",
        "name": name,
        "xaxis": axis,
        "z": values.astype(np.float32),
        "customdata": dimensions.astype(np.int16 if vectors.shape[1] < 2**15 else np.int32),
        "x0": (COLUMNS / values.shape[1] - 1) / 2,
        "dx": COLUMNS / values.shape[1],  # fewer entries than columns fill the strip all the same
        "zmin": -end,
        "zmax": end,
        "colorscale": [list(stop) for stop in theme.diverging],
        "showscale": False,
        "ygap": 7 if lanes.pixels >= 14 else 0,
        "hovertemplate": f"%{{y}}<br>{dimension} %{{customdata}}: %{{z:.5g}}<extra></extra>",
    }
