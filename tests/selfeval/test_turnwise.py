from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
import torch

from dialeval.selfeval.turnwise import LAST, MEAN, REACH, before, relevance_logits
from dialeval.selfeval.turnwise_trainer import TurnwiseConfig, TurnwiseNetwork, earlier_rows


def unit_rows(count: int, size: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, size))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_the_network_without_torch_gives_what_torch_gives() -> None:
    network = TurnwiseNetwork(12, TurnwiseConfig(size=8)).double().eval()
    head = {name: weight.detach().numpy() for name, weight in network.named_parameters()}
    units = unit_rows(7, 12)
    rows = torch.from_numpy(np.concatenate([units, np.zeros((1, 12))]))
    for place in range(1, 7):
        earlier = rows[torch.tensor([earlier_rows(range(7), place, 7)])]
        with torch.no_grad():
            expected = network(rows[[place]].unsqueeze(0), earlier)[0].numpy()
        found = relevance_logits(head, units[[place]], [before(units, place)])
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_what_stands_before_a_turn_by_hand() -> None:
    units = np.eye(6)
    found = before(units, 3)
    np.testing.assert_array_equal(found.last, units[2])
    np.testing.assert_allclose(found.mean, np.array([1, 1, 1, 0, 0, 0]) / 3**0.5)
    # The speaker of turn 3 spoke turn 1 before.
    np.testing.assert_array_equal(found.own, units[1])
    assert found.turns.shape == (REACH, 6)
    assert (before(units, 1).own == 0).all()
    np.testing.assert_array_equal(before(units, 5).turns, units[[4, 3, 2, 1]])


def test_earlier_rows_are_the_latest_first() -> None:
    assert earlier_rows([5, 6, 7, 8, 9, 10], 5, 0) == [9, 8, 7, 6]
    assert earlier_rows([5, 6], 1, 0) == [5, 0, 0, 0]


def test_saying_the_same_again_is_not_an_answer() -> None:
    network = TurnwiseNetwork(12, TurnwiseConfig(size=8)).double().eval()
    head = {name: weight.detach().numpy() for name, weight in network.named_parameters()}
    units = unit_rows(3, 12)
    echo, near = units[[1]], units[[1]] + 0.3 * unit_rows(1, 12, seed=9)
    near /= np.linalg.norm(near)
    logits = relevance_logits(head, np.concatenate([echo, near]), [before(units, 2)] * 2)
    assert logits[0] < logits[1] - (LAST + MEAN) / 2
