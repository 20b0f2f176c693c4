from __future__ import annotations

import math

import numpy as np
import pytest

from dialeval.stats.correlation.identity import identity_correlation


def test_the_observed_one_is_pearsons_with_the_systems_means():
    table = np.random.default_rng(0).normal(size=(4, 15)) + np.arange(4)[:, None]
    table[1, 3] = table[3, 3:8] = np.nan
    rated = ~np.isnan(table)
    means = np.nanmean(table, axis=1)[:, None] * np.ones_like(table)
    found = identity_correlation(table)
    assert found.observed == pytest.approx(np.corrcoef(table[rated], means[rated])[0, 1])
    assert found.corrected < found.observed


def test_epsilon_squared_by_hand():
    """Groups (1, 2, 3) and (5, 6, 7) with a rating missing, so one-way: B = 19.2, W = 2.5 on 3 degrees of freedom."""
    table = np.array([[1, 2, 3.0], [5, 6, np.nan]])
    between, within = 2.1**2 * 2 + 1.4**2 * 3, 2 + 0.5
    found = identity_correlation(table)
    assert found.observed == pytest.approx(math.sqrt(between / (between + within)))
    assert found.corrected == pytest.approx(math.sqrt((between - within / 3) / (between + within)))
    assert found.by_chance == pytest.approx(math.sqrt(within / 3 / (between + within)))


@pytest.mark.parametrize(("systems", "items", "naive"), [(3, 100, 0.05), (20, 10, 0.2), (40, 5, 0.35)])
def test_equal_systems_know_nothing(systems, items, naive):
    rng = np.random.default_rng(1)
    found = np.mean(
        [
            identity_correlation(rng.normal(size=(systems, items)) + rng.normal(size=(1, items)))
            for _ in range(200)
        ],
        axis=0,
    )
    observed, by_chance, corrected = found
    assert observed > 0.7 * naive
    assert by_chance == pytest.approx(observed, rel=0.1)
    assert corrected < observed / 2


def test_systems_that_differ_much_keep_their_correlation():
    table = np.random.default_rng(2).normal(size=(4, 200)) + 3 * np.arange(4)[:, None]
    found = identity_correlation(table)
    assert found.corrected == pytest.approx(found.observed, abs=0.001)


@pytest.mark.parametrize("table", [np.empty((0, 0)), np.full((2, 3), 4.0), np.full((2, 2), np.nan)])
def test_ratings_that_do_not_vary_have_none(table):
    assert np.isnan(identity_correlation(table)).all()
