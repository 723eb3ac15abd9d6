"""How the schemes learned: losses and accuracies along training, from the logs that training wrote."""

import numpy as np

from model import lab_proof, lab_results
from model.sentences import KINDS
from ui import compare, compare_length, picks, proof, session, theme
from ui.text import t, words
from viz.curves import Axes


def show(chosen: list[str]) -> None:
    """Small multiples of one column of the logs, step by step."""
    logs = {scheme: found for scheme in lab_results.SCHEMES if (found := lab_results.training(scheme))}
    missing = [words("compare.schemes")[scheme] for scheme in chosen if scheme not in logs]
    if missing:
        theme.caption(t("compare.no_logs", schemes=", ".join(missing)), warning=True)
        return
    theme.heading(t("compare.training"))
    kinds = words("world.kinds")
    names = words("compare.columns") | {kind: kinds[kind] for kind in KINDS}
    column = picks.choose_listed("column", t("compare.quantity"), names)
    steps = logs[chosen[0]][0]["step"]
    of = "accuracy" if column in KINDS else "loss"
    seeds = len(logs[chosen[0]])
    theme.caption(t(f"compare.training_{of}", seeds=seeds, every=int(steps[1] - steps[0]), steps=int(steps[-1])))
    values = {scheme: np.stack([log[column] for log in seeds]) for scheme, seeds in logs.items()}
    axes = _axes(steps, 1.02 if column in KINDS else compare_length.top(values))
    picked = {scheme: values[scheme] for scheme in chosen}
    for scheme, place in compare.multiples(chosen):
        with place:
            told = {"quantity": names[column], "code": t("compare.training_code", scheme=scheme, column=column)}
            compare_length.multiple("training", scheme, steps, picked, axes, **told)
    _check(chosen, logs)


def _axes(steps: np.ndarray, top: float) -> Axes:
    last = float(steps[-1])
    ticks = (0.0, last / 2, last)
    return Axes(top, (0, last * 1.02), ticks, [f"{tick:g}" for tick in ticks], t("compare.step_hover"))


def _check(chosen: list[str], logs: dict[str, list[dict[str, np.ndarray]]]) -> None:
    """The last held-out loss of the first seed of each scheme again, from its weights, with NumPy."""
    theme.caption(t("compare.check_training"))
    ours = np.array([logs[scheme][0]["test_loss"][-1] for scheme in chosen])

    def again() -> np.ndarray:
        with proof.ONE_AT_A_TIME:
            return np.array([lab_proof.trained(session.ready(f"lab-{scheme}").decoder) for scheme in chosen])

    proof.compare("training", ours, again, compare_length.ROUNDED, tuple(chosen))
