"""The semantically controlled LSTM cell (Wen et al., 2015b): an LSTM with an act that is read away as it is said."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn

from dialeval.nlg.generating.cells.cell import Cell, State, Unrolled
from dialeval.nlg.generating.cells.lstm import advance

ALPHA: Final = 0.5
"""Weight of the hidden state in the reading gate: a constant of the paper, which gives no value for it."""
ETA: Final = 1e-4
XI: Final = 100.0
"""Both as in Wen et al. (2015b)."""


class ScLstm(Cell):
    """An LSTM with a reading gate over the vector d of the act.

    r = sigmoid(W_wr x + alpha W_hr h); d' = r d; c' = f c + i g + tanh(W_dc d'); i, f, o, g and h' as in an LSTM.
    The rows of the weights are in the order i, f, o, g, r.
    """

    def __init__(self, inputs: int, hidden: int, features: int, alpha: float = ALPHA) -> None:
        super().__init__()
        self.hidden, self.alpha = hidden, alpha
        self.of_input = nn.Linear(inputs, 4 * hidden + features)
        self.of_hidden = nn.Linear(hidden, 4 * hidden + features, bias=False)
        self.of_act = nn.Linear(features, hidden, bias=False)
        with torch.no_grad():
            self.of_input.bias.zero_()
            # The gates start open, so that what is remembered and what is yet to say lasts from the first update.
            self.of_input.bias[hidden : 2 * hidden] = 1.0
            self.of_input.bias[4 * hidden :] = 2.0

    def begin(self, act: Tensor) -> State:
        """Zeros, and the whole act unsaid."""
        zeros = act.new_zeros(len(act), self.hidden)
        return State(zeros, zeros, act)

    def project(self, inputs: Tensor) -> Tensor:
        """W x + b, shape (..., 4 * hidden + features)."""
        projected: Tensor = self.of_input(inputs)
        return projected

    def step(self, projected: Tensor, state: State) -> State:
        """The state after one step."""
        size = 4 * self.hidden
        of_hidden = state.hidden @ self.of_hidden.weight.T
        reading = torch.sigmoid(torch.add(projected[:, size:], of_hidden[:, size:], alpha=self.alpha))
        unsaid = reading * state.unsaid
        added = torch.tanh(self.of_act(unsaid))
        hidden, memory = advance(projected[:, :size] + of_hidden[:, :size], state.memory, added)
        return State(hidden, memory, unsaid)


def reading_loss(unrolled: Unrolled, lengths: Tensor, eta: float = ETA, xi: float = XI) -> Tensor:
    """What the reading gates of each row cost: ||d_T|| + sum over t of eta xi^||d_(t+1) - d_t||, shape (rows,).

    As in Wen et al. (2015b), with Euclidean norms: the first term wants all of the act said by the end, the second
    wants no two parts of it said at once. The authors' released code takes each number of d by itself instead.
    ``lengths`` are the steps of each row; later ones are padding.
    """
    rows = torch.arange(len(lengths), device=lengths.device)
    left = _norms(unrolled.unsaid[lengths, rows])
    moved = _norms(unrolled.unsaid[1:] - unrolled.unsaid[:-1])
    steps = torch.arange(len(moved), device=lengths.device)[:, None] < lengths
    return left + torch.where(steps, eta * xi**moved, torch.zeros_like(moved)).sum(0)


def _norms(vectors: Tensor) -> Tensor:
    """Euclidean norms of the last dimension; the small number keeps the gradient at 0 finite."""
    return (vectors.square().sum(-1) + 1e-12).sqrt()
