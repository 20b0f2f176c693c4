"""Network of a generator: word vectors, what it knows of the act, a cell, and the next word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from dialeval.nlg.generators.cells import Cell, Lstm, ScLstm, State, reading_loss, unroll
from dialeval.nlg.generators.config import Shape
from dialeval.nlg.generators.vocabulary import PAD, START, UNKNOWN, NumberedAct


class HierarchicalEncoder(nn.Module):
    """Sharma et al. (2017), section 4.4 and figure 1.

    The lower LSTM reads the word vectors of one value; its last state, beside the one-hot vector of the part's
    feature, is one step of the upper LSTM, whose last state is the encoder's output.
    """

    def __init__(self, features: int, values: int, embedding: int, hidden: int, unknown: float) -> None:
        super().__init__()
        self.words = nn.Embedding(values, embedding)
        self.lower = Lstm(embedding, hidden)
        self.of_feature = nn.Embedding(features, 4 * hidden)
        self.upper = Lstm(hidden, hidden)
        self.unknown = unknown
        nn.init.normal_(self.words.weight, std=0.1)
        nn.init.uniform_(self.of_feature.weight, -(hidden**-0.5), hidden**-0.5)

    def forward(self, acts: Sequence[NumberedAct]) -> Tensor:
        """The output for each act, shape (rows, hidden)."""
        values = list(dict.fromkeys(part.value for act in acts for part in act.parts))
        read = self._read_values(values)
        number = {value: index for index, value in enumerate(values)}
        width = max((len(act.parts) for act in acts), default=0)
        features = torch.zeros(width, len(acts), dtype=torch.long)
        columns = torch.zeros(width, len(acts), dtype=torch.long)
        for row, act in enumerate(acts):
            for step, part in enumerate(act.parts):
                features[step, row], columns[step, row] = part.feature, number[part.value]
        device = self.words.weight.device
        # A one-hot vector times a matrix is a row of it.
        projected = self.upper.project(read[columns.to(device)]) + self.of_feature(features.to(device))
        return self._gather(projected, [len(act.parts) for act in acts])

    def _read_values(self, values: Sequence[tuple[int, ...]]) -> Tensor:
        """What is read of each value, shape (values, numbers); zeros if a value has no words."""
        width = max(map(len, values), default=0)
        ids = torch.full((width, len(values)), PAD)
        for column, value in enumerate(values):
            ids[: len(value), column] = torch.tensor(value, dtype=torch.long)
        ids = ids.to(self.words.weight.device)
        if self.training and self.unknown:
            ids = torch.where(torch.rand(ids.shape, device=ids.device) < self.unknown, UNKNOWN, ids)
        return self._read(ids, [len(value) for value in values])

    def _read(self, ids: Tensor, lengths: Sequence[int]) -> Tensor:
        """The lower LSTM's last state for each value of words by number, shape (words, values)."""
        return _last(self.lower, self.lower.project(self.words(ids)), lengths)

    def _gather(self, projected: Tensor, lengths: Sequence[int]) -> Tensor:
        """The upper LSTM's last state for each act, shape (acts, hidden)."""
        return _last(self.upper, projected, lengths)


class MeanEncoder(HierarchicalEncoder):
    """The encoder of ld-sc-LSTM, as Sharma et al. (2017), section 4.4, tell its two differences.

    The mean of a value's word vectors takes the place of the lower LSTM, and the mean of the upper LSTM's states that
    of its last one.
    """

    def __init__(self, features: int, values: int, embedding: int, hidden: int, unknown: float) -> None:
        super().__init__(features, values, embedding, hidden, unknown)
        del self.lower
        self.upper = Lstm(embedding, hidden)

    def _read(self, ids: Tensor, lengths: Sequence[int]) -> Tensor:
        return _mean(self.words(ids), lengths)

    def _gather(self, projected: Tensor, lengths: Sequence[int]) -> Tensor:
        if not len(projected):
            return super()._gather(projected, lengths)
        state = self.upper.begin(projected.new_zeros(len(lengths), 0))
        return _mean(unroll(self.upper, projected, state)[0], lengths)


def _mean(steps: Tensor, lengths: Sequence[int]) -> Tensor:
    """The mean over each row's own steps, given shape (steps, rows, numbers); zeros for rows without steps."""
    counts = torch.tensor(lengths, device=steps.device)
    inside = torch.arange(len(steps), device=steps.device)[:, None] < counts
    return (steps * inside[..., None]).sum(0) / counts.clamp(min=1)[:, None]


def _last(cell: Lstm, projected: Tensor, lengths: Sequence[int]) -> Tensor:
    """The hidden state after each row's last step; zeros for rows without steps."""
    state = cell.begin(projected.new_zeros(len(lengths), 0))
    if not len(projected):
        return state.hidden
    hidden = torch.cat([state.hidden[None], unroll(cell, projected, state)[0]])
    rows = torch.arange(len(lengths), device=hidden.device)
    return hidden[torch.tensor(lengths, device=hidden.device), rows]


class Memory(NamedTuple):
    """Memory of the decoder for each row, from step to step."""

    given: Tensor
    """Share of the act in the gates at every step, shape (rows, gates)."""
    state: State

    def pick(self, rows: Tensor) -> Memory:
        """The memory of these rows, in this order."""
        return Memory(self.given[rows], self.state.pick(rows))


class Costs(NamedTuple):
    """Costs of each sentence of a batch, shape (rows,)."""

    nats: Tensor
    """Negative log-probability."""
    gates: Tensor
    """Of the reading gate; zeros without one."""


class Network(nn.Module):
    """A decoder that reads, at every step, the word before, the act vector and, if it has an encoder, its output.

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
        if shape.model in ("hld-sclstm", "ld-sclstm"):
            kind = HierarchicalEncoder if shape.model == "hld-sclstm" else MeanEncoder
            self.encoder = kind(features, values, shape.embedding, shape.hidden, unknown)
            known += shape.hidden
        gates = self.cell.project(torch.zeros(1, shape.embedding)).shape[1]
        self.of_act = nn.Linear(known, gates, bias=False)
        self.out = nn.Linear(shape.hidden, words)
        self.dropout = nn.Dropout(shape.dropout)

    @property
    def device(self) -> torch.device:
        """Device of the weights."""
        return self.words.weight.device

    def begin(self, acts: Sequence[NumberedAct]) -> Memory:
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

    def costs(self, acts: Sequence[NumberedAct], sentences: Sequence[Sequence[int]]) -> Costs:
        """Costs of these sentences, their ends among them, after these acts."""
        memory = self.begin(acts)
        lengths = torch.tensor([len(sentence) for sentence in sentences])
        wanted = torch.full((int(lengths.max()), len(sentences)), PAD)
        for row, sentence in enumerate(sentences):
            wanted[: len(sentence), row] = torch.tensor(sentence)
        wanted, lengths = wanted.to(self.device), lengths.to(self.device)
        read = torch.cat([torch.full_like(wanted[:1], START), wanted[:-1]])
        projected = self.cell.project(self.dropout(self.words(read))) + memory.given
        hidden, unsaid = unroll(self.cell, projected, memory.state)
        inside = torch.arange(len(wanted), device=self.device)[:, None] < lengths
        logits = self.out(self.dropout(hidden[inside]))
        nats = nn.functional.cross_entropy(logits, wanted[inside], reduction="none")
        by_row = nats.new_zeros(len(sentences)).index_add(0, inside.nonzero()[:, 1], nats)
        gates = reading_loss(unsaid, lengths) if isinstance(self.cell, ScLstm) else torch.zeros_like(by_row)
        return Costs(by_row, gates)
