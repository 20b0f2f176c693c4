"""The network on pairs by hand, and as torch has it."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.selfeval.trained.heads import (
    REACH,
    edges,
    graph_score,
    minus_distances,
    pair_features,
    pair_scores,
    whitening,
)


def unit_rows(count: int, size: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, size))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_features_by_hand() -> None:
    response = np.array([[0.6, 0.8]])
    earlier = np.array([[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]])
    mean = 0.5**0.5
    expected = [0.6 * 2, 0, 0.6 * 2 * mean, 0.8 * 2 * mean, 0.4 * 2**0.5, 0.8 * 2**0.5, 0.6, 1.4 * mean]
    np.testing.assert_allclose(pair_features(response, earlier), [expected])


def test_a_response_to_nothing_has_features() -> None:
    assert np.isfinite(pair_features(np.array([[0.6, 0.8]]), np.zeros((1, 4, 2)))).all()


def test_whitening_gives_the_mahalanobis_distance() -> None:
    draw = np.random.default_rng(0)
    states = draw.normal(size=(500, 3)) @ np.array([[2.0, 0.5, 0], [0, 1, 0.2], [0, 0, 0.3]])
    centre, apart = whitening(states, ridge=0.0)
    point = np.array([1.0, -1.0, 0.5])
    gap = point - states.mean(axis=0)
    expected = np.sqrt(gap @ np.linalg.inv(np.cov(states, rowvar=False, ddof=0)) @ gap)
    assert np.linalg.norm(apart @ (point - centre)) == pytest.approx(expected)


def test_states_that_do_not_vary_have_a_distance_all_the_same() -> None:
    centre, apart = whitening(np.ones((5, 3)))
    assert np.isfinite(apart).all()
    np.testing.assert_array_equal(centre, np.ones(3))


def test_scores_and_distances_by_hand() -> None:
    head = {
        "hidden.weight": np.array([[1.0, 0.0], [0.0, 1.0]]),
        "hidden.bias": np.zeros(2),
        "out.weight": np.array([[1.0, -1.0]]),
        "out.bias": np.array([0.5]),
        "centre": np.array([0.0, 1.0]),
        "whitening": np.diag([1.0, 2.0]),
    }
    states = np.tanh([[0.3, 0.7]])
    [score] = pair_scores(head, np.array([[0.3, 0.7]]))
    assert score == pytest.approx(1 / (1 + np.exp(-(states[0, 0] - states[0, 1] + 0.5))))
    [distance] = minus_distances(head, np.array([[0.3, 0.7]]))
    assert distance == pytest.approx(-np.hypot(states[0, 0], 2 * (states[0, 1] - 1)))


def test_torch_gives_the_same() -> None:
    torch = pytest.importorskip("torch")
    from dialeval.selfeval.trained.trainer import PairNetwork

    network = PairNetwork(14, 5, 1, 0.3, 0).double().eval()
    head = {name: weight.detach().numpy() for name, weight in network.named_parameters()}
    features = pair_features(unit_rows(6, 4), unit_rows(24, 4, 1).reshape(6, 4, 4))
    with torch.no_grad():
        expected = torch.sigmoid(network(torch.from_numpy(features)))[:, 0].numpy()
    np.testing.assert_allclose(pair_scores(head, features), expected, atol=1e-12)


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
    from dialeval.selfeval.trained.trainer import GraphNetwork, graph_batch
    from dialeval.selfeval.turnwise_trainer import EncodedDialogues

    rows = np.random.default_rng(0).normal(size=(12, 6))
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    network = GraphNetwork(6, 8, 0.3, 0).double().eval()
    with torch.no_grad():
        network.near += torch.randn(network.near.shape, generator=torch.Generator().manual_seed(1))
    data = EncodedDialogues(torch.from_numpy(np.concatenate([units, np.zeros((1, 6))])), (), (), ())
    with torch.no_grad():
        logits = network(*graph_batch(data, [list(range(length)), list(range(12))]))
    head = {name: weight.detach().numpy() for name, weight in network.named_parameters()}
    score = graph_score(head, units[:length], edges(["AB"[place % 2] for place in range(length)]))
    assert score == pytest.approx(torch.sigmoid(logits[0]).item(), abs=1e-9)
