"""Accuracies over pairs of systems: those of the statistics, over the cells that people and a measure share."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dialeval.core import Resampling
from dialeval.meta.correlation.accuracies import with_accuracies
from dialeval.meta.correlation.levels import correlate
from dialeval.meta.document import Level, Row
from dialeval.ratings.joined import Joined
from dialeval.stats.correlation.pairwise import acc_eq, soft_pairwise_accuracy

NONE = math.nan
NO_RESAMPLES = Resampling(resamples=0)


def accuracies(joined: Joined, *levels: Level, resampling: Resampling | None = None) -> dict[Level, Row]:
    """The rows of the only measure, by level."""
    rows = correlate(joined, levels=levels, resampling=NO_RESAMPLES)
    return {row.level: row for row in with_accuracies(rows, joined, resampling=resampling or Resampling())}


def test_accuracies_by_hand(make_joined) -> None:
    # Means of people 2, 3, 5 and of the measure 1, 4, 3 over shared answers: two of three pairs are in order.
    human = [[[1, 3], [2, 4], [5, 5]]]
    joined = make_joined(human, {"m": [[1, 1], [4, 4], [3, 3]]})
    found = accuracies(joined, "system", "item", "system_within_item")
    assert found["system"].pairwise_accuracy == pytest.approx(2 / 3)
    assert found["system"].soft_pairwise_accuracy == pytest.approx(
        soft_pairwise_accuracy(joined.human.values, joined.measures[0].values).value
    )
    within = found["system_within_item"]
    assert within.acc_eq == pytest.approx(2 / 3)
    assert within.tie_epsilon == 0
    assert within.acc_eq == acc_eq(joined.human.values, joined.measures[0].values).value
    assert (found["item"].pairwise_accuracy, found["item"].acc_eq) == (None, None)
    assert (found["system"].acc_eq, within.pairwise_accuracy) == (None, None)


def test_systems_are_compared_over_the_answers_that_both_sides_have(make_joined) -> None:
    joined = make_joined([[[1, 9], [2, 3]]], {"m": [[1, NONE], [2, 2]]})
    # By all ratings, the first system would be ahead.
    assert accuracies(joined, "system")["system"].pairwise_accuracy == 1


def test_a_tie_is_calibrated(make_joined) -> None:
    joined = make_joined([[[3, 3], [3, 3], [5, 5]]], {"m": [[1.0, 1.1], [1.1, 1.0], [4, 4]]})
    [row] = accuracies(joined, "system_within_item", resampling=NO_RESAMPLES).values()
    assert row.acc_eq == 1
    assert row.tie_epsilon == pytest.approx(0.1)


def test_what_is_undefined_or_not_asked_for_is_none(make_joined) -> None:
    joined = make_joined([[[1, 2]]], {"m": [[1, 2]]})
    found = accuracies(joined, "system", "system_within_item")
    assert (found["system"].pairwise_accuracy, found["system"].soft_pairwise_accuracy) == (None, None)
    assert (found["system_within_item"].acc_eq, found["system_within_item"].tie_epsilon) == (None, None)
    two = make_joined([[[1, 2], [2, 3]]], {"m": [[1, 2], [2, 3]]})
    [row] = accuracies(two, "system", resampling=NO_RESAMPLES).values()
    assert row.pairwise_accuracy == 1
    assert row.soft_pairwise_accuracy is None


def test_too_many_pairs_are_not_looked_at_one_by_one(make_joined, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST", "MOST_SOFT"):
        monkeypatch.setattr(f"dialeval.meta.correlation.accuracies.{name}", 5)
    dice = np.random.default_rng(0)
    joined = make_joined(dice.random((1, 3, 4)), {"m": dice.random((3, 4))})
    found = accuracies(joined, "system", "system_within_item")
    assert found["system"].pairwise_accuracy is not None
    assert found["system"].soft_pairwise_accuracy is None
    assert found["system_within_item"].acc_eq is None
