"""Paired tests agree with scipy, with enumeration by hand, and do not care which system comes first."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st

from dialeval.stats.resampling.bootstrap import Floats, bootstrap
from dialeval.stats.tests.paired import (
    Sums,
    bootstrap_differences,
    bootstrap_p,
    mcnemar,
    paired_bootstrap,
    permutation_p,
    permutation_test,
)

pairs = st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=1, max_size=40)


def mean(totals: Floats) -> Floats:
    return totals[..., 0] / totals[..., 1]


def ratio(totals: Floats) -> Floats:
    over = totals[..., 1]
    return np.divide(totals[..., 0], over, out=np.full(over.shape, np.nan), where=over != 0)


def mean_rows(values: object) -> Floats:
    column = np.asarray(values, dtype=np.float64)
    return np.column_stack([column, np.ones_like(column)])


def both(values: list[tuple[int, int]]) -> tuple[Floats, Floats]:
    a, b = zip(*values, strict=True)
    return mean_rows(a), mean_rows(b)


def test_paired_bootstrap_of_means_is_the_bootstrap_of_differences() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random(50), rng.random(50)
    ours = paired_bootstrap(mean_rows(a), mean_rows(b), mean, resamples=100, seed=3)
    assert ours == pytest.approx(bootstrap(mean_rows(a - b), mean, resamples=100, seed=3))


def test_paired_bootstrap_agrees_with_scipy() -> None:
    rng = np.random.default_rng(0)
    a = rng.random(200)
    b = a * 0.7 + rng.random(200) * 0.4
    ours = paired_bootstrap(mean_rows(a), mean_rows(b), mean, resamples=10_000, seed=1)
    theirs = scipy.stats.bootstrap(
        (a, b), lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis), paired=True,
        n_resamples=10_000, method="percentile", batch=500, rng=np.random.default_rng(2),
    )  # fmt: skip
    assert ours.std(ddof=1) == pytest.approx(theirs.standard_error, rel=0.04)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([1.0] * 99, 2 / 100),  # never crosses zero: 2 (1 + 0) / (1 + 99)
        ([-1.0] * 99, 2 / 100),
        ([1.0] * 95 + [-1.0] * 4, 10 / 100),
        ([1.0] * 95 + [0.0] * 4, 10 / 100),  # zero counts on either side
        ([1.0, -1.0, 1.0], 1.0),  # 2 (1 + 1) / 4
        ([0.0] * 9, 1.0),
        ([1.0] * 99 + [math.nan] * 50, 2 / 100),  # undefined trials are left out
    ],
)
def test_bootstrap_p_by_hand(differences: list[float], p: float) -> None:
    assert bootstrap_p(np.array(differences)) == pytest.approx(p)


def test_bootstrap_p_of_nothing_defined_is_undefined() -> None:
    assert math.isnan(bootstrap_p(np.array([math.nan])))


def test_permutation_by_hand() -> None:
    # Differences 1, 2, 3: all-same-sign assignments alone reach 6, that is 2 of 8.
    assert permutation_test(mean_rows([1, 2, 3]), mean_rows([0, 0, 0]), mean) == 2 / 8
    # Differences 1, 1, -1: sum 1 or more in absolute value is reached by every assignment of three ones.
    assert permutation_test(mean_rows([1, 1, 0]), mean_rows([0, 0, 1]), mean) == 1


def test_ties_by_rounding_count_as_ties() -> None:
    # 0.1 + 0.2 - 0.3 is not zero in binary; on paper the systems tie, so every assignment is as extreme.
    a, b = mean_rows([0.1, 0.2, 0.0]), mean_rows([0.0, 0.0, 0.3])
    assert permutation_test(a, b, mean) == 1
    assert bootstrap_p(paired_bootstrap(mean_rows([0.1] * 3), mean_rows([0.3 / 3] * 3), mean)) == 1


def test_exact_permutation_of_means_agrees_with_scipy() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.random(11), rng.random(11) + 0.2
    theirs = scipy.stats.permutation_test(
        (a, b), lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples", n_resamples=np.inf,
        vectorized=True,
    )  # fmt: skip
    assert permutation_test(mean_rows(a), mean_rows(b), mean) == pytest.approx(theirs.pvalue)


def test_exact_permutation_of_a_pooled_ratio_agrees_with_scipy() -> None:
    rng = np.random.default_rng(6)
    a, b = (np.column_stack([rng.integers(0, 6, 8), rng.integers(6, 15, 8)]).astype(float) for _ in "ab")
    ours = permutation_test(a, b, ratio)
    index = np.arange(8)

    def statistic(x: Floats, y: Floats) -> float:
        # Elements carry their sign and place: positive is a's row, negative b's.
        rows = np.concatenate([a, b])
        chosen = [np.where(v > 0, np.abs(v) - 1, np.abs(v) - 1 + 8).astype(int) for v in (x, y)]
        return float(ratio(rows[chosen[0]].sum(axis=0)) - ratio(rows[chosen[1]].sum(axis=0)))

    theirs = scipy.stats.permutation_test(
        (index + 1.0, -(index + 1.0)), statistic, permutation_type="samples", n_resamples=np.inf,
        vectorized=False,
    )  # fmt: skip
    # scipy doubles the smaller tail; swapping all items negates the difference, so the tails are equal.
    assert ours == pytest.approx(theirs.pvalue)


def test_random_permutation_agrees_with_scipy() -> None:
    rng = np.random.default_rng(7)
    a, b = rng.random(60), rng.random(60) + 0.08
    theirs = scipy.stats.permutation_test(
        (a, b), lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples", n_resamples=40_000,
        vectorized=True, batch=2_000, rng=np.random.default_rng(1),
    )  # fmt: skip
    ours = permutation_test(mean_rows(a), mean_rows(b), mean, resamples=40_000, seed=2)
    assert 0.01 < theirs.pvalue < 0.5
    assert ours == pytest.approx(theirs.pvalue, abs=0.012)


def test_the_smallest_random_p_is_one_over_trials_plus_one() -> None:
    assert permutation_test(mean_rows([1] * 50), mean_rows([0] * 50), mean, resamples=199) == 1 / 200


def test_clusters_are_swapped_whole() -> None:
    # Twenty items, but two clusters: four assignments, of which the two unanimous ones are as extreme.
    a, b = mean_rows([1] * 20), mean_rows([0] * 20)
    assert permutation_test(a, b, mean, clusters=np.repeat([0, 1], 10)) == 2 / 4
    assert permutation_test(a, b, mean, resamples=999) == 1 / 1000


def test_undefined_permutations_are_left_out() -> None:
    # Swapping only the first item leaves a with nothing to divide by; so does, by symmetry, swapping only the second.
    a, b = np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [0.0, 1.0]])
    assert permutation_test(a, b, ratio) == 2 / 2


def test_an_undefined_difference_has_no_p() -> None:
    nothing = np.zeros((3, 2))
    assert math.isnan(permutation_test(nothing, nothing, ratio))
    assert math.isnan(permutation_test(np.empty((0, 2)), np.empty((0, 2)), ratio))
    assert np.isnan(paired_bootstrap(np.empty((0, 2)), np.empty((0, 2)), ratio, resamples=3)).all()


def test_rows_of_different_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="one shape"):
        paired_bootstrap(np.ones((3, 2)), np.ones((4, 2)), mean)
    with pytest.raises(ValueError, match="one shape"):
        permutation_test(np.ones((3, 2)), np.ones((4, 2)), mean)


@given(pairs, st.integers(0, 2**32))
def test_swapping_the_systems_negates_differences_and_keeps_p(
    values: list[tuple[int, int]], seed: int
) -> None:
    a, b = both(values)
    forth, back = (paired_bootstrap(x, y, mean, resamples=50, seed=seed) for x, y in ((a, b), (b, a)))
    assert np.array_equal(forth, -back)
    assert bootstrap_p(forth) == bootstrap_p(back)
    assert permutation_test(a, b, mean, resamples=50, seed=seed) == permutation_test(
        b, a, mean, resamples=50, seed=seed
    )
    assert mcnemar(a[:, 0] > 0, b[:, 0] > 0) == mcnemar(b[:, 0] > 0, a[:, 0] > 0)


@given(pairs, st.integers(-100, 100), st.integers(0, 2**32))
def test_a_constant_added_to_both_changes_nothing(
    values: list[tuple[int, int]], shift: int, seed: int
) -> None:
    (a, b), add = both(values), np.array([shift, 0.0])
    assert paired_bootstrap(a + add, b + add, mean, resamples=30, seed=seed) == pytest.approx(
        paired_bootstrap(a, b, mean, resamples=30, seed=seed), abs=1e-8
    )
    assert permutation_test(a + add, b + add, mean, resamples=30, seed=seed) == permutation_test(
        a, b, mean, resamples=30, seed=seed
    )


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=30))
def test_identical_systems_never_differ(values: list[int]) -> None:
    rows = mean_rows(np.array(values) / 7)
    differences = paired_bootstrap(rows, rows, mean, resamples=20)
    assert not differences.any()
    assert bootstrap_p(differences) == permutation_test(rows, rows, mean, resamples=20) == 1


@given(st.permutations(range(9)))
def test_the_order_of_items_is_nothing_to_an_exact_test(order: list[int]) -> None:
    # Where assignments are drawn, another order meets other random bits: p moves as under another seed.
    rng = np.random.default_rng(1)
    a, b = mean_rows(rng.random(9)), mean_rows(rng.random(9))
    assert permutation_test(a[order], b[order], mean) == permutation_test(a, b, mean)


def test_the_order_of_items_moves_a_sampled_p_no_more_than_the_seed_does() -> None:
    rng = np.random.default_rng(2)
    a, b = mean_rows(rng.random(80)), mean_rows(rng.random(80) + 0.06)
    order = rng.permutation(80)
    straight = permutation_test(a, b, mean, resamples=5_000)
    assert permutation_test(a[order], b[order], mean, resamples=5_000) == pytest.approx(straight, abs=0.03)


@pytest.mark.parametrize(
    ("won", "lost"), [(0, 0), (1, 0), (5, 0), (8, 2), (3, 3), (40, 60), (1000, 1100), (0, 1200)]
)
def test_mcnemar_is_the_exact_binomial_test(won: int, lost: int) -> None:
    a = np.array([1.0] * won + [0.0] * lost + [1.0, 0.0] * 3)
    b = np.array([0.0] * won + [1.0] * lost + [1.0, 0.0] * 3)
    expected = scipy.stats.binomtest(won, won + lost).pvalue if won + lost else 1.0
    assert mcnemar(a, b) == pytest.approx(expected, rel=1e-9)


def test_mcnemar_by_hand() -> None:
    # Four disagreements, all won by a: 2 (1/2)^4.
    assert mcnemar(np.ones(4), np.zeros(4)) == pytest.approx(1 / 8)


@pytest.mark.parametrize("seed", range(3))
def test_tests_hold_their_level_when_nothing_differs(seed: int) -> None:
    # 400 null experiments: about 5 % should fall below 0.05; three standard errors allow 1.7 % to 8.3 %.
    rng = np.random.default_rng(seed)
    ps = [
        permutation_test(mean_rows(rng.normal(size=25)), mean_rows(rng.normal(size=25)), mean, resamples=199)
        for _ in range(400)
    ]
    assert np.mean(np.array(ps) <= 0.05) == pytest.approx(0.05, abs=0.033)


def test_sums_of_several_systems_are_those_of_pairs() -> None:
    rng = np.random.default_rng(3)
    rows = [np.column_stack([rng.normal(size=40) + shift, np.ones(40)]) for shift in (0, 0.2, 0.6)]
    sums = Sums(rows, resamples=300, seed=5)
    for a, b in ((0, 1), (2, 0), (1, 2)):
        np.testing.assert_array_equal(
            bootstrap_differences(sums, (a, b), mean),
            paired_bootstrap(rows[a], rows[b], mean, resamples=300, seed=5),
        )
        alone = permutation_test(rows[a], rows[b], mean, resamples=300, finest=2000, seed=5)
        assert permutation_p(sums, (a, b), mean, finest=2000) == alone
