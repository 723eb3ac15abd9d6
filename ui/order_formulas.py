"""The formulas of the Order page, with the numbers of the sentence in them; no words of any language."""

from ui.formulas import coloured, lines, number
from viz.theme import Theme


def journeys(tokens: int, layers: int, query: int, key: int, theme: Theme) -> str:
    """Steps through n tokens and L layers, and the way from key j to query i, for a recurrent net and attention."""
    i, j = (coloured(theme, role, letter) for role, letter in (("query", "i"), ("key", "j")))
    live_i, live_j = (coloured(theme, role, str(place)) for role, place in (("query", query), ("key", key)))
    told = [
        rf"\text{{RNN}}\quad n + L - 1 = {tokens} + {layers} - 1 = \mathbf{{{tokens + layers - 1}}}",
        rf"\text{{Attention}}\quad L = \mathbf{{{layers}}}",
    ]
    if key <= query:
        told.append(rf"\text{{RNN}}\quad {i} - {j} + 1 = {live_i} - {live_j} + 1 = \mathbf{{{query - key + 1}}}")
        told.append(r"\text{Attention}\quad \mathbf{1}")
    return lines(told)


def equivariance(theme: Theme) -> str:
    """Without positions and mask, a permutation of the rows going in is the same permutation of the rows coming out."""
    x = coloured(theme, "residual", "X")
    return rf"f(P{x}) = P\,f({x})"


def count(weights: list[float]) -> str:
    """Uniform weights over the first t tokens, of which only the first has the value 1: 1/t."""
    shares = r",\; ".join(number(weight) for weight in weights)
    return rf"\sum_j \tfrac{{1}}{{t}} v_j = \tfrac{{1}}{{t}}{{:}}\; {shares},\; \dots"
