"""Change something, and see it beside the untouched picture: the mask, the scale, the temperature, heads turned off."""

import streamlit as st

from model.knobs import Knobs
from ui import controls, session, theme
from ui.chart import chart
from ui.picks import Place
from ui.session import Run
from ui.text import t, words
from viz import attention as pictures

FACTORS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
TEMPERATURES = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0)


def show(run: Run, at: Place) -> None:
    """The knobs, then the head's weights: original, changed, and their difference; then what is predicted next."""
    theme.caption(t("changes.about"))
    knobs = _knobs(run, at)
    if knobs == run.knobs:
        theme.caption(t("changes.none"))
        return
    changed = session.run(run.model, run.text, run.tokens, knobs)
    _pictures(run, changed, at)
    _predictions(run, changed)


def _knobs(run: Run, at: Place) -> Knobs:
    here = f"{at.layer}.{at.head}"
    config = run.model.config
    heads = [f"{layer}.{head}" for layer in range(config.layers) for head in range(config.heads)]
    first, second, third, fourth = st.columns([1, 1.3, 1.3, 1.6], vertical_alignment="bottom")
    causal = first.toggle(t("changes.mask"), value=True, key="mask", bind="query-params")
    scale = second.select_slider(t("changes.scale"), FACTORS, 1.0, key="scale", bind="query-params")
    temperature = third.select_slider(t("changes.temperature"), TEMPERATURES, 1.0, key="heat", bind="query-params")
    off = fourth.multiselect(t("changes.off"), heads, key="off", bind="query-params", placeholder=here)
    gains = tuple((*(int(number) for number in head.split(".")), 0.0) for head in sorted(off))
    return Knobs(causal=causal, scale=scale, temperature=temperature, head_gains=gains)


def _pictures(run: Run, changed: Run, at: Place) -> None:
    original = run.forward.weights(at.layer)[at.head].numpy()
    other = changed.forward.weights(at.layer)[at.head].numpy()
    drawn = {
        "original": pictures.head_weights(original, run.labels, causal=run.knobs.causal, **_look(at)),
        "changed": pictures.head_weights(other, run.labels, causal=changed.knobs.causal, **_look(at)),
        "difference": pictures.head_difference(other - original, run.labels, **_look(at)),
    }
    for column, (name, figure) in zip(st.columns(3), drawn.items(), strict=True):
        with column:
            theme.heading(t(f"changes.{name}"))
            theme.caption(t(f"changes.{name}_caption", knobs=str(changed.knobs)))
            chart(
                figure,
                key=f"changes-{name}",
                alt=t(f"changes.{name}"),
                height=400,
                labels=words("chart"),
                view=controls.view(run),
                on_pick=controls.pick_cell,
                take_away={"name": f"{name}-{at.layer}-{at.head}"},
            )


def _look(at: Place) -> dict:
    return {"picked": (at.query, at.key), "words": words("head.axes"), "theme": theme.current()}


def _predictions(run: Run, changed: Run) -> None:
    theme.heading(t("changes.next"))
    theme.caption(t("changes.next_caption", token=run.labels[-1]))
    for column, name, one in zip(st.columns(3), ("original", "changed"), (run, changed), strict=False):
        found = [(one.model.tokenizer.show(id_), f"{share:.4f}") for id_, share in one.next_tokens(5)]
        with column:
            st.table(
                {
                    t("changes.token"): [theme.plain(token) for token, _ in found],
                    t(f"changes.{name}"): [share for _, share in found],
                }
            )
