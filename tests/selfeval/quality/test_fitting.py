"""Weights from ratings."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.selfeval.quality.fitting import RatedRows, fit_head


def made(
    seed: int, weights: list[float], *, count: int = 400, systems: int = 4, shift: float = 0
) -> RatedRows:
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(count, len(weights))) + shift
    ratings = rows @ np.array(weights) + 0.1 * generator.normal(size=count)
    return RatedRows(rows, ratings, tuple(f"s{number % systems}" for number in range(count)))


def test_without_ridge_the_weights_of_made_ratings_are_found() -> None:
    head = fit_head(["a", "b"], [1, -1], [made(0, [3, -4])], [1.0], ridge=0)
    # Ratings have a standard deviation of 5, so that 3 and -4 become .6 and -.8 of it.
    assert head.weight / head.scale == pytest.approx([0.6, -0.8], abs=0.03)


def test_a_weight_against_its_direction_becomes_zero() -> None:
    head = fit_head(["a", "b"], [1, 1], [made(0, [3, -4])], [1.0])
    assert head.weight[1] == 0
    assert head.weight[0] > 0.1


def test_ridge_holds_weights_back() -> None:
    weak, strong = (fit_head(["a"], [1], [made(0, [1])], [1.0], ridge=ridge) for ridge in (0.0, 1.0))
    assert strong.weight[0] == pytest.approx(weak.weight[0] / 2, rel=0.01)


def test_what_differs_only_between_sets_is_not_learnt() -> None:
    near, far = made(0, [1, 0]), made(1, [1, 0], shift=9)
    head = fit_head(["a", "b"], [1, 1], [near, far], [1.0, 1.0])
    alone = fit_head(["a", "b"], [1, 1], [near], [1.0])
    assert head.weight == pytest.approx(alone.weight, abs=0.05)


def test_importance_decides_between_sets_that_disagree() -> None:
    sets = [made(0, [1, 0]), made(1, [0, 1])]
    head = fit_head(["a", "b"], [1, 1], sets, [9.0, 1.0])
    assert head.weight[0] > 5 * head.weight[1]


def test_an_undefined_feature_counts_as_average() -> None:
    rated = made(0, [1, 1])
    rated.rows[::2, 1] = np.nan
    head = fit_head(["a", "b"], [1, 1], [rated], [1.0])
    row = np.array([[0.3, np.nan]])
    assert head.contributions(row)[0, 1] == 0
    assert np.isfinite(head.weight).all()
