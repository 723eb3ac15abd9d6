"""The kinds of sentence of the lab's world: a filled template with its marks, and its content.

The content is what decides on which side of the split a sentence falls; two sentences that say the same share it.
"""

from collections.abc import Callable
from random import Random

from model.world import World

Line = tuple[str, tuple[str, ...]]


class Filling(dict):
    """The words for a template's slots. One that is asked for and not there yet is chosen at random."""

    def __init__(self, world: World, random: Random, **words: str) -> None:
        super().__init__(words)
        self.world = world
        self.random = random
        self.chosen: list[str] = []

    def __missing__(self, slot: str) -> str:
        self[slot] = self.random.choice(self.world.slots[slot])
        self.chosen.append(self[slot])
        return self[slot]


def order(world: World, random: Random) -> Line:
    """Who does it to whom, in names and, in Chinese, in 我, 你 and AI."""
    names = [*world.people, *world.slots.get("subject", ())]
    return _ask_who(world, random, *random.sample(names, 2))


def coreference(world: World, random: Random) -> Line:
    """After the pronoun stands what is always so of its person; where two are named, gender tells which."""
    template = random.choice(world.templates["coreference"])
    who = random.choice(list(world.people))
    pronoun, reason, _ = world.people[who]
    other = random.choice([name for name, facts in world.people.items() if facts[0] != pronoun])
    pair = random.sample([who, other], 2)
    first, second = ("<" + name if name == who else name for name in pair)
    words = {"who": who, "first": first, "second": second, "pronoun": pronoun, "reason": _sure(reason)}
    filling = Filling(world, random, **words)
    line = template.format_map(filling)
    named = pair if "{first}" in template else [who]
    return line, (*named, *(word for word in filling.chosen if word not in world.slots["because"]))


def coreference_it(world: World, random: Random) -> Line:
    """The same of animals."""
    animal = random.choice(list(world.animals))
    filling = Filling(world, random, animal=animal, reason=_sure(world.animals[animal]))
    line = world.templates["coreference_it"][0].format_map(filling)
    return line, (animal, filling["sit"], filling["on"], filling["rest"])


def copy(world: World, random: Random) -> Line:
    """A list, and the same list again."""
    return _copy_of(world, random.sample(world.nouns, random.randint(3, 6)))


def last(world: World, random: Random) -> Line:
    """Which item is the k-th from the end of a list."""
    items = random.sample(world.nouns, random.randint(4, 6))
    k = random.randrange(1, len(world.ordinals))
    return _ask_item(world, "last", items, k, items[-1 - k])


def item(world: World, random: Random) -> Line:
    """Which item is the k-th from the beginning of a list."""
    items = random.sample(world.nouns, random.randint(4, 6))
    k = random.randrange(len(world.ordinals))
    return _ask_item(world, "item", items, k, items[k])


def agreement(world: World, random: Random) -> Line:
    """The word that has to agree with a noun stands far from it, and another noun stands nearer."""
    noun, other = random.sample(list(world.agreement), 2)
    number = random.choice(world.numbers[2:])
    filling = Filling(world, random, noun=noun, other=other, number=number, agrees=world.agreement[noun])
    return world.templates["agreement"][0].format_map(filling), (noun, other, filling["near"])


def sense(world: World, random: Random) -> Line:
    """A word of two senses: the verb tells which kind of thing is meant."""
    who, noun = random.choice(list(world.people)), random.choice(list(world.senses))
    kind = random.choice(world.senses[noun])
    verb = random.choice(world.kind_verbs[kind])
    return world.templates["sense"][0].format(who=who, verb=verb, noun=noun, kind=kind), (who, verb, noun)


def everyday(world: World, random: Random) -> Line:
    """Short sentences whose end is always the same, or mostly."""
    who = random.choice(list(world.people))
    start = random.randrange(5)
    numbers = world.numbers[start : start + random.randint(4, 6)]
    words = {"who": who, "favourite": world.people[who][2], "numbers": " *".join(numbers)}
    filling = Filling(world, random, fact=random.choice(world.facts), **words)
    template = random.choice(world.templates["everyday"])
    line = template.format_map(filling)
    return line, (line, *filling.chosen)


def spelled(world: World, random: Random) -> Line:
    """A name that the vocabulary lacks, so that the model is used to words in bytes."""
    name = "".join(random.sample(world.syllables, 2)).capitalize()
    if random.random() < 0.5:
        return _copy_of(world, random.sample([*random.sample(world.nouns, 2), name], 3))
    known = random.choice(list(world.people))
    return _ask_who(world, random, *random.sample([name, known], 2))


def _ask_who(world: World, random: Random, a: str, b: str) -> Line:
    """Who does it to the object is the subject; who does it to the subject is nobody: only the order tells."""
    filling = Filling(world, random, a="<" + a, b=b, asked=b, answer=a, row=">")
    if random.random() < 0.5:
        filling.update(a=a, asked=a, answer=world.nobody, row="")
    return world.templates["order"][0].format_map(filling), (a, filling["like"], b)


def _copy_of(world: World, items: list[str]) -> Line:
    """Each copied item is the row from which the next one is to be found."""
    listed = " ".join("<" + word for word in items)
    copied = " ".join(f"*>{word}" for word in items[:-1]) + f" *{items[-1]}"
    return world.templates["copy"][0].format(listed=listed, copied=copied), tuple(items)


def _ask_item(world: World, kind: str, items: list[str], k: int, answer: str) -> Line:
    listed = " ".join("<" + word if word == answer else word for word in items)
    line = world.templates[kind][0].format(listed=listed, ordinal=world.ordinals[k], answer=answer)
    return line, (*items, world.ordinals[k])


def _sure(words: str) -> str:
    return " ".join("*" + word for word in words.split())


Kind = Callable[[World, Random], Line]
KINDS: dict[str, tuple[int, Kind]] = {
    "order": (24, order),
    "coreference": (14, coreference),
    "coreference_it": (5, coreference_it),
    "copy": (15, copy),
    "last": (13, last),
    "item": (8, item),
    "agreement": (7, agreement),
    "sense": (6, sense),
    "everyday": (12, everyday),
    "spelled": (4, spelled),
}
