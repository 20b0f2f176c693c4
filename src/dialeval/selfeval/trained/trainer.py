"""Training of the rivals: minutes on one core, for the encoder is left as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias, cast, get_args

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from dialeval.core import Floats, Integers
from dialeval.encoder.adapters import ADAPTER, write_head
from dialeval.encoder.files import EMBEDDED, Vectors, Weights, find_encoder
from dialeval.resources.device import device_of
from dialeval.selfeval.corruption import Material
from dialeval.selfeval.losses import compactness, contrastive, ordering, ranking, separation
from dialeval.selfeval.trained.heads import REACH, RELATIONS, edges, pair_features, pair_states, whitening
from dialeval.selfeval.turnwise_trainer import LONGEST, EncodedDialogues, earlier_rows, encode
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.loop import DEFAULT, Fitted, Session, fit
from dialeval.training.schedule import Schedule, require, require_at_least_one
from dialeval.training.task import Loss, Numbers, Rows, Sum, Task, batches_by_length, numbered_on

Rival: TypeAlias = Literal["density", "dynaeval", "quantidce"]
RIVALS: tuple[Rival, ...] = get_args(Rival)


@dataclass(frozen=True, slots=True)
class RivalConfig:
    """Everything that moves the weights, beside the data."""

    kind: Rival
    encoder: str = EMBEDDED
    size: int = 64
    """Of the hidden layer, and of a graph's projections three quarters of it."""
    strangers: int = 4
    """False responses from other dialogues, for each true one; of ``quantidce`` half of them resemble the context."""
    tries: int = 16
    """Among how many turns those that resemble the context are looked for."""
    dropout: float = 0.1
    batch_size: int = 64
    """Dialogues, one turn of each, or each with its spoilt versions."""
    margin: float = 0.1
    """By which ``dynaeval`` ranks a dialogue above a spoilt one."""
    temperature: float = 0.1
    """Of the contrastive loss of ``density``."""
    schedule: Schedule = field(
        default_factory=lambda: Schedule(
            epochs=6, learning_rate=1e-3, warm_up=100, evaluate_every=0, patience=3, save_every=2000
        )
    )

    def __post_init__(self) -> None:
        require_at_least_one(self, "size", "batch_size", "tries")
        require("strangers", self.strangers, self.strangers >= 2, "2 or more")


class PairNetwork(nn.Module):
    """Features of a response and its context through a tanh layer to one logit, or two."""

    def __init__(self, features: int, size: int, outputs: int, dropout: float, seed: int) -> None:
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.hidden = nn.Linear(features, size)
            self.out = nn.Linear(size, outputs)
        self.drop = nn.Dropout(dropout)

    def states(self, features: Tensor) -> Tensor:
        """The hidden layer, shape (n, size)."""
        return torch.tanh(self.hidden(self.drop(features)))

    def forward(self, features: Tensor) -> Tensor:
        """Logits, shape (n, outputs)."""
        logits: Tensor = self.out(self.states(features))
        return logits


class GraphNetwork(nn.Module):
    """Each turn beside the means of its neighbours by relation, nearer ones counting more or less, as it learns."""

    def __init__(self, dimensions: int, size: int, dropout: float, seed: int) -> None:
        super().__init__()
        narrow = max(3 * size // 4, 1)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            for name in ("asked", *RELATIONS):
                self.add_module(name, nn.Linear(dimensions, narrow, bias=False))
            self.near = nn.Parameter(torch.zeros(len(RELATIONS), REACH))
            self.hidden = nn.Linear(narrow * (1 + len(RELATIONS)), size)
            self.out = nn.Linear(size, 1)
        self.drop = nn.Dropout(dropout)

    def forward(self, units: Tensor, distances: Tensor) -> Tensor:
        """Logits of dialogues, shape (b,): unit vectors of turns (b, n, d), and edges (b, relations, n, n).

        Turns that only fill up a shorter dialogue are zeros, and have no edges; they do not count.
        """
        spoken = (units != 0).any(-1, keepdim=True).to(units.dtype)
        scaled = units * units.shape[-1] ** 0.5
        asked = self.get_submodule("asked")(scaled)
        parts = [asked]
        for row, name in enumerate(RELATIONS):
            own = distances[:, row]
            weights = torch.where(own > 0, self.near[row].exp()[own - 1], 0.0)
            shares = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
            parts.append(asked * (shares @ self.get_submodule(name)(scaled)))
        states = torch.tanh(self.hidden(self.drop(torch.cat(parts, dim=-1))))
        mean = (states * spoken).sum(1) / spoken.sum(1)
        logits: Tensor = self.out(mean).squeeze(-1)
        return logits


def next_turns(
    data: EncodedDialogues,
    places: Sequence[int],
    strangers: int,
    draw: np.random.Generator,
    *,
    tries: int = 0,
) -> tuple[Integers, Integers]:
    """The turns before a turn of each of these dialogues, and that turn with turns of other dialogues of its corpus.

    Both as rows of vectors: the turns before, latest first, shape (n, reach); the true next turn, then false ones,
    shape (n, 1 + strangers).

    With ``tries``, the first half of the strangers are those nearest to the turn before among so many more.
    """
    blank = len(data.units) - 1
    earlier, candidates = [], []
    for place in places:
        rows = data.rows[place]
        turn = int(draw.integers(1, len(rows)))
        group = data.groups[data.group_of[place]]
        others = _strangers(group, set(rows), strangers + tries, draw)
        if tries:
            likeness = data.units[others] @ data.units[rows[turn - 1]]
            near = np.argsort(-likeness.float().numpy(), kind="stable")[: strangers // 2].tolist()
            kept = [other for number, other in enumerate(others) if number not in set(near)]
            others = [*(others[number] for number in near), *kept][:strangers]
        earlier.append(earlier_rows(rows, turn, blank))
        candidates.append([rows[turn], *others])
    return np.array(earlier), np.array(candidates)


def _strangers(group: Sequence[int], own: set[int], count: int, draw: np.random.Generator) -> list[int]:
    """Turns of the group that are not the dialogue's own, with repetition; any if it has no others."""
    drawn = [group[number] for number in draw.integers(0, len(group), 2 * count).tolist()]
    foreign = [row for row in drawn if row not in own]
    return (foreign + drawn)[:count]


def replaced_rows(data: EncodedDialogues, place: int, draw: np.random.Generator) -> list[int]:
    """The dialogue with some turns of one speaker, at least one, replaced by turns of others of its corpus."""
    rows = list(data.rows[place])
    spots = range(int(draw.integers(2)), len(rows), 2)
    chosen = draw.permutation(spots)[: int(draw.integers(1, len(spots) + 1))].tolist()
    others = _strangers(data.groups[data.group_of[place]], set(rows), len(chosen), draw)
    for spot, other in zip(chosen, others, strict=True):
        rows[spot] = other
    return rows


def shuffled_rows(data: EncodedDialogues, place: int, draw: np.random.Generator) -> list[int]:
    """The dialogue with the turns of one speaker in another order; as it is if they are all the same."""
    rows = list(data.rows[place])
    spots = list(range(int(draw.integers(2)), len(rows), 2))
    said = [rows[spot] for spot in spots]
    if len(set(said)) < 2:
        return rows
    order = said
    while order == said:
        order = [said[number] for number in draw.permutation(len(said)).tolist()]
    for spot, row in zip(spots, order, strict=True):
        rows[spot] = row
    return rows


_MARGIN = 0.3
"""Between neighbouring levels of ``quantidce``, as its authors have it."""


class Objective(Protocol):
    """A network, its loss on some dialogues, and what is measured of it."""

    @property
    def network(self) -> nn.Module:
        """Network that is trained."""

    def loss(self, data: EncodedDialogues, places: Sequence[int], draw: np.random.Generator) -> Tensor:
        """Of the dialogues at these places."""

    def measure(self, data: EncodedDialogues, places: Sequence[int], draw: np.random.Generator) -> Numbers:
        """Shares of pairs in the right order, by name."""


def features_of(data: EncodedDialogues, earlier: Integers, candidates: Integers) -> Tensor:
    """The features of all candidates, shape (n * candidates, features)."""
    units = data.units.numpy()
    responses = units[candidates.ravel()]
    return torch.from_numpy(pair_features(responses, units[np.repeat(earlier, candidates.shape[1], axis=0)]))


class DensityObjective:
    """True or false next turn by cross-entropy, and features of either together by a contrastive loss."""

    def __init__(self, dimensions: int, config: RivalConfig) -> None:
        self.config = config
        self.network = PairNetwork(3 * dimensions + 2, config.size, 2, config.dropout, config.schedule.seed)

    def loss(self, data: EncodedDialogues, places: Sequence[int], draw: np.random.Generator) -> Tensor:
        """The sum of both losses; each false turn counts less, so that true and false ones weigh the same."""
        earlier, candidates = next_turns(data, places, self.config.strangers, draw)
        labels = torch.from_numpy((np.arange(candidates.size) % candidates.shape[1] == 0).astype(int))
        device = device_of(self.network)
        states = self.network.states(features_of(data, earlier, candidates).to(device))
        weights, labels = torch.tensor([1 / self.config.strangers, 1.0], device=device), labels.to(device)
        known = cross_entropy(self.network.out(states), labels, weight=weights)
        return known + contrastive(states, labels, temperature=self.config.temperature)

    def measure(self, data: EncodedDialogues, places: Sequence[int], draw: np.random.Generator) -> Numbers:
        """Share of pairs in which the true turn is more probable than a stranger's."""
        earlier, candidates = next_turns(data, places, self.config.strangers, draw)
        logits = self.network(features_of(data, earlier, candidates).to(device_of(self.network)))
        return {"order": _order((logits[:, 1] - logits[:, 0]).reshape(candidates.shape))}


class QuantidceObjective:
    """Three levels apart, in order and compact: the next turn, strangers' turns near the context, any strangers'."""

    def __init__(self, dimensions: int, config: RivalConfig) -> None:
        self.config = config
        self.network = PairNetwork(3 * dimensions + 2, config.size, 1, config.dropout, config.schedule.seed)

    def loss(self, data: EncodedDialogues, places: Sequence[int], draw: np.random.Generator) -> Tensor:
        """The mean over dialogues of separation, ordering and compactness."""
        scores = torch.sigmoid(self._logits(data, places, draw))
        near = self.config.strangers // 2
        # All contexts at once: one by one they would take twenty times as long.
        return torch.func.vmap(lambda row: levels_loss(row, near))(scores).mean()

    def measure(self, data: EncodedDialogues, places: Sequence[int], draw: np.random.Generator) -> Numbers:
        """Shares of pairs in which the true turn is above one that resembles the context, and above any."""
        logits, near = self._logits(data, places, draw), self.config.strangers // 2
        hard, easy = logits[:, : 1 + near], torch.cat([logits[:, :1], logits[:, 1 + near :]], 1)
        return {"order": (_order(hard) + _order(easy)) / 2, "hard": _order(hard), "random": _order(easy)}

    def _logits(self, data: EncodedDialogues, places: Sequence[int], draw: np.random.Generator) -> Tensor:
        earlier, candidates = next_turns(data, places, self.config.strangers, draw, tries=self.config.tries)
        features = features_of(data, earlier, candidates).to(device_of(self.network))
        logits: Tensor = self.network(features).reshape(candidates.shape)
        return logits


def levels_loss(scores: Tensor, near: int) -> Tensor:
    """The loss of one context: the score of its true response, then of ``near`` harder ones, then of the others."""
    levels = [scores[:1], scores[1 : 1 + near], scores[1 + near :]]
    centroids = torch.stack([level.mean() for level in levels])
    apart = separation(centroids, margin=_MARGIN, absolute=True) + ordering(centroids)
    return apart + torch.stack([compactness(level) for level in levels]).sum()


class DynaevalObjective:
    """A dialogue above its version with replaced turns, and above that with shuffled ones."""

    def __init__(self, dimensions: int, config: RivalConfig) -> None:
        self.config = config
        self.network = GraphNetwork(dimensions, config.size, config.dropout, config.schedule.seed)

    def loss(self, data: EncodedDialogues, places: Sequence[int], draw: np.random.Generator) -> Tensor:
        """Margin ranking of all pairs of the original and a spoilt version that differs from it."""
        scores, differs = self._scores(data, places, draw)
        better = scores[:, :1].expand(-1, 2)[differs]
        return ranking(better, scores[:, 1:][differs], margin=self.config.margin)

    def measure(self, data: EncodedDialogues, places: Sequence[int], draw: np.random.Generator) -> Numbers:
        """Shares of originals above the version with replaced turns, and above that with shuffled ones."""
        scores, differs = self._scores(data, places, draw)
        right = (scores[:, :1] > scores[:, 1:]).to(torch.float32)
        replaced, shuffled = (float(right[differs[:, row], row].mean()) for row in range(2))
        return {"order": (replaced + shuffled) / 2, "replaced": replaced, "shuffled": shuffled}

    def _scores(
        self, data: EncodedDialogues, places: Sequence[int], draw: np.random.Generator
    ) -> tuple[Tensor, Tensor]:
        """Scores of each dialogue and its two spoilt versions, (n, 3), and which of these differ from it, (n, 2)."""
        versions = [
            version
            for place in places
            for version in (
                list(data.rows[place]),
                replaced_rows(data, place, draw),
                shuffled_rows(data, place, draw),
            )
        ]
        units, relations = graph_batch(data, versions)
        device = device_of(self.network)
        logits = self.network(units.to(device), relations.to(device))
        differs = [
            [versions[n] != versions[n + 1], versions[n] != versions[n + 2]]
            for n in range(0, len(versions), 3)
        ]
        return torch.sigmoid(logits).reshape(-1, 3), torch.tensor(differs, device=device)


def graph_batch(data: EncodedDialogues, versions: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Vectors and edges of dialogues whose speakers alternate, filled up to the longest with zeros."""
    longest, blank = max(map(len, versions)), len(data.units) - 1
    rows = [[*version, *[blank] * (longest - len(version))] for version in versions]
    whole = torch.from_numpy(edges(["AB"[place % 2] for place in range(longest)]))
    here = torch.tensor([[place < len(version) for place in range(longest)] for version in versions])
    both = here[:, None, :, None] & here[:, None, None, :]
    return data.units[torch.tensor(rows)], whole.unsqueeze(0) * both


def _order(logits: Tensor) -> float:
    """Share of pairs in which the first of a row is above another."""
    return float((logits[:, :1] > logits[:, 1:]).to(torch.float32).mean())


_OBJECTIVES: Final[Mapping[Rival, Callable[[int, RivalConfig], Objective]]] = {
    "density": DensityObjective,
    "dynaeval": DynaevalObjective,
    "quantidce": QuantidceObjective,
}
_MOST_STATES: Final = 20_000
"""True responses whose features describe what a true response looks like."""


def train_rival(
    material: Material,
    held_out: Material,
    config: RivalConfig,
    folder: Path,
    *,
    digest: str,
    session: Session = DEFAULT,
) -> Fitted:
    """Train, write the network to ``folder``, and return what was measured; a run that was killed resumes."""
    weights = find_encoder(config.encoder)
    data = encode(material, weights)
    judged = encode(held_out, weights) if held_out.dialogues else None
    return train_encoded(data, judged, config, weights, folder, digest=digest, session=session)


def train_encoded(
    data: EncodedDialogues,
    judged: EncodedDialogues | None,
    config: RivalConfig,
    weights: Weights,
    folder: Path,
    *,
    digest: str,
    session: Session = DEFAULT,
) -> Fitted:
    """Train as `train_rival` on dialogues whose turns are vectors already."""
    objective = _OBJECTIVES[config.kind](data.units.shape[1], config)
    settings = asdict(config) | {"schedule": config.schedule.identity()}
    checkpoints = Checkpoints(folder, {"data": digest, **settings})
    fitted = fit(_task(objective, data, judged, config), config.schedule, checkpoints, session)
    objective.network.eval()
    tensors = {name: weight.detach().cpu().numpy() for name, weight in objective.network.named_parameters()}
    if config.kind == "density":
        tensors |= _density(tensors, data, config.schedule.seed)
    facts = {"data": digest, "dialogues": len(data.rows), "updates": fitted.best.updates}
    write_rival(folder / ADAPTER, config.kind, tensors, weights, config.encoder, facts)
    return fitted


def write_rival(
    path: Path,
    kind: Rival,
    tensors: Mapping[str, Vectors],
    weights: Weights,
    encoder: str,
    facts: Mapping[str, Any],
) -> None:
    """Write a network in 16-bit floats, but for what a distance is computed with, which takes 32."""
    kept = ("centre", "whitening")
    narrow = {name: tensor if name in kept else _half(tensor) for name, tensor in tensors.items()}
    write_head(path, narrow, weights, encoder, kind, LONGEST, facts)


def _task(
    objective: Objective, data: EncodedDialogues, judged: EncodedDialogues | None, config: RivalConfig
) -> Task:
    count, seed = len(data.rows), config.schedule.seed

    batches = numbered_on(batches_by_length([1] * count, config.batch_size, pool=count, seed=seed), count)

    def losses(rows: Rows) -> list[Loss]:
        draw = np.random.default_rng([seed, *rows[:2], len(rows)])
        loss = objective.loss(data, [row % count for row in rows], draw)
        return [Loss(loss, {"loss": Sum(float(loss.detach()) * len(rows), len(rows))})]

    def validate() -> Numbers:
        assert judged is not None
        everyone = range(len(judged.rows))
        loss = float(objective.loss(judged, everyone, np.random.default_rng(0)))
        return {"loss": loss, **objective.measure(judged, everyone, np.random.default_rng(0))}

    return Task(objective.network, batches, losses, validate if judged is not None else None)


def _density(tensors: Mapping[str, Vectors], data: EncodedDialogues, seed: int) -> dict[str, Vectors]:
    """Centre and spread of the hidden layer's states of true responses, as the written network has them."""
    narrow = {name: _half(tensor) for name, tensor in tensors.items()}
    states = pair_states(narrow, _true_features(data, seed))
    centre, apart = whitening(states)
    return {"centre": centre.astype(np.float32), "whitening": apart.astype(np.float32)}


def _half(tensor: Vectors) -> Vectors:
    return cast(Vectors, tensor.astype(np.float16))


def _true_features(data: EncodedDialogues, seed: int) -> Floats:
    units, blank = data.units.numpy(), len(data.units) - 1
    turns = [(rows, place) for rows in data.rows for place in range(1, len(rows))]
    kept = np.random.default_rng(seed).permutation(len(turns))[:_MOST_STATES].tolist()
    chosen = [turns[number] for number in kept]
    earlier = np.array([earlier_rows(rows, place, blank) for rows, place in chosen])
    responses = np.array([rows[place] for rows, place in chosen])
    return pair_features(units[responses].astype(np.float64), units[earlier].astype(np.float64))
