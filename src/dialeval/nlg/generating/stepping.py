"""A network in memory, as beam search sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from dialeval.nlg.generating.folder import read_network
from dialeval.nlg.generating.network import Memory, Network
from dialeval.nlg.generating.ranking import SlotJudge, make_judge
from dialeval.nlg.generating.vocabulary import END, PAD, SPECIAL, START, UNKNOWN, ReadAct, Vocabulary
from dialeval.systems.decoding import Hypothesis
from dialeval.systems.tensors import find_device, normalised
from dialeval.training.folder import ModelFolder


@dataclass(frozen=True, slots=True, eq=False)
class Stepping:
    """The next words of sentences for these acts; a prefix is the number of an act."""

    network: Network
    acts: Sequence[ReadAct]

    @property
    def end(self) -> frozenset[int]:
        """The token that ends a sentence."""
        return frozenset({END})

    @property
    def vocabulary(self) -> int:
        """How many words there are."""
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


class Loaded(NamedTuple):
    """A trained network in memory."""

    network: Network
    vocabulary: Vocabulary
    judge: SlotJudge


@lru_cache(maxsize=4)
def load(files: ModelFolder, device: str) -> Loaded:
    """The network in these files; the last four are kept, and other hashes are another network."""
    network, vocabulary = read_network(files.folder)
    judge = make_judge(vocabulary.features, vocabulary.words[len(SPECIAL) :])
    return Loaded(network.requires_grad_(False).to(find_device(device)), vocabulary, judge)
