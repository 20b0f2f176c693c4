from __future__ import annotations

import math

import numpy as np
import pytest

from dialeval.stats.resampling.clusters import design_effect, intraclass, repeated


def mean(totals):
    return totals[..., 0] / totals[..., 1]


def rows_of(values):
    return np.column_stack([values, np.ones(len(values))])


def test_items_alone_in_their_clusters_cost_nothing():
    values, alone = np.random.default_rng(0).normal(size=50), np.arange(50)
    assert not repeated(alone)
    found = design_effect(rows_of(values), mean, alone)
    assert (found.items, found.clusters, found.value) == (50, 50, pytest.approx(1.0))
    assert math.isnan(found.icc)


def test_copies_are_worth_one():
    """Kish: 1 + (m - 1) icc, with an icc of 1."""
    values, clusters = np.repeat(np.random.default_rng(0).normal(size=40), 5), np.repeat(np.arange(40), 5)
    assert repeated(clusters)
    found = design_effect(rows_of(values), mean, clusters)
    assert found.icc == pytest.approx(1)
    assert found.value == pytest.approx(5, rel=0.05)


def test_the_icc_is_that_of_a_textbook_anova():
    """Of three clusters (1, 2), (3, 5), (4, 4): B = 17.167 - ... by hand, sums of squares 8.333 and 2.5."""
    values, clusters = np.array([1, 2, 3, 5, 4, 4.0]), np.repeat([7, 3, 5], 2)
    between, within = 8.333333333 / 2, 2.5 / 3
    assert intraclass(values, clusters) == pytest.approx((between - within) / (between + within))


@pytest.mark.parametrize("icc", [0.0, 0.2, 0.6])
def test_what_was_put_in_comes_out(icc):
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(2000), 4)
    values = math.sqrt(icc) * rng.normal(size=2000)[clusters] + math.sqrt(1 - icc) * rng.normal(size=8000)
    found = design_effect(rows_of(values), mean, clusters)
    assert found.icc == pytest.approx(icc, abs=0.03)
    assert found.value == pytest.approx(1 + 3 * icc, rel=0.1)


def test_what_does_not_vary_has_no_effect_to_speak_of():
    found = design_effect(rows_of(np.full(6, 2.0)), mean, np.repeat([0, 1, 2], 2))
    assert math.isnan(found.value)
    assert math.isnan(found.icc)
    assert math.isnan(intraclass(np.array([1.0, 2.0]), np.array([0, 0])))
