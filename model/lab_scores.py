"""How well a lab model does what its corpus asks, and which of its heads looks where it has to.

Protocol: held-out content only. Windows do not overlap; each begins with BOS and is run on its own, so that a token's
place is its position. python -m model.lab_scores writes the results of all trained models, which the pages read.
"""

import json
from collections import defaultdict
from functools import partial
from pathlib import Path
from random import Random

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from model.checkpoint import load
from model.corpus import WORLDS, Sentence, Windows, sentence, windows
from model.decoder import Decoder
from model.knobs import Knobs
from model.lab_tokenizer import BOS
from model.sentences import KINDS

WEIGHTS = Path(__file__).parent / "weights"
LENGTHS = (1, 2, 4, 8)
BUCKET = 32
SHIFT = 1000
PROTOCOL = """\
Six schemes, three seeds each, trained on the same sentences in the same order (python -m model.train); the mean over
the seeds, and the least and the greatest. Written by python -m model.lab_scores.

- Kinds of sentence: per cent of 500 held-out sentences, each by itself behind BOS, all of whose sure tokens are the
  model's first choice.
- pronoun → name: of the best head, the median weight of the row of he or she on its person, 300 held-out sentences.
- late loss n×: nats a token on the late half of windows of n × 64 tokens, 64 windows that do not overlap, no sliding.
- shifted: the loss with 1000 added to every position; shuffled: with the positions in another order."""
LINKED = {"coreference": "coreference", "coreference_it": "coreference_it", "copy": "induction", "order": "answer"}


def accuracies(test: Windows, logits: Float[Tensor, "window seq vocab"]) -> dict[str, float]:
    """For each kind of sentence, the share of sentences all of whose sure tokens are the likeliest ones."""
    right = logits.argmax(dim=-1) == test.targets
    return _share_right(test, right, 0, test.ids.shape[-1])


def _share_right(test: Windows, right: Tensor, begin: int, end: int) -> dict[str, float]:
    """Of the sentences that lie between two places of their windows."""
    scores = defaultdict(list)
    for window, start, made in test.placed:
        # A target stands one place before its token.
        places = [start + place - 1 for place in made.answers]
        if start >= begin and start + len(made.ids) <= end + 1:
            scores[made.kind].append(right[window, places].all().item())
    return {kind: sum(found) / len(found) for kind, found in sorted(scores.items())}


def alone(kind: str, count: int) -> tuple[list[Sentence], Windows]:
    """Held-out sentences of one kind, each by itself behind BOS, as a reader types them; shorter ones are filled up."""
    random = Random(kind)
    made = [sentence(random, random.choice(list(WORLDS)), kind, test=True) for _ in range(count)]
    longest = max(len(each.ids) for each in made)
    rows = torch.zeros(count, longest + 1, dtype=torch.long)
    sure = torch.zeros(count, longest + 1, dtype=torch.bool)
    for row, each in enumerate(made):
        rows[row, : len(each.ids) + 1] = torch.tensor([BOS, *each.ids])
        sure[row, [place + 1 for place in each.answers]] = True
    placed = tuple((row, 1, each) for row, each in enumerate(made))
    return made, Windows(rows[:, :-1], rows[:, 1:], sure[:, 1:], placed)


@torch.inference_mode()
def alone_accuracies(decoder: Decoder, count: int = 500) -> dict[str, float]:
    """Accuracy of each kind of sentence, each by itself."""
    found = {}
    for kind in KINDS:
        _, test = alone(kind, count)
        found |= accuracies(test, decoder(test.ids).logits)
    return found


@torch.inference_mode()
def by_length(decoder: Decoder, count: int = 64) -> dict:
    """Losses and accuracies on windows up to eight times as long as those of training; None where a scheme cannot run.

    `loss` and `sure_loss` are means over buckets of places; `accuracy` is of the sentences in the late half of a
    window of each length. No place sees a later one, so the longest windows hold the shorter ones.
    """
    context = decoder.config.context
    test = windows(Random("long"), count, context * LENGTHS[-1], test=True)
    can = context if decoder.config.position == "learned" else context * LENGTHS[-1]
    losses, right = _run(decoder, test, can)
    sure = test.sure[:, :can]
    buckets = [slice(start, start + BUCKET) for start in range(0, context * LENGTHS[-1], BUCKET)]
    runs = [bucket for bucket in buckets if bucket.stop <= can]
    missing = [None] * (len(buckets) - len(runs))
    halves = {times: (context * times // 2, context * times) for times in LENGTHS if context * times <= can}
    late = {times: losses[:, begin:end] for times, (begin, end) in halves.items()}
    late_sure = {times: part[sure[:, slice(*halves[times])]] for times, part in late.items()}
    return {
        "places": [bucket.start for bucket in buckets],
        "loss": [losses[:, bucket].mean().item() for bucket in runs] + missing,
        "sure_loss": [losses[:, bucket][sure[:, bucket]].mean().item() for bucket in runs] + missing,
        "late_loss": {times: late[times].mean().item() if times in late else None for times in LENGTHS},
        "late_sure_loss": {times: late_sure[times].mean().item() if times in late else None for times in LENGTHS},
        "accuracy": {times: _share_right(test, right, *halves[times]) if times in late else None for times in LENGTHS},
    }


@torch.inference_mode()
def moved(decoder: Decoder, count: int = 64) -> dict[str, float | None]:
    """The loss, in nats a token, as it is; with all positions shifted alike; and with the positions shuffled."""
    context = decoder.config.context
    test = windows(Random("moved"), count, context, test=True)
    generator = torch.Generator().manual_seed(0)
    shuffled = tuple(torch.randperm(context, generator=generator).tolist())
    shifted = tuple(range(SHIFT, SHIFT + context))
    can_shift = decoder.config.position != "learned"
    return {
        "as_is": _loss(decoder, test, Knobs()),
        "shifted": _loss(decoder, test, Knobs(positions=shifted)) if can_shift else None,
        "shuffled": _loss(decoder, test, Knobs(positions=shuffled)),
    }


@torch.inference_mode()
def head_roles(decoder: Decoder, count: int = 300) -> dict[str, dict[str, list[list[float]]]]:
    """For each role and language, how much of its weight each head (layer by layer) puts where the role has to look.

    coreference  the row of he or she, on the person it refers to; coreference_it  the row of it, on the animal;
    induction  a copied item's row, on the next item of the list; answer  the question mark's row, on the answer; each
    the median over held-out sentences by themselves. previous and first: the mean weight on the token before, and on
    BOS, over all rows after the second. Languages and pronouns are told apart because a model may give each of them a
    head of its own.
    """
    found = defaultdict(list)
    for kind, role in LINKED.items():
        made, test = alone(kind, count)
        weights = torch.stack([block.attention.weights for block in decoder(test.ids).blocks], dim=1)
        for each, looked in zip(made, weights, strict=True):
            rows = torch.arange(2, len(each.ids))
            found[role, each.language] += [looked[:, :, query + 1, key + 1] for query, key in each.links]
            found["previous", each.language].append(looked[:, :, rows, rows - 1].mean(dim=-1))
            found["first", each.language].append(looked[:, :, rows, 0].mean(dim=-1))
    scores: dict[str, dict[str, list[list[float]]]] = defaultdict(dict)
    for (role, language), seen in found.items():
        stacked = torch.stack(seen)
        typical = stacked.mean(dim=0) if role in ("previous", "first") else stacked.median(dim=0).values
        scores[role][language] = typical.tolist()
    return dict(scores)


def best_head(roles: dict, role: str, language: str) -> float:
    """The score of the head that plays a role best."""
    return max(max(layer) for layer in roles[role][language])


def score(decoder: Decoder) -> dict:
    """Everything that is reported of one model."""
    return {
        "accuracy": alone_accuracies(decoder),
        "by_length": by_length(decoder),
        "moved": moved(decoder),
        "heads": head_roles(decoder),
    }


def table(results: dict[str, dict]) -> str:
    """The results as a Markdown table, a row a scheme: the mean over its seeds, and from least to most in brackets."""
    columns = {kind: lambda result, kind=kind: 100 * result["accuracy"][kind] for kind in KINDS}
    for language in WORLDS:
        columns[f"pronoun → name, {language}"] = partial(_best_pronoun_head, language=language)
    columns |= {f"late loss {times}×": partial(_late_loss, times=times) for times in LENGTHS}
    columns |= {name: lambda result, name=name: result["moved"][name] for name in ("shifted", "shuffled")}
    lines = ["| scheme | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for scheme in dict.fromkeys(name.rsplit("-", 1)[0] for name in results):
        seeds = [result for name, result in results.items() if name.rsplit("-", 1)[0] == scheme]
        cells = [_spread([column(result) for result in seeds]) for column in columns.values()]
        lines.append(f"| {scheme} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _best_pronoun_head(result: dict, language: str) -> float:
    return best_head(result["heads"], "coreference", language)


def _late_loss(result: dict, times: int) -> float | None:
    return result["by_length"]["late_loss"][times]


def _spread(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "cannot run"
    digits = 1 if max(known) > 10 else 2
    return f"{sum(known) / len(known):.{digits}f} ({min(known):.{digits}f}–{max(known):.{digits}f})"


def main(folder: Path = WEIGHTS) -> None:
    """Scores every model of the folder; writes results.json and, as a table, results.md beside them."""
    results = {}
    for card in sorted(folder.glob("*-[0-9].json")):
        decoder, _ = load(card.with_suffix(""))
        results[card.stem] = score(decoder)
    (folder / "results.json").write_text(json.dumps(_rounded(results), indent=1), encoding="utf-8")
    (folder / "results.md").write_text(f"{PROTOCOL}\n\n{table(results)}\n", encoding="utf-8")
    print(table(results))


def _run(decoder: Decoder, test: Windows, length: int) -> tuple[Float[Tensor, "window seq"], Tensor]:
    """Losses, and whether the likeliest token was right, a few windows at a time."""
    losses, right = [], []
    for start in range(0, len(test.ids), 8):
        targets: Int[Tensor, "window seq"] = test.targets[start : start + 8, :length]
        logits = decoder(test.ids[start : start + 8, :length]).logits
        losses.append(functional.cross_entropy(logits.transpose(1, 2), targets, reduction="none"))
        right.append(logits.argmax(dim=-1) == targets)
    return torch.cat(losses), torch.cat(right)


def _loss(decoder: Decoder, test: Windows, knobs: Knobs) -> float:
    logits = decoder(test.ids, knobs).logits
    return functional.cross_entropy(logits.transpose(1, 2), test.targets).item()


def _rounded(value):
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return round(value, 4) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
