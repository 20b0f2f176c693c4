from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.special import stdtrit
from scipy.stats import ttest_1samp

from dialeval.stats import jackknife_error, jackknife_interval, jackknife_p
from dialeval.stats.resampling.intervals import interval_of
from dialeval.stats.resampling.jackknife import (
    TABULATED,
    leave_out,
    skewed_t,
    t_quantile,
    two_way_interval,
    variance_by,
)


def without_each(values: np.ndarray) -> np.ndarray:
    return (values.sum() - values) / (len(values) - 1)


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=20))
def test_of_a_mean_it_is_the_textbook_standard_error(values: list[float]) -> None:
    sample = np.array(values)
    expected = sample.std(ddof=1) / math.sqrt(len(sample))
    assert jackknife_error(without_each(sample)) == pytest.approx(expected, abs=1e-9)


def test_of_a_mean_interval_and_test_are_students() -> None:
    sample = np.random.default_rng(3).normal(0.3, 1, 12)
    found = ttest_1samp(sample, 0)
    low, high = found.confidence_interval(0.9)
    assert jackknife_interval(sample.mean(), without_each(sample), 0.9) == pytest.approx((low, high))
    assert jackknife_p(sample.mean(), without_each(sample)) == pytest.approx(found.pvalue)


@pytest.mark.parametrize("without", [[], [1.0], [1.0, math.nan]])
def test_without_a_spread_there_is_no_interval_and_no_test(without: list[float]) -> None:
    scores = np.array(without)
    assert math.isnan(jackknife_error(scores))
    assert all(map(math.isnan, jackknife_interval(1.0, scores)))
    assert math.isnan(jackknife_p(1.0, scores))


def test_no_spread_at_all_is_as_sure_as_equal_signs() -> None:
    same = np.array([0.5, 0.5, 0.5])
    assert jackknife_interval(0.5, same) == (0.5, 0.5)
    assert jackknife_p(0.5, same) == 2.0 ** (1 - len(same))  # as many equal signs, not certainty
    assert jackknife_p(0.0, same * 0) == 1.0


def test_a_level_lies_between_0_and_1() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        jackknife_interval(0.5, np.array([0.4, 0.6]), 1.0)


@pytest.mark.parametrize("distinct", [7, 300, 5000])
def test_values_that_occur_often_do_not_change_the_skewness(distinct: int) -> None:
    rng = np.random.default_rng(4)
    without = rng.choice(rng.normal(size=distinct), 5000)
    pseudo = without.mean() - without
    pseudo /= np.abs(pseudo).max()
    squares, cubes = ((pseudo**power).mean() for power in (2, 3))
    # Cubes by multiplication and by power differ in the last bit on some processors.
    expected = float(cubes) / float(squares) ** 1.5 / math.sqrt(len(without))
    assert skewed_t(0.3, without).shift == pytest.approx(expected, rel=1e-14)


def test_a_plain_quotient_is_undefined_without_the_only_unit_and_nobody_is_warned():
    left_out = leave_out(np.array([[1.0, 1.0]]), lambda totals: totals[..., 0] / totals[..., 1])
    assert left_out.score == 1
    assert np.isnan(left_out.without).all()


def test_the_table_is_scipys_to_the_last_bit():
    degrees = range(1, TABULATED + 3)
    assert [t_quantile(n, 0.95) for n in degrees] == [float(stdtrit(n, (1 + 0.95) / 2)) for n in degrees]


@pytest.mark.parametrize(("degrees", "confidence"), [(9.5, 0.95), (9, 0.9), (0.5, 0.95), (5000, 0.99)])
def test_what_is_not_in_the_table_is_computed(degrees, confidence):
    assert t_quantile(degrees, confidence) == stdtrit(degrees, (1 + confidence) / 2)


def test_published_values():
    assert t_quantile(10, 0.95) == pytest.approx(2.228, abs=5e-4)
    assert t_quantile(120, 0.95) == pytest.approx(1.980, abs=5e-4)


@pytest.mark.parametrize("degrees", [0, -1, math.nan])
def test_no_degrees_of_freedom_have_no_quantile(degrees):
    assert math.isnan(t_quantile(degrees, 0.95))


def mean(totals):
    return totals[..., 0] / totals[..., 1]


def rows_of(values):
    return np.column_stack([values, np.ones(len(values))])


def laid_out(table):
    """A table of (items, raters) as rows, items and raters."""
    items, raters = (labels.ravel() for labels in np.indices(table.shape))
    return rows_of(table.ravel()), items, raters


def test_the_three_variances_by_hand():
    """(1 2 / 3 6): deviations from 3 over 4, by row -3 and 3, by column -2 and 2."""
    values = np.array([1, 2, 3, 6.0])
    influence = (values - 3) / 4
    assert variance_by(influence, np.array([0, 0, 1, 1])) == pytest.approx(2 * 2 * (3 / 4) ** 2)
    assert variance_by(influence, np.array([0, 1, 0, 1])) == pytest.approx(2 * 2 * (2 / 4) ** 2)
    assert variance_by(influence, None) == pytest.approx(4 / 3 * (4 + 1 + 0 + 9) / 16)
    variance = 2 * 2 * 9 / 16 + 2 * 2 * 4 / 16 - 4 / 3 * 14 / 16
    degrees = max(variance, 2.25) ** 2 / (2.25**2 + 1.0**2)
    from scipy.stats import t

    low, high = two_way_interval(
        *[laid_out(values.reshape(2, 2))[0], mean, *laid_out(values.reshape(2, 2))[1:]]
    )
    assert (low + high) / 2 == pytest.approx(3)
    assert (high - low) / 2 == pytest.approx(t.ppf(0.975, degrees) * math.sqrt(max(variance, 2.25)))


def test_items_and_raters_may_change_places():
    table = np.random.default_rng(0).normal(size=(6, 4))
    rows, items, raters = laid_out(table)
    assert two_way_interval(rows, mean, items, raters) == two_way_interval(rows, mean, raters, items)


def test_one_rater_has_no_interval():
    rows, items, raters = laid_out(np.random.default_rng(0).normal(size=(6, 1)))
    assert np.isnan(two_way_interval(rows, mean, items, raters)).all()


def test_raters_without_tastes_cost_little():
    table = np.random.default_rng(1).normal(size=(200, 10))
    rows, items, raters = laid_out(table)
    both, alone = two_way_interval(rows, mean, items, raters), interval_of(rows, mean, clusters=items)
    assert both[1] - both[0] < 1.6 * (alone.estimate.high - alone.estimate.low)


@pytest.mark.slow
def test_a_difference_that_is_a_matter_of_taste_is_covered():
    """Two equal systems, three raters who prefer one or the other by 0.3: items alone cover 44 %, both cover 93 %."""
    rng = np.random.default_rng(0)
    held = {"items": 0, "both": 0}
    samples = 500
    for _ in range(samples):
        table = 0.42 * rng.normal(size=(1, 3)) + 0.5 * rng.normal(size=(100, 1)) + rng.normal(size=(100, 3))
        rows, items, raters = laid_out(table)
        alone = interval_of(rows, mean, clusters=items)
        both = two_way_interval(rows, mean, items, raters)
        held["items"] += alone.estimate.low <= 0 <= alone.estimate.high
        held["both"] += both[0] <= 0 <= both[1]
    assert held["items"] < 0.6 * samples
    assert held["both"] >= 0.91 * samples
