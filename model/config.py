"""The few numbers that define a model, with a JSON round trip.

A config that cannot be is refused when it is made, by the name of the key at fault.
"""

import json
import math
from dataclasses import asdict, dataclass, fields

NORMS = ("layer", "rms")
FEED_FORWARDS = ("gelu", "gelu_tanh", "swiglu")
POSITIONS = ("none", "sinusoidal", "learned", "rope", "alibi", "t5")
BIASES = ("all", "qkv", "none")


@dataclass(frozen=True)
class Config:
    """What distinguishes one decoder from another.

    `kv_heads`, `d_head` and `rotary_dim` may be left out; they then follow from the others.
    `context` is the longest sequence seen in training, and the number of rows of a learned position table.
    `biases` says which linear maps have one: "all", only "qkv" (Qwen2), or "none" (Llama).
    `tied` means that the unembedding is the embedding table itself.
    """

    vocab: int
    d_model: int
    layers: int
    heads: int
    d_ff: int
    context: int
    norm: str = "layer"
    feed_forward: str = "gelu"
    position: str = "rope"
    biases: str = "all"
    tied: bool = True
    kv_heads: int = 0
    d_head: int = 0
    norm_epsilon: float = 1e-5
    rotary_base: float = 10000.0
    rotary_dim: int = 0
    t5_buckets: int = 32
    t5_max_distance: int = 128

    def __post_init__(self) -> None:
        self._check_types()
        self._check_choices()
        self._derive()
        self._check_shapes()

    def _check_types(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            wanted = (int, float) if field.type is float else field.type
            wrong_bool = isinstance(value, bool) and field.type is not bool
            if wrong_bool or not isinstance(value, wanted):
                raise ValueError(f"{field.name} must be {field.type.__name__}, not {value!r}.")
        for name in (
            "vocab",
            "d_model",
            "layers",
            "heads",
            "d_ff",
            "context",
            "t5_buckets",
            "t5_max_distance",
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}.")
        for name in ("kv_heads", "d_head", "rotary_dim"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative; leave it out to derive it.")
        for name in ("norm_epsilon", "rotary_base"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise ValueError(f"{name} must be a positive number, not {getattr(self, name)}.")

    def _check_choices(self) -> None:
        choices = {"norm": NORMS, "feed_forward": FEED_FORWARDS, "position": POSITIONS, "biases": BIASES}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}; got {getattr(self, name)!r}.")

    def _derive(self) -> None:
        if self.d_head == 0 and self.d_model % self.heads:
            raise ValueError(
                f"d_model {self.d_model} is not a multiple of heads {self.heads}; give d_head, a head's width."
            )
        object.__setattr__(self, "kv_heads", self.kv_heads or self.heads)
        object.__setattr__(self, "d_head", self.d_head or self.d_model // self.heads)
        object.__setattr__(self, "rotary_dim", self.rotary_dim or self.d_head)

    def _check_shapes(self) -> None:
        if self.heads % self.kv_heads:
            raise ValueError(f"heads {self.heads} must be a multiple of kv_heads {self.kv_heads}.")
        if self.position == "sinusoidal" and self.d_model % 2:
            raise ValueError(f"sinusoidal positions pair sines with cosines: d_model {self.d_model} must be even.")
        if self.position == "rope" and (self.rotary_dim % 2 or self.rotary_dim > self.d_head):
            raise ValueError(
                f"rope turns pairs: rotary_dim {self.rotary_dim} must be even and at most d_head {self.d_head}."
            )
        if self.position == "t5" and (self.t5_buckets < 2 or self.t5_max_distance <= self.t5_buckets // 2):
            raise ValueError(
                f"t5 needs at least 2 t5_buckets and a t5_max_distance above half of them; "
                f"got {self.t5_buckets} and {self.t5_max_distance}."
            )

    def to_json(self) -> str:
        """All numbers of this config as a JSON object."""
        return json.dumps(asdict(self), indent=2)

    @classmethod
    def from_json(cls, text: str) -> "Config":
        """The config that `to_json` wrote; a key that is unknown or missing is a ValueError naming it."""
        values = json.loads(text)
        if not isinstance(values, dict):
            raise ValueError("a config is a JSON object of names and numbers.")
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise ValueError(f"unknown config key {', '.join(unknown)}; known are {', '.join(sorted(known))}.")
        required = {"vocab", "d_model", "layers", "heads", "d_ff", "context"}
        missing = sorted(required - set(values))
        if missing:
            raise ValueError(f"the config lacks {', '.join(missing)}.")
        return cls(**values)
