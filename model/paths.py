"""How long information travels: a recurrent network goes from token to token, attention reads all tokens at once.

One step of a recurrent layer makes the state of one token out of the state before it and the token itself; one step
of an attention layer makes the rows of all tokens. Counted are steps that have to wait for one another
(Vaswani et al. 2017, table 1). The sums inside a step, over dimensions and keys, run in parallel and are not counted.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

KINDS = ("recurrent", "attention")


@dataclass(frozen=True)
class Journey:
    """Steps until all `tokens` are through `layers`, and the steps from one token's input to another's output."""

    steps: int
    path: int | None


def journey(kind: str, tokens: int, layers: int, query: int, key: int) -> Journey:
    """Both counts. `path` is through one layer, from the key's input to the query's row; None where no way leads there.

    A key after the query is out of reach for both: a recurrent state and a causal row hold only what came before.
    """
    path = PATHS[kind](query, key) if key <= query else None
    return Journey(STEPS[kind](tokens, layers), path)


def ready(kind: str, tokens: int) -> Int[np.ndarray, " tokens"]:
    """After which step of one layer each token's row is there."""
    return np.array([journey(kind, place + 1, 1, place, place).steps for place in range(tokens)])


def walked(kind: str, tokens: int, layers: int, query: int, key: int) -> Journey:
    """The same counts by walking the machine, row by row: every row waits for what it reads, then takes one step.

    `hops[t]` is the shortest way from the key's input to the row of token t in layer 0.
    """
    ready_at = np.zeros((layers + 1, tokens))
    hops = np.full(tokens, np.inf)
    for layer in range(1, layers + 1):
        for place in range(tokens):
            reads = range(place + 1) if kind == "attention" else [place]
            waits = ready_at[layer - 1, list(reads)].max()
            direct = 0.0 if key in reads else np.inf
            if kind == "recurrent" and place:
                waits = max(waits, ready_at[layer, place - 1])
                direct = min(direct, hops[place - 1] if layer == 1 else np.inf)
            ready_at[layer, place] = waits + 1
            if layer == 1:
                hops[place] = direct + 1
    path = hops[query]
    return Journey(int(ready_at[layers].max()), int(path) if np.isfinite(path) else None)


STEPS: dict[str, Callable[[int, int], int]] = {
    # the second layer can begin as soon as the first has its first token: it follows one step behind
    "recurrent": lambda tokens, layers: tokens + layers - 1,
    "attention": lambda tokens, layers: layers,
}
PATHS: dict[str, Callable[[int, int], int]] = {
    "recurrent": lambda query, key: query - key + 1,
    "attention": lambda query, key: 1,
}
