"""Trains one lab model: python -m model.train --position rope --seed 0

AdamW (Loshchilov and Hutter 2019), linear warm-up and cosine decay, gradients clipped by their norm. The data and
their order are the same for every scheme and seed; the seed draws the weights that training begins with. A killed run
goes on from its last state, and ends as if it had not been killed.
"""

import argparse
import csv
import hashlib
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from random import Random

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional

from model.checkpoint import save
from model.config import POSITIONS, Config
from model.corpus import Windows, windows
from model.decoder import Decoder
from model.lab_scores import accuracies
from model.snapshots import save_snapshots
from model.train_settings import Settings

SNAPSHOTS = (0, 20, 50, 100, 150, 200, 300, 400, 600, 800, 1200, 1600)
SAVE_EVERY = 100


class Run:
    """One training run: the model, the optimizer, and what has been noted so far."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.data = windows(Random("train"), settings.train_windows, settings.context)
        self.test = windows(Random("test"), settings.test_windows, settings.context, test=True)
        self.decoder = fresh_decoder(settings.config, settings.seed)
        self.optimizer = adamw(self.decoder, settings.weight_decay)
        self.step = 0
        self.seconds = 0.0
        self.log: list[dict] = []
        self.snapshots: dict[int, dict[str, Tensor]] = {}

    def advance(self) -> float:
        """One step: forward, loss, backward, optimizer. The loss before the step, in nats a token."""
        settings = self.settings
        rows = batch_rows(self.step, settings.batch, settings.train_windows)
        for group in self.optimizer.param_groups:
            group["lr"] = settings.rate(self.step)
        logits = self.decoder(self.data.ids[rows]).logits
        losses = token_losses(logits, self.data.targets[rows])
        self.optimizer.zero_grad(set_to_none=True)
        weighted(losses, self.data.sure[rows], settings.sure_weight).backward()
        torch.nn.utils.clip_grad_norm_(self.decoder.parameters(), settings.clip)
        self.optimizer.step()
        self.step += 1
        return losses.detach().mean().item()

    @torch.inference_mode()
    def note(self, train_loss: float) -> dict:
        """A row of the log: losses in nats a token, and the accuracy of each kind of held-out sentence."""
        logits = self.decoder(self.test.ids).logits
        losses = token_losses(logits, self.test.targets)
        row = {"step": self.step, "train_loss": train_loss, "test_loss": losses.mean().item()}
        row |= {"sure_loss": losses[self.test.sure].mean().item(), **accuracies(self.test, logits)}
        self.log.append(row)
        return row

    def keep(self) -> None:
        """A snapshot of the weights, in half precision."""
        self.snapshots[self.step] = {name: tensor.half() for name, tensor in self.decoder.state_dict().items()}

    def state(self) -> dict:
        """All that a killed run needs to go on."""
        names = ("step", "seconds", "log", "snapshots")
        kept = {name: getattr(self, name) for name in names} | {"settings": asdict(self.settings)}
        return kept | {"decoder": self.decoder.state_dict(), "optimizer": self.optimizer.state_dict()}

    def resume(self, state: dict) -> None:
        """Goes on from a state; one of other settings is refused."""
        if state["settings"] != asdict(self.settings):
            raise ValueError("the saved state is of a run with other settings; remove it or choose another --out.")
        self.decoder.load_state_dict(state["decoder"])
        self.optimizer.load_state_dict(state["optimizer"])
        for name in ("step", "seconds", "log", "snapshots"):
            setattr(self, name, state[name])


def fresh_decoder(config: Config, seed: int) -> Decoder:
    """Weights to begin with: normal, of deviation 1/√d_model for tables and 1/√inputs for maps; biases zero.

    The maps that write into the residual stream begin ten times smaller, so that a token is not drowned by its
    neighbours before anything is learned.
    """
    generator = torch.Generator().manual_seed(seed)
    decoder = Decoder(config)
    with torch.no_grad():
        # A scheme's own table is drawn last, so that all other weights are the same in every scheme.
        for name, parameter in sorted(decoder.named_parameters(), key=lambda pair: pair[0] == "position.weight"):
            if parameter.dim() == 2:
                writes = name.endswith(("output.weight", "contract.weight"))
                deviation = (0.1 if writes else 1.0) * parameter.shape[1] ** -0.5
                parameter.normal_(0, deviation, generator=generator)
            elif name.endswith("bias"):
                parameter.zero_()
    return decoder


def adamw(decoder: Decoder, weight_decay: float) -> torch.optim.AdamW:
    """The optimizer. Weight decay is for maps; tables, biases and norms are left alone."""
    maps, others = [], []
    for name, parameter in decoder.named_parameters():
        is_map = parameter.dim() == 2 and name.startswith("blocks.")
        (maps if is_map else others).append(parameter)
    groups = [{"params": maps, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.98))


def batch_rows(step: int, batch: int, total: int) -> Tensor:
    """Which windows a step sees: each once an epoch, in an order that only the epoch decides."""
    epoch, within = divmod(step, total // batch)
    order = torch.randperm(total, generator=torch.Generator().manual_seed(epoch))
    return order[within * batch : (within + 1) * batch]


def token_losses(logits: Float[Tensor, "*batch seq vocab"], targets: Tensor) -> Float[Tensor, "*batch seq"]:
    """Cross-entropy of each token, in nats."""
    return functional.cross_entropy(logits.flatten(0, -2), targets.flatten(), reduction="none").view(targets.shape)


def weighted(losses: Float[Tensor, "*batch seq"], sure: Bool[Tensor, "*batch seq"], weight: float) -> Tensor:
    """The mean loss, tokens that can be known for sure counted `weight` times."""
    weights = 1 + (weight - 1) * sure
    return (losses * weights).sum() / weights.sum()


def data_hash(data: Windows) -> str:
    """SHA-256 of the training windows, token by token."""
    return hashlib.sha256(data.ids.numpy().tobytes() + data.targets[:, -1].numpy().tobytes()).hexdigest()


def train(run: Run, out: Path, log_every: int, snapshots: bool) -> Iterator[dict]:
    """Runs to the end, yielding the log's rows; writes a state now and then, and at the end weights, card and log."""
    name = f"{run.settings.position}-{run.settings.seed}"
    state_path = out / f"{name}.state"
    if state_path.exists():
        run.resume(torch.load(state_path, weights_only=True))
    started, before, losses = time.process_time(), run.seconds, []
    while run.step < run.settings.steps:
        if snapshots and run.step in SNAPSHOTS:
            run.keep()
        losses.append(run.advance())
        run.seconds = before + time.process_time() - started
        if run.step % log_every == 0 or run.step == run.settings.steps:
            yield run.note(sum(losses) / len(losses))
            losses = []
            if run.step % (log_every * (SAVE_EVERY // log_every or 1)) == 0:
                _replace(state_path, run.state())
    write(run, out / name)
    state_path.unlink(missing_ok=True)


def write(run: Run, path: Path) -> None:
    """Weights and card, the log as CSV, and the snapshots if there are any."""
    last = run.log[-1]
    card = {
        "name": path.name,
        "command": run.settings.command(),
        "settings": asdict(run.settings),
        "data": data_hash(run.data),
    }
    card |= {"seconds": round(run.seconds), "result": {name: round(value, 4) for name, value in last.items()}}
    card |= {"notes": CARD_NOTES, "torch": torch.__version__}
    save(path, run.decoder, card)
    with path.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(last))
        writer.writeheader()
        writer.writerows(run.log)
    if run.snapshots:
        save_snapshots(path, run.snapshots)


def main(arguments: list[str] | None = None) -> None:
    """The command line; impossible settings end it with one line that says what to do."""
    parser = argparse.ArgumentParser(prog="python -m model.train", description="Trains one model of the lab.")
    for field in fields(Settings):
        choices = POSITIONS if field.name == "position" else None
        parser.add_argument(
            f"--{field.name.replace('_', '-')}", type=field.type, default=field.default, choices=choices
        )
    parser.add_argument("--out", type=Path, default=Path("runs"), help="the folder that the weights go to")
    parser.add_argument("--log-every", type=int, default=50)
    parser.add_argument("--snapshots", action="store_true", help="also keep the weights at steps along the way")
    torch.set_num_threads(1)
    options = vars(parser.parse_args(arguments))
    out, log_every, snapshots = (options.pop(name) for name in ("out", "log_every", "snapshots"))
    try:
        settings = Settings(**options)
        out.mkdir(parents=True, exist_ok=True)
        for row in train(Run(settings), out, log_every, snapshots):
            _progress(row, settings)
    except ValueError as error:
        sys.exit(f"python -m model.train: {error}")


def _progress(row: dict, settings: Settings) -> None:
    done = round(24 * row["step"] / settings.steps)
    words = "  ".join(f"{name} {value:.2f}" for name, value in row.items() if name != "step")
    print(f"[{'█' * done}{'·' * (24 - done)}] {row['step']}/{settings.steps}  {words}", flush=True)


def _replace(path: Path, state: dict) -> None:
    temporary = path.with_suffix(".part")
    torch.save(state, temporary)
    temporary.replace(path)


CARD_NOTES = (
    "LayerNorm, GELU, biases, tied embeddings without the factor √d_model, BOS at the start of every window, scores "
    "divided by √d_head in every scheme. Data and order are the same for all schemes and seeds; accuracies are the "
    "share of held-out sentences all of whose sure tokens are the model's first choice."
)

if __name__ == "__main__":
    main()
