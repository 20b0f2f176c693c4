from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st

from dialeval.stats.tests.groups import Alternative, fisher_exact, student_t, welch_t

_ = math.nan


@pytest.mark.parametrize(("test", "equal"), [(student_t, True), (welch_t, False)])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("sizes", [(2, 2), (5, 30), (200, 180)])
def test_equal_to_scipy(test, equal, alternative, sizes) -> None:
    rng = np.random.default_rng(sum(sizes))
    x, y = rng.normal(0.4, 1, sizes[0]), rng.normal(0, 3, sizes[1])
    theirs = scipy.stats.ttest_ind(x, y, equal_var=equal, alternative=alternative)
    found = test(x, y, alternative=alternative)
    assert found.t == pytest.approx(theirs.statistic, rel=1e-12)
    assert found.df == pytest.approx(theirs.df, rel=1e-12)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert found.difference == pytest.approx(x.mean() - y.mean())


def test_student_by_hand() -> None:
    # Means 2 and 4, sums of squares 2 and 2, pooled variance 1, standard error sqrt(2/3).
    found = student_t(np.array([1.0, 2, 3]), np.array([3.0, 4, 5]))
    assert (found.t, found.df) == pytest.approx((-2 / math.sqrt(2 / 3), 4))


def test_missing_values_are_left_out() -> None:
    x, y = np.array([1.0, _, 2, 4]), np.array([_, 3.0, 5])
    assert welch_t(x, y) == welch_t(x[~np.isnan(x)], y[~np.isnan(y)])


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_student_holds_one_value_against_a_group(alternative) -> None:
    for x, y in (([4.0], [1.0, 2.0, 2.5]), ([1.0, 3.0], [5.0])):
        theirs = scipy.stats.ttest_ind(x, y, alternative=alternative)
        found = student_t(np.array(x), np.array(y), alternative=alternative)
        assert (found.t, found.df, found.p) == pytest.approx((theirs.statistic, theirs.df, theirs.pvalue))


EQUAL = "the values do not vary within either group (all 0.1, all 0.3)"


@pytest.mark.parametrize(
    ("test", "x", "y", "reason", "difference"),
    [
        (welch_t, [1.0], [1.0, 2.0], "groups of 1 and 2 values, where each needs 2", -0.5),
        (welch_t, [], [1.0, 2.0], "groups of 0 and 2 values, where each needs 2", _),
        (student_t, [], [1.0, 2.0], "groups of 0 and 2 values, where each needs 1", _),
        (student_t, [1.0], [2.0], "groups of 1 and 1 values, where one needs 2", -1.0),
        (student_t, [0.1], [0.3] * 3, EQUAL, -0.2),
        *((test, [0.1] * 3, [0.3] * 3, EQUAL, -0.2) for test in (student_t, welch_t)),
    ],
)
def test_no_test_comes_with_its_reason(test, x, y, reason: str, difference: float) -> None:
    found = test(np.array(x), np.array(y))
    assert found.reason == reason
    assert found.difference == pytest.approx(difference, nan_ok=True)
    assert math.isnan(found.t)
    assert math.isnan(found.p)


def test_one_constant_group_is_no_hindrance() -> None:
    # One group's variance is 0, so Welch's test is that of the other's mean against the constant.
    y = np.array([1.0, 2, 4])
    found, theirs = welch_t(np.full(3, 3.0), y), scipy.stats.ttest_1samp(y, 3)
    assert (found.t, found.df, found.p) == pytest.approx((-theirs.statistic, 2, theirs.pvalue))


ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
CELL = st.integers(0, 40)


def test_the_lady_tasting_tea() -> None:
    # Fisher (1935): eight cups, three of four named rightly: (16 + 1) / 70 one-sided, (1 + 16) * 2 / 70 two-sided.
    tea = [[3, 1], [1, 3]]
    assert fisher_exact(tea, "greater") == pytest.approx((9, 17 / 70))
    assert fisher_exact(tea).p == pytest.approx(34 / 70)


@given(st.tuples(CELL, CELL, CELL, CELL), st.sampled_from(ALTERNATIVES))
def test_fisher_equals_scipy(cells: tuple[int, ...], alternative: Alternative) -> None:
    table = np.reshape(cells, (2, 2))
    theirs = scipy.stats.fisher_exact(table, alternative=alternative)
    found = fisher_exact(table, alternative)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert found.odds_ratio == pytest.approx(theirs.statistic, nan_ok=True)
    assert (found.reason is None) == (not math.isnan(found.odds_ratio))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_large_tables_keep_their_digits(alternative: Alternative) -> None:
    table = [[60_500, 59_900], [40_100, 40_300]]
    theirs = scipy.stats.fisher_exact(table, alternative=alternative)
    assert fisher_exact(table, alternative).p == pytest.approx(theirs.pvalue, rel=1e-8)


@given(st.tuples(CELL, CELL, CELL, CELL))
def test_swapping_rows_swaps_the_sides(cells: tuple[int, ...]) -> None:
    table = np.reshape(cells, (2, 2))
    assert fisher_exact(table, "greater").p == pytest.approx(fisher_exact(table[::-1], "less").p)
    assert fisher_exact(table).p == pytest.approx(fisher_exact(table.T).p)


def test_fisher_wants_four_whole_counts() -> None:
    for bad in ([[1, 2, 3], [4, 5, 6]], [[1.5, 2], [3, 4]], [[-1, 2], [3, 4]]):
        with pytest.raises(ValueError, match="whole counts"):
            fisher_exact(bad)
