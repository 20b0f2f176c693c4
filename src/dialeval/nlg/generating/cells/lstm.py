"""The long short-term memory cell (Hochreiter and Schmidhuber, 1997), with a forget gate and without peepholes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dialeval.nlg.generating.cells.cell import Cell, State


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
