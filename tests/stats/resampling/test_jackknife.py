from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import ttest_1samp

from dialeval.stats import jackknife_error, jackknife_interval, jackknife_p
from dialeval.stats.resampling.jackknife import leave_out, skewed_t


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
