from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.weightstats import ttost_paired

from dialeval.stats.resampling.intervals import spread_of_difference
from dialeval.stats.tests.equivalence import equivalence_p, verdict


def mean(totals):
    return totals[..., 0] / totals[..., 1]


def rows_of(values):
    return np.column_stack([values, np.ones(len(values))])


@pytest.mark.parametrize("margin", [0.05, 0.1, 0.15, 0.2, 0.3])
def test_its_p_value_is_that_of_statsmodels_two_one_sided_tests(margin):
    """Up to the correction for skewness, of which 400 normal values have little."""
    rng = np.random.default_rng(2)
    a = rng.normal(size=400)
    b = a + rng.normal(scale=0.8, size=400)
    p, _, _ = ttost_paired(a, b, -margin, margin)
    found = equivalence_p(spread_of_difference(rows_of(a), rows_of(b), mean), margin)
    assert found == pytest.approx(min(p, 0.5), rel=0.1, abs=1e-4)


def test_it_is_where_the_interval_of_twice_the_tail_just_fits_the_margin():
    a, b = np.array([1, 2, 3, 4, 5, 7.0]), np.array([1, 1, 2, 4, 4, 5.0])
    spread = spread_of_difference(rows_of(a), rows_of(b), mean)
    p = equivalence_p(spread, 2.0)
    edge = spread.interval(1 - 2 * p).estimate
    assert max(abs(edge.low), abs(edge.high)) == pytest.approx(2.0)
    assert equivalence_p(spread_of_difference(rows_of(b), rows_of(a), mean), 2.0) == pytest.approx(p)
    assert equivalence_p(spread, 0.5) == 0.5  # the difference itself is larger


def test_clusters_count_once():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=30), rng.normal(size=30)
    once = equivalence_p(spread_of_difference(rows_of(a), rows_of(b), mean), 0.5)
    copies = [rows_of(np.repeat(side, 10)) for side in (a, b)]
    clustered = spread_of_difference(*copies, mean, clusters=np.repeat(np.arange(30), 10))
    assert equivalence_p(clustered, 0.5) == pytest.approx(once)
    assert equivalence_p(spread_of_difference(*copies, mean), 0.5) < once


def test_where_nothing_differs_nothing_is_shown_but_for_yes_no_measures():
    same = rows_of(np.array([0.1, 0.5, 0.9]))
    assert math.isnan(equivalence_p(spread_of_difference(same, same, mean), 0.2))
    right = rows_of(np.ones(200))
    assert equivalence_p(spread_of_difference(right, right, mean, yes_no=True), 0.05) < 0.001


def test_a_margin_is_above_zero():
    rows = rows_of(np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="above 0"):
        equivalence_p(spread_of_difference(rows, rows, mean), 0.0)


@pytest.mark.parametrize(
    ("difference", "p", "shown", "higher_is_better", "expected"),
    [
        (0.2, 0.01, False, True, "better"),
        (0.2, 0.01, False, False, "worse"),
        (-0.2, 0.01, False, True, "worse"),
        (-0.2, 0.01, False, None, "different"),
        (0.2, 0.2, False, True, "undecided"),
        (0.2, math.nan, False, True, "undecided"),
        (0.02, 0.01, True, True, "equivalent"),
        (0.02, 0.7, True, None, "equivalent"),
    ],
)
def test_verdicts(difference, p, shown, higher_is_better, expected):
    assert verdict(difference, p, equivalent=shown, higher_is_better=higher_is_better) == expected


@pytest.mark.slow
def test_systems_that_differ_by_the_margin_are_rarely_called_equivalent():
    """The error rate at the edge is alpha; of undecided pairs most would be called equal by p > .05 alone."""
    rng = np.random.default_rng(1)
    shown = not_significant = 0
    for _ in range(1000):
        a = rng.normal(size=72)
        b = a + 0.3 + rng.normal(size=72)
        shown += equivalence_p(spread_of_difference(rows_of(a), rows_of(b), mean), 0.3) < 0.05
        not_significant += abs((b - a).mean() / ((b - a).std(ddof=1) / math.sqrt(72))) < 1.99
    assert shown <= 0.07 * 1000
    assert not_significant > 0.2 * 1000
