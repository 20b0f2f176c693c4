from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.weightstats import ttost_paired

from dialeval.stats.tests.equivalence import Equivalence, equivalence, verdict, within


def mean(totals):
    return totals[..., 0] / totals[..., 1]


def rows_of(values):
    return np.column_stack([values, np.ones(len(values))])


@pytest.mark.parametrize("margin", [0.05, 0.1, 0.15, 0.2, 0.3])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_it_decides_as_statsmodels_two_one_sided_tests(margin, alpha):
    rng = np.random.default_rng(2)
    a = rng.normal(size=400)
    b = a + rng.normal(scale=0.8, size=400)
    p, _, _ = ttost_paired(a, b, -margin, margin)
    assert equivalence(rows_of(a), rows_of(b), mean, margin=margin, alpha=alpha).shown == (p < alpha)


def test_the_largest_difference_is_the_farther_end():
    a, b = np.array([1, 2, 3, 4, 5, 7.0]), np.array([1, 1, 2, 4, 4, 5.0])
    found = equivalence(rows_of(a), rows_of(b), mean)
    assert (found.shown, found.margin) == (False, None)
    assert found.largest > (a - b).mean()
    swapped = equivalence(rows_of(b), rows_of(a), mean, margin=100.0)
    assert swapped.largest == pytest.approx(found.largest)
    assert swapped.shown


def test_clusters_count_once():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=30), rng.normal(size=30)
    once = equivalence(rows_of(a), rows_of(b), mean)
    copies = [rows_of(np.repeat(side, 10)) for side in (a, b)]
    clustered = equivalence(*copies, mean, clusters=np.repeat(np.arange(30), 10))
    assert clustered.largest == pytest.approx(once.largest)
    assert equivalence(*copies, mean).largest < once.largest


def test_where_nothing_differs_nothing_is_shown_but_for_yes_no_measures():
    same = rows_of(np.array([0.1, 0.5, 0.9]))
    found = equivalence(same, same, mean, margin=0.2)
    assert (found.absence, found.shown) == ("constant", False)
    assert math.isnan(found.largest)
    right = rows_of(np.ones(200))
    agreed = equivalence(right, right, mean, margin=0.05, yes_no=True)
    assert agreed.shown
    assert 0 < agreed.largest < 0.05


def test_a_margin_is_above_zero():
    rows = rows_of(np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="above 0"):
        equivalence(rows, rows, mean, margin=0.0)
    assert not within(-0.1, 0.1, None)
    assert not within(-0.1, 0.1, 0.1)


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
    equal = Equivalence(0.3, 0.1, shown)
    assert verdict(difference, p, equal, higher_is_better=higher_is_better) == expected


@pytest.mark.slow
def test_systems_that_differ_by_the_margin_are_rarely_called_equivalent():
    """The error rate at the edge is alpha; of undecided pairs most would be called equal by p > .05 alone."""
    rng = np.random.default_rng(1)
    shown = not_significant = 0
    for _ in range(1000):
        a = rng.normal(size=72)
        b = a + 0.3 + rng.normal(size=72)
        shown += equivalence(rows_of(a), rows_of(b), mean, margin=0.3).shown
        not_significant += abs((b - a).mean() / ((b - a).std(ddof=1) / math.sqrt(72))) < 1.99
    assert shown <= 0.07 * 1000
    assert not_significant > 0.2 * 1000
