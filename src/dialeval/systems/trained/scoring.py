"""A network in memory: next tokens for search, and responses scored with each context encoded once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import torch
from torch import Tensor

from dialeval.systems.tensors import find_device, normalised
from dialeval.systems.trained.config import TrainConfig
from dialeval.systems.trained.convolutional import fold_norms
from dialeval.systems.trained.folder import read_generator
from dialeval.systems.trained.network import Network, Rows, pick
from dialeval.systems.trained.subwords import END, START, Subwords, Tokens
from dialeval.training.folder import ModelFolder

_CONTEXTS: Final = 64
"""Contexts that are encoded at once, and held for their responses."""


class State(NamedTuple):
    """What search carries from step to step."""

    memory: Rows
    past: Rows
    position: int


@dataclass(frozen=True, slots=True, eq=False)
class Stepping:
    """A network as search and scoring see it."""

    network: Network

    @property
    def end(self) -> frozenset[int]:
        """The token that ends a response."""
        return frozenset({END})

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return self.network.vocabulary

    def start(self, prefixes: Sequence[Sequence[int]]) -> tuple[Tensor, State]:
        """Log-probabilities of the first token of each response, and the state there."""
        memory = self.network.encode(self.network.pad(prefixes))
        first = torch.full((len(prefixes),), START, device=self.network.device)
        return self.step(first, State(memory, self.network.begin(memory), 0))

    def step(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        """Log-probabilities after one more token per row."""
        states, past = self.network.advance(state.memory, state.past, tokens, state.position)
        return normalised(self.network.logits(states)), State(state.memory, past, state.position + 1)

    def select(self, state: State, rows: Tensor) -> State:
        """The state of these rows."""
        return State(pick(state.memory, rows), pick(state.past, rows), state.position)

    def logprobs(self, contexts: Sequence[Tokens], responses: Sequence[Tokens], rows: int) -> list[float]:
        """The log-probability of each response given its context, at most ``rows`` of them at once."""
        of_context: dict[Tokens, list[int]] = {}
        for index, context in enumerate(contexts):
            of_context.setdefault(context, []).append(index)
        distinct = sorted(of_context, key=len)
        by_index: dict[int, float] = {}
        with torch.inference_mode():
            for start in range(0, len(distinct), _CONTEXTS):
                some = distinct[start : start + _CONTEXTS]
                memory = self.network.encode(self.network.pad(some))
                row = {index: number for number, context in enumerate(some) for index in of_context[context]}
                order = sorted(row, key=lambda index: len(responses[index]))
                for first in range(0, len(order), rows):
                    batch = order[first : first + rows]
                    rows_of_batch = torch.tensor([row[index] for index in batch], device=self.network.device)
                    scores = self._score(pick(memory, rows_of_batch), [responses[index] for index in batch])
                    by_index.update(zip(batch, scores, strict=True))
        return [by_index[index] for index in range(len(responses))]

    def _score(self, memory: Rows, responses: Sequence[Tokens]) -> list[float]:
        read = self.network.pad([(START, *response[:-1]) for response in responses])
        logits = self.network.logits(self.network.decode(memory, read.ids)[read.mask])
        tokens = torch.tensor([token for response in responses for token in response], device=logits.device)
        values = normalised(logits).gather(1, tokens[:, None])[:, 0].double()
        lengths = [len(response) for response in responses]
        return [float(part.sum()) for part in torch.split(values, lengths)]


class Loaded(NamedTuple):
    """A trained generator in memory."""

    stepping: Stepping
    subwords: Subwords
    config: TrainConfig


@lru_cache(maxsize=4)
def load(files: ModelFolder, device: str) -> Loaded:
    """The generator in these files; the last four are kept, and other hashes are another generator."""
    network, subwords, config = read_generator(files.folder)
    fold_norms(network)
    return Loaded(Stepping(network.requires_grad_(False).to(find_device(device))), subwords, config)
