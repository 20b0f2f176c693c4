from __future__ import annotations

import numpy as np
import torch

from dialeval.nlg.generating.cells.cell import State, unroll
from dialeval.nlg.generating.cells.lstm import Lstm


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_one_step_by_hand() -> None:
    cell = Lstm(inputs=1, hidden=1).double()
    with torch.no_grad():
        cell.of_input.weight.copy_(torch.tensor([[0.5], [-0.3], [0.8], [1.0]]))
        cell.of_input.bias.copy_(torch.tensor([0.1, 1.0, 0.0, -0.2]))
        cell.of_hidden.weight.copy_(torch.tensor([[0.2], [0.4], [-0.6], [0.7]]))
    x, h, c = 2.0, 0.5, -0.4
    state = State(*(torch.tensor([[value]], dtype=torch.float64) for value in (h, c)), torch.zeros(1, 0))
    after = cell.step(cell.project(torch.tensor([[x]], dtype=torch.float64)), state)

    enter = sigmoid(0.5 * x + 0.2 * h + 0.1)  # sigmoid(1.2)
    forget = sigmoid(-0.3 * x + 0.4 * h + 1.0)  # sigmoid(0.6)
    out = sigmoid(0.8 * x - 0.6 * h)  # sigmoid(1.3)
    new = np.tanh(1.0 * x + 0.7 * h - 0.2)  # tanh(2.15)
    memory = forget * c + enter * new
    assert np.allclose(after.memory.item(), memory, atol=1e-7)
    assert np.allclose(after.hidden.item(), out * np.tanh(memory), atol=1e-7)


def test_a_sequence_is_what_torchs_own_lstm_makes_of_it() -> None:
    torch.manual_seed(0)
    cell, peer = Lstm(inputs=3, hidden=4), torch.nn.LSTM(3, 4)
    order = [0, 1, 3, 2]  # torch has i, f, g, o
    with torch.no_grad():
        for ours, theirs in (
            (cell.of_input.weight, peer.weight_ih_l0),
            (cell.of_hidden.weight, peer.weight_hh_l0),
            (cell.of_input.bias, peer.bias_ih_l0),
        ):
            theirs.copy_(torch.cat([ours.chunk(4)[gate] for gate in order]))
        peer.bias_hh_l0.zero_()
    inputs = torch.randn(6, 2, 3)
    ours = unroll(cell, cell.project(inputs), cell.begin(torch.zeros(2, 5)))
    theirs, _ = peer(inputs)
    assert torch.allclose(ours.hidden, theirs, atol=1e-6)
    assert ours.unsaid.shape == (7, 2, 0)


def test_forget_gates_start_open() -> None:
    cell = Lstm(inputs=2, hidden=3)
    assert cell.of_input.bias.tolist() == [0.0] * 3 + [1.0] * 3 + [0.0] * 6
