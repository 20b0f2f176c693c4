"""The interface of every encoder-decoder network; the networks are in the files beside this one."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

import torch
from torch import Tensor, nn

from dialeval.systems.tensors import Grid, pad
from dialeval.systems.trained.config import Shape
from dialeval.systems.trained.subwords import PAD

Rows: TypeAlias = tuple[Tensor, ...]
"""Tensors whose first dimension is the batch, so that rows can be picked from all of them alike."""


def pick(rows: Rows, which: Tensor) -> Rows:
    """These rows of every tensor, in this order."""
    return tuple(tensor[which] for tensor in rows)


class Network(nn.Module, ABC):
    """An encoder-decoder whose input and output words share their vectors (Press and Wolf, 2017)."""

    def __init__(self, shape: Shape, vocabulary: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, shape.embedding)
        nn.init.normal_(self.words.weight, std=shape.embedding**-0.5)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.dropout = nn.Dropout(shape.dropout)
        self.scale = math.sqrt(shape.embedding)

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return self.words.num_embeddings

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.bias.device

    def pad(self, rows: Sequence[Sequence[int]]) -> Grid:
        """Token sequences as one rectangle where the weights are."""
        return pad(rows, fill=PAD, device=self.device)

    def embed(self, ids: Tensor) -> Tensor:
        """The tokens' vectors, of about unit variance."""
        vectors: Tensor = self.words(ids) * self.scale
        return vectors

    def logits(self, states: Tensor) -> Tensor:
        """How much each token is expected after each state, shape (..., vocabulary)."""
        return nn.functional.linear(states, self.words.weight, self.bias)

    @abstractmethod
    def encode(self, contexts: Grid) -> Rows:
        """What the decoder needs to know of each context."""

    @abstractmethod
    def decode(self, memory: Rows, ids: Tensor) -> Tensor:
        """States after each of the tokens, shape (batch, tokens, embedding); the first token is the start."""

    @abstractmethod
    def begin(self, memory: Rows) -> Rows:
        """What the decoder remembers before the first token."""

    @abstractmethod
    def advance(self, memory: Rows, past: Rows, tokens: Tensor, position: int) -> tuple[Tensor, Rows]:
        """States after one more token per row, shape (batch, embedding), and what is then remembered."""
