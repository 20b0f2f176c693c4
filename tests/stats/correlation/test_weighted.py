from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from dialeval.stats.correlation import weighted
from dialeval.stats.correlation.weighted import levels_within, midranks, order_within, weigher

KINDS = ("pearson", "spearman", "kendall")
SCIPY = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}
SIZES = (7, 1, 5, 12, 2)
STARTS = np.concatenate([[0], np.cumsum(SIZES)])


def tied_pairs(seed):
    rng = np.random.default_rng(seed)
    n = STARTS[-1]
    return rng.integers(5, size=n) / 10, rng.integers(4, size=n) + rng.integers(2, size=n) / 3


def by_repeating(kind, x, y, weights):
    """Each group's coefficient in each trial, with every pair copied as often as it occurs."""
    found = np.full((len(weights), len(SIZES)), np.nan)
    for trial, counts in enumerate(weights.astype(int)):
        for group, (start, stop) in enumerate(pairwise(STARTS)):
            xs, ys = (np.repeat(side[start:stop], counts[start:stop]) for side in (x, y))
            if len(set(xs)) > 1 and len(set(ys)) > 1:
                found[trial, group] = SCIPY[kind](xs, ys).statistic
    return found


@pytest.mark.parametrize("trials", [1, 10**9], ids=["plain", "compiled"])
@pytest.mark.parametrize("kind", KINDS)
def test_frequencies_equal_repeated_pairs(kind, trials):
    x, y = tied_pairs(1)
    weights = np.random.default_rng(2).integers(3, size=(40, len(x))).astype(float)
    weights[0] = 0
    found = weigher(x, y, kind=kind, starts=STARTS, resamples=trials)(weights)
    expected = by_repeating(kind, x, y, weights)
    assert np.isnan(expected).any(axis=0).all()
    np.testing.assert_allclose(found, expected, atol=1e-13)


@pytest.mark.parametrize("kind", ["spearman", "kendall"])
def test_compiled_and_plain_counts_are_the_same_bits(kind):
    x, y = np.random.default_rng(3).normal(size=(2, 300)).round(1)
    weights = np.random.default_rng(4).integers(4, size=(20, 300)).astype(float)
    plain, compiled = (weigher(x, y, kind=kind, resamples=trials)(weights) for trials in (1, 10**9))
    np.testing.assert_array_equal(plain, compiled)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_frequencies_gives_the_same_whatever_rows_are_beside_it(kind):
    x, y = np.random.default_rng(3).normal(size=(2, 100)).round(1)
    weights = np.random.default_rng(4).integers(4, size=(9, 100)).astype(float)
    for trials in (1, 10**9):
        weigh = weigher(x, y, kind=kind, starts=np.array([0, 40, 100]), resamples=trials)
        np.testing.assert_array_equal(weigh(weights), np.concatenate([weigh(row[None]) for row in weights]))


def test_the_size_of_the_problem_decides_who_counts(monkeypatch):
    chosen = []
    monkeypatch.setattr(weighted, "_PLAIN", {"pearson": lambda pairs: chosen.append("plain")})
    monkeypatch.setattr(weighted, "_COMPILED", {"pearson": lambda pairs: chosen.append("compiled")})
    x = np.arange(10.0)
    weigher(x, x, kind="pearson", resamples=weighted.MOST_PLAIN // 10)
    weigher(x, x, kind="pearson", resamples=weighted.MOST_PLAIN // 10 + 1)
    assert chosen == ["plain", "compiled"]


@pytest.mark.parametrize("trials", [1, 10**9], ids=["plain", "compiled"])
def test_values_that_only_rounding_tells_apart_are_one_value_to_pearson(trials):
    x, y = np.array([0.1 + 0.2, 0.3, 0.3]), np.arange(3.0)
    assert np.isnan(weigher(x, y, kind="pearson", resamples=trials)(np.ones((1, 3)))).all()


stacks = hnp.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 12)), elements=st.integers(-3, 3))


@given(stacks)
def test_midranks_of_stacks_equal_scipys(values):
    np.testing.assert_array_equal(midranks(values), scipy.stats.rankdata(values, axis=-1))


def test_no_values_have_no_ranks():
    assert midranks(np.empty((3, 0))).shape == (3, 0)


def test_order_within_groups_tells_where_ties_begin_and_end():
    values, group = np.array([2.0, 1.0, 2.0, 9.0, 0.0]), np.array([0, 0, 0, 1, 1])
    ordered = order_within(values, group)
    assert ordered.order.tolist() == [1, 0, 2, 4, 3]
    assert ordered.first.tolist() == [1, 0, 1, 4, 3]
    assert ordered.last.tolist() == [3, 1, 3, 5, 4]
    assert ordered.fresh.tolist() == [True, True, False, True, True]


def test_equal_values_of_two_groups_do_not_tie():
    ordered = order_within(np.array([1.0, 1.0]), np.array([0, 1]))
    assert ordered.fresh.all()


def test_a_second_key_orders_ties_further():
    values, group = np.zeros(3), np.zeros(3, np.int64)
    ordered = order_within(values, group, np.array([3.0, 1.0, 1.0]))
    assert ordered.order.tolist() == [1, 2, 0]
    assert ordered.fresh.tolist() == [True, False, True]


def test_levels_number_the_distinct_values_of_each_group():
    values, group = np.array([2.0, -1.0, 2.0, 9.0, 0.0, 9.0]), np.array([0, 0, 0, 1, 1, 2])
    assert levels_within(values, group).tolist() == [2, 1, 2, 2, 1, 1]
