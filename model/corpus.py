"""The lab's corpus: sentences of the micro-world with a known right answer and known places where it comes from.

Every sentence is made from a template and a random choice; what it says (its content) puts it on one side of the
split for good, so that the test set holds combinations that training never shows.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from model.lab_tokenizer import BOS, PUNCTUATION, LabTokenizer, spelling
from model.world import World
from model.world_chinese import CHINESE
from model.world_english import ENGLISH

TOKENIZER = LabTokenizer()
WORLDS = {"en": ENGLISH, "zh": CHINESE}
TEST_SHARE = 10
SPACED_SHARE = 0.1


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
    names = list(KINDS)
    while True:
        chosen = kind or random.choices(names, [KINDS[name][0] for name in names])[0]
        line, content = KINDS[chosen][1](world, random)
        if (zlib.crc32(" ".join((language, *content)).encode()) % TEST_SHARE == 0) == test:
            return _build(world, chosen, line, random.random() < SPACED_SHARE, test)


def windows(random: Random, count: int, length: int, test: bool = False) -> Windows:
    """`count` windows of `length` tokens, each in one language; the last sentence of a window may be cut."""
    rows = torch.empty(count, length + 1, dtype=torch.long)
    sure = torch.zeros(count, length + 1, dtype=torch.bool)
    placed = []
    for window in range(count):
        language = random.choice(list(WORLDS))
        ids, answers = [BOS], []
        while len(ids) <= length:
            made = sentence(random, language, test=test)
            if len(ids) + len(made.ids) <= length + 1:
                placed.append((window, len(ids), made))
            answers += [len(ids) + place for place in made.answers]
            ids += made.ids
        rows[window] = torch.tensor(ids[: length + 1])
        sure[window, [place for place in answers if place <= length]] = True
    return Windows(rows[:, :-1], rows[:, 1:], sure[:, 1:], tuple(placed))


def _build(world: World, kind: str, line: str, spaced: bool, test: bool) -> Sentence:
    """A filled template without its marks, as tokens."""
    ids, answers, rows, sources, text = [], [], [], [], ""
    for marked in line.split():
        word = marked.lstrip("*<>")
        marks = marked[: len(marked) - len(word)]
        gap = spaced and text and not world.apart and word not in "。，？：" and text[-1] not in "。，？："
        piece = spelling(world, word)
        if gap and " " + word in TOKENIZER.id_of:
            piece = " " + word
        elif gap:
            ids.append(ord(" "))
            piece, text = word, text + " "
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


def _order(world: World, random: Random) -> tuple[str, tuple[str, ...]]:
    names = [*world.people, *world.slots.get("subject", ())]
    return _ask_who(world, random, *random.sample(names, 2))


def _ask_who(world: World, random: Random, a: str, b: str) -> tuple[str, tuple[str, ...]]:
    """Who does it to the object is the subject; who does it to the subject is nobody: only the order tells."""
    like = random.choice(world.slots["like"])
    asked, answer = random.choice([(b, a), (a, world.nobody)])
    source = {"a": "<" + a, "b": b} if asked == b else {"a": a, "b": b}
    line = world.templates["order"][0].format(**source, like=like, asked=asked, answer=answer)
    return line if asked == b else line.replace(">", ""), (a, like, b)


def _coreference(world: World, random: Random) -> tuple[str, tuple[str, ...]]:
    """After the pronoun stands what is always so of the person it refers to; where two are named, gender tells which."""
    template = random.choice(world.templates["coreference"])
    choice = _choose(world, random)
    who = random.choice(list(world.people))
    pronoun, reason, _ = world.people[who]
    other = random.choice([name for name, facts in world.people.items() if facts[0] != pronoun])
    pair = random.sample([who, other], 2)
    first, second = ("<" + name if name == who else name for name in pair)
    line = template.format(**choice, who=who, first=first, second=second, pronoun=pronoun, reason=_sure(reason))
    content = [choice[slot] for slot in ("take", "thing", "go", "place", "meet") if "{" + slot + "}" in template]
    return line, (*(pair if "{first}" in template else [who]), *content)


def _coreference_it(world: World, random: Random) -> tuple[str, tuple[str, ...]]:
    choice = _choose(world, random)
    animal = random.choice(list(world.animals))
    line = world.templates["coreference_it"][0].format(**choice, animal=animal, reason=_sure(world.animals[animal]))
    return line, (animal, choice["sit"], choice["rest"])


def _copy(world: World, random: Random) -> tuple[str, tuple[str, ...]]:
    return _copy_of(world, random.sample(world.nouns, random.randint(3, 6)))


def _copy_of(world: World, items: list[str]) -> tuple[str, tuple[str, ...]]:
    """Each copied item is the row from which the next one is to be found."""
    listed = " ".join("<" + item for item in items)
    copied = " ".join(f"*>{item}" for item in items[:-1]) + f" *{items[-1]}"
    return world.templates["copy"][0].format(listed=listed, copied=copied), tuple(items)


def _last(world: World, random: Random) -> tuple[str, tuple[str, ...]]:
    return _ask_item(world, random, "last", 1, lambda items, k: len(items) - 1 - k)


def _item(world: World, random: Random) -> tuple[str, tuple[str, ...]]:
    return _ask_item(world, random, "item", 0, lambda items, k: k)


def _ask_item(world: World, random: Random, kind: str, first: int, place: Callable) -> tuple[str, tuple[str, ...]]:
    items = random.sample(world.nouns, random.randint(4, 6))
    k = random.randrange(first, len(world.ordinals))
    answer = items[place(items, k)]
    listed = " ".join("<" + item if item == answer else item for item in items)
    line = world.templates[kind][0].format(listed=listed, ordinal=world.ordinals[k], answer=answer)
    return line, (*items, world.ordinals[k])


def _agreement(world: World, random: Random) -> tuple[str, tuple[str, ...]]:
    """The word that has to agree with a noun stands far from it, and another noun stands nearer."""
    choice = _choose(world, random)
    noun, other = random.sample(list(world.agreement), 2)
    number = random.choice(world.numbers[2:])
    words = {"noun": noun, "other": other, "number": number, "agrees": world.agreement[noun]}
    return world.templates["agreement"][0].format(**choice, **words), (noun, other, choice["near"])


def _sense(world: World, random: Random) -> tuple[str, tuple[str, ...]]:
    """The verb tells which kind of thing is meant."""
    who, noun = random.choice(list(world.people)), random.choice(list(world.senses))
    kind = random.choice(world.senses[noun])
    verb = random.choice(world.kind_verbs[kind])
    return world.templates["sense"][0].format(who=who, verb=verb, noun=noun, kind=kind), (who, verb, noun)


def _everyday(world: World, random: Random) -> tuple[str, tuple[str, ...]]:
    """Continuations that are always so, and one that mostly is."""
    choice = _choose(world, random)
    who, fact = random.choice(list(world.people)), random.choice(world.facts)
    start, run = random.randrange(5), random.randint(4, 6)
    numbers = world.numbers[start : start + run]
    counted = " *".join(numbers)
    words = {"who": who, "fact": fact, "favourite": world.people[who][2], "numbers": counted}
    template = random.choice(world.templates["everyday"])
    line = template.format(**choice, **words)
    free = [choice[slot] for slot in ("we", "want", "change", "changed") if "{" + slot + "}" in template]
    return line, (*free, line) if "{fact}" in template or "{numbers}" in template else (*free, template)


def _spelled(world: World, random: Random) -> tuple[str, tuple[str, ...]]:
    """A name that the vocabulary lacks, so that bytes are no surprise later."""
    name = "".join(random.sample(world.syllables, 2))
    name = name.capitalize()
    if random.random() < 0.5:
        known = random.choice(list(world.people))
        return _ask_who(world, random, *random.sample([name, known], 2))
    return _copy_of(world, random.sample([*random.sample(world.nouns, 2), name], 3))


def _choose(world: World, random: Random) -> dict[str, str]:
    return {slot: random.choice(choices) for slot, choices in world.slots.items()}


def _sure(words: str) -> str:
    return " ".join("*" + word for word in words.split())


assert PUNCTUATION
KINDS = {
    "order": (15, _order),
    "coreference": (22, _coreference),
    "coreference_it": (6, _coreference_it),
    "copy": (12, _copy),
    "last": (13, _last),
    "item": (8, _item),
    "agreement": (7, _agreement),
    "sense": (6, _sense),
    "everyday": (8, _everyday),
    "spelled": (4, _spelled),
}
