"""A search in which no value is said twice, and none that an act does not have."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from dialeval.nlg.acts.delexicalising import PREFIX
from dialeval.nlg.generating.network import Memory
from dialeval.nlg.generating.stepping import Stepping
from dialeval.nlg.generating.words import JOINED
from dialeval.systems.tensors import normalised


class Filled(NamedTuple):
    """Where the sentences under way are, and what they may still say."""

    memory: Memory
    left: Tensor
    """Whether each placeholder may still be said, shape (rows, placeholders + 1); other words are the last column."""


@dataclass(frozen=True, slots=True, eq=False)
class Filling:
    """Steps that never go on with a placeholder that the act has no value for, or that was said.

    Other words share its probability. That all values must be said before the end was tried and left out: sentences
    became long and repeated themselves.
    """

    stepping: Stepping
    placeholder: Tensor
    """The placeholder of each word by number; the last number for all other words."""
    wanted: Tensor
    """What each act has values for, shape (acts, placeholders + 1); the last column is True."""

    @property
    def end(self) -> frozenset[int]:
        """The token that ends a sentence."""
        return self.stepping.end

    @property
    def vocabulary(self) -> int:
        """How many words there are."""
        return self.stepping.vocabulary

    def start(self, prefixes: Sequence[Sequence[int]]) -> tuple[Tensor, Filled]:
        """Log-probabilities of the first word for each act, and the state there."""
        logprobs, memory = self.stepping.start(prefixes)
        left = self.wanted[[number for prefix in prefixes for number in prefix]]
        return self._bounded(logprobs, left), Filled(memory, left)

    def step(self, tokens: Tensor, state: Filled) -> tuple[Tensor, Filled]:
        """Log-probabilities after one more word per row."""
        logprobs, memory = self.stepping.step(tokens, state.memory)
        left = state.left.clone()
        left[torch.arange(len(tokens)), self.placeholder[tokens]] = False
        left[:, -1] = True
        return self._bounded(logprobs, left), Filled(memory, left)

    def select(self, state: Filled, rows: Tensor) -> Filled:
        """The state of these rows."""
        return Filled(self.stepping.select(state.memory, rows), state.left[rows])

    def _bounded(self, logprobs: Tensor, left: Tensor) -> Tensor:
        logprobs.masked_fill_(~left[:, self.placeholder], -torch.inf)
        return normalised(logprobs)


def filling(stepping: Stepping, words: Sequence[str], values: Sequence[Collection[str]]) -> Filling:
    """The steps of acts with these placeholders."""
    known = dict.fromkeys(_bare(word) for word in words if PREFIX in word)
    numbers = {name: number for number, name in enumerate(known)}
    placeholder = torch.tensor([numbers.get(_bare(word), len(numbers)) for word in words])
    wanted = torch.zeros(len(values), len(numbers) + 1, dtype=torch.bool)
    wanted[:, -1] = True
    for row, own in enumerate(values):
        wanted[row, [numbers[name] for name in own if name in numbers]] = True
    device = stepping.network.device
    return Filling(stepping, placeholder.to(device), wanted.to(device))


def _bare(word: str) -> str:
    return word.removeprefix(JOINED)
