import itertools
import math
import warnings

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from dialeval.stats.correlation.coefficients import (
    COEFFICIENTS,
    MOST_ORDERED,
    correlations,
    kendall,
    pearson,
    spearman,
)

KINDS = ("pearson", "spearman", "kendall")
SCIPY = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}

grades = hnp.arrays(np.float64, st.tuples(st.just(2), st.integers(3, 40)), elements=st.integers(-9, 9))
reals = hnp.arrays(
    np.float64,
    st.tuples(st.just(2), st.integers(3, 40)),
    elements=st.floats(-100, 100, allow_subnormal=False),
)


def pairs(n, levels, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(2, n)) if levels is None else rng.integers(levels, size=(2, n)).astype(float)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("levels", [None, 3, 50], ids=["no ties", "many ties", "some ties"])
@pytest.mark.parametrize("n", [3, 4, 7, 33, 34, 61, 400])
def test_values_and_p_equal_scipys(kind, n, levels):
    for seed in range(5):
        x, y = pairs(n, levels, seed)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            continue
        ours, theirs = COEFFICIENTS[kind](x, y), SCIPY[kind](x, y)
        assert ours.value == pytest.approx(theirs.statistic, rel=1e-12, abs=1e-14)
        assert ours.n == n
        if kind != "spearman" or n > MOST_ORDERED:
            assert ours.p == pytest.approx(theirs.pvalue, rel=1e-8, abs=1e-14)


@pytest.mark.parametrize("levels", [None, 3], ids=["no ties", "ties"])
@pytest.mark.parametrize("n", [3, 4, 6])
def test_spearmans_p_of_few_pairs_is_the_share_of_orders_that_are_as_extreme(n, levels):
    for seed in range(5):
        x, y = pairs(n, levels, seed)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            continue
        found = [abs(scipy.stats.spearmanr(x, order).statistic) for order in itertools.permutations(y)]
        seen = abs(scipy.stats.spearmanr(x, y).statistic)
        assert spearman(x, y).p == pytest.approx(np.mean(np.array(found) >= seen - 1e-9))


def test_spearmans_p_equals_scipys_permutation_test():
    x, y = pairs(7, None, 1)
    theirs = scipy.stats.permutation_test(
        (y,),
        lambda order: scipy.stats.spearmanr(x, order).statistic,
        permutation_type="pairings",
        vectorized=False,
    )
    assert spearman(x, y).p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("n", [3, 4, 9, 10, 15])
def test_no_number_of_pairs_makes_a_perfect_order_certain(n):
    order = np.arange(n, dtype=float)
    assert spearman(order, order).p == pytest.approx(2 / math.factorial(n))
    assert spearman(order, -order).p == pytest.approx(2 / math.factorial(n))


@pytest.mark.parametrize("n", [5, 20, 200])
def test_tau_c_equals_scipys(n):
    for seed in range(10):
        x, y = pairs(n, 4, seed)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            continue
        ours, theirs = kendall(x, y, "c"), scipy.stats.kendalltau(x, y, variant="c")
        assert ours.value == pytest.approx(theirs.statistic, rel=1e-12, abs=1e-14)
        assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9)


@pytest.mark.parametrize("n", [10, 40, 500])
def test_kendalls_p_is_exact_where_almost_nothing_is_out_of_order(n):
    order = np.arange(n, dtype=float)
    for x in (order, order[[1, 0, *range(2, n)]], order[::-1]):
        assert kendall(order, x).p == pytest.approx(scipy.stats.kendalltau(order, x).pvalue, rel=1e-9)


def test_worked_by_hand():
    x, y = [1, 2, 3, 4], [1, 3, 2, 4]
    assert pearson(x, y).value == pytest.approx(0.8)
    assert spearman(x, y).value == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert kendall(x, y).value == pytest.approx((5 - 1) / 6)
    # Of the 24 orders, 1 + 3 have at most one inversion and as many at least five: p = 8/24.
    assert kendall(x, y).p == pytest.approx(8 / 24)


@pytest.mark.parametrize("kind", KINDS)
def test_perfect_order_is_exactly_one(kind):
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert COEFFICIENTS[kind](x, 2 * x).value == 1
    assert COEFFICIENTS[kind](x, -x).value == -1


@pytest.mark.parametrize("kind", KINDS)
def test_two_pairs_tell_nothing(kind):
    assert COEFFICIENTS[kind]([1, 2], [5, 3]).p == 1
    assert COEFFICIENTS[kind]([1, 2], [5, 3]).value == -1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("x", "y", "n", "reason"),
    [
        ([], [], 0, "fewer than 2 pairs (0)"),
        ([1], [2], 1, "fewer than 2 pairs (1)"),
        ([1, math.nan, 3], [2, 2, math.nan], 1, "fewer than 2 pairs (1)"),
        ([3, 3, 3], [1, 2, 3], 3, "all values of the first variable are equal (3)"),
        ([1, 2, 3], [0.5, 0.5, 0.5], 3, "all values of the second variable are equal (0.5)"),
    ],
)
def test_undefined_has_a_reason(kind, x, y, n, reason):
    found = COEFFICIENTS[kind](x, y)
    assert math.isnan(found.value)
    assert math.isnan(found.p)
    assert (found.n, found.reason) == (n, reason)


def test_pearson_of_infinite_or_almost_equal_values_has_a_reason():
    assert pearson([1, 2, math.inf], [1, 2, 3]).reason == "the first variable has infinite values"
    almost = [0.1 + 0.2, 0.3, 0.3]
    assert (
        pearson([1, 2, 3], almost).reason
        == "only rounding error tells the values of the second variable apart"
    )
    assert spearman([1, 2, math.inf], [1, 2, 3]).value == 1


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_with_nan_are_left_out(kind):
    x, y = [1, 5, math.nan, 2, 8], [2, math.nan, 1, 3, 1]
    assert COEFFICIENTS[kind](x, y) == COEFFICIENTS[kind]([1, 2, 8], [2, 3, 1])


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_of_unequal_number_are_refused(kind):
    with pytest.raises(ValueError, match="two rows of one length"):
        COEFFICIENTS[kind]([1, 2, 3], [1, 2])


@pytest.mark.parametrize("kind", KINDS)
def test_large_values_do_not_overflow(kind):
    x = np.array([1e200, 2e200, 4e200])
    assert COEFFICIENTS[kind](x, x * 1e100).value == pytest.approx(1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [2, 5, 33])
def test_stacks_equal_row_by_row(kind, n):
    rng = np.random.default_rng(n)
    x, y = rng.integers(4, size=(3, 1, n)).astype(float), rng.integers(4, size=(1, 6, n)).astype(float)
    x[0, 0] = 2
    found = correlations(x, y, kind)
    assert found.shape == (3, 6)
    for i in range(3):
        for j in range(6):
            alone = COEFFICIENTS[kind](x[i, 0], y[0, j]).value
            assert found[i, j] == pytest.approx(alone, nan_ok=True, abs=1e-14)
    assert np.isnan(found[0]).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [0, 1])
def test_rows_too_short_to_correlate_are_nan(kind, n):
    assert np.isnan(correlations(np.zeros((2, n)), np.zeros(n), kind)).all()


def test_kendall_of_large_stacks_equals_scipy_beyond_the_point_of_compiling(monkeypatch):
    from dialeval.stats.correlation import weighted

    monkeypatch.setattr(weighted, "MOST_PLAIN", 10)
    rng = np.random.default_rng(1)
    x, y = rng.integers(9, size=(2, 4, 250)).astype(float)
    expected = [scipy.stats.kendalltau(a, b).statistic for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(correlations(x, y, "kendall"), expected, atol=1e-14)


@pytest.mark.parametrize("kind", ["spearman", "kendall"])
@given(grades)
def test_rising_transforms_leave_rank_coefficients_alone(kind, values):
    x, y = values
    assume(np.ptp(x) and np.ptp(y))
    same = COEFFICIENTS[kind](np.exp(x), y**3)
    assert same.value == COEFFICIENTS[kind](x, y).value
    assert same.p == COEFFICIENTS[kind](x, y).p


@given(reals, st.floats(0.01, 100), st.floats(-100, 100))
def test_affine_transforms_leave_pearson_alone(values, scale, shift):
    x, y = values
    assume(np.std(x) > 1e-3 and np.std(y) > 1e-3)
    expected = pearson(x, y).value
    assert pearson(scale * x + shift, y).value == pytest.approx(expected, abs=1e-9)
    assert pearson(x, shift - scale * y).value == pytest.approx(-expected, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=50)
@given(grades, st.randoms(use_true_random=False))
def test_neither_order_nor_sides_matter(kind, values, random):
    x, y = values
    order = list(range(len(x)))
    random.shuffle(order)
    here, there = COEFFICIENTS[kind](x, y), COEFFICIENTS[kind](y[order], x[order])
    assert there.value == pytest.approx(here.value, abs=1e-12, nan_ok=True)
    assert there.n == here.n


@settings(max_examples=200)
@given(grades)
def test_no_warning_and_no_value_outside_its_range(values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in KINDS:
            found = COEFFICIENTS[kind](*values)
            assert not found.defined or (abs(found.value) <= 1 and 0 <= found.p <= 1)


@pytest.mark.parametrize("n", [2, 3, 15, 199, 200, 201])
def test_kendall_of_stacks_is_scipys_on_either_side_of_the_length_where_its_way_changes(n: int) -> None:
    dice = np.random.default_rng(n)
    x = dice.integers(0, 6, (4, 3, n)).astype(float)
    y = dice.integers(0, 4, (3, n)).astype(float)
    x[0, 0] = 1.0
    x[1, 1, 0] = np.inf
    found = correlations(x, y, "kendall")
    assert found.shape == (4, 3)
    for row in np.ndindex(4, 3):
        expected = scipy.stats.kendalltau(x[row], y[row[1]]).statistic
        assert found[row] == pytest.approx(expected, abs=1e-12, nan_ok=True)
    one = correlations(x[2], y[0], "kendall")
    assert one == pytest.approx(
        [scipy.stats.kendalltau(row, y[0]).statistic for row in x[2]], abs=1e-12, nan_ok=True
    )
