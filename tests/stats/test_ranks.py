from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dialeval.stats.ranks import Jackknifed, Measured, rank_jackknifed, rank_systems


def mean(totals):
    return totals[..., 0] / totals[..., 1]


def measured(values, higher_is_better=True):
    """Of values, shape (systems, items)."""
    table = np.asarray(values, dtype=float)
    return Measured(np.stack([table, np.ones_like(table)], axis=-1), mean, higher_is_better)


def test_clear_differences_leave_no_doubt():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(3, 100)) + np.array([[0], [4], [2]])
    (ranks,), overall = rank_systems([measured(values)])
    for found in (ranks, overall):
        assert found.rank.tolist() == found.best.tolist() == found.worst.tolist() == [3, 1, 2]
        assert found.p_best.tolist() == [0, 1, 0]
    (reversed_,), _ = rank_systems([measured(values, higher_is_better=False)])
    assert reversed_.rank.tolist() == [1, 3, 2]


def test_few_items_leave_a_chance_that_resamples_alone_do_not_see():
    """Three items that all favour one system: no resample ranks the other first, and yet it may be the better one."""
    values = np.array([[1.0, 1.2, 1.4], [0.9, 1.0, 0.6]])
    (ranks,), _ = rank_systems([measured(values)], resamples=4000)
    assert 0.02 < ranks.p_best[1] < 0.2
    assert ranks.worst.tolist() == [2, 2]


def test_the_same_system_twice_ties():
    values = np.random.default_rng(0).normal(size=(1, 40)).repeat(2, axis=0)
    (ranks,), _ = rank_systems([measured(values)])
    assert ranks.rank.tolist() == [1.5, 1.5]
    assert (ranks.best.tolist(), ranks.worst.tolist()) == ([1, 1], [2, 2])
    assert ranks.p_best.tolist() == [0.5, 0.5]
    assert not ranks.better.any()


def test_a_difference_that_never_changes_is_shown_by_enough_items():
    values = np.random.default_rng(0).normal(size=40)
    for items, shown in ((40, True), (4, False)):
        (ranks,), _ = rank_systems([measured(np.stack([values, values + 0.5])[:, :items])])
        assert bool(ranks.better[1, 0]) is shown


@given(st.integers(2, 6), st.integers(2, 30), st.integers(0, 1000))
def test_ranks_lie_in_their_intervals_and_chances_add_up(systems, items, seed):
    values = np.random.default_rng(seed).normal(size=(systems, items)).round(1)
    (ranks,), _ = rank_systems([measured(values)], resamples=50)
    assert (ranks.best <= ranks.rank).all()
    assert (ranks.rank <= ranks.worst).all()
    assert ranks.best.min() == 1
    assert ranks.worst.max() == systems
    assert ranks.p_best.sum() == pytest.approx(1)
    assert not (ranks.better & ranks.better.T).any()


def test_order_of_the_systems_moves_nothing():
    values = np.random.default_rng(5).normal(size=(4, 25)) + np.array([[0], [0.4], [0.8], [1.2]])
    order = [2, 0, 3, 1]
    (ranks,), _ = rank_systems([measured(values)])
    (moved,), _ = rank_systems([measured(values[order])])
    for field in ("rank", "best", "worst", "p_best"):
        np.testing.assert_allclose(getattr(moved, field), getattr(ranks, field)[order])


def test_clusters_are_drawn_whole():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(3, 30)) + np.array([[0], [0.4], [0.9]])
    once = rank_systems([measured(values)], seed=3)
    copies = rank_systems([measured(values.repeat(8, axis=1))], seed=3, clusters=np.arange(30).repeat(8))
    alone = rank_systems([measured(values.repeat(8, axis=1))], seed=3)
    np.testing.assert_allclose(copies.overall.p_best, once.overall.p_best)
    np.testing.assert_array_equal(copies.overall.worst, once.overall.worst)
    assert (alone.overall.worst - alone.overall.best).sum() < (once.overall.worst - once.overall.best).sum()


def test_overall_no_measure_counts_more_for_its_scale():
    rng = np.random.default_rng(2)
    one = rng.normal(size=(3, 200)) + np.array([[0.0], [0.3], [0.6]])
    other = one[::-1]
    a = rank_systems([measured(one), measured(other)]).overall
    b = rank_systems([measured(1000 * one), measured(other)]).overall
    np.testing.assert_allclose(a.p_best, b.p_best)
    assert a.rank[0] == a.rank[2]


def test_systems_without_a_score_have_no_rank():
    values = np.random.default_rng(0).normal(size=(3, 20))
    rows = measured(values).rows
    rows[1] = 0
    with np.errstate(all="ignore"):
        (ranks,), _ = rank_systems([Measured(rows, mean, True)], resamples=20)
    assert np.isnan(ranks.rank).tolist() == [False, True, False]
    assert ranks.p_best[1] == 0


def jackknifed(values, units):
    """Means of values, shape (systems, units)."""
    table = np.asarray(values, dtype=float)
    n = table.shape[1]
    scores = table.mean(axis=1)
    return Jackknifed(scores, ((n * scores[:, None] - table) / (n - 1)).T, True, units)


def test_measures_of_other_units_count_as_much():
    rng = np.random.default_rng(4)
    values = rng.normal(size=(3, 80)) + np.array([[0.0], [0.3], [0.5]])
    names = tuple(f"d{n}" for n in range(80))
    same = rank_jackknifed([jackknifed(values, names), jackknifed(values, names)])
    alone = rank_systems([measured(values)])
    np.testing.assert_allclose(
        same.overall.p_best, alone.overall.p_best, atol=1e-9
    )  # a copy adds no evidence
    np.testing.assert_allclose(same.measures[0].p_best, alone.measures[0].p_best)
    fresh = rng.normal(size=(3, 40)) + np.array([[0.0], [0.3], [0.5]])
    other = rank_jackknifed([jackknifed(values, names), jackknifed(fresh, tuple(f"q{n}" for n in range(40)))])
    assert other.overall.p_best[2] > alone.overall.p_best[2]  # other units do
    part = rank_jackknifed([jackknifed(values, names), jackknifed(values[:, :40], names[:40])])
    assert part.overall.rank.tolist() == [3, 2, 1]
    assert part.overall.p_best.sum() == pytest.approx(1)


def test_measures_share_systems_and_items():
    with pytest.raises(ValueError, match="same systems and items"):
        rank_systems([measured(np.ones((2, 3))), measured(np.ones((2, 4)))])


@pytest.mark.slow
@pytest.mark.parametrize("items", [15, 60])
def test_equal_systems_are_not_ranked_by_luck(items):
    """Five equal systems all rank first; percentiles of resampled ranks put one of them lower in half the samples."""
    rng = np.random.default_rng(7)
    naive = wrong = 0
    samples = 300
    for seed in range(samples):
        values = rng.normal(size=(1, items)) + rng.normal(size=(5, items))
        (ranks,), _ = rank_systems([measured(values)], resamples=300, seed=seed)
        wrong += bool((ranks.best > 1).any())
        drawn = values[:, rng.integers(items, size=(300, items))].mean(axis=-1)
        resampled = 1 + (drawn[:, None] < drawn[None]).sum(axis=1)
        naive += bool((np.quantile(resampled, 0.025, axis=1) > 1).any())
    assert wrong <= 0.07 * samples
    assert naive > 0.2 * samples
