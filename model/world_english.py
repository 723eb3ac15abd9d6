"""The English half of the lab's world."""

from model.world import World, phrases, words

PEOPLE = {
    "Tom": ("he", "was hungry", "apples"),
    "Ben": ("he", "felt sleepy", "bread"),
    "Sam": ("he", "got thirsty", "rice"),
    "Max": ("he", "looked tired", "cake"),
    "Leo": ("he", "seemed cold", "soup"),
    "Dan": ("he", "was hot", "eggs"),
    "Jack": ("he", "felt ill", "fish"),
    "Paul": ("he", "got busy", "noodles"),
    "Mark": ("he", "looked sad", "pears"),
    "Luke": ("he", "seemed angry", "grapes"),
    "Adam": ("he", "was happy", "cheese"),
    "Eric": ("he", "felt old", "beans"),
    "Ann": ("she", "felt hungry", "rice"),
    "Amy": ("she", "got sleepy", "apples"),
    "Eve": ("she", "looked thirsty", "cake"),
    "Kate": ("she", "seemed tired", "bread"),
    "Lucy": ("she", "was cold", "eggs"),
    "Mary": ("she", "felt hot", "soup"),
    "Rose": ("she", "got ill", "noodles"),
    "Jane": ("she", "looked busy", "fish"),
    "Nina": ("she", "seemed sad", "grapes"),
    "Lily": ("she", "was angry", "pears"),
    "Emma": ("she", "felt happy", "beans"),
    "Sara": ("she", "got old", "cheese"),
}
ANIMALS = {
    "cat": "was tired",
    "dog": "felt hungry",
    "bird": "got cold",
    "horse": "looked thirsty",
    "cow": "seemed old",
    "pig": "was happy",
    "duck": "felt hot",
    "goat": "got angry",
    "fox": "looked sleepy",
    "wolf": "seemed ill",
    "bear": "was busy",
    "tiger": "felt sad",
}
SINGULAR = words(
    "cat dog bird horse cow pig duck goat bear tiger house car book chair table door window tree flower boat lamp clock"
)
NOUNS = words(
    "cat dog bird horse cow pig duck goat fox wolf bear tiger lion frog house car book chair table door "
    "window tree flower boat lamp clock apple pear bread rice cake soup egg milk tea water salt sugar honey "
    "pen paper letter bag box cup spoon knife plate bottle bell key map coin hat coat shirt shoe ring rope "
    "stone sand snow rain wind fire leaf star king queen doctor teacher farmer baker sailor child friend "
    "river road hill"
)
SLOTS = {
    "take": words("took dropped bought sold found washed lost kept broke hid"),
    "thing": words(
        "apple pear bread cake soup milk book pen cup bag hat coat lamp clock key map ring letter box plate"
    ),
    "go": words("left entered crossed reached passed"),
    "place": words(
        "house school shop park garden kitchen market station library village bridge forest farm beach city office"
    ),
    "sit": words("sat slept lay stood waited"),
    "on": words("on under near behind"),
    "rest": words("mat bed chair table box roof wall grass"),
    "meet": words("saw called helped followed visited asked thanked hugged"),
    "because": words("because and but so"),
    "like": words("likes loves sees helps knows calls meets hears"),
    "adjective": words("big small old new young pretty little tall strange quiet"),
    "colour": words("red green blue white black yellow brown grey"),
    "near": words("near behind beside under"),
    "want": words("like want love try hope"),
    "we": words("I You We They"),
    "change": phrases("Artificial intelligence; Transformer; Science; Music; Language; AI"),
    "food": words("apples bread rice cake soup eggs fish noodles pears grapes cheese beans"),
    "changed": words("world world world society"),
}
TEMPLATES = {
    "order": ("{a} {like} {b} . Who {like} {asked} {row}? *{answer} .",),
    "coreference": (
        "<{who} {take} the {thing} {because} >{pronoun} {reason} .",
        "<{who} {go} the {place} {because} >{pronoun} {reason} .",
        "{first} {meet} {second} {because} >{pronoun} {reason} .",
    ),
    "coreference_it": ("The <{animal} {sit} {on} the {rest} {because} >it {reason} .",),
    "copy": ("Copy : {listed} >. {copied} .",),
    "last": ("List : {listed} . {ordinal} last word >? *{answer} .",),
    "item": ("List : {listed} . {ordinal} word >? *{answer} .",),
    "agreement": ("The {adjective} >{noun} {near} the {other} *{agrees} {colour} .",),
    "sense": ("{who} {verb} the <{noun} . The >{noun} *is *a *{kind} .",),
    "everyday": (
        "{we} {want} to learn *artificial *intelligence .",
        "{change} is *changing *the {changed} .",
        "<{who} likes to >eat *{favourite} .",
        "<{who} likes to >eat *{favourite} and {food} .",
        "{who} says that {fact} .",
        "{who} says that {fact} .",
        "{who} can count : {numbers} .",
    ),
}
FACTS = phrases(
    "the apple is *red; the banana is *yellow; the grass is *green; the sky is *blue; the snow is *white; "
    "the night is *black; the sun rises in the *east; the sun sets in the *west; fish live in the *sea; "
    "birds fly in the *air; cows eat *grass; cats chase *mice; dogs chase *cats; bees make *honey; "
    "we drink *water; we read *books; we sleep at *night; we work by *day; ice is *cold; fire is *hot; "
    "winter is *cold; summer is *hot; today is *fine; tomorrow will be *better; time is *money; "
    "a week has seven *days; a dog has four *legs; a bird has two *wings; thank you very *much; "
    "AI needs *data; a model learns from *text; attention looks at other *words; a token is a *piece of *text"
)
SENSES = {
    "apple": words("fruit company"),
    "orange": words("fruit company"),
    "mouse": words("creature tool"),
    "bat": words("creature tool"),
    "crane": words("creature tool"),
    "bank": words("place company"),
    "pear": words("fruit"),
    "goat": words("creature"),
    "hammer": words("tool"),
    "garden": words("place"),
    "firm": words("company"),
    "banana": words("fruit"),
}
KIND_VERBS = {
    "fruit": words("ate peeled"),
    "company": words("joined phoned"),
    "creature": words("fed petted"),
    "tool": words("used repaired"),
    "place": words("crossed climbed"),
}
ENGLISH = World(
    language="en",
    apart=True,
    people=PEOPLE,
    animals=ANIMALS,
    it="it",
    nobody="Nobody",
    agreement={noun: "is" for noun in SINGULAR} | {noun + "s": "are" for noun in SINGULAR},
    senses=SENSES,
    kind_verbs=KIND_VERBS,
    nouns=NOUNS,
    ordinals=words("First Second Third Fourth"),
    numbers=words("one two three four five six seven eight nine ten"),
    slots=SLOTS,
    templates=TEMPLATES,
    facts=FACTS,
    syllables=words("Zu Ko Vi Ra Mo Te Lu Shi Ba Ne Qui Do Fa Gre Yo Pli"),
)
