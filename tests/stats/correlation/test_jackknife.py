from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import pearsonr, t

from dialeval.stats.correlation.bootstrap import bootstrap_level
from dialeval.stats.correlation.jackknife import (
    BLOCKS,
    correlation_difference,
    leave_out_level,
    true_correlation,
)
from dialeval.stats.correlation.levels import level_correlation

PEARSON = {"kind": "pearson", "level": "item"}


def tables(rng: np.random.Generator, systems: int, items: int) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.normal(size=(systems, items)) + 0.5 * rng.normal(size=(1, items))
    people = np.clip(np.round(truth + 0.7 * rng.normal(size=truth.shape) + 3), 1, 5)
    return people, truth + 1.5 * rng.normal(size=truth.shape) + 0.3 * rng.normal(size=(1, items))


def test_the_interval_is_the_jackknife_on_fishers_scale() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 12))
    y = x + y
    without = np.array([pearsonr(np.delete(x, i), np.delete(y, i)).statistic for i in range(12)])
    left_out = leave_out_level(x[None], y[None], **PEARSON)
    assert left_out.by_item == pytest.approx(without)
    scaled = np.arctanh(without)
    error = math.sqrt(11 / 12 * ((scaled - scaled.mean()) ** 2).sum())
    centre, reach = np.arctanh(pearsonr(x, y).statistic), t.ppf(0.975, 11) * error
    assert left_out.interval() == pytest.approx((np.tanh(centre - reach), np.tanh(centre + reach)))
    assert left_out.pseudo_values().mean() == pytest.approx(12 * left_out.value - 11 * without.mean())


def test_clusters_and_blocks_are_left_out_whole() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 1, 3 * BLOCKS))
    together = np.arange(x.size) // 60
    clustered = leave_out_level(x, y, **PEARSON, clusters=together)
    assert clustered.by_item[0] == pytest.approx(pearsonr(x[0, 60:], y[0, 60:]).statistic)
    assert len(clustered.by_item) == 10
    blocks = leave_out_level(x, y, **PEARSON)
    assert len(blocks.by_item) == BLOCKS
    assert np.ptp(blocks.interval()) == pytest.approx(2 * 1.96 / math.sqrt(600), rel=0.15)


def test_for_other_items_and_systems_variances_add() -> None:
    x, y = tables(np.random.default_rng(2), 6, 30)
    items, systems, both = (
        leave_out_level(x, y, **PEARSON, resample=side) for side in ("items", "systems", "both")
    )
    assert both.by_item == pytest.approx(items.by_item)
    assert both.by_system == pytest.approx(systems.by_system)
    reach = [np.ptp(np.arctanh(each.interval())) for each in (items, systems, both)]
    assert max(reach[:2]) < reach[2] < sum(reach)


@pytest.mark.parametrize(
    ("shape", "side", "absence"),
    [((3, 4), "items", "few-items"), ((4, 9), "systems", "few-systems"), ((4, 9), "both", "few-systems")],
)
def test_too_few_units_have_no_interval(shape: tuple[int, int], side: str, absence: str) -> None:
    x, y = np.random.default_rng(3).normal(size=(2, *shape))
    left_out = leave_out_level(x, y, **PEARSON, resample=side)
    assert left_out.absence == absence
    assert np.isnan(left_out.interval()).all()
    assert correlation_difference(left_out, left_out).absence == absence


def test_nothing_has_zero_width() -> None:
    x = np.arange(12.0)[None]
    left_out = leave_out_level(x, 2 * x, kind="spearman", level="item")
    assert (left_out.value, left_out.absence) == (1, "no-spread")
    other = leave_out_level(x, np.random.default_rng(4).normal(size=(1, 12)), kind="spearman", level="item")
    assert correlation_difference(left_out, left_out).absence == "no-spread"
    assert correlation_difference(left_out, other).absence is None
    lonely = np.zeros((1, 12))
    lonely[0, 0] = 1
    assert leave_out_level(x, lonely, **PEARSON).absence == "undefined"


def test_ten_items_are_covered() -> None:
    # Percentiles of the bootstrap cover 88 of 100 here.
    level = {"kind": "spearman", "level": "system_within_item"}
    truth = level_correlation(*tables(np.random.default_rng(5), 4, 20_000), **level).value
    rng, samples = np.random.default_rng(6), 400
    bounds = [leave_out_level(*tables(rng, 4, 10), **level).interval() for _ in range(samples)]
    assert np.mean([low <= truth <= high for low, high in bounds]) >= 0.93


def made(systems, items, rho, seed, spread=0.3, shared_noise=0.4):
    """Two tables whose systems' true means correlate by exactly ``rho``; noise of an answer is in both."""
    rng = np.random.default_rng(seed)
    one, other = rng.normal(size=(2, systems))
    one = (one - one.mean()) / one.std()
    other -= other.mean() + one * (one @ (other - other.mean())) / systems
    other = rho * one + math.sqrt(1 - rho**2) * other / other.std()
    noise = rng.normal(size=(2, systems, items))
    noise[1] = shared_noise * noise[0] + math.sqrt(1 - shared_noise**2) * noise[1]
    item = 0.5 * rng.normal(size=(2, 1, items))
    return tuple(
        spread * means[:, None] + of_item + each
        for means, of_item, each in zip((one, other), item, noise, strict=True)
    )


def test_without_noise_it_is_the_correlation_of_the_means():
    means = np.random.default_rng(0).normal(size=(2, 6))
    item = np.random.default_rng(1).normal(size=(2, 1, 8))
    found = true_correlation(*(means[:, :, None] + item))
    assert found.estimate.value == pytest.approx(np.corrcoef(means)[0, 1])
    assert found.observed == pytest.approx(found.estimate.value)
    assert (found.reliability_x, found.reliability_y) == pytest.approx((1, 1))


def test_reliability_is_that_of_a_two_way_anova():
    """Cronbach's alpha over items, the systems being the persons: 1 - MS residual / MS systems (Hoyt, 1941)."""
    x, y = made(8, 12, 0.5, seed=3)
    found = true_correlation(x, y)
    for table, reliability in ((x, found.reliability_x), (y, found.reliability_y)):
        k = table.shape[1]
        alpha = k / (k - 1) * (1 - table.var(axis=0, ddof=1).sum() / table.sum(axis=1).var(ddof=1))
        assert reliability == pytest.approx(alpha)
    assert found.observed == pytest.approx(np.corrcoef(x.mean(axis=1), y.mean(axis=1))[0, 1])


def test_items_that_a_system_lacks_are_left_out():
    x, y = made(6, 20, 0.8, seed=1)
    x[2, 5] = y[0, 7] = np.nan
    x[:, 7] = y[:, 5] = np.nan
    kept = np.delete(np.arange(20), [5, 7])
    assert true_correlation(x, y) == true_correlation(x[:, kept], y[:, kept])
    clusters = np.arange(20) // 2
    assert true_correlation(x, y, clusters=clusters) == true_correlation(
        x[:, kept], y[:, kept], clusters=clusters[kept]
    )


def by_loops(x, y):
    """The correlation of true means, from the covariances of single items."""

    def covariance_of_an_item(a, b):
        """Mean product of what is neither system nor item, with (systems - 1)(items - 1) degrees of freedom."""
        residuals = [t - t.mean(axis=0) - t.mean(axis=1, keepdims=True) + t.mean() for t in (a, b)]
        return (residuals[0] * residuals[1]).sum() / (a.shape[0] - 1) / (a.shape[1] - 1)

    def left(a, b):
        here = [np.flatnonzero(~np.isnan(table).any(axis=0)) for table in (a, b)]
        common = np.intersect1d(*here)
        means = [table[:, items].mean(axis=1) for table, items in zip((a, b), here, strict=True)]
        noise = 0.0
        if len(common) > 1:
            each = covariance_of_an_item(a[:, common], b[:, common])
            noise = len(common) * each / len(here[0]) / len(here[1])
        return np.cov(*means)[0, 1] - noise

    return left(x, y) / math.sqrt(left(x, x) * left(y, y))


def of_other_items(rated, scored, seed=0, **design):
    """Tables of which the first ``rated`` items have ratings, and items from ``scored`` on have scores."""
    x, y = made(6, 40, 0.8, seed=seed, **design)
    x[:, rated:] = y[:, :scored] = np.nan
    return x, y


@pytest.mark.parametrize(("rated", "scored"), [(12, 0), (12, 8), (12, 12), (12, 20), (40, 30), (40, 0)])
def test_tables_may_have_other_items_each(rated, scored):
    x, y = of_other_items(rated, scored, spread=1.0)
    found = true_correlation(x, y)
    assert found.estimate.value == pytest.approx(min(1, by_loops(x, y)))
    assert (found.items_x, found.items_y) == (rated, 40 - scored)
    assert found.observed == pytest.approx(np.corrcoef(np.nanmean(x, axis=1), np.nanmean(y, axis=1))[0, 1])


def test_variances_of_items_of_either_table_and_of_both_add_up():
    x, y = of_other_items(12, 8, spread=1.0)
    parts = []
    for items in (range(8), range(8, 12), range(12, 40)):
        without = np.array([by_loops(np.delete(x, i, axis=1), np.delete(y, i, axis=1)) for i in items])
        parts.append((len(items) - 1) / len(items) * ((without - without.mean()) ** 2).sum())
    degrees = sum(parts) ** 2 / sum(part**2 / n for part, n in zip(parts, (7, 3, 27), strict=True))
    reach = t.ppf(0.975, degrees) * math.sqrt(sum(parts))
    low, high = true_correlation(x, y).estimate.bounds
    assert low <= by_loops(x, y) - reach
    assert high >= min(1, by_loops(x, y) + reach)


def test_one_score_per_system_is_taken_as_given():
    x, y = of_other_items(12, 12, spread=1.0)
    given = np.full_like(y, np.nan)
    given[:, 39] = np.nanmean(y, axis=1)
    found = true_correlation(x, given)
    assert math.isnan(found.reliability_y)
    assert (found.items_x, found.items_y) == (12, 1)
    without = true_correlation(x, np.where(np.isnan(y), np.nan, np.nanmean(y, axis=1)[:, None]))
    assert found.estimate.value == pytest.approx(without.estimate.value)
    assert found.estimate.bounds == pytest.approx(without.estimate.bounds, abs=0.02)
    assert true_correlation(given, x).estimate == found.estimate
    assert true_correlation(given, given).absence == "few-items"
    here = x.copy()
    here[:, 0] = given[:, 39]
    assert true_correlation(x, np.where(np.arange(40) == 0, here, np.nan)).estimate.bounds is not None


@pytest.mark.slow
@pytest.mark.parametrize("overlap", [30, 0])
def test_ratings_of_few_items_and_scores_of_many_are_covered(overlap):
    held = 0
    samples = 200
    for seed in range(samples):
        x, y = made(10, 330, 0.8, seed)
        x[:, 30:] = y[:, : 30 - overlap] = np.nan
        low, high = true_correlation(x, y).estimate.bounds
        held += low <= 0.8 <= high
    assert held >= 0.93 * samples


@pytest.mark.parametrize(
    ("systems", "items", "absence"), [(2, 10, "few-systems"), (5, 2, "few-items"), (0, 0, "few-systems")]
)
def test_too_few_have_a_reason(systems, items, absence):
    rng = np.random.default_rng(0)
    found = true_correlation(rng.normal(size=(systems, items)), rng.normal(size=(systems, items)))
    assert found.absence == absence
    assert found.estimate.value is None


def test_equal_systems_have_no_correlation_to_speak_of():
    x, y = made(5, 40, 0.5, seed=4)
    found = true_correlation(x - x.mean(axis=1, keepdims=True), y)
    assert found.absence == "no-spread"


@pytest.mark.slow
@pytest.mark.parametrize("items", [30, 100])
def test_fifteen_systems_are_covered_where_the_bootstrap_of_means_misses(items):
    held = {"bootstrap": 0, "here": 0}
    samples = 200
    for seed in range(samples):
        x, y = made(15, items, 0.9, seed)
        drawn = bootstrap_level(x, y, kind="pearson", level="system", resamples=200, seed=seed)
        low, high = np.quantile(drawn, [0.025, 0.975])
        held["bootstrap"] += low <= 0.9 <= high
        found = true_correlation(x, y)
        held["here"] += found.estimate.low <= 0.9 <= found.estimate.high
    assert held["bootstrap"] < 0.75 * samples
    assert held["here"] >= 0.93 * samples
