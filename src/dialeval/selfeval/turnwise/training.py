"""Training of the turnwise network: the true next turn among false ones, levels of replacement, and spoilt wording."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from dialeval.encoder.adapters import write_head
from dialeval.encoder.files import EMBEDDED, Weights, find_encoder
from dialeval.selfeval.construction.words import WORDINGS
from dialeval.selfeval.folder import ADAPTER
from dialeval.selfeval.losses import compactness, ranking, separation
from dialeval.selfeval.spoiling import Material
from dialeval.selfeval.turnwise.network import REACH, SCALARS
from dialeval.selfeval.turnwise.vectors import turn_units
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.loop import DEFAULT, Fitted, Session, fit
from dialeval.training.schedule import Schedule
from dialeval.training.task import Loss, Numbers, Rows, Sum, Task, shuffled_batches

LONGEST: Final = 48
"""Tokens that are read of a turn."""


@dataclass(frozen=True, slots=True)
class TurnwiseConfig:
    """Everything that moves the weights, beside the data."""

    encoder: str = EMBEDDED
    size: int = 64
    """Of the projections, and of the hidden layers."""
    strangers: int = 24
    """False next turns from other dialogues."""
    levels: float = 1.0
    """Weight of the loss over levels of replacement, beside that of the next turn."""
    form: float = 0.5
    """Weight of the loss over spoilt wording."""
    dropout: float = 0.2
    window: int = 8
    batch_size: int = 64
    schedule: Schedule = field(
        default_factory=lambda: Schedule(
            epochs=12, learning_rate=2e-3, warm_up=100, evaluate_every=0, patience=3, save_every=2000
        )
    )


class TurnwiseNetwork(nn.Module):
    """Bilinear products of projected turns, cosines, a tanh layer; and another on the turn alone for its wording."""

    def __init__(self, dimensions: int, config: TurnwiseConfig) -> None:
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.schedule.seed)
            for name in ("said", "last", "mean", "own"):
                self.add_module(name, nn.Linear(dimensions, config.size, bias=False))
            self.hidden = nn.Linear(3 * config.size + SCALARS, config.size)
            self.out = nn.Linear(config.size, 1)
            self.form = nn.Linear(dimensions, config.size)
            self.wording = nn.Linear(config.size, 1)
        self.drop = nn.Dropout(config.dropout)

    def relevance(self, turns: Tensor, earlier: Tensor) -> Tensor:
        """Logits of turns, shape (..., c, d), each after the earlier ones, (..., REACH, d), latest first: (..., c)."""
        present = (earlier != 0).any(-1, keepdim=True).to(earlier.dtype)
        last = earlier[..., 0, :]
        mean = normalize((earlier * present).sum(-2), dim=-1)
        own = normalize(earlier[..., 1::2, :].sum(-2), dim=-1)
        sides = [side.unsqueeze(-2) for side in (last, mean, own)]
        names = ("last", "mean", "own")
        said = self.get_submodule("said")(turns)
        products = [said * self.get_submodule(name)(side) for name, side in zip(names, sides, strict=True)]
        cosines = turns @ earlier.transpose(-1, -2)
        scalars = [(turns * side).sum(-1) for side in sides]
        spoke = (own != 0).any(-1, keepdim=True).to(turns.dtype).expand(turns.shape[:-1])
        features = torch.stack([*scalars, cosines.max(-1).values, spoke], dim=-1)
        inputs = torch.cat([self.drop(torch.cat(products, dim=-1)), features], dim=-1)
        out: Tensor = self.out(torch.tanh(self.hidden(inputs))).squeeze(-1)
        return out

    def worded(self, turns: Tensor) -> Tensor:
        """Logits of the wording of turns, shape (..., d) to (...)."""
        out: Tensor = self.wording(torch.tanh(self.form(self.drop(turns)))).squeeze(-1)
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Dialogues as vectors of their turns."""

    units: Tensor
    """One row for each different turn, and a last row of zeros."""
    rows: tuple[tuple[int, ...], ...]
    """The rows of each dialogue's turns."""
    groups: tuple[tuple[int, ...], ...]
    """Rows of the turns of each corpus, from which strangers are drawn."""
    group_of: tuple[int, ...]
    spoilt: Tensor
    """The rows of turns whose wording was spoilt, and their vectors, side by side: (n, 1 + d)."""


def encode(material: Material, weights: Weights, *, spoilt: int, seed: int) -> Encoded:
    """The vectors of all turns, and of up to ``spoilt`` of them with spoilt wording."""
    texts = list(dict.fromkeys(turn for turns in material.dialogues for turn in turns))
    known = {text: row for row, text in enumerate(texts)}
    draw = random.Random(seed)
    long = [text for text in texts if len(text.split()) > 3]
    chosen = draw.sample(long, min(spoilt, len(long)))
    worse = [draw.choice(WORDINGS)(text, draw) for text in chosen]
    units = turn_units([*texts, *worse], weights, LONGEST).astype(np.float32)
    rows = tuple(tuple(known[turn] for turn in turns) for turns in material.dialogues)
    groups = tuple(tuple({row for place in group for row in rows[place]}) for group in material.groups)
    beside = np.array([[known[text]] for text in chosen], dtype=np.float32).reshape(-1, 1)
    return Encoded(
        torch.from_numpy(np.concatenate([units[: len(texts)], np.zeros((1, units.shape[1]), np.float32)])),
        rows,
        groups,
        material.group_of,
        torch.from_numpy(np.concatenate([beside, units[len(texts) :]], axis=1)),
    )


def train_turnwise(
    material: Material,
    held_out: Material,
    config: TurnwiseConfig,
    folder: Path,
    *,
    digest: str,
    session: Session = DEFAULT,
) -> Fitted:
    """Train, write the network to ``folder``, and return what was measured; a run that was killed resumes."""
    weights = find_encoder(config.encoder)
    seed = config.schedule.seed
    data = encode(material, weights, spoilt=len(material.dialogues), seed=seed)
    judged = encode(held_out, weights, spoilt=200, seed=seed) if held_out.dialogues else None
    network = TurnwiseNetwork(data.units.shape[1], config)
    settings = asdict(config)
    for key in config.schedule.resumable:
        settings["schedule"].pop(key)
    fitted = fit(
        _task(network, data, judged, config),
        config.schedule,
        Checkpoints(folder, {"data": digest, **settings}),
        session,
    )
    facts: dict[str, Any] = {
        "profile": "turnwise",
        "window": config.window,
        "data": digest,
        "dialogues": len(material.dialogues),
        "updates": fitted.best.updates,
    }
    write_network(folder / ADAPTER, network, weights, config.encoder, facts)
    return fitted


def write_network(
    path: Path, network: TurnwiseNetwork, weights: Weights, encoder: str, facts: Mapping[str, Any]
) -> None:
    """Write the network's weights in 16-bit floats, for the encoder whose vectors it reads."""
    tensors = {name: weight.detach().half().numpy() for name, weight in network.named_parameters()}
    write_head(path, tensors, weights, encoder, "selfeval", LONGEST, facts)


def _task(network: TurnwiseNetwork, data: Encoded, judged: Encoded | None, config: TurnwiseConfig) -> Task:
    count, seed = len(data.rows), config.schedule.seed

    def batches(epoch: int) -> list[list[int]]:
        def cut(rows: list[int]) -> list[list[int]]:
            size = config.batch_size
            return [rows[start : start + size] for start in range(0, len(rows), size)]

        plain = shuffled_batches(count, count, cut, seed=seed, epoch=epoch)
        return [[row + epoch * count for row in batch] for batch in plain]

    def losses(rows: Rows) -> list[Loss]:
        draw = np.random.default_rng([seed, *rows[:2], len(rows)])
        places = [row % count for row in rows]
        loss, found = next_turn_loss(network, data, places, config, draw)
        if config.levels:
            loss = loss + config.levels * level_loss(network, data, places, draw)
        if config.form and len(data.spoilt):
            loss = loss + config.form * wording_loss(network, data, draw, len(rows))
        n = len(rows)
        return [Loss(loss, {"loss": Sum(float(loss.detach()) * n, n), "found": Sum(found * n, n)})]

    def validate() -> Numbers:
        assert judged is not None
        return measure(network, judged, config)

    return Task(
        network,
        batches,
        losses,
        validate if judged is not None else None,
        objective=lambda numbers: (
            -numbers["found"] - numbers["order"] if "order" in numbers else numbers["loss"]
        ),
    )


def earlier_rows(rows: Sequence[int], place: int, blank: int) -> list[int]:
    """The rows of the last turns before ``place``, latest first, filled up with ``blank``."""
    found = list(rows[max(place - REACH, 0) : place])[::-1]
    return found + [blank] * (REACH - len(found))


def next_turn_loss(
    network: TurnwiseNetwork,
    data: Encoded,
    places: Sequence[int],
    config: TurnwiseConfig,
    draw: np.random.Generator,
) -> tuple[Tensor, float]:
    """Cross-entropy of the true next turn among strangers and turns of the same dialogue, and how often it is first."""
    blank = len(data.units) - 1
    earlier, candidates = [], []
    for place in places:
        rows = data.rows[place]
        turn = int(draw.integers(1, len(rows)))
        group = data.groups[data.group_of[place]]
        strangers = [group[number] for number in draw.integers(0, len(group), config.strangers).tolist()]
        # What was just said, what one said oneself, and what is said later: none of them comes next.
        others = [rows[turn - 1], rows[max(turn - 2, 0)], rows[min(turn + 1, len(rows) - 1)]]
        false = [row if row != rows[turn] else blank for row in (*others, *strangers)]
        earlier.append(earlier_rows(rows, turn, blank))
        candidates.append([rows[turn], *false])
    logits = network.relevance(data.units[torch.tensor(candidates)], data.units[torch.tensor(earlier)])
    logits = logits.masked_fill(torch.tensor(candidates) == blank, -1e4)
    targets = torch.zeros(len(places), dtype=torch.long)
    return cross_entropy(logits, targets), float((logits.argmax(1) == 0).float().mean())


def level_loss(
    network: TurnwiseNetwork, data: Encoded, places: Sequence[int], draw: np.random.Generator
) -> Tensor:
    """Separation and compactness of dialogues with none, some and all of one speaker's turns replaced."""
    losses = []
    for place in places[:16]:
        rows = data.rows[place][:8]
        group = data.groups[data.group_of[place]]
        mine = [spot for spot in range(len(rows)) if (len(rows) - 1 - spot) % 2 == 0]
        by_level = []
        for level in range(len(mine) + 1):
            versions = []
            for _ in range(1 if level in (0, len(mine)) else 2):
                spoilt = list(rows)
                for spot in draw.choice(mine, level, replace=False).tolist():
                    spoilt[spot] = group[int(draw.integers(len(group)))]
                versions.append(spoilt)
            by_level.append(torch.sigmoid(dialogue_logits(network, data, versions)))
        centroids = torch.stack([scores.mean() for scores in by_level])
        losses.append(separation(centroids) + torch.stack([compactness(scores) for scores in by_level]).sum())
    return torch.stack(losses).mean()


def dialogue_logits(network: TurnwiseNetwork, data: Encoded, versions: Sequence[Sequence[int]]) -> Tensor:
    """The mean relevance of all turns but the first of dialogues of one length, shape (versions,)."""
    blank = len(data.units) - 1
    length = len(versions[0])
    earlier = [[earlier_rows(rows, place, blank) for place in range(1, length)] for rows in versions]
    turns = data.units[torch.tensor([list(rows[1:]) for rows in versions])].unsqueeze(-2)
    return network.relevance(turns, data.units[torch.tensor(earlier)]).squeeze(-1).mean(1)


def wording_loss(network: TurnwiseNetwork, data: Encoded, draw: np.random.Generator, size: int) -> Tensor:
    """Ranking of turns above themselves with spoilt wording."""
    chosen = data.spoilt[torch.from_numpy(draw.integers(0, len(data.spoilt), size))]
    return ranking(network.worded(data.units[chosen[:, 0].long()]), network.worded(chosen[:, 1:]))


def measure(network: TurnwiseNetwork, judged: Encoded, config: TurnwiseConfig) -> Numbers:
    """How often the next turn is found, levels of replacement are in order, and good wording is above spoilt."""
    draw = np.random.default_rng(0)
    everyone = range(len(judged.rows))
    loss, found = next_turn_loss(network, judged, everyone, config, draw)
    right, pairs = 0, 0
    for place in everyone:
        rows = judged.rows[place][:8]
        group = judged.groups[judged.group_of[place]]
        versions = [list(rows)]
        mine = [spot for spot in range(len(rows)) if (len(rows) - 1 - spot) % 2 == 0]
        for spot in draw.permutation(mine).tolist():
            versions.append(
                [*versions[-1][:spot], group[int(draw.integers(len(group)))], *versions[-1][spot + 1 :]]
            )
        scores = dialogue_logits(network, judged, versions)
        right += int((scores[:-1] > scores[1:]).sum())
        pairs += len(versions) - 1
    chosen = judged.spoilt
    worded = network.worded(judged.units[chosen[:, 0].long()]) > network.worded(chosen[:, 1:])
    return {
        "loss": float(loss),
        "found": found,
        "order": right / max(pairs, 1),
        "form": float(worded.float().mean()),
    }
