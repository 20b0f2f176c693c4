import math

import numpy as np
import pytest
import scipy.stats

from dialeval.stats.correlation.grouped import grouped_correlation


def test_groups_without_a_coefficient_are_counted_and_left_out():
    x = np.array([1, 2, 3, 5, 5, 5, 7, 1, 2, math.nan])
    y = np.array([1, 3, 2, 1, 2, 3, 0, 9, 8, 1])
    groups = np.array(list("aaabbbcddd"))
    found = grouped_correlation(x, y, groups, "spearman")
    assert found.mean == pytest.approx((0.5 - 1) / 2)
    assert (found.n, found.groups, found.undefined, found.reason) == (5, 4, 2, None)


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall"])
def test_the_mean_equals_a_loop_over_scipy_whatever_the_order_of_pairs(kind):
    scipys = {"pearson": scipy.stats.pearsonr, "spearman": scipy.stats.spearmanr}
    coefficient = scipys.get(kind, scipy.stats.kendalltau)
    rng = np.random.default_rng(0)
    groups = rng.integers(6, size=120)
    x, y = rng.normal(size=(2, 120)).round(1)
    expected = np.mean([coefficient(x[groups == g], y[groups == g]).statistic for g in range(6)])
    assert grouped_correlation(x, y, groups, kind).mean == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(
    ("x", "groups", "reason"),
    [
        ([], [], "fewer than 2 pairs (0)"),
        ([1, 2], [0, 1], "no group has 2 pairs or more (2 groups)"),
        ([1, 1, 2, 2], [0, 0, 1, 1], "one side has a single value in each of the 2 groups"),
    ],
)
def test_no_group_at_all_has_a_reason(x, groups, reason):
    found = grouped_correlation(x, np.arange(len(x)), np.array(groups, int), "pearson")
    assert math.isnan(found.mean)
    assert (found.n, found.undefined, found.reason) == (0, found.groups, reason)


def test_labels_must_be_as_many_as_pairs():
    with pytest.raises(ValueError, match="group labels"):
        grouped_correlation([1, 2], [1, 2], np.zeros(3), "pearson")
