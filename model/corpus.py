"""The lab's corpus: sentences of the micro-world with a known right answer and known places where it comes from.

Every sentence is made from a template and a random choice; what it says (its content) puts it on one side of the
split for good, so that the test set holds combinations that training never shows.
"""

import zlib
from dataclasses import dataclass, replace
from random import Random

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from model.lab_tokenizer import BOS, LabTokenizer, spelling
from model.sentences import KINDS
from model.world import World
from model.world_chinese import CHINESE
from model.world_english import ENGLISH

TOKENIZER = LabTokenizer()
WORLDS = {"en": ENGLISH, "zh": CHINESE}
TEST_SHARE = 10
SPACE = ord(" ")


@dataclass(frozen=True)
class Sentence:
    """One sentence. `answers` are the places of tokens that can be known for sure from what stands before them.

    `links` are (row, source) places: the row can only make its prediction by looking at the source.
    """

    language: str
    kind: str
    text: str
    ids: tuple[int, ...]
    answers: tuple[int, ...]
    links: tuple[tuple[int, int], ...]
    test: bool


@dataclass(frozen=True, eq=False)
class Windows:
    """Sentences packed one after another behind BOS; `targets` is `ids` one token on, `sure` marks sure targets.

    `placed` names the sentences that lie whole inside a window: (window, place of its first token, sentence).
    """

    ids: Int[Tensor, "window seq"]
    targets: Int[Tensor, "window seq"]
    sure: Bool[Tensor, "window seq"]
    placed: tuple[tuple[int, int, Sentence], ...]


def sentence(random: Random, language: str, kind: str | None = None, test: bool = False) -> Sentence:
    """A random sentence of one side of the split; without a `kind`, kinds come in the shares of `KINDS`."""
    world = WORLDS[language]
    while True:
        chosen = kind or random.choices(list(KINDS), _SHARES)[0]
        line, content = KINDS[chosen][1](world, random)
        if held_out(language, content) == test:
            return _build(world, chosen, line, test)


def held_out(language: str, content: tuple[str, ...]) -> bool:
    """On which side of the split a content falls: one in ten, by its checksum, is kept for the test."""
    return zlib.crc32(" ".join((language, *content)).encode()) % TEST_SHARE == 0


def windows(random: Random, count: int, length: int, test: bool = False) -> Windows:
    """`count` windows of `length` tokens, each in one language; the last sentence of a window may be cut."""
    rows, sure, placed = [], torch.zeros(count, length + 1, dtype=torch.bool), []
    for window in range(count):
        language = random.choice(list(WORLDS))
        ids, answers = [BOS], []
        while len(ids) <= length:
            made = sentence(random, language, test=test)
            if ids == [BOS] and made.ids[0] == SPACE:
                made = _without_first(made)
            if len(ids) + len(made.ids) <= length + 1:
                placed.append((window, len(ids), made))
            answers += [len(ids) + place for place in made.answers]
            ids += made.ids
        rows.append(ids[: length + 1])
        sure[window, [place for place in answers if place <= length]] = True
    tokens = torch.tensor(rows)
    return Windows(tokens[:, :-1], tokens[:, 1:], sure[:, 1:], tuple(placed))


def _without_first(made: Sentence) -> Sentence:
    """A sentence that opens with an English word in bytes, as it stands after BOS: without that word's space."""
    answers = tuple(place - 1 for place in made.answers)
    links = tuple((row - 1, max(source - 1, 0)) for row, source in made.links)
    return replace(made, ids=made.ids[1:], answers=answers, links=links)


def _build(world: World, kind: str, line: str, test: bool) -> Sentence:
    """A filled template without its marks, as tokens."""
    ids, answers, rows, sources, text = [], [], [], [], ""
    for marked in line.split():
        word = marked.lstrip("*<>")
        marks = marked[: len(marked) - len(word)]
        piece = spelling(world, word)
        spelled = TOKENIZER.spell(piece)
        if "*" in marks:
            answers += range(len(ids), len(ids) + len(spelled))
        if "<" in marks:
            sources.append(len(ids))
        if ">" in marks:
            rows.append(len(ids) + len(spelled) - 1)
        ids += spelled
        text += piece
    links = tuple(zip(rows, sources, strict=True)) if sources else ()
    return Sentence(world.language, kind, text.removeprefix(" "), tuple(ids), tuple(answers), links, test)


_SHARES = [share for share, _ in KINDS.values()]
