from __future__ import annotations

import math

import numpy as np
import pytest

from dialeval.stats.correlation.bootstrap import bootstrap_level
from dialeval.stats.correlation.true_means import true_correlation


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
    assert found.value == pytest.approx(np.corrcoef(means)[0, 1])
    assert found.observed == pytest.approx(found.value)
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
    kept = np.delete(np.arange(20), [5, 7])
    assert true_correlation(x, y) == true_correlation(x[:, kept], y[:, kept])
    clusters = np.arange(20) // 2
    assert true_correlation(x, y, clusters=clusters) == true_correlation(
        x[:, kept], y[:, kept], clusters=clusters[kept]
    )


@pytest.mark.parametrize(
    ("systems", "items", "absence"), [(2, 10, "few-systems"), (5, 2, "few-items"), (0, 0, "few-systems")]
)
def test_too_few_have_a_reason(systems, items, absence):
    rng = np.random.default_rng(0)
    found = true_correlation(rng.normal(size=(systems, items)), rng.normal(size=(systems, items)))
    assert found.absence == absence
    assert math.isnan(found.value)


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
        held["here"] += found.low <= 0.9 <= found.high
    assert held["bootstrap"] < 0.75 * samples
    assert held["here"] >= 0.93 * samples
