"""Models small enough to search by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

import pytest
import torch
from torch import Tensor

Tokens = tuple[int, ...]


@dataclass
class Grown:
    """The next token's probabilities follow from all the tokens before it, by chance unless they are given."""

    vocabulary: int
    end: frozenset[int] = frozenset({0})
    given: Mapping[Tokens, Sequence[float]] = field(default_factory=dict)
    sharpness: float = 1.5
    rows: list[int] = field(default_factory=list)
    """How many rows each step had."""

    def probabilities(self, tokens: Sequence[int]) -> list[float]:
        """After these tokens, prefix included."""
        tokens = tuple(tokens)
        if tokens in self.given:
            return list(self.given[tokens])
        dice = Random(repr(tokens))
        weights = [math.exp(self.sharpness * dice.gauss(0, 1)) for _ in range(self.vocabulary)]
        return [weight / sum(weights) for weight in weights]

    def start(self, prefixes: Sequence[Sequence[int]]) -> tuple[Tensor, list[Tokens]]:
        return self._logprobs([tuple(prefix) for prefix in prefixes])

    def step(self, tokens: Tensor, state: list[Tokens]) -> tuple[Tensor, list[Tokens]]:
        self.rows.append(len(state))
        return self._logprobs([(*row, token) for row, token in zip(state, tokens.tolist(), strict=True)])

    def select(self, state: list[Tokens], rows: Tensor) -> list[Tokens]:
        return [state[row] for row in rows.tolist()]

    def _logprobs(self, state: list[Tokens]) -> tuple[Tensor, list[Tokens]]:
        rows = torch.tensor([self.probabilities(tokens) for tokens in state], dtype=torch.float64)
        return rows.log().float(), state


@pytest.fixture
def grown() -> type[Grown]:
    return Grown
