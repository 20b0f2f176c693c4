"""Effect sizes and sample sizes by hand, and the promised power by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given, strategies as st

from dialeval.stats.resampling.jackknife import jackknife_error, leave_out
from dialeval.stats.tests.power import (
    QUANTILES,
    PilotPlan,
    d_z,
    items_needed,
    plan_from_pilot,
    reach,
    required_items,
    wins_of,
)


def test_required_items_by_hand() -> None:
    # z = 1.959964 + 0.841621 = 2.801585; 100 (2.801585 x 0.02 / 0.02)^2 = 784.888.
    assert required_items(0.02, 0.02, 100) == 785
    assert required_items(-0.02, 0.02, 100) == 785
    # z = 2.575829 + 1.281552 = 3.857381; 50 (3.857381 x 0.5)^2 = 185.99.
    assert required_items(0.2, 0.1, 50, power=0.9, alpha=0.01) == 186


def test_tabulated_quantiles_are_those_of_scipy_to_the_last_bit() -> None:
    for probability, quantile in QUANTILES.items():
        assert quantile == scipy.special.ndtri(probability)
    for tests in range(1, 9):
        expected = scipy.special.ndtri(1 - 0.05 / tests / 2) + scipy.special.ndtri(0.8)
        assert reach(0.05 / tests) == expected


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


def test_items_needed_are_a_range_from_the_ends_of_the_interval() -> None:
    found = items_needed(0.1, 0.3, 0.05, 100)
    assert found == (required_items(0.3, 0.05, 100), required_items(0.1, 0.05, 100))
    assert items_needed(-0.3, -0.1, 0.05, 100) == found


def test_a_difference_that_may_be_nothing_has_no_upper_end() -> None:
    found = items_needed(-0.1, 0.3, 0.1, 100)
    assert found == (required_items(0.3, 0.1, 100), None)
    assert items_needed(math.nan, math.nan, math.nan, 100) == (None, None)


@pytest.mark.slow
def test_the_range_holds_the_right_number_where_one_number_does_not() -> None:
    """A true effect of 0.233 sd takes 146 items: estimates from 50 spread over a factor of a hundred."""
    rng = np.random.default_rng(0)
    right, held, close = 146, 0, 0
    for _ in range(500):
        sample = rng.normal(0.2332, 1, size=50)
        error = sample.std(ddof=1) / math.sqrt(50)
        reach = 2.01 * error
        found = items_needed(sample.mean() - reach, sample.mean() + reach, error, 50)
        held += found.fewest <= right and (found.most is None or right <= found.most)
        close += right / 2 <= required_items(sample.mean(), error, 50) <= 2 * right
    assert held >= 0.93 * 500
    assert close < 0.6 * 500


def test_a_plan_of_a_large_pilot_is_the_textbooks() -> None:
    pilot = np.random.default_rng(0).normal(0.5, 1, size=20_000)
    found = plan_from_pilot(pilot)
    assert found.middle == pytest.approx(required_items(0.5, 1 / math.sqrt(20_000), 20_000), rel=0.05)
    assert found.fewest <= found.middle <= found.assured <= found.most
    assert found.most < 1.2 * found.fewest


def test_a_pilot_that_shows_nothing_gives_no_finite_number() -> None:
    found = plan_from_pilot(np.random.default_rng(3).normal(0, 1, size=12))
    assert found.most is None
    assert plan_from_pilot(np.array([1.0])) == PilotPlan(None, None, None, None)


def test_clusters_are_the_units_of_a_plan() -> None:
    pilot = np.random.default_rng(0).normal(0.4, 1, size=30)
    copies = plan_from_pilot(np.repeat(pilot, 7), clusters=np.repeat(np.arange(30), 7))
    assert copies == plan_from_pilot(pilot)


@pytest.mark.slow
def test_plans_of_small_pilots_are_rarely_far_too_small() -> None:
    """Planned by the difference of 30 items, a quarter of studies have a power below one half."""
    rng = np.random.default_rng(1)
    effect, z = 0.3, scipy.stats.norm
    weak = {"estimate": 0, "assured": 0}
    pilots = 300
    for seed in range(pilots):
        pilot = rng.normal(effect, 1, size=30)
        error = pilot.std(ddof=1) / math.sqrt(30)
        plan = plan_from_pilot(pilot, resamples=300, seed=seed).assured
        for name, n in (("estimate", required_items(pilot.mean(), error, 30)), ("assured", plan)):
            weak[name] += n is not None and z.sf(1.96 - effect * math.sqrt(n)) < 0.5
    assert weak["estimate"] > 0.2 * pilots
    assert weak["assured"] < 0.15 * pilots


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
