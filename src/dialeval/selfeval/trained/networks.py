"""The networks of the trained rivals, as torch trains them; ``pairs`` and ``graph`` compute the same without it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dialeval.selfeval.trained.graph import REACH, RELATIONS


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
