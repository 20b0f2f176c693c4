"""Seq2Seq: a bidirectional GRU or LSTM reads the context, another one writes, with attention (Luong et al., 2015)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from dialeval.systems.tensors import Grid
from dialeval.systems.trained.config import Shape
from dialeval.systems.trained.network import Network, Rows


class Recurrent(Network):
    """Global attention with the ``general`` score, and no input feeding, so that training reads a response at once."""

    def __init__(self, shape: Shape, vocabulary: int) -> None:
        super().__init__(shape, vocabulary)
        kind = nn.GRU if shape.architecture == "gru" else nn.LSTM
        between = shape.dropout if shape.layers > 1 else 0.0
        sizes = {"num_layers": shape.layers, "batch_first": True, "dropout": between}
        self.encoder = kind(shape.embedding, shape.hidden // 2, bidirectional=True, **sizes)
        self.decoder = kind(shape.embedding, shape.hidden, **sizes)
        self.bridge = nn.Linear(shape.hidden, shape.hidden)
        self.keys = nn.Linear(shape.hidden, shape.hidden, bias=False)
        self.combine = nn.Linear(2 * shape.hidden, shape.embedding)

    def encode(self, contexts: Grid) -> Rows:
        """States, attention keys and mask; then the decoder's first state, by layer."""
        lengths = contexts.mask.sum(1).cpu()
        packed = pack_padded_sequence(
            self.dropout(self.embed(contexts.ids)), lengths, batch_first=True, enforce_sorted=False
        )
        out, last = self.encoder(packed)
        states, _ = pad_packed_sequence(out, batch_first=True, total_length=contexts.ids.shape[1])
        # An LSTM has a cell beside its state.
        lasts = last if isinstance(last, tuple) else (last,)
        first = [torch.tanh(self.bridge(_joined(state))) for state in lasts[:1]]
        first += [self.bridge(_joined(state)) for state in lasts[1:]]
        return (states, self.keys(states), contexts.mask, *first)

    def decode(self, memory: Rows, ids: Tensor) -> Tensor:
        """States after each of the tokens."""
        states, _ = self._run(memory, memory[3:], ids)
        return states

    def begin(self, memory: Rows) -> Rows:
        """The decoder's first state."""
        return memory[3:]

    def advance(self, memory: Rows, past: Rows, tokens: Tensor, position: int) -> tuple[Tensor, Rows]:
        """States after one more token per row."""
        states, past = self._run(memory, past, tokens[:, None])
        return states[:, 0], past

    def _run(self, memory: Rows, past: Rows, ids: Tensor) -> tuple[Tensor, Rows]:
        started = tuple(state.transpose(0, 1).contiguous() for state in past)
        hidden, last = self.decoder(
            self.dropout(self.embed(ids)), started if len(started) > 1 else started[0]
        )
        lasts = last if isinstance(last, tuple) else (last,)
        states, keys, mask = memory[:3]
        scores = hidden @ keys.transpose(1, 2)
        weights = scores.masked_fill(~mask[:, None], -math.inf).softmax(-1)
        joined = torch.tanh(self.combine(torch.cat([weights @ states, hidden], -1)))
        return self.dropout(joined), tuple(state.transpose(0, 1) for state in lasts)


def _joined(last: Tensor) -> Tensor:
    """Both readings' last states side by side: (2 x layers, batch, half) to (batch, layers, whole)."""
    batch, half = last.shape[1:]
    return last.view(-1, 2, batch, half).permute(2, 0, 1, 3).reshape(batch, -1, 2 * half)
