"""The nine steps of a cell: for each the tensor that proves it, its sentences, its formulas, its chart."""

from collections.abc import Callable
from dataclasses import dataclass

from ui import formulas
from ui import step_pictures as pictures
from ui.formulas import Symbols
from ui.step_pictures import Picture, Scene
from ui.text import t


@dataclass(frozen=True)
class Step:
    """A step: the tensor that proves it, its sentences, its lines of LaTeX, its chart."""

    tensor: str
    what: Callable[[Scene], list[str]]
    lines: Callable[[Scene, Symbols], list[str]]
    picture: Callable[[Scene], Picture | None]


def _what_vectors(scene: Scene) -> list[str]:
    labels = scene.run.labels
    return [t("stepper.what.vectors", query=labels[scene.at.query], key=labels[scene.at.key])]


def _what_turn(scene: Scene) -> list[str]:
    query_position, key_position = scene.found.positions
    scheme = scene.run.model.config.position
    values = {"query_position": query_position, "key_position": key_position} if scene.found.turns else {}
    return [t(f"stepper.what.turn_{scheme}", **values)]


def _what_product(scene: Scene) -> list[str]:
    return [t("stepper.what.product_turned") if scene.found.turns else t("stepper.what.product")]


def _what_scale(scene: Scene) -> list[str]:
    knob, d_head = scene.run.knobs.scale, len(scene.found.query)
    told = [t("stepper.what.scale", d_head=d_head)]
    return told if knob == 1 else [*told, t("stepper.what.scale_knob", scale=f"{knob:g}")]


def _what_score(scene: Scene) -> list[str]:
    scheme, knobs = scene.run.model.config.position, scene.run.knobs
    bias = t(f"stepper.what.bias_{scheme}") if scheme in ("alibi", "t5") else t("stepper.what.no_bias")
    if not scene.found.cell.visible:
        mask = t("stepper.what.mask_hidden", query=scene.at.query, key=scene.at.key)
    else:
        mask = t("stepper.what.mask_visible") if knobs.causal else t("stepper.what.mask_off")
    warm = [] if knobs.temperature == 1 else [t("stepper.what.temperature", temperature=f"{knobs.temperature:g}")]
    return [bias, mask, *warm]


def _what_exponential(scene: Scene) -> list[str]:
    told = [t("stepper.what.exponential")]
    return told if scene.found.cell.visible else [*told, t("stepper.what.exponential_hidden")]


def _what_weight(scene: Scene) -> list[str]:
    return [t("stepper.what.weight") if scene.found.cell.visible else t("stepper.what.weight_hidden")]


def _what_mix(scene: Scene) -> list[str]:
    labels = scene.run.labels
    return [t("stepper.what.mix", query=labels[scene.at.query], key=labels[scene.at.key])]


def _what_arrive(scene: Scene) -> list[str]:
    told = [t("stepper.what.arrive", query=scene.run.labels[scene.at.query])]
    return told if scene.found.gain == 1 else [*told, t("stepper.what.gain", gain=f"{scene.found.gain:g}")]


def _lines_vectors(scene: Scene, symbols: Symbols) -> list[str]:
    biased = scene.run.model.config.biases in ("all", "qkv")
    return formulas.projected(symbols, scene.found, scene.at.head, biased)


def _lines_turn(scene: Scene, symbols: Symbols) -> list[str]:
    return formulas.turned(symbols, scene.found, scene.turning_plane)


def _lines_product(scene: Scene, symbols: Symbols) -> list[str]:
    return formulas.products(symbols, scene.found, scene.plane)


def _lines_scale(scene: Scene, symbols: Symbols) -> list[str]:
    return formulas.scaled(symbols, scene.found, len(scene.found.query), scene.run.knobs.scale)


def _lines_score(scene: Scene, symbols: Symbols) -> list[str]:
    return formulas.scored(symbols, scene.found, scene.at.head)


def _lines_exponential(scene: Scene, symbols: Symbols) -> list[str]:
    return formulas.exponential(symbols, scene.found)


def _lines_weight(scene: Scene, symbols: Symbols) -> list[str]:
    return formulas.weight(symbols, scene.found)


def _lines_mix(scene: Scene, symbols: Symbols) -> list[str]:
    return formulas.mixed(symbols, scene.found, scene.dimension)


def _lines_arrive(scene: Scene, symbols: Symbols) -> list[str]:
    biased = scene.run.model.config.biases == "all"
    return formulas.arrived(symbols, scene.found, scene.at.head, scene.channel, biased)


STEPS = {
    "vectors": Step("attention.query", _what_vectors, _lines_vectors, pictures.vectors),
    "turn": Step("attention.rotated_query", _what_turn, _lines_turn, pictures.turn),
    "product": Step("attention.raw_scores", _what_product, _lines_product, pictures.product),
    "scale": Step("attention.raw_scores", _what_scale, _lines_scale, pictures.scale),
    "score": Step("attention.scores", _what_score, _lines_score, pictures.score),
    "exponential": Step("attention.scores", _what_exponential, _lines_exponential, pictures.exponential),
    "weight": Step("attention.weights", _what_weight, _lines_weight, pictures.weight),
    "mix": Step("attention.mixed", _what_mix, _lines_mix, pictures.mix),
    "arrive": Step("between", _what_arrive, _lines_arrive, pictures.arrive),
}
