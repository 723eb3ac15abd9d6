"""A score of RoPE taken apart: a query and a key before their turn, and what each plane adds to q·k at any positions.

Plane p is the pair of dimensions (2p, 2p + 1). A query at m and a key at n add in each plane
A·cos(w(m − n)) + B·sin(w(m − n)) to q·k: the distance alone matters, and its sign does (Su et al. 2021).
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.decoder import Decoder
from model.position import PositionEncoding
from model.rotary_scaling import Rotation
from model.steps import plane_frequencies, planes
from model.trace import AttentionTrace


@dataclass(frozen=True, eq=False)
class Couple:
    """One query and one key of a head, as projected, and by how much each plane turns, which is float64.

    Planes that the rotation has no frequency for stay as they are.
    """

    query: Float[Tensor, " d_head"]
    key: Float[Tensor, " d_head"]
    rotation: Rotation

    @property
    def frequencies(self) -> Float[Tensor, " plane"]:
        """Radians from one position to the next; 0 for a plane that does not turn."""
        return plane_frequencies(self.rotation.frequencies, len(self.query))

    @property
    def lengths(self) -> float:
        """|q|·|k|, the greatest that |q·k| can become by any turn; the measure of every error here."""
        return (self.query.double().norm() * self.key.double().norm()).item()

    def turned(self, role: str, position: int) -> Float[Tensor, "plane 2"]:
        """The planes of "query" or "key" at a position, each turned by position × frequency."""
        angles = position * self.frequencies
        return turn(getattr(self, role), angles.cos(), angles.sin()) * self._factors[:, None]

    def parts(self, query_position: int, key_position: int) -> Float[Tensor, " plane"]:
        """What each plane adds to q·k, from the turned vectors themselves."""
        return (self.turned("query", query_position) * self.turned("key", key_position)).sum(dim=-1)

    def by_distance(self, distances: Int[np.ndarray, " distance"]) -> Float[Tensor, "distance plane"]:
        """What each plane adds to q·k for query − key positions, from the formula in the distance alone."""
        query, key = planes(self.query.double()), planes(self.key.double())
        along = (query * key).sum(dim=-1)
        across = query[:, 0] * key[:, 1] - query[:, 1] * key[:, 0]
        angles = torch.from_numpy(distances).double()[:, None] * self.frequencies
        return (along * angles.cos() + across * angles.sin()) * self._factors**2

    @property
    def bounds(self) -> Float[Tensor, " plane"]:
        """|q|·|k| of each plane: its part of q·k lies between minus this and this, whatever the positions."""
        query, key = planes(self.query.double()), planes(self.key.double())
        return query.norm(dim=-1) * key.norm(dim=-1) * self._factors**2

    @property
    def _factors(self) -> Float[Tensor, " plane"]:
        turning = self.frequencies != 0
        return torch.where(turning, torch.tensor(self.rotation.factor, dtype=torch.float64), 1.0)


def turn(
    vector: Float[Tensor, " d_head"], cosine: Float[Tensor, "*batch plane"], sine: Float[Tensor, "*batch plane"]
) -> Float[Tensor, "*batch plane 2"]:
    """The planes of a vector, in float64, each turned by the angle of this cosine and sine."""
    a, b = planes(vector.double()).unbind(-1)
    return torch.stack((a * cosine - b * sine, a * sine + b * cosine), dim=-1)


def couple_of(decoder: Decoder, trace: AttentionTrace, head: int, query: int, key: int) -> Couple:
    """The query and key of one cell of a decoder that turns them; `trace` is of the cell's layer."""
    kv_head = head // (decoder.config.heads // decoder.config.kv_heads)
    return Couple(trace.query[head, query], trace.key[kv_head, key], Rotation(decoder.position.frequencies))


@torch.inference_mode()
def scores(
    position: PositionEncoding,
    query: Float[Tensor, " d_head"],
    key: Float[Tensor, " d_head"],
    places: list[tuple[int, int]],
) -> list[float]:
    """q·k at each (query position, key position), turned by the decoder's own code in the decoder's own precision."""
    at = torch.tensor(places)
    queries = position.rotate(query.expand(1, len(places), -1), at[:, 0])[0]
    keys = position.rotate(key.expand(1, len(places), -1), at[:, 1])[0]
    return (queries * keys).sum(dim=-1).tolist()


def key_for(couple: Couple, distance: int) -> Couple:
    """The same query with a key made for it: as long as the old one, it scores highest at exactly this distance."""
    turned = Couple(couple.query, couple.query, couple.rotation).turned("key", distance).flatten()[: len(couple.query)]
    made = turned * (couple.key.double().norm() / turned.norm())
    return Couple(couple.query, made, couple.rotation)
