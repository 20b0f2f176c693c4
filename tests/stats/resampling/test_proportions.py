from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom, binomtest
from statsmodels.stats.proportion import proportion_confint

from dialeval.stats.resampling.proportions import (
    clopper_pearson,
    clustered_proportion,
    paired_proportions,
)


@given(st.integers(1, 200), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_exact_interval_is_scipys_and_statsmodels(n: int, data: st.DataObject, confidence: float) -> None:
    yes = data.draw(st.integers(0, n))
    test = binomtest(yes, n)
    exact = clopper_pearson(yes, n, confidence)
    assert exact == pytest.approx(test.proportion_ci(confidence, method="exact"), abs=1e-9)
    assert exact == pytest.approx(proportion_confint(yes, n, 1 - confidence, method="beta"), abs=1e-9)
    assert exact[0] < exact[1]


@pytest.mark.parametrize("n", [5, 10, 30, 100])
def test_the_exact_interval_covers_for_every_proportion_and_wilsons_does_not(n: int) -> None:
    shares = np.linspace(0.002, 0.998, 499)

    def least_covered(interval: Callable[[int, int], tuple[float, float]]) -> float:
        ends = np.array([interval(yes, n) for yes in range(n + 1)])
        held = (ends[:, :1] <= shares) & (shares <= ends[:, 1:])
        return float((held * binom.pmf(np.arange(n + 1)[:, None], n, shares)).sum(axis=0).min())

    assert least_covered(clopper_pearson) >= 0.95
    assert least_covered(lambda yes, n: proportion_confint(yes, n, method="wilson")) < 0.93


def test_nothing_but_right_answers_leaves_room_below() -> None:
    """The rule of three: of n out of n, the lower end is (alpha / 2)^(1 / n)."""
    assert clopper_pearson(10, 10) == pytest.approx((0.025**0.1, 1.0))
    assert clopper_pearson(0, 10) == pytest.approx((0.0, 1 - 0.025**0.1))


@pytest.mark.parametrize(("yes", "n"), [(-1, 3), (4, 3), (0, 0)])
def test_impossible_counts_are_refused(yes: int, n: int) -> None:
    with pytest.raises(ValueError, match="0 to n items"):
        clopper_pearson(yes, n)


def test_items_alone_in_their_clusters_are_independent_items() -> None:
    values = (np.random.default_rng(1).random(60) < 0.8).astype(float)
    alone = clustered_proportion(values, np.arange(60))
    assert alone == pytest.approx(clopper_pearson(values.sum(), 60), abs=0.01)


def test_copies_of_items_add_nothing() -> None:
    """Ten items, each five times over, are worth ten items."""
    values = np.array([1, 1, 1, 1, 1, 1, 1, 0, 0, 1.0])
    copied = clustered_proportion(np.repeat(values, 5), np.repeat(np.arange(10), 5))
    once = clopper_pearson(8, 10)
    assert copied[0] == pytest.approx(once[0], abs=0.1)
    assert copied[0] < once[0]
    assert copied[1] > once[1]


def test_clusters_that_are_all_right_count_once_each() -> None:
    assert clustered_proportion(np.ones(20), np.repeat(np.arange(5), 4)) == clopper_pearson(5, 5)
    assert clustered_proportion(np.ones(4), np.zeros(4, dtype=np.int64)) == clopper_pearson(1, 1)


def test_paired_proportions_by_hand() -> None:
    """Bonett and Price (2012): 5 and 2 of 20 disagreements become 6 and 3 of 22."""
    a = np.array([1] * 5 + [0] * 2 + [1] * 13, dtype=float)
    b = np.array([0] * 5 + [1] * 2 + [1] * 13, dtype=float)
    middle, reach = 3 / 22, 1.959963985 * np.sqrt((9 / 22 - (3 / 22) ** 2) / 22)
    assert paired_proportions(a, b) == pytest.approx((middle - reach, middle + reach))
    low, high = paired_proportions(b, a)
    assert (-high, -low) == pytest.approx((middle - reach, middle + reach))


def test_systems_that_always_agree_still_have_room_to_differ() -> None:
    low, high = paired_proportions(np.ones(10), np.ones(10))
    assert low == -high < -0.1
    with pytest.raises(ValueError, match="one shape"):
        paired_proportions(np.ones(3), np.ones(2))
