"""The network of a generator: word vectors, what it knows of the act, a cell, and the next word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from dialeval.nlg.generating.cells.cell import Cell, State, unroll
from dialeval.nlg.generating.cells.lstm import Lstm
from dialeval.nlg.generating.cells.sclstm import ScLstm, reading_loss
from dialeval.nlg.generating.config import Shape
from dialeval.nlg.generating.encoder import HierarchicalEncoder
from dialeval.nlg.generating.vocabulary import PAD, START, ReadAct


class Memory(NamedTuple):
    """What the decoder keeps of each row from step to step."""

    given: Tensor
    """What the act brings to the gates at every step, shape (rows, gates)."""
    state: State

    def pick(self, rows: Tensor) -> Memory:
        """The memory of these rows, in this order."""
        return Memory(self.given[rows], self.state.pick(rows))


class Costs(NamedTuple):
    """What each sentence of a batch costs, shape (rows,)."""

    nats: Tensor
    """Negative log-probability."""
    gates: Tensor
    """Of the reading gate; zeros without one."""


class Network(nn.Module):
    """A decoder that reads, at every step, the word before, the act vector and, in an hld-scLSTM, the encoder's output.

    These are the inputs of Sharma et al. (2017), sections 4.2 to 4.4. The act's part of the product with the input
    weights is the same at every step, so it is computed once for each sentence.
    """

    def __init__(self, shape: Shape, features: int, words: int, values: int, unknown: float = 0.0) -> None:
        super().__init__()
        self.features = features
        self.words = nn.Embedding(words, shape.embedding)
        nn.init.normal_(self.words.weight, std=0.1)
        self.cell: Cell = (
            Lstm(shape.embedding, shape.hidden)
            if shape.model == "lstm"
            else ScLstm(shape.embedding, shape.hidden, features)
        )
        known = features
        self.encoder = None
        if shape.model == "hld-sclstm":
            self.encoder = HierarchicalEncoder(features, values, shape.embedding, shape.hidden, unknown)
            known += shape.hidden
        gates = self.cell.project(torch.zeros(1, shape.embedding)).shape[1]
        self.of_act = nn.Linear(known, gates, bias=False)
        self.out = nn.Linear(shape.hidden, words)
        self.dropout = nn.Dropout(shape.dropout)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.words.weight.device

    def begin(self, acts: Sequence[ReadAct]) -> Memory:
        """The memory before the first word of each act."""
        vectors = torch.zeros(len(acts), self.features)
        for row, act in enumerate(acts):
            vectors[row, [part.feature for part in act.parts]] = 1.0
        vectors = vectors.to(self.device)
        known = vectors if self.encoder is None else torch.cat([vectors, self.encoder(acts)], dim=1)
        return Memory(self.of_act(known), self.cell.begin(vectors))

    def step(self, tokens: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        """Logits of the word after one more word per row, shape (rows, words)."""
        state = self.cell.step(self.cell.project(self.words(tokens)) + memory.given, memory.state)
        return self.out(state.hidden), memory._replace(state=state)

    def costs(self, acts: Sequence[ReadAct], sentences: Sequence[Sequence[int]]) -> Costs:
        """What these sentences, their ends among them, cost after these acts."""
        memory = self.begin(acts)
        lengths = torch.tensor([len(sentence) for sentence in sentences])
        wanted = torch.full((int(lengths.max()), len(sentences)), PAD)
        for row, sentence in enumerate(sentences):
            wanted[: len(sentence), row] = torch.tensor(sentence)
        wanted, lengths = wanted.to(self.device), lengths.to(self.device)
        read = torch.cat([torch.full_like(wanted[:1], START), wanted[:-1]])
        projected = self.cell.project(self.dropout(self.words(read))) + memory.given
        unrolled = unroll(self.cell, projected, memory.state)
        inside = torch.arange(len(wanted), device=self.device)[:, None] < lengths
        logits = self.out(self.dropout(unrolled.hidden[inside]))
        nats = nn.functional.cross_entropy(logits, wanted[inside], reduction="none")
        by_row = nats.new_zeros(len(sentences)).index_add(0, inside.nonzero()[:, 1], nats)
        gates = reading_loss(unrolled, lengths) if isinstance(self.cell, ScLstm) else torch.zeros_like(by_row)
        return Costs(by_row, gates)
