"""The hierarchical encoder of the hld-scLSTM: an LSTM over the words of a value, another over the parts of the act."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from dialeval.nlg.generating.cells.cell import unroll
from dialeval.nlg.generating.cells.lstm import Lstm
from dialeval.nlg.generating.vocabulary import PAD, UNKNOWN, ReadAct


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

    def forward(self, acts: Sequence[ReadAct]) -> Tensor:
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
        return _last(self.upper, projected, [len(act.parts) for act in acts])

    def _read_values(self, values: Sequence[tuple[int, ...]]) -> Tensor:
        """The lower LSTM's last state for each value, shape (values, hidden); zeros where a value has no words."""
        width = max(map(len, values), default=0)
        ids = torch.full((width, len(values)), PAD)
        for column, value in enumerate(values):
            ids[: len(value), column] = torch.tensor(value, dtype=torch.long)
        ids = ids.to(self.words.weight.device)
        if self.training and self.unknown:
            ids = torch.where(torch.rand(ids.shape, device=ids.device) < self.unknown, UNKNOWN, ids)
        return _last(self.lower, self.lower.project(self.words(ids)), [len(value) for value in values])


def _last(cell: Lstm, projected: Tensor, lengths: Sequence[int]) -> Tensor:
    """The hidden state after each row's last step; zeros for rows without steps."""
    state = cell.begin(projected.new_zeros(len(lengths), 0))
    if not len(projected):
        return state.hidden
    hidden = torch.cat([state.hidden[None], unroll(cell, projected, state).hidden])
    rows = torch.arange(len(lengths), device=hidden.device)
    return hidden[torch.tensor(lengths, device=hidden.device), rows]
