"""Effect sizes and sample sizes by hand, and the promised power by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from dialeval.stats.tests.power import cohens_d_paired, required_items


def test_cohens_d_by_hand() -> None:
    # Mean 2, standard deviation 1 (n - 1 in the denominator).
    assert cohens_d_paired(np.array([1.0, 2.0, 3.0])) == pytest.approx(2.0)
    assert cohens_d_paired(np.array([-1.0, -2.0, -3.0])) == pytest.approx(-2.0)


def test_cohens_d_is_the_t_statistic_over_root_n() -> None:
    a, b = np.random.default_rng(0).random((2, 30))
    expected = scipy.stats.ttest_rel(a, b).statistic / math.sqrt(30)
    assert cohens_d_paired(a - b) == pytest.approx(expected)


@pytest.mark.parametrize("differences", [[], [1.0], [0.3, 0.3, 0.3], [0.1 + 0.2, 0.3]])
def test_d_without_spread_is_undefined(differences: list[float]) -> None:
    assert math.isnan(cohens_d_paired(np.array(differences)))


def test_d_of_identical_systems_is_zero() -> None:
    assert cohens_d_paired(np.zeros(4)) == 0


def test_required_items_by_hand() -> None:
    # z = 1.959964 + 0.841621 = 2.801585; 100 (2.801585 x 0.02 / 0.02)^2 = 784.888.
    assert required_items(0.02, 0.02, 100) == 785
    assert required_items(-0.02, 0.02, 100) == 785
    # z = 2.575829 + 1.281552 = 3.857381; 50 (3.857381 x 0.5)^2 = 185.99.
    assert required_items(0.2, 0.1, 50, power=0.9, alpha=0.01) == 186


def test_never_fewer_items_than_could_reach_alpha() -> None:
    assert required_items(1.0, 0.0, 3) == 6  # 2^-5 < 0.05 <= 2^-4
    assert required_items(1.0, 1e-9, 3, alpha=0.01) == 8  # 2^-7 < 0.01 <= 2^-6
    assert required_items(1.0, 0.0, 3, alpha=0.25) == 4  # strictly below alpha: 2^-2 would not do


@pytest.mark.parametrize(
    ("difference", "error", "n"), [(0.0, 0.1, 50), (0.1, math.nan, 50), (math.nan, 0.1, 50), (0.1, 0.0, 1)]
)
def test_where_no_number_is_known_there_is_none(difference: float, error: float, n: int) -> None:
    assert required_items(difference, error, n) is None


def test_the_promised_power_is_reached() -> None:
    n = required_items(0.3, 1 / math.sqrt(40), 40)  # a spread of one, seen on 40 items
    assert n is not None
    samples = np.random.default_rng(0).normal(0.3, 1.0, size=(4_000, n))
    shown = scipy.stats.ttest_1samp(samples, 0.0, axis=1).pvalue < 0.05
    assert shown.mean() == pytest.approx(0.8, abs=0.03)
