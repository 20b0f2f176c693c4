"""The network on dialogues as graphs: its edges by hand, and its scores as torch has them."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.selfeval.trained.graph import REACH, edges, graph_score


def test_edges_by_hand() -> None:
    earlier_other, earlier_same, later_other, later_same = edges("ABA")
    np.testing.assert_array_equal(earlier_other, [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(earlier_same, [[0, 0, 0], [0, 0, 0], [2, 0, 0]])
    np.testing.assert_array_equal(later_other, [[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    np.testing.assert_array_equal(later_same, [[0, 0, 2], [0, 0, 0], [0, 0, 0]])


def test_turns_beyond_reach_are_not_connected() -> None:
    assert edges("A" * 9).max() == REACH


def test_two_turns_of_one_speaker_in_a_row_are_of_the_same() -> None:
    assert edges("AAB")[1][1, 0] == 1


@pytest.mark.parametrize("length", [2, 5, 9])
def test_torch_gives_the_same_in_a_batch_of_any_length(length: int) -> None:
    torch = pytest.importorskip("torch")
    from dialeval.selfeval.trained.networks import GraphNetwork
    from dialeval.selfeval.trained.objectives import graph_batch
    from dialeval.selfeval.turnwise.training import Encoded

    rows = np.random.default_rng(0).normal(size=(12, 6))
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    network = GraphNetwork(6, 8, 0.3, 0).double().eval()
    with torch.no_grad():
        network.near += torch.randn(network.near.shape, generator=torch.Generator().manual_seed(1))
    data = Encoded(torch.from_numpy(np.concatenate([units, np.zeros((1, 6))])), (), (), ())
    with torch.no_grad():
        logits = network(*graph_batch(data, [list(range(length)), list(range(12))]))
    head = {name: weight.detach().numpy() for name, weight in network.named_parameters()}
    score = graph_score(head, units[:length], edges(["AB"[place % 2] for place in range(length)]))
    assert score == pytest.approx(torch.sigmoid(logits[0]).item(), abs=1e-9)
