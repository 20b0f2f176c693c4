"""Network in memory as beam search sees it, with or without bounds on the values that it may say."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from dialeval.nlg.acts.placeholders import JOINED, PREFIX
from dialeval.nlg.generators.folder import read_network
from dialeval.nlg.generators.network import Memory, Network
from dialeval.nlg.generators.vocabulary import END, PAD, SPECIAL, START, UNKNOWN, NumberedAct, Vocabulary
from dialeval.nlg.generators.writers import SlotJudge, make_judge
from dialeval.resources.device import find_device
from dialeval.systems.decoding import Hypothesis
from dialeval.systems.tensors import normalised
from dialeval.training.folder import ModelFolder


@dataclass(frozen=True, slots=True, eq=False)
class NetworkSearch:
    """The next words of sentences for these acts; a prefix is the number of an act."""

    network: Network
    acts: Sequence[NumberedAct]

    @property
    def end(self) -> frozenset[int]:
        """The token that ends a sentence."""
        return frozenset({END})

    @property
    def vocabulary(self) -> int:
        """Number of words."""
        return self.network.words.num_embeddings

    def start(self, prefixes: Sequence[Sequence[int]]) -> tuple[Tensor, Memory]:
        """Log-probabilities of the first word for each act, and the state there."""
        memory = self.network.begin([self.acts[number] for prefix in prefixes for number in prefix])
        return self.step(torch.full((len(prefixes),), START, device=self.network.device), memory)

    def step(self, tokens: Tensor, state: Memory) -> tuple[Tensor, Memory]:
        """Log-probabilities after one more word per row; what is not a word is never one of them."""
        logits, memory = self.network.step(tokens, state)
        logits[:, [PAD, START, UNKNOWN]] = -torch.inf
        return normalised(logits), memory

    def select(self, state: Memory, rows: Tensor) -> Memory:
        """The state of these rows."""
        return state.pick(rows)

    @torch.inference_mode()
    def weigh(self, found: Sequence[Sequence[Hypothesis]]) -> list[list[Hypothesis]]:
        """The sentences of each act with the network's own log-probabilities, however they were searched."""
        said = [
            (act, (*each.tokens, END)[: each.length])
            for act, own in zip(self.acts, found, strict=True)
            for each in own
        ]
        if not said:
            return [[] for _ in found]
        nats = iter(self.network.costs(*map(list, zip(*said, strict=True))).nats.tolist())
        return [[each._replace(logprob=-next(nats)) for each in own] for own in found]


class LoadedNetwork(NamedTuple):
    """A trained network in memory."""

    network: Network
    vocabulary: Vocabulary
    judge: SlotJudge


@lru_cache(maxsize=4)
def load(files: ModelFolder, device: str) -> LoadedNetwork:
    """The network in these files; the last four are kept, and other hashes are another network."""
    network, vocabulary = read_network(files.folder)
    judge = make_judge(vocabulary.features, vocabulary.words[len(SPECIAL) :])
    return LoadedNetwork(network.requires_grad_(False).to(find_device(device)), vocabulary, judge)


class BoundedState(NamedTuple):
    """State of the sentences under way, and the placeholders that they may still say."""

    memory: Memory
    left: Tensor
    """Whether each placeholder may still be said, shape (rows, placeholders + 1); other words are the last column."""


@dataclass(frozen=True, slots=True, eq=False)
class BoundedSearch:
    """Steps that never go on with a placeholder that the act has no value for, or that was said.

    Other words share its probability. That all values must be said before the end was tried and left out: sentences
    became long and repeated themselves.
    """

    search: NetworkSearch
    placeholder: Tensor
    """The placeholder of each word by number; the last number for all other words."""
    wanted: Tensor
    """Placeholders that each act has values for, shape (acts, placeholders + 1); the last column is True."""

    @property
    def end(self) -> frozenset[int]:
        """The token that ends a sentence."""
        return self.search.end

    @property
    def vocabulary(self) -> int:
        """Number of words."""
        return self.search.vocabulary

    def start(self, prefixes: Sequence[Sequence[int]]) -> tuple[Tensor, BoundedState]:
        """Log-probabilities of the first word for each act, and the state there."""
        logprobs, memory = self.search.start(prefixes)
        left = self.wanted[[number for prefix in prefixes for number in prefix]]
        return self._bounded(logprobs, left), BoundedState(memory, left)

    def step(self, tokens: Tensor, state: BoundedState) -> tuple[Tensor, BoundedState]:
        """Log-probabilities after one more word per row."""
        logprobs, memory = self.search.step(tokens, state.memory)
        left = state.left.clone()
        left[torch.arange(len(tokens)), self.placeholder[tokens]] = False
        left[:, -1] = True
        return self._bounded(logprobs, left), BoundedState(memory, left)

    def select(self, state: BoundedState, rows: Tensor) -> BoundedState:
        """The state of these rows."""
        return BoundedState(self.search.select(state.memory, rows), state.left[rows])

    def _bounded(self, logprobs: Tensor, left: Tensor) -> Tensor:
        logprobs.masked_fill_(~left[:, self.placeholder], -torch.inf)
        return normalised(logprobs)


def bounded_search(
    search: NetworkSearch, words: Sequence[str], values: Sequence[Collection[str]]
) -> BoundedSearch:
    """The steps of acts with these placeholders."""
    known = dict.fromkeys(_bare(word) for word in words if PREFIX in word)
    numbers = {name: number for number, name in enumerate(known)}
    placeholder = torch.tensor([numbers.get(_bare(word), len(numbers)) for word in words])
    wanted = torch.zeros(len(values), len(numbers) + 1, dtype=torch.bool)
    wanted[:, -1] = True
    for row, own in enumerate(values):
        wanted[row, [numbers[name] for name in own if name in numbers]] = True
    device = search.network.device
    return BoundedSearch(search, placeholder.to(device), wanted.to(device))


def _bare(word: str) -> str:
    return word.removeprefix(JOINED)
