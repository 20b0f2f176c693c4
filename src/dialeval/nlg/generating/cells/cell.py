"""The interface of a recurrent cell, and its run over a sequence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
from torch import Tensor, nn


class State(NamedTuple):
    """What a cell remembers of each row; the first dimension of all tensors is the batch."""

    hidden: Tensor
    """h, shape (rows, hidden)."""
    memory: Tensor
    """c, shape (rows, hidden)."""
    unsaid: Tensor
    """d, the part of the act that is not yet said, shape (rows, features); without columns where a cell has none."""

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
        """What inputs, shape (..., inputs), bring to the gates: all steps of a sequence in one product."""

    @abstractmethod
    def step(self, projected: Tensor, state: State) -> State:
        """The state after one step, given the projected input of each row."""


class Unrolled(NamedTuple):
    """The states of a cell after each step of a sequence."""

    hidden: Tensor
    """Shape (steps, rows, hidden)."""
    unsaid: Tensor
    """Shape (steps + 1, rows, features), the state before the first step included."""


def unroll(cell: Cell, projected: Tensor, state: State) -> Unrolled:
    """Run a cell over projected inputs, shape (steps, rows, gates)."""
    hidden, unsaid = [], [state.unsaid]
    for step in projected.unbind(0):
        state = cell.step(step, state)
        hidden.append(state.hidden)
        unsaid.append(state.unsaid)
    return Unrolled(torch.stack(hidden), torch.stack(unsaid))
