from __future__ import annotations

import numpy as np
import pytest
import torch

from dialeval.nlg.generating.cells.cell import State, Unrolled, unroll
from dialeval.nlg.generating.cells.lstm import Lstm
from dialeval.nlg.generating.cells.sclstm import ScLstm, reading_loss


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def double(rows) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def test_one_step_by_hand() -> None:
    cell = ScLstm(inputs=1, hidden=1, features=2, alpha=0.5).double()
    with torch.no_grad():
        cell.of_input.weight.copy_(double([[0.5], [-0.3], [0.8], [1.0], [0.4], [-1.0]]))
        cell.of_input.bias.copy_(double([0.1, 1.0, 0.0, -0.2, 0.3, 0.0]))
        cell.of_hidden.weight.copy_(double([[0.2], [0.4], [-0.6], [0.7], [2.0], [1.0]]))
        cell.of_act.weight.copy_(double([[0.9, -0.5]]))
    x, h, c, d = 2.0, 0.5, -0.4, np.array([1.0, 0.8])
    state = State(double([[h]]), double([[c]]), double([d.tolist()]))
    after = cell.step(cell.project(double([[x]])), state)

    # The reading gate: sigmoid(0.4 x + 0.3 + 0.5 * 2 h) = sigmoid(1.6), sigmoid(-x + 0.5 h) = sigmoid(-1.75).
    unsaid = sigmoid(np.array([1.6, -1.75])) * d
    memory = sigmoid(0.6) * c + sigmoid(1.2) * np.tanh(2.15) + np.tanh(0.9 * unsaid[0] - 0.5 * unsaid[1])
    assert np.allclose(after.unsaid.detach().numpy(), unsaid, atol=1e-12)
    assert np.allclose(after.memory.item(), memory, atol=1e-12)
    assert np.allclose(after.hidden.item(), sigmoid(1.3) * np.tanh(memory), atol=1e-12)


def test_an_act_that_is_said_leaves_an_lstm() -> None:
    torch.manual_seed(0)
    cell, plain = ScLstm(3, 4, features=2), Lstm(3, 4)
    with torch.no_grad():
        plain.of_input.weight.copy_(cell.of_input.weight[:16])
        plain.of_input.bias.copy_(cell.of_input.bias[:16])
        plain.of_hidden.weight.copy_(cell.of_hidden.weight[:16])
    inputs, nothing = torch.randn(5, 2, 3), torch.zeros(2, 2)
    ours = unroll(cell, cell.project(inputs), cell.begin(nothing))
    theirs = unroll(plain, plain.project(inputs), plain.begin(nothing))
    assert torch.allclose(ours.hidden, theirs.hidden, atol=1e-6)


def test_what_is_unsaid_never_grows() -> None:
    torch.manual_seed(0)
    cell = ScLstm(3, 4, features=2)
    states = unroll(cell, cell.project(torch.randn(9, 2, 3)), cell.begin(torch.ones(2, 2))).unsaid
    assert bool((states[1:] <= states[:-1]).all())
    assert bool((states >= 0).all())


def test_the_loss_of_the_reading_gates_by_hand() -> None:
    # Two rows, two features; the second row ends after one step, whatever its padding does.
    unsaid = double([[[1, 1], [1, 0]], [[1, 0], [0.5, 0]], [[0.3, 0.4], [0, 0]]])
    loss = reading_loss(Unrolled(torch.zeros(2, 2, 1), unsaid), torch.tensor([2, 1]), eta=1e-4, xi=100.0)
    moved = 0.7**2 + 0.4**2  # from (1, 0) to (0.3, 0.4)
    first = 0.5 + 1e-4 * 100 ** np.sqrt(1.0) + 1e-4 * 100 ** np.sqrt(moved)
    second = 0.5 + 1e-4 * 100**0.5
    assert loss.tolist() == pytest.approx([first, second], abs=1e-6)


def test_the_loss_has_a_gradient_where_nothing_moves() -> None:
    unsaid = torch.zeros(3, 1, 2, requires_grad=True)
    torch.autograd.backward(reading_loss(Unrolled(torch.zeros(2, 1, 1), unsaid), torch.tensor([2])).sum())
    assert unsaid.grad is not None
    assert bool(torch.isfinite(unsaid.grad).all())
