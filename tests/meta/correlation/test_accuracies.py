"""Accuracies over pairs of systems: those of the statistics, over the cells that people and a measure share."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dialeval.meta.correlation.accuracies import Accuracy, accuracies
from dialeval.stats.correlation.pairwise import acc_eq, soft_pairwise_accuracy

NONE = math.nan


def test_accuracies_by_hand(make_joined) -> None:
    # Means of people 2, 3, 5 and of the measure 1, 4, 3 over shared cells: two of three pairs are in order.
    human = [[[1, 3], [2, 4], [5, 5]]]
    joined = make_joined(human, {"m": [[1, 1], [4, 4], [3, 3]]})
    [found] = accuracies(joined, levels=("system", "system_within_item"))
    assert found.pairwise == pytest.approx(2 / 3)
    assert found.soft == pytest.approx(
        soft_pairwise_accuracy(joined.human.values, joined.measures[0].values).value
    )
    assert found.tied == pytest.approx(2 / 3)
    assert found.epsilon == 0
    assert found.tied == acc_eq(joined.human.values, joined.measures[0].values).value


def test_systems_are_compared_over_the_cells_that_both_sides_have(make_joined) -> None:
    joined = make_joined([[[1, 9], [2, 3]]], {"m": [[1, NONE], [2, 2]]})
    [found] = accuracies(joined, levels=("system",))
    assert found.pairwise == 1  # by all ratings, the first system would be ahead
    assert (found.tied, found.epsilon) == (None, None)


def test_a_tie_is_calibrated(make_joined) -> None:
    joined = make_joined([[[3, 3], [3, 3], [5, 5]]], {"m": [[1.0, 1.1], [1.1, 1.0], [4, 4]]})
    [found] = accuracies(joined, levels=("system_within_item",), trials=0)
    assert found.tied == 1
    assert found.epsilon == pytest.approx(0.1)


def test_what_is_undefined_or_not_asked_for_is_none(make_joined) -> None:
    joined = make_joined([[[1, 2]]], {"m": [[1, 2]]})
    assert accuracies(joined, levels=("item",)) == (Accuracy("m"),)
    assert accuracies(joined, levels=("system", "system_within_item")) == (Accuracy("m"),)
    two = make_joined([[[1, 2], [2, 3]]], {"m": [[1, 2], [2, 3]]})
    assert accuracies(two, levels=("system",), trials=0)[0].soft is None


def test_too_many_pairs_are_not_looked_at_one_by_one(make_joined, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST", "MOST_SOFT"):
        monkeypatch.setattr(f"dialeval.meta.correlation.accuracies.{name}", 5)
    dice = np.random.default_rng(0)
    joined = make_joined(dice.random((1, 3, 4)), {"m": dice.random((3, 4))})
    [found] = accuracies(joined, levels=("system", "system_within_item"))
    assert found.pairwise is not None
    assert (found.soft, found.tied) == (None, None)
