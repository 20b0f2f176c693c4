"""Correlations without each item or system: intervals that cover with few of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import pearsonr, t

from dialeval.stats.correlation.leaving_out import BLOCKS, correlation_difference, leave_out_level
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
    assert blocks.interval().high - blocks.interval().low == pytest.approx(
        2 * 1.96 / math.sqrt(600), rel=0.15
    )


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
