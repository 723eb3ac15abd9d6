"""The lab's world beside the sentence box: words to pick from, examples, and which of the reader's words it lacks."""

from random import Random

import streamlit as st

from model.corpus import WORLDS, sentence
from model.lab_tokenizer import spelling
from model.roles import in_the_lab
from model.tokenizer import Token
from ui import theme
from ui.session import Run
from ui.text import LANGUAGES, language, t, words

NAMED = 3  # so many words that the world lacks are named; all are marked


def outside(run: Run) -> list[Token]:
    """The first token of each word that the lab's world does not have; none where the model is not the lab's."""
    return run.model.tokenizer.outside(run.tokens) if in_the_lab(run.model) else []


def lacks(run: Run) -> str:
    """Says which of the reader's words the world does not have."""
    strange = [token.group_text for token in outside(run)]
    if not strange:
        return ""
    named = t("world.comma").join(f"“{word[:20]}”" for word in strange[:NAMED])
    return t("world.lacks", words=named + ("…" if len(strange) > NAMED else ""))


def suggest(run: Run) -> None:
    """Buttons that put a word of the world in the place of the first one that it lacks."""
    for token in outside(run)[:1]:
        instead = run.model.tokenizer.similar(token.group_text)
        if not instead:
            return
        with st.container(horizontal=True, width="content", vertical_alignment="center", gap="small"):
            theme.caption(t("world.instead", word=token.group_text[:20]))
            for word in instead:
                key = f"world-instead-{word}"
                st.button(word, key=key, type="tertiary", on_click=_replace, args=(run, token, word))


def show(run: Run) -> None:
    """The list of words and of examples, made only when it is opened."""
    if not in_the_lab(run.model):
        return
    listed = st.popover(t("world.open"), icon=":material/list:", type="tertiary", key="world", on_change="rerun")
    if not listed.open:
        return
    with listed:
        count = sum(len(world.words) for world in WORLDS.values())
        theme.caption(t("world.about", count=count))
        code = st.segmented_control(
            t("header.language"),
            list(WORLDS),
            default=language(),
            format_func=LANGUAGES.get,
            required=True,
            key="world-language",
            label_visibility="collapsed",
        )
        _examples(code)
        _words(run, code)


def _examples(code: str) -> None:
    """A sentence of each kind, of those that no model of the lab was trained on."""
    round_ = st.session_state.get("world-round", 0)
    with st.container(gap=None, key="world-examples"):
        for kind, told in words("world.kinds").items():
            text = sentence(Random(f"{kind}{round_}"), code, kind, test=True).text
            label = f"{told}{t('world.colon')}{theme.plain(text)}"
            st.button(label, key=f"world-{kind}", type="tertiary", on_click=_write, args=(text,))
    st.button(t("world.more"), icon=":material/refresh:", key="world-more", on_click=_next_round)


def _words(run: Run, code: str) -> None:
    names = words("world.groups")
    group = st.selectbox(t("world.group"), list(names), format_func=names.get, key="world-group")
    picked = WORLDS[code].groups[group]
    st.pills(
        t("world.add"), picked, key=f"world-words-{code}-{group}", on_change=_add, args=(run, code, group), wrap=True
    )


def _next_round() -> None:
    st.session_state["world-round"] = st.session_state.get("world-round", 0) + 1


def _add(run: Run, code: str, group: str) -> None:
    """Writes the picked word behind the sentence, and leaves no pill picked."""
    key = f"world-words-{code}-{group}"
    word, st.session_state[key] = st.session_state[key], None
    before = st.session_state["text"]
    if word:
        _write((before + spelling(WORLDS[code], word)).lstrip() if before else word)


def _replace(run: Run, token: Token, word: str) -> None:
    """All of the token's group gives way; the space before it stays."""
    members = [each for each in run.tokens if each.group == token.group]
    start, end = members[0].char_span[0], members[-1].char_span[1]
    space = " " if run.text[start:end].startswith(" ") else ""
    _write(run.text[:start] + space + word + run.text[end:])


def _write(text: str) -> None:
    st.session_state["text"] = text
