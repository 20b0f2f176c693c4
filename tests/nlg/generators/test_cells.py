from __future__ import annotations

import numpy as np
import pytest
import torch

from dialeval.nlg.generators.cells import Lstm, ScLstm, State, reading_loss, unroll


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_one_step_of_an_lstm_by_hand() -> None:
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
    ours, unsaid = unroll(cell, cell.project(inputs), cell.begin(torch.zeros(2, 5)))
    theirs, _ = peer(inputs)
    assert torch.allclose(ours, theirs, atol=1e-6)
    assert unsaid.shape == (7, 2, 0)


def test_forget_gates_start_open() -> None:
    cell = Lstm(inputs=2, hidden=3)
    assert cell.of_input.bias.tolist() == [0.0] * 3 + [1.0] * 3 + [0.0] * 6


def double(rows) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def test_one_step_of_an_sclstm_by_hand() -> None:
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
    ours, _ = unroll(cell, cell.project(inputs), cell.begin(nothing))
    theirs, _ = unroll(plain, plain.project(inputs), plain.begin(nothing))
    assert torch.allclose(ours, theirs, atol=1e-6)


def test_what_is_unsaid_never_grows() -> None:
    torch.manual_seed(0)
    cell = ScLstm(3, 4, features=2)
    _, states = unroll(cell, cell.project(torch.randn(9, 2, 3)), cell.begin(torch.ones(2, 2)))
    assert bool((states[1:] <= states[:-1]).all())
    assert bool((states >= 0).all())


def test_the_loss_of_the_reading_gates_by_hand() -> None:
    # Two rows, two features; the second row ends after one step, whatever its padding does.
    unsaid = double([[[1, 1], [1, 0]], [[1, 0], [0.5, 0]], [[0.3, 0.4], [0, 0]]])
    loss = reading_loss(unsaid, torch.tensor([2, 1]), eta=1e-4, xi=100.0)
    moved = 0.7**2 + 0.4**2  # from (1, 0) to (0.3, 0.4)
    first = 0.5 + 1e-4 * 100 ** np.sqrt(1.0) + 1e-4 * 100 ** np.sqrt(moved)
    second = 0.5 + 1e-4 * 100**0.5
    assert loss.tolist() == pytest.approx([first, second], abs=1e-6)


def test_the_loss_has_a_gradient_where_nothing_moves() -> None:
    unsaid = torch.zeros(3, 1, 2, requires_grad=True)
    torch.autograd.backward(reading_loss(unsaid, torch.tensor([2])).sum())
    assert unsaid.grad is not None
    assert bool(torch.isfinite(unsaid.grad).all())
