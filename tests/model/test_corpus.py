"""Laws of the lab's corpus and its tokenizer."""

from random import Random

import pytest
import torch

from model.corpus import TOKENIZER, WORLDS, Sentence, sentence, windows
from model.lab_tokenizer import BOS
from model.sentences import KINDS

CASES = [(language, kind) for language in WORLDS for kind in KINDS]
TEXTS = (
    *(
        "小明拿起苹果，因为他饿了。",
        "我喜欢学习",
        "AI喜欢我",
        "我喜欢AI",
        "人工智能正在改变世界",
        "Transformer是什么",
        "",
        "  ",
    ),
    *("Tom likes Ann. Who likes Ann? Tom.", "The cat sat on the mat because it was tired.", "tom likes AI", "  Tom"),
    *("Zoë's dog-house\n\tTom", "东京 😀 naïve苹果apple", "?Tom。Ann,x", "AI and Transformer", "小  AI", "Tom  ."),
)
OPTIONAL = {
    "小明 拿起 苹果，因为 他 饿 了": "小明拿起苹果，因为他饿了",
    **{
        "我 喜欢 AI": "我喜欢AI",
        "AI 喜欢 我": "AI喜欢我",
        " Tom likes Ann .": "Tom likes Ann.",
        " 我 喜欢 你 。": "我喜欢你。",
    },
}


def ids(text: str) -> list[int]:
    return [token.id for token in TOKENIZER.encode(text)]


def made(language: str, kind: str, count: int = 40, test: bool = False) -> list[Sentence]:
    random = Random(7)
    return [sentence(random, language, kind, test) for _ in range(count)]


@pytest.mark.parametrize("text", [*TEXTS, *OPTIONAL])
def test_tokens_tile_the_text(text):
    tokens = TOKENIZER.encode(text)
    assert b"".join(token.bytes for token in tokens) == text.encode()
    ends = [0, *(token.byte_span[1] for token in tokens)]
    assert [token.byte_span[0] for token in tokens] == ends[:-1]
    for token in tokens[1:]:
        first, last = token.char_span
        assert token.bytes in text[first:last].encode()


@pytest.mark.parametrize("text", TEXTS)
def test_ids_spell_the_text(text):
    assert TOKENIZER.decode(ids(text)) == text.encode()


@pytest.mark.parametrize(("spaced", "closed_up"), OPTIONAL.items())
def test_optional_spaces_change_no_id(spaced, closed_up):
    assert ids(spaced) == ids(closed_up)
    assert TOKENIZER.decode(ids(spaced)) == closed_up.encode()


def test_random_texts_are_tiled_and_what_their_ids_spell_has_the_same_ids():
    random = Random(0)
    alphabet = [*WORLDS["zh"].words[:40], *WORLDS["en"].words[:40], "AI", *"   。,.?\n\t'9é木😀\u0301"]
    for _ in range(1000):
        text = "".join(random.choice(alphabet) for _ in range(random.randrange(12)))
        assert b"".join(token.bytes for token in TOKENIZER.encode(text)) == text.encode()
        spelled = TOKENIZER.decode(ids(text)).decode()
        assert spelled.replace(" ", "") == text.replace(" ", "")
        assert ids(spelled) == ids(text)


@pytest.mark.parametrize(("language", "kind"), CASES)
def test_a_sentence_read_from_its_text_has_the_ids_of_the_corpus(language, kind):
    for each in made(language, kind):
        tokens = [token.id for token in TOKENIZER.encode(each.text)]
        # An English word in bytes carries its space inside a text, and none at its beginning.
        assert tokens == [BOS, *each.ids] or (kind == "spelled" and tokens == [BOS, *each.ids[1:]])


def test_an_unknown_word_is_one_group_of_bytes_and_an_unknown_character_too():
    tokens = TOKENIZER.encode("Tom likes Zoë。鑫")
    groups = {token.group_text: token.kind for token in tokens if token.id < BOS}
    assert groups == {"Zoë": "word", "鑫": "character"}
    assert len({token.group for token in tokens}) == 6


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Tom likes the zebra and the zebra.", ["zebra"]),
        ("小明喜欢长颈鹿", ["长", "颈", "鹿"]),
        ("Tom likes 7 🙂", ["7", "🙂"]),
        ("Tom likes the apple.", []),
        ("   \n", []),
        ("", []),
    ],
)
def test_the_words_that_the_world_lacks_are_named_once_in_their_order(text, words):
    tokens = TOKENIZER.encode(text)
    found = TOKENIZER.outside(tokens)
    assert [token.group_text for token in found] == words
    assert all(token.id < 256 for token in found)


@pytest.mark.parametrize(
    ("word", "known"), [("hors", "horse"), ("aple", "apple"), ("雷雨", "雨"), ("小刚强", "小刚"), ("A", "AI")]
)
def test_what_is_suggested_is_known_and_resembles_the_word(word, known):
    found = TOKENIZER.similar(word)
    assert known in found
    assert len(set(found)) == len(found) <= 3
    assert all(not TOKENIZER.outside(TOKENIZER.encode(each)) for each in found)


def test_nothing_is_suggested_for_what_resembles_nothing():
    assert TOKENIZER.similar("xqzvw") == []
    assert TOKENIZER.similar("🙂") == []


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_every_word_that_a_reader_may_pick_is_of_the_world(world):
    assert all(group for group in world.groups.values())
    assert {word for group in world.groups.values() for word in group} <= set(world.words)


def test_a_lone_surrogate_is_refused():
    with pytest.raises(ValueError, match="half a character"):
        TOKENIZER.encode("a\ud800")


def test_words_are_many_and_every_one_occurs_in_training():
    random, seen = Random(0), set()
    for language, world in WORLDS.items():
        assert len(world.words) >= 300
        for kind in KINDS:
            for _ in range(2000 if kind == "everyday" else 400):
                seen.update(sentence(random, language, kind).ids)
    assert [word for word, id_ in TOKENIZER.id_of.items() if id_ not in seen] == []


@pytest.mark.parametrize(("language", "kind"), CASES)
def test_test_contents_never_occur_in_training(language, kind):
    def contents(test):
        return {each.text for each in made(language, kind, 100, test)}

    assert contents(test=True).isdisjoint(contents(test=False))


def test_what_follows_a_pronoun_is_decided_by_the_name_it_refers_to():
    for language, world in WORLDS.items():
        for each in made(language, "coreference", 200):
            ((row, source),) = each.links
            name = TOKENIZER.show(each.ids[source]).strip("·")
            pronoun, reason, _ = world.people[name]
            assert TOKENIZER.show(each.ids[row]).strip("·") == pronoun
            said = [TOKENIZER.show(each.ids[place]).strip("·") for place in each.answers if each.ids[place] >= BOS]
            assert said == reason.split()


def test_the_answer_to_who_is_the_subject_or_nobody():
    for language, world in WORLDS.items():
        for each in made(language, "order", 100):
            a, _, b = _first_three(each)
            asked = _word(each, each.answers[0] - 2)
            assert _word(each, each.answers[0]) == {b: a, a: world.nobody}[asked]


@pytest.mark.parametrize("kind", ["copy", "last", "item", "order", "spelled"])
def test_a_link_leads_to_the_token_that_comes_next(kind):
    for language in WORLDS:
        for each in made(language, kind):
            for row, source in each.links:
                assert row >= source
                following = row + 1 if each.ids[row + 1] != 32 or each.ids[source] == 32 else row + 2
                assert each.ids[following] == each.ids[source]


def test_windows_repeat_for_a_seed_and_are_filled_to_the_brim():
    first, again, other = (windows(Random(seed), 6, 64) for seed in ("a", "a", "b"))
    assert torch.equal(first.ids, again.ids)
    assert not torch.equal(first.ids, other.ids)
    assert (first.ids[:, 0] == BOS).all()
    assert torch.equal(first.ids[:, 1:], first.targets[:, :-1])
    for window, start, each in first.placed:
        row = torch.cat((first.ids[window], first.targets[window, -1:]))
        assert tuple(row[start : start + len(each.ids)].tolist()) == each.ids
        assert all(first.sure[window, start + place - 1] for place in each.answers)


def _word(each: Sentence, place: int) -> str:
    return TOKENIZER.show(each.ids[place]).strip("·")


def _first_three(each: Sentence) -> list[str]:
    return [word for word in (_word(each, place) for place in range(6)) if word][:3]
