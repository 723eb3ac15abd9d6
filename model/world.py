"""What the lab's micro-world is made of: people, animals, things, and the facts that are fixed about them.

A template is a line of words set apart by spaces. `{slot}` is filled from the world; a mark before a word says what it
is for: `*` the model can know this word for sure, `<` a source, `>` the row that has to look at that source.
"""

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class World:
    """One language of the world.

    people       name → pronoun, reason (what is so of them whenever a reason is given), favourite food
    animals      name → reason; `it` is their pronoun
    agreement    noun as it stands → the word that has to agree with it at a distance
    senses       noun → its kinds; `kind_verbs` says which verbs tell which kind is meant
    nouns        words that lists are made of
    slots        other choices, by the name of their slot
    templates    kind of sentence → its templates
    facts        ends of sentences that are always so, after "somebody says"
    apart        whether words are written with a space between
    """

    language: str
    apart: bool
    people: dict[str, tuple[str, str, str]]
    animals: dict[str, str]
    it: str
    nobody: str
    agreement: dict[str, str]
    senses: dict[str, tuple[str, ...]]
    kind_verbs: dict[str, tuple[str, ...]]
    nouns: tuple[str, ...]
    ordinals: tuple[str, ...]
    numbers: tuple[str, ...]
    slots: dict[str, tuple[str, ...]]
    templates: dict[str, tuple[str, ...]]
    facts: tuple[str, ...]
    syllables: tuple[str, ...]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every word of this language, without spaces or marks, in a fixed order."""
        reasons = [reason for _, reason, _ in self.people.values()] + list(self.animals.values())
        favourites = [favourite for _, _, favourite in self.people.values()]
        pronouns = [pronoun for pronoun, _, _ in self.people.values()]
        lines = [*self.people, *pronouns, *self.animals, self.it, self.nobody, *reasons, *favourites, *self.nouns]
        lines += [*self.agreement, *self.agreement.values(), *self.ordinals, *self.numbers]
        lines += [*self.senses, *self.kind_verbs, *(verb for verbs in self.kind_verbs.values() for verb in verbs)]
        lines += [choice for choices in self.slots.values() for choice in choices]
        lines += [line for templates in self.templates.values() for line in templates]
        lines += self.facts
        found = (word.lstrip("*<>") for line in lines for word in line.split())
        return tuple(dict.fromkeys(word for word in found if not word.startswith("{")))

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Words to build sentences of, by what they are."""
        verbs = [verb for slot in ("like", "take", "meet", "go", "sit", "want") for verb in self.slots[slot]]
        groups = {
            "people": [*self.people, *(pronoun for pronoun, _, _ in self.people.values()), self.it],
            "animals": self.animals,
            "things": [*self.slots["thing"], *self.nouns],
            "places": [*self.slots["place"], *self.slots["rest"]],
            "verbs": verbs,
            "qualities": [*self.slots["adjective"], *self.slots.get("colour", ())],
            "numbers": [*self.numbers, *self.ordinals],
            "links": [*self.slots["because"], *self.slots["on"]],
        }
        return {name: tuple(dict.fromkeys(found)) for name, found in groups.items()}


def words(line: str) -> tuple[str, ...]:
    """The words of a line."""
    return tuple(line.split())


def phrases(line: str) -> tuple[str, ...]:
    """The phrases of a line, set apart by semicolons."""
    return tuple(line.split("; "))
