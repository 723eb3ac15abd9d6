"""What papers report of position schemes, held against the lab's own results: each statement with its rule.

The reported picture is that of models of about 100 million parameters and more, by perplexity on text (Press et al.
2021, Haviv et al. 2022, Kazemnejad et al. 2023). A rule says from which numbers ours agrees; the bounds are ours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from model import position_bias
from model.lab_results import Results, Scored, band
from model.train_settings import Settings

SMALL = 0.1  # nats a token: what counts as little
LARGE = 0.5  # and as much
COUNTING = "item"  # the kind of sentence that asks for the k-th word of a list
BUCKETS = {"inside": 1, "1.5": 2, "2": 3}  # the bucket of 32 places that ends at so many times the trained length


@dataclass(frozen=True)
class Found:
    """Whether ours agrees, and the numbers that say so, ready to be put into a sentence."""

    agrees: bool
    numbers: dict[str, str]


def increase(seeds: tuple[Scored, ...], bucket: int) -> float | None:
    """How much higher the loss is there than in the second half of the trained length, in nats; the seeds' mean."""
    there, inside = (band(seed.loss[place] for seed in seeds) for place in (bucket, BUCKETS["inside"]))
    return there.mean - inside.mean if there and inside else None


def inside(results: Results) -> dict[str, float]:
    """Each scheme's loss in the second half of the trained length, in nats; the seeds' mean."""
    return {scheme: band(seed.loss[BUCKETS["inside"]] for seed in seeds).mean for scheme, seeds in results.items()}


def _close(results: Results) -> Found:
    losses = inside(results)
    gap = max(losses.values()) - min(losses.values())
    return Found(gap <= SMALL, {"gap": f"{gap:.2f}"} | _named(losses))


def _order(results: Results) -> Found:
    losses = inside(results)
    others = max(losses["rope"], losses["sinusoidal"]) <= losses["learned"] <= losses["none"]
    right = {scheme: band(seed.accuracy[COUNTING] for seed in seeds).mean for scheme, seeds in results.items()}
    counting = {f"task_{scheme}": f"{share:.0%}" for scheme, share in right.items()} | {"task": COUNTING}
    return Found(losses["alibi"] <= losses["rope"] and others, _named(losses) | counting)


def _seeds(results: Results) -> Found:
    spreads = {scheme: band(seed.loss[BUCKETS["inside"]] for seed in seeds) for scheme, seeds in results.items()}
    widest = max(found.most - found.least for found in spreads.values())
    means = sorted(found.mean for found in spreads.values())
    nearest = min(after - before for before, after in pairwise(means))
    return Found(widest > nearest, {"spread": f"{widest:.3f}", "gap": f"{nearest:.3f}"})


def _learned(results: Results) -> Found:
    missing = all(loss is None for seed in results["learned"] for loss in seed.loss[BUCKETS["1.5"] :])
    return Found(missing, {"last": str(results["learned"][0].places[BUCKETS["1.5"]] - 1)})


def _sinusoidal(results: Results) -> Found:
    up = increase(results["sinusoidal"], BUCKETS["1.5"])
    return Found(up > SMALL, {"up": f"{up:+.2f}"})


def _rope(results: Results) -> Found:
    near, far = increase(results["rope"], BUCKETS["1.5"]), increase(results["rope"], -1)
    return Found(near < LARGE < far and near < far / 4, {"near": f"{near:+.2f}", "far": f"{far:+.2f}"})


def _t5(results: Results) -> Found:
    near, twice = (increase(results["t5"], BUCKETS[times]) for times in ("1.5", "2"))
    return Found(twice < SMALL, {"near": f"{near:+.2f}", "twice": f"{twice:+.2f}"} | trained_buckets())


def trained_buckets() -> dict[str, str]:
    """Of T5's buckets, the last one that a window of the trained length can reach, and how many there are."""
    config = Settings(position="t5").config
    reached = position_bias.trained_buckets(config)
    return {"last": str(reached - 1), "untrained": str(config.t5_buckets - reached), "buckets": str(config.t5_buckets)}


def _alibi(results: Results) -> Found:
    up = increase(results["alibi"], -1)
    return Found(abs(up) < SMALL, {"up": f"{up:+.2f}"})


def _none(results: Results) -> Found:
    up = increase(results["none"], BUCKETS["2"])
    shares = {
        kind: band(seed.late_accuracy[2][kind] for seed in results["none"]).mean
        for kind in results["none"][0].late_accuracy[2]
    }
    worst, best = min(shares, key=shares.get), max(shares, key=shares.get)
    numbers = {"worst": worst, "best": best, "low": f"{shares[worst]:.0%}", "high": f"{shares[best]:.0%}"}
    return Found(shares[best] - shares[worst] >= 0.3, numbers | {"up": f"{up:+.2f}"})


def _no_bug(results: Results) -> Found:
    to_four = {scheme: increase(results[scheme], 7) for scheme in ("rope", "sinusoidal")}
    alibi = increase(results["alibi"], BUCKETS["1.5"])
    numbers = {"rope": f"{to_four['rope']:+.2f}", "sinusoidal": f"{to_four['sinusoidal']:+.2f}"}
    return Found(min(to_four.values()) > 0 and alibi < SMALL, numbers | {"alibi": f"{alibi:+.2f}"})


def _named(losses: dict[str, float]) -> dict[str, str]:
    return {scheme: f"{loss:.3f}" for scheme, loss in losses.items()}


STATEMENTS: dict[str, Callable[[Results], Found]] = {
    "close": _close,
    "order": _order,
    "seeds": _seeds,
    "learned": _learned,
    "sinusoidal": _sinusoidal,
    "rope": _rope,
    "t5": _t5,
    "alibi": _alibi,
    "none": _none,
    "no_bug": _no_bug,
}
