"""Objective of each trained rival, and what is measured of it on held-out dialogues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from dialeval.selfeval.losses import compactness, contrastive, ordering, ranking, separation
from dialeval.selfeval.trained.config import RivalConfig
from dialeval.selfeval.trained.drawing import Drawn, next_turns, replaced_rows, shuffled_rows
from dialeval.selfeval.trained.graph import edges
from dialeval.selfeval.trained.networks import GraphNetwork, PairNetwork
from dialeval.selfeval.trained.pairs import pair_features
from dialeval.selfeval.turnwise.training import Encoded
from dialeval.training.task import Numbers

_MARGIN = 0.3
"""Between neighbouring levels of ``quantidce``, as its authors have it."""


class Objective(Protocol):
    """A network, its loss on some dialogues, and what is measured of it."""

    @property
    def network(self) -> nn.Module:
        """What is trained."""

    def loss(self, data: Encoded, places: Sequence[int], draw: np.random.Generator) -> Tensor:
        """Of the dialogues at these places."""

    def measure(self, data: Encoded, places: Sequence[int], draw: np.random.Generator) -> Numbers:
        """Shares of pairs in the right order, by name."""


def features_of(data: Encoded, drawn: Drawn) -> Tensor:
    """The features of all candidates, shape (n * candidates, features)."""
    units = data.units.numpy()
    count = drawn.candidates.shape[1]
    responses = units[drawn.candidates.ravel()]
    return torch.from_numpy(pair_features(responses, units[np.repeat(drawn.earlier, count, axis=0)]))


class DensityObjective:
    """True or false next turn by cross-entropy, and features of either together by a contrastive loss."""

    def __init__(self, dimensions: int, config: RivalConfig) -> None:
        self.config = config
        self.network = PairNetwork(3 * dimensions + 2, config.size, 2, config.dropout, config.schedule.seed)

    def loss(self, data: Encoded, places: Sequence[int], draw: np.random.Generator) -> Tensor:
        """The sum of both losses; each false turn counts less, so that true and false ones weigh the same."""
        drawn = next_turns(data, places, self.config.strangers, draw)
        labels = torch.from_numpy(
            (np.arange(drawn.candidates.size) % drawn.candidates.shape[1] == 0).astype(int)
        )
        states = self.network.states(features_of(data, drawn))
        weights = torch.tensor([1 / self.config.strangers, 1.0])
        known = cross_entropy(self.network.out(states), labels, weight=weights)
        return known + contrastive(states, labels, temperature=self.config.temperature)

    def measure(self, data: Encoded, places: Sequence[int], draw: np.random.Generator) -> Numbers:
        """How often the true turn is more probable than a stranger's."""
        drawn = next_turns(data, places, self.config.strangers, draw)
        logits = self.network(features_of(data, drawn))
        return {"order": _order((logits[:, 1] - logits[:, 0]).reshape(drawn.candidates.shape))}


class QuantidceObjective:
    """Three levels apart, in order and compact: the next turn, strangers' turns near the context, any strangers'."""

    def __init__(self, dimensions: int, config: RivalConfig) -> None:
        self.config = config
        self.network = PairNetwork(3 * dimensions + 2, config.size, 1, config.dropout, config.schedule.seed)

    def loss(self, data: Encoded, places: Sequence[int], draw: np.random.Generator) -> Tensor:
        """The mean over dialogues of separation, ordering and compactness."""
        scores = torch.sigmoid(self._logits(data, places, draw))
        near = self.config.strangers // 2
        # All contexts at once: one by one they would take twenty times as long.
        return torch.func.vmap(lambda row: levels_loss(row, near))(scores).mean()

    def measure(self, data: Encoded, places: Sequence[int], draw: np.random.Generator) -> Numbers:
        """How often the true turn is above one that resembles the context, and above any."""
        logits, near = self._logits(data, places, draw), self.config.strangers // 2
        hard, easy = logits[:, : 1 + near], torch.cat([logits[:, :1], logits[:, 1 + near :]], 1)
        return {"order": (_order(hard) + _order(easy)) / 2, "hard": _order(hard), "random": _order(easy)}

    def _logits(self, data: Encoded, places: Sequence[int], draw: np.random.Generator) -> Tensor:
        drawn = next_turns(data, places, self.config.strangers, draw, tries=self.config.tries)
        logits: Tensor = self.network(features_of(data, drawn)).reshape(drawn.candidates.shape)
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

    def loss(self, data: Encoded, places: Sequence[int], draw: np.random.Generator) -> Tensor:
        """Margin ranking of all pairs of the original and a spoilt version that differs from it."""
        scores, differs = self._scores(data, places, draw)
        better = scores[:, :1].expand(-1, 2)[differs]
        return ranking(better, scores[:, 1:][differs], margin=self.config.margin)

    def measure(self, data: Encoded, places: Sequence[int], draw: np.random.Generator) -> Numbers:
        """How often the original is above the version with replaced turns, and above that with shuffled ones."""
        scores, differs = self._scores(data, places, draw)
        right = (scores[:, :1] > scores[:, 1:]).to(torch.float32)
        replaced, shuffled = (float(right[differs[:, row], row].mean()) for row in range(2))
        return {"order": (replaced + shuffled) / 2, "replaced": replaced, "shuffled": shuffled}

    def _scores(
        self, data: Encoded, places: Sequence[int], draw: np.random.Generator
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
        logits = self.network(*graph_batch(data, versions))
        differs = [
            [versions[n] != versions[n + 1], versions[n] != versions[n + 2]]
            for n in range(0, len(versions), 3)
        ]
        return torch.sigmoid(logits).reshape(-1, 3), torch.tensor(differs)


def graph_batch(data: Encoded, versions: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Vectors and edges of dialogues whose speakers alternate, filled up to the longest with zeros."""
    longest, blank = max(map(len, versions)), len(data.units) - 1
    rows = [[*version, *[blank] * (longest - len(version))] for version in versions]
    whole = torch.from_numpy(edges(["AB"[place % 2] for place in range(longest)]))
    here = torch.tensor([[place < len(version) for place in range(longest)] for version in versions])
    both = here[:, None, :, None] & here[:, None, None, :]
    return data.units[torch.tensor(rows)], whole.unsqueeze(0) * both


def _order(logits: Tensor) -> float:
    """How often the first of a row is above another."""
    return float((logits[:, :1] > logits[:, 1:]).to(torch.float32).mean())
