"""Recurrent cells, written out: the LSTM, and the semantically controlled LSTM of Wen et al. (2015b).

A cell multiplies the inputs of all steps at once (``project``), so that only products with its state are left to the
steps; ``unroll`` runs it over a sequence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final, NamedTuple

import torch
from torch import Tensor, nn


class State(NamedTuple):
    """State of a cell for each row; the first dimension of all tensors is the batch."""

    hidden: Tensor
    """h, shape (rows, hidden)."""
    memory: Tensor
    """c, shape (rows, hidden)."""
    unsaid: Tensor
    """d, the part of the act that is not yet said, shape (rows, features); without columns if a cell has none."""

    def pick(self, rows: Tensor) -> State:
        """The state of these rows, in this order."""
        return State(self.hidden[rows], self.memory[rows], self.unsaid[rows])


class Cell(nn.Module, ABC):
    """A recurrent cell whose state has ``hidden`` numbers."""

    hidden: int

    @abstractmethod
    def begin(self, act: Tensor) -> State:
        """The state before the first step, given the vectors of acts, shape (rows, features)."""

    @abstractmethod
    def project(self, inputs: Tensor) -> Tensor:
        """Share of inputs, shape (..., inputs), in the gates: all steps of a sequence in one product."""

    @abstractmethod
    def step(self, projected: Tensor, state: State) -> State:
        """The state after one step, given the projected input of each row."""


def unroll(cell: Cell, projected: Tensor, state: State) -> tuple[Tensor, Tensor]:
    """Run a cell over projected inputs, shape (steps, rows, gates), and return its states after each step.

    These are h, shape (steps, rows, hidden), and d, shape (steps + 1, rows, features), that before the first step
    included.
    """
    hidden, unsaid = [], [state.unsaid]
    for step in projected.unbind(0):
        state = cell.step(step, state)
        hidden.append(state.hidden)
        unsaid.append(state.unsaid)
    return torch.stack(hidden), torch.stack(unsaid)


class Lstm(Cell):
    """i, f, o = sigmoid(W x + U h + b); g = tanh(W x + U h + b); c' = f c + i g; h' = o tanh(c').

    The rows of the weights are in the order i, f, o, g. Forget gates start open, with a bias of 1.
    """

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.of_input = nn.Linear(inputs, 4 * hidden)
        self.of_hidden = nn.Linear(hidden, 4 * hidden, bias=False)
        with torch.no_grad():
            self.of_input.bias.zero_()
            self.of_input.bias[hidden : 2 * hidden] = 1.0

    def begin(self, act: Tensor) -> State:
        """Zeros; the act reaches this cell through its inputs alone."""
        zeros = act.new_zeros(len(act), self.hidden)
        return State(zeros, zeros, act[:, :0])

    def project(self, inputs: Tensor) -> Tensor:
        """W x + b, shape (..., 4 * hidden)."""
        projected: Tensor = self.of_input(inputs)
        return projected

    def step(self, projected: Tensor, state: State) -> State:
        """The state after one step."""
        gates = torch.addmm(projected, state.hidden, self.of_hidden.weight.T)
        hidden, memory = advance(gates, state.memory)
        return State(hidden, memory, state.unsaid)


def advance(gates: Tensor, memory: Tensor, added: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return h' and c' of gates in the order i, f, o, g before their squashing; ``added`` comes on top of c'."""
    hidden = memory.shape[1]
    enter, forget, out = torch.sigmoid(gates[:, : 3 * hidden]).chunk(3, dim=1)
    memory = torch.addcmul(forget * memory, enter, torch.tanh(gates[:, 3 * hidden :]))
    if added is not None:
        memory = memory + added
    return out * torch.tanh(memory), memory


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


def reading_loss(unsaid: Tensor, lengths: Tensor, eta: float = ETA, xi: float = XI) -> Tensor:
    """Cost of the reading gates of each row: ||d_T|| + sum over t of eta xi^||d_(t+1) - d_t||, shape (rows,).

    As in Wen et al. (2015b), with Euclidean norms: the first term wants all of the act said by the end, the second
    wants no two parts of it said at once. The authors' released code takes each number of d by itself instead.
    ``lengths`` are the steps of each row; later ones are padding.
    """
    rows = torch.arange(len(lengths), device=lengths.device)
    left = _norms(unsaid[lengths, rows])
    moved = _norms(unsaid[1:] - unsaid[:-1])
    steps = torch.arange(len(moved), device=lengths.device)[:, None] < lengths
    return left + torch.where(steps, eta * xi**moved, torch.zeros_like(moved)).sum(0)


def _norms(vectors: Tensor) -> Tensor:
    """Euclidean norms of the last dimension; the small number keeps the gradient at 0 finite."""
    return (vectors.square().sum(-1) + 1e-12).sqrt()
