"""What a reader may change in a forward pass. An argument of the pass, never an edit of the shared model."""

from dataclasses import dataclass

from model.config import Config

LIMITS = {
    "scale": (0.0, 100.0),
    "temperature": (0.01, 100.0),
    "gain": (-100.0, 100.0),
    "position": (-(2**20), 2**20),
}


@dataclass(frozen=True)
class Knobs:
    """The changes asked for; the defaults change nothing.

    causal       whether later keys are hidden
    scale        a factor on the usual 1/√d_head
    temperature  scores are divided by it before the softmax
    positions    any integers, one a token, in place of 0, 1, 2 …
    head_gains   (layer, head, gain): the head's mixed values are multiplied by the gain before W_O; 0 turns it off
    """

    causal: bool = True
    scale: float = 1.0
    temperature: float = 1.0
    positions: tuple[int, ...] | None = None
    head_gains: tuple[tuple[int, int, float], ...] = ()

    def __post_init__(self) -> None:
        _within("scale", self.scale)
        _within("temperature", self.temperature)
        for position in self.positions or ():
            _within("position", position)
        for _, _, gain in self.head_gains:
            _within("gain", gain)
        heads = [(layer, head) for layer, head, _ in self.head_gains]
        if len(set(heads)) < len(heads):
            raise ValueError("a head may be given only one gain.")

    def check(self, config: Config, tokens: int) -> None:
        """Refuses, by a ValueError, heads that the model lacks and positions that do not match the number of tokens."""
        for layer, head, _ in self.head_gains:
            if not (0 <= layer < config.layers and 0 <= head < config.heads):
                raise ValueError(
                    f"there is no head {layer}.{head}; "
                    f"layers are 0 to {config.layers - 1}, heads 0 to {config.heads - 1}."
                )
        if self.positions is not None and len(self.positions) != tokens:
            raise ValueError(f"{len(self.positions)} positions were given for {tokens} tokens; give one a token.")

    def gains(self, layer: int, heads: int) -> list[float]:
        """The gain of each head of one layer."""
        changed = {head: gain for at, head, gain in self.head_gains if at == layer}
        return [changed.get(head, 1.0) for head in range(heads)]

    def __str__(self) -> str:
        """Only what is changed, as `parse` reads it: `causal=off scale=0.5 gain=13.8:0`."""
        words = []
        if not self.causal:
            words.append("causal=off")
        words += [
            f"{name}={_written(getattr(self, name))}" for name in ("scale", "temperature") if getattr(self, name) != 1
        ]
        if self.positions is not None:
            words.append("positions=" + ",".join(str(position) for position in self.positions))
        words += [f"gain={layer}.{head}:{_written(gain)}" for layer, head, gain in self.head_gains]
        return " ".join(words)

    @classmethod
    def parse(cls, text: str) -> "Knobs":
        """The knobs that such words describe; a word that is not understood is a ValueError that names it."""
        values: dict = {"head_gains": ()}
        for word in text.split():
            name, _, value = word.partition("=")
            if name not in PARSERS:
                raise ValueError(f"unknown knob {word!r}; known are {', '.join(PARSERS)}.")
            try:
                parsed = PARSERS[name](value)
            except (ValueError, KeyError):
                raise ValueError(f"{word!r} is not understood; write it like {EXAMPLES[name]}.") from None
            if name == "gain":
                values["head_gains"] += (parsed,)
            else:
                values[name] = parsed
        return cls(**values)


def _within(name: str, value: float) -> None:
    low, high = LIMITS[name]
    if not low <= value <= high:  # false for NaN as well
        raise ValueError(f"{name} must lie between {_written(low)} and {_written(high)}; got {value}.")


def _written(value: float) -> str:
    """The shortest digits that read back as exactly this number; whole numbers without a point."""
    return str(value).removesuffix(".0")


def _parse_gain(value: str) -> tuple[int, int, float]:
    place, gain = value.split(":")
    layer, head = place.split(".")
    return int(layer), int(head), float(gain)


PARSERS = {
    "causal": {"on": True, "off": False}.__getitem__,
    "scale": float,
    "temperature": float,
    "positions": lambda value: tuple(int(position) for position in value.split(",")),
    "gain": _parse_gain,
}
EXAMPLES = {
    "causal": "causal=off",
    "scale": "scale=0.5",
    "temperature": "temperature=2",
    "positions": "positions=5,6,7",
    "gain": "gain=13.8:0",
}
