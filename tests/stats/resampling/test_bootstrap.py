"""The bootstrap agrees with scipy, with hand-worked cases, and with itself."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st

from dialeval.stats.resampling.bootstrap import (
    Floats,
    blocks,
    bootstrap,
    draws,
    every_swap,
    percentile_interval,
    pool,
    random_swaps,
    sum_rows,
)


def mean(totals: Floats) -> Floats:
    return totals[..., 0] / totals[..., 1]


def mean_rows(values: Floats) -> Floats:
    return np.column_stack([values, np.ones_like(values)])


def ratio(totals: Floats) -> Floats:
    over = totals[..., 1]
    return np.divide(totals[..., 0], over, out=np.full(over.shape, np.nan), where=over != 0)


def test_every_resample_draws_as_many_items_as_there_are() -> None:
    counts = np.concatenate(list(draws(7, resamples=50, seed=3)))
    assert counts.shape == (50, 7)
    assert (counts.sum(axis=1) == 7).all()
    assert (counts == counts.astype(int)).all()
    assert counts.max() > 1  # with replacement


def test_counts_are_exactly_multinomial() -> None:
    # Two items: counts of the first are 0, 1, 2 with probabilities 1/4, 1/2, 1/4. Poisson weights would not sum to 2.
    counts = np.concatenate(list(draws(2, resamples=20_000, seed=1)))[:, 0]
    observed = np.bincount(counts.astype(int), minlength=3)
    assert scipy.stats.chisquare(observed, [5_000, 10_000, 5_000]).pvalue > 0.01


@pytest.mark.parametrize("cells", [1, 12, 1_000])
def test_the_size_of_a_block_changes_nothing(cells: int) -> None:
    assert np.array_equal(
        np.concatenate(list(draws(5, resamples=9, seed=4, cells=cells))),
        np.concatenate(list(draws(5, resamples=9, seed=4))),
    )


def test_fewer_trials_give_the_first_of_more() -> None:
    rows = mean_rows(np.arange(30.0))
    few, many = (bootstrap(rows, mean, resamples=trials, seed=2) for trials in (5, 100))
    assert few == pytest.approx(many[:5])


def test_blocks_add_up_and_stay_small() -> None:
    assert list(blocks(10, 7, cells=30)) == [3, 3, 1]
    assert list(blocks(10**9, 2)) == [1, 1]
    with pytest.raises(ValueError, match="at least one resample"):
        list(blocks(3, 0))


def test_the_seed_decides() -> None:
    rows = mean_rows(np.arange(30.0))
    assert np.array_equal(bootstrap(rows, mean, seed=5), bootstrap(rows, mean, seed=5))
    assert not np.array_equal(bootstrap(rows, mean, seed=5), bootstrap(rows, mean, seed=6))


def test_interval_of_a_mean_agrees_with_scipy() -> None:
    values = np.random.default_rng(0).gamma(2.0, size=400)
    ours = percentile_interval(bootstrap(mean_rows(values), mean, resamples=20_000, seed=1), 0.9)
    theirs = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, confidence_level=0.9, method="percentile", batch=500,
        rng=np.random.default_rng(2),
    )  # fmt: skip
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours[0] == pytest.approx(theirs.confidence_interval.low, abs=0.03 * width)
    assert ours[1] == pytest.approx(theirs.confidence_interval.high, abs=0.03 * width)


def test_resamples_are_scipys_own_from_the_same_seed() -> None:
    # scipy too draws one stream of indices, resample after resample, so more than the distribution is equal.
    values = np.random.default_rng(0).random(50)
    theirs = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=100, method="percentile", batch=7, rng=np.random.default_rng(9)
    )
    assert bootstrap(mean_rows(values), mean, resamples=100, seed=9) == pytest.approx(
        theirs.bootstrap_distribution, rel=1e-12
    )


def test_spread_of_a_pooled_ratio_agrees_with_scipy() -> None:
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.poisson(3, 200), rng.poisson(9, 200) + 1]).astype(np.float64)
    theirs = scipy.stats.bootstrap(
        (rows[:, 0], rows[:, 1]), lambda x, y, axis: x.sum(axis=axis) / y.sum(axis=axis), paired=True,
        n_resamples=10_000, method="percentile", batch=500, rng=np.random.default_rng(2),
    )  # fmt: skip
    assert bootstrap(rows, ratio, resamples=10_000, seed=1).std(ddof=1) == pytest.approx(
        theirs.standard_error, rel=0.04
    )


def test_resampling_matches_full_enumeration_of_three_items() -> None:
    values = np.array([0.0, 1.0, 5.0])
    every = [np.mean(draw) for draw in itertools.product(values, repeat=3)]
    scores = bootstrap(mean_rows(values), mean, resamples=30_000, seed=0)
    assert set(np.round(scores, 9)) == set(np.round(every, 9))
    assert scores.mean() == pytest.approx(np.mean(every), abs=0.03)
    assert scores.var() == pytest.approx(np.var(every), rel=0.03)


def test_percentile_interval_by_hand() -> None:
    # 0..100: the 2.5th and 97.5th percentiles interpolate linearly.
    assert percentile_interval(np.arange(101.0), 0.95) == pytest.approx((2.5, 97.5))
    assert percentile_interval(np.arange(101.0)[::-1], 0.5) == pytest.approx((25, 75))


def test_undefined_trials_are_left_out_of_the_interval() -> None:
    with_nan = np.concatenate([np.arange(101.0), np.full(40, np.nan)])
    assert percentile_interval(with_nan) == percentile_interval(np.arange(101.0))
    assert np.isnan(percentile_interval(np.full(5, np.nan))).all()


def test_a_bound_among_infinite_scores_is_undefined_and_the_other_stands() -> None:
    low, high = percentile_interval(np.concatenate([np.arange(90.0), np.full(10, np.inf)]), 0.9)
    assert low == pytest.approx(4.95)
    assert np.isnan(high)


def test_an_undefined_score_on_some_resamples_stays_nan_there() -> None:
    rows = np.array([[1.0, 2.0], [0.0, 0.0]])  # the second item has nothing to divide by
    scores = bootstrap(rows, ratio, resamples=400, seed=0)
    assert set(scores[~np.isnan(scores)]) == {0.5}
    assert np.isnan(scores).mean() == pytest.approx(1 / 4, abs=0.07)


def test_no_items_give_undefined_scores() -> None:
    assert np.isnan(bootstrap(np.empty((0, 2)), mean, resamples=4)).all()
    assert bootstrap(np.empty((0, 2)), mean, resamples=4).shape == (4,)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_that_is_no_share_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        percentile_interval(np.arange(3.0), level)


@pytest.mark.parametrize("rows", [np.array([[1.0, np.nan]]), np.array([[np.inf, 1.0]]), np.array([1.0, 2.0])])
def test_rows_that_cannot_be_summed_are_refused(rows: Floats) -> None:
    with pytest.raises(ValueError, match="finite and of shape"):
        bootstrap(rows, mean)


def test_clusters_are_summed_and_drawn_whole() -> None:
    rows = np.array([[1.0, 1.0], [2.0, 1.0], [4.0, 1.0]])
    labels = np.array([9, 3, 9])
    assert pool(rows, labels).tolist() == [[2.0, 1.0], [5.0, 2.0]]
    # Draws of two clusters: {3, 3}, {3, 9}, {9, 9}: means 2, 7/3, 5/2.
    scores = bootstrap(rows, mean, resamples=200, clusters=labels)
    assert sorted(set(np.round(scores, 9))) == pytest.approx([2, 7 / 3, 5 / 2])


def test_clusters_of_equal_items_widen_the_interval() -> None:
    values = np.random.default_rng(0).random(100)
    rows, labels = mean_rows(np.repeat(values, 4)), np.repeat(np.arange(100), 4)
    alone = bootstrap(rows, mean, resamples=4000).std()
    together = bootstrap(rows, mean, resamples=4000, clusters=labels).std()
    assert together == pytest.approx(2 * alone, rel=0.1)  # a quarter of the information


def test_clusters_need_one_label_per_row() -> None:
    with pytest.raises(ValueError, match="3 rows need as many"):
        bootstrap(np.ones((3, 2)), mean, clusters=np.array([1, 2]))


@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=30),
    st.integers(-100, 100),
    st.integers(0, 2**32),
)
def test_a_constant_moves_every_resampled_mean_by_itself(values: list[int], shift: int, seed: int) -> None:
    rows = mean_rows(np.array(values, dtype=np.float64))
    moved = rows + np.array([shift, 0.0])
    assert bootstrap(moved, mean, resamples=20, seed=seed) == pytest.approx(
        bootstrap(rows, mean, resamples=20, seed=seed) + shift
    )


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=30), st.integers(0, 2**32))
def test_resampled_means_stay_within_the_values(values: list[int], seed: int) -> None:
    scores = bootstrap(mean_rows(np.array(values, dtype=np.float64)), mean, resamples=20, seed=seed)
    assert min(values) - 1e-9 <= scores.min()
    assert scores.max() <= max(values) + 1e-9


@pytest.mark.parametrize("cells", [1, 150, 10_000])
def test_swaps_are_fair_and_do_not_depend_on_the_block(cells: int) -> None:
    swaps = np.concatenate(list(random_swaps(70, resamples=500, seed=1, cells=cells)))
    assert np.array_equal(swaps, np.concatenate(list(random_swaps(70, resamples=500, seed=1))))
    assert set(np.unique(swaps)) == {0, 1}
    assert swaps.mean(axis=0) == pytest.approx(0.5, abs=0.12)
    assert np.abs(np.corrcoef(swaps.T) - np.eye(70)).max() < 0.25


def test_every_swap_occurs_once() -> None:
    assert len({tuple(row) for row in every_swap(5).tolist()}) == 32


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (9, 1), (1000, 1), (1, 4), (7, 2), (8193, 3), (1000, 17)])
def test_rows_are_summed_to_the_last_bit_as_numpy_does(shape) -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=shape) * 10.0 ** rng.integers(-9, 9, size=shape)
    for given_rows in (rows, np.asfortranarray(rows), rows[::2]):
        np.testing.assert_array_equal(sum_rows(given_rows), given_rows.sum(axis=0))
