"""Training of the turnwise network: the true next turn among turns of other dialogues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from dialeval.core import Floats
from dialeval.encoder.adapters import ADAPTER, write_head
from dialeval.encoder.files import EMBEDDED, Weights, find_encoder
from dialeval.encoder.model import load_encoder, to_units
from dialeval.resources.device import device_of
from dialeval.selfeval.corruption import Material
from dialeval.selfeval.turnwise import LAST, LEARNT, MEAN, REACH, SCALARS
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.loop import DEFAULT, Fitted, Session, fit
from dialeval.training.schedule import Schedule
from dialeval.training.task import Loss, Numbers, Rows, Sum, Task, batches_by_length, numbered_on

LONGEST: Final = 48
"""Tokens that are read of a turn."""
_AT_ONCE: Final = 4096
"""Turns that are encoded before their states are let go."""


@dataclass(frozen=True, slots=True)
class TurnwiseConfig:
    """Everything that moves the weights, beside the data."""

    encoder: str = EMBEDDED
    size: int = 64
    """Of the projections, and of the hidden layer."""
    strangers: int = 24
    """False next turns, from other dialogues."""
    dropout: float = 0.2
    batch_size: int = 64
    schedule: Schedule = field(
        default_factory=lambda: Schedule(
            epochs=4, learning_rate=2e-3, warm_up=100, evaluate_every=0, patience=4, save_every=2000
        )
    )


class TurnwiseNetwork(nn.Module):
    """Cosines, corrected by bilinear products of projected turns through a tanh layer."""

    def __init__(self, dimensions: int, config: TurnwiseConfig) -> None:
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.schedule.seed)
            for name in ("said", "last", "mean", "own"):
                self.add_module(name, nn.Linear(dimensions, config.size, bias=False))
            self.hidden = nn.Linear(3 * config.size + SCALARS, config.size)
            self.out = nn.Linear(config.size, 1)
        self.drop = nn.Dropout(config.dropout)

    def forward(self, turns: Tensor, earlier: Tensor) -> Tensor:
        """Logits of turns, shape (..., c, d), each after the earlier ones, (..., REACH, d), latest first: (..., c)."""
        own = normalize(earlier[..., 1::2, :].sum(-2), dim=-1)
        sides = [side.unsqueeze(-2) for side in (earlier[..., 0, :], normalize(earlier.sum(-2), dim=-1), own)]
        said = self.get_submodule("said")(turns)
        names = ("last", "mean", "own")
        products = [said * self.get_submodule(name)(side) for name, side in zip(names, sides, strict=True)]
        cosines = [(turns * side).sum(-1) for side in sides]
        highest = (turns @ earlier.transpose(-1, -2)).max(-1).values
        spoke = (own != 0).any(-1, keepdim=True).to(turns.dtype).expand(turns.shape[:-1])
        features = torch.stack([*cosines, highest, spoke], dim=-1)
        inputs = torch.cat([self.drop(torch.cat(products, dim=-1)), features], dim=-1)
        learnt: Tensor = self.out(torch.tanh(self.hidden(inputs))).squeeze(-1)
        return LAST * cosines[0] + MEAN * cosines[1] + LEARNT * torch.tanh(learnt)


@dataclass(frozen=True, slots=True, eq=False)
class EncodedDialogues:
    """Dialogues as vectors of their turns."""

    units: Tensor
    """One row for each different turn, and a last row of zeros."""
    rows: tuple[tuple[int, ...], ...]
    """The rows of each dialogue's turns."""
    groups: tuple[tuple[int, ...], ...]
    """Rows of the turns of each corpus, from which strangers are drawn."""
    group_of: tuple[int, ...]


def encode(material: Material, weights: Weights) -> EncodedDialogues:
    """The vectors of all turns, each different turn encoded once."""
    texts = list(dict.fromkeys(turn for turns in material.dialogues for turn in turns))
    known = {text: row for row, text in enumerate(texts)}
    units = turn_units(texts, weights, LONGEST).astype(np.float32)
    rows = tuple(tuple(known[turn] for turn in turns) for turns in material.dialogues)
    groups = tuple(
        tuple(dict.fromkeys(row for place in group for row in rows[place])) for group in material.groups
    )
    blank = np.zeros((1, units.shape[1]), np.float32)
    return EncodedDialogues(torch.from_numpy(np.concatenate([units, blank])), rows, groups, material.group_of)


def turn_units(texts: Sequence[str], weights: Weights, longest: int) -> Floats:
    """The mean of each text's states at length 1, shape (n, d); texts are cut to ``longest`` tokens."""
    encoder = load_encoder(weights)
    parts = []
    for start in range(0, len(texts), _AT_ONCE):
        tokens = encoder.tokens(texts[start : start + _AT_ONCE], longest=longest)
        parts.append(to_units(np.stack(encoder.states(tokens, keep=lambda states: states.mean(axis=0)))))
    return np.concatenate(parts) if parts else np.zeros((0, 0))


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
    data = encode(material, weights)
    judged = encode(held_out, weights) if held_out.dialogues else None
    network = TurnwiseNetwork(data.units.shape[1], config)
    settings = asdict(config) | {"schedule": config.schedule.identity()}
    fitted = fit(
        _task(network, data, judged, config),
        config.schedule,
        Checkpoints(folder, {"data": digest, **settings}),
        session,
    )
    facts: dict[str, Any] = {
        "profile": "turnwise",
        **calibrate(network, judged or data, config),
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
    tensors = {name: weight.detach().cpu().half().numpy() for name, weight in network.named_parameters()}
    write_head(path, tensors, weights, encoder, "selfeval", LONGEST, facts)


def _task(
    network: TurnwiseNetwork, data: EncodedDialogues, judged: EncodedDialogues | None, config: TurnwiseConfig
) -> Task:
    count, seed = len(data.rows), config.schedule.seed

    batches = numbered_on(batches_by_length([1] * count, config.batch_size, pool=count, seed=seed), count)

    def losses(rows: Rows) -> list[Loss]:
        draw = np.random.default_rng([seed, *rows[:2], len(rows)])
        logits = next_turn_logits(network, data, [row % count for row in rows], config, draw)
        loss = cross_entropy(logits, torch.zeros(len(rows), dtype=torch.long, device=logits.device))
        found = float((logits.argmax(1) == 0).float().sum())
        total = float(loss.detach()) * len(rows)
        return [Loss(loss, {"loss": Sum(total, len(rows)), "found": Sum(found, len(rows))})]

    def validate() -> Numbers:
        return measure(network, judged or data, config)

    return Task(network, batches, losses, validate if judged is not None else None)


def earlier_rows(rows: Sequence[int], place: int, blank: int) -> list[int]:
    """The rows of the last turns before ``place``, latest first, filled up with ``blank``."""
    found = list(rows[max(place - REACH, 0) : place])[::-1]
    return found + [blank] * (REACH - len(found))


def next_turn_logits(
    network: TurnwiseNetwork,
    data: EncodedDialogues,
    places: Sequence[int],
    config: TurnwiseConfig,
    draw: np.random.Generator,
) -> Tensor:
    """Logits of a next turn of each dialogue and of strangers in its place, shape (dialogues, 1 + strangers)."""
    blank = len(data.units) - 1
    earlier, candidates = [], []
    for place in places:
        rows = data.rows[place]
        turn = int(draw.integers(1, len(rows)))
        group = data.groups[data.group_of[place]]
        strangers = [group[number] for number in draw.integers(0, len(group), config.strangers).tolist()]
        earlier.append(earlier_rows(rows, turn, blank))
        candidates.append([rows[turn], *(row if row != rows[turn] else blank for row in strangers)])
    chosen, device = torch.tensor(candidates), device_of(network)
    logits: Tensor = network(data.units[chosen].to(device), data.units[torch.tensor(earlier)].to(device))
    return logits.masked_fill((chosen == blank).to(device), -1e4)


def dialogue_logits(
    network: TurnwiseNetwork, data: EncodedDialogues, versions: Sequence[Sequence[int]]
) -> Tensor:
    """The mean logit of all turns but the first of dialogues of one length, shape (versions,)."""
    blank = len(data.units) - 1
    earlier = [[earlier_rows(rows, place, blank) for place in range(1, len(rows))] for rows in versions]
    device = device_of(network)
    turns = data.units[torch.tensor([list(rows[1:]) for rows in versions])].unsqueeze(-2)
    logits: Tensor = network(turns.to(device), data.units[torch.tensor(earlier)].to(device))
    return logits.squeeze(-1).mean(1)


def measure(network: TurnwiseNetwork, judged: EncodedDialogues, config: TurnwiseConfig) -> Numbers:
    """Shares of next turns that are found, and of dialogues that score lower with one more replaced turn."""
    draw = np.random.default_rng(0)
    everyone = range(len(judged.rows))
    logits = next_turn_logits(network, judged, everyone, config, draw)
    loss = cross_entropy(logits, torch.zeros(len(logits), dtype=torch.long, device=logits.device))
    right, pairs = 0, 0
    for place in everyone:
        rows = judged.rows[place]
        group = judged.groups[judged.group_of[place]]
        versions = [list(rows)]
        for spot in draw.permutation(range((len(rows) - 1) % 2, len(rows), 2)).tolist():
            stranger = group[int(draw.integers(len(group)))]
            versions.append([*versions[-1][:spot], stranger, *versions[-1][spot + 1 :]])
        scores = dialogue_logits(network, judged, versions)
        right, pairs = right + int((scores[:-1] > scores[1:]).sum()), pairs + len(versions) - 1
    found = float((logits.argmax(1) == 0).float().mean())
    return {"loss": float(loss), "found": found, "order": right / max(pairs, 1)}


def calibrate(network: TurnwiseNetwork, judged: EncodedDialogues, config: TurnwiseConfig) -> dict[str, float]:
    """Slope and shift that make a logit the log-odds of the true next turn against one stranger (Platt scaling)."""
    network.eval()
    with torch.inference_mode():
        everyone = range(len(judged.rows))
        logits = next_turn_logits(network, judged, everyone, config, np.random.default_rng(1)).float().cpu()
    true, false = logits[:, 0].numpy().astype(np.float64), logits[:, 1].numpy().astype(np.float64)
    values = np.concatenate([true, false[false > -1e3]])
    labels = np.concatenate([np.ones(len(true)), np.zeros(len(values) - len(true))])
    slope, shift = 0.3, -float(values.mean()) * 0.3
    for _ in range(50):
        odds = 1 / (1 + np.exp(-(slope * values + shift)))
        residual, weight = labels - odds, odds * (1 - odds) + 1e-9
        gradient = np.array([(residual * values).sum(), residual.sum()])
        mixed = (weight * values).sum()
        matrix = np.array([[(weight * values**2).sum(), mixed], [mixed, weight.sum()]]) + 1e-6 * np.eye(2)
        step = np.linalg.solve(matrix, gradient)
        slope, shift = slope + float(step[0]), shift + float(step[1])
    return {"slope": slope, "shift": shift}
