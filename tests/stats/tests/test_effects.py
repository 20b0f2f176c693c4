from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dialeval.stats.resampling.jackknife import jackknife_error, leave_out
from dialeval.stats.tests.effects import d_z, wins_of


def test_of_a_mean_it_is_cohens_d_of_the_differences():
    differences = np.random.default_rng(0).normal(0.3, 1, size=40)
    error = jackknife_error(
        leave_out(np.column_stack([differences, np.ones(40)]), lambda t: t[..., 0] / t[..., 1]).without
    )
    assert d_z(differences.mean(), error, 40) == pytest.approx(differences.mean() / differences.std(ddof=1))


def test_it_has_the_sign_of_the_difference_that_is_reported():
    """Pooled precision: one long item decides, where the mean of the items' own precisions says the opposite."""
    a, b = np.array([[9.0, 10], [0, 1], [0, 1]]), np.array([[2.0, 10], [1, 1], [1, 1]])
    rows = np.hstack([a, b])
    pooled = leave_out(rows, lambda t: t[..., 0] / t[..., 1] - t[..., 2] / t[..., 3])
    assert pooled.score > 0
    assert d_z(pooled.score, jackknife_error(pooled.without), 3) > 0
    assert (a[:, 0] / a[:, 1]).mean() < (b[:, 0] / b[:, 1]).mean()


@pytest.mark.parametrize(
    ("difference", "error", "expected"),
    [(0.0, 0.0, 0.0), (1.0, 0.0, math.nan), (1.0, 1e-17, math.nan), (1.0, math.nan, math.nan)],
)
def test_without_an_error_there_is_no_size(difference, error, expected):
    assert d_z(difference, error, 9) == pytest.approx(expected, nan_ok=True)


def test_rounding_wins_nothing():
    """The difference of 1e-17 that sums in another order leave is a tie."""
    a, b = np.array([0.1 + 0.2, 0.5, 0.2, 1e-12]), np.array([0.3, 0.4, 0.3, 2e-12])
    assert wins_of(a, b) == (1, 1, 2)
    assert wins_of(a, b, higher_is_better=False) == (2, 1, 1)
    assert wins_of(a, b, tolerance=0.15) == (0, 4, 0)
    with pytest.raises(ValueError, match="one shape"):
        wins_of(a, b[:2])


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=1), st.floats(0, 1))
def test_every_item_is_won_lost_or_tied(pairs, tolerance):
    a, b = np.array(pairs).T
    found, swapped = wins_of(a, b, tolerance=tolerance), wins_of(b, a, tolerance=tolerance)
    assert sum(found) == len(pairs)
    assert found == swapped[::-1]
