import itertools

import numpy as np
import pytest
import scipy.stats

from dialeval.stats.correlation.coefficients import COEFFICIENTS
from dialeval.stats.correlation.swapping import subtracter, swapped_sums, swapper
from dialeval.stats.resampling.bootstrap import every_swap, random_swaps

KINDS = ("pearson", "spearman", "kendall")
STARTS = np.array([0, 5, 6, 14])
SIZES = ["plain", "compiled"]


@pytest.fixture(params=SIZES)
def size(request, monkeypatch):
    if request.param == "compiled":
        for module in ("weighted", "swapping"):
            monkeypatch.setattr(f"dialeval.stats.correlation.{module}.MOST_PLAIN", 0)
    return request.param


def triples(levels, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(3, 14)) if levels is None else rng.integers(levels, size=(3, 14)).astype(float)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("levels", [None, 2, 4])
def test_swaps_equal_correlating_the_swapped_values(size, levels, kind):
    human, a, b = triples(levels)
    bits = np.concatenate(list(random_swaps(14, resamples=50, seed=1, cells=100)))
    found = swapper(human, a, b, kind=kind, starts=STARTS, resamples=50)(bits)
    for trial, swap in enumerate(bits.astype(bool)):
        for group, (start, stop) in enumerate(itertools.pairwise(STARTS)):
            for mine, measure in zip(found, (np.where(swap, b, a), np.where(swap, a, b)), strict=True):
                alone = COEFFICIENTS[kind](human[start:stop], measure[start:stop]).value
                assert mine[trial, group] == pytest.approx(alone, abs=1e-12, nan_ok=True)


def test_pearson_keeps_its_digits_where_a_swap_leaves_almost_no_spread(size):
    human = np.array([1.0, 2.0, 4.0])
    a, b = np.array([1.0, 1.0 + 1e-9, 1.0 - 1e-9]), np.array([5.0, -8.0, 2.0])
    of_a, _ = swapper(human, a, b, kind="pearson", starts=np.array([0, 3]), resamples=1)(
        np.zeros((1, 3), np.uint8)
    )
    assert of_a[0, 0] == pytest.approx(np.corrcoef(human, a)[0, 1], abs=1e-6)


def test_sums_are_of_the_swapped_cells(size):
    found = swapped_sums(every_swap(4), np.array([0, 3, 4]), np.array([1.0, 2.0, 4.0, 8.0]), 16)
    assert found.shape == (16, 2)
    np.testing.assert_array_equal(found.sum(axis=1), np.arange(16))
    np.testing.assert_array_equal(found[:, 1], np.repeat([0, 8], 8))


@pytest.mark.parametrize("levels", [None, 3])
def test_differences_of_kendall_without_ties_equal_those_of_both_coefficients(size, levels):
    _, a, b = triples(None)
    human = triples(levels)[0]
    bits = every_swap(14)[::37]
    subtract = subtracter(human, a, b, starts=STARTS, resamples=len(bits))
    of_a, of_b = swapper(human, a, b, kind="kendall", starts=STARTS, resamples=len(bits))(bits)
    if size == "plain":
        assert subtract is None  # numpy counts so few in no time
    else:
        np.testing.assert_allclose(subtract(bits), of_a - of_b, rtol=0, atol=1e-12)
        assert np.isnan(subtract(bits)[:, 1]).all()  # a group of one cell


@pytest.mark.parametrize("side", [0, 1])
def test_kendall_is_not_subtracted_where_a_swap_could_make_ties(monkeypatch, side):
    monkeypatch.setattr("dialeval.stats.correlation.swapping.MOST_PLAIN", 0)
    human, *measures = triples(None)
    measures[side][0] = measures[1][4]
    assert subtracter(human, *measures, starts=STARTS, resamples=10) is None
    measures[side][0] = measures[1][7]  # of another group
    assert subtracter(human, *measures, starts=STARTS, resamples=10) is not None


@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_many_cells_equal_scipy_whether_or_not_values_tie(decimals):
    human, a, b = np.random.default_rng(2).normal(size=(3, 3_000)).round(decimals)
    bits = next(random_swaps(3_000, resamples=70, seed=0))
    starts = np.array([0, 2_900, 3_000])
    found = swapper(human, a, b, kind="kendall", starts=starts, resamples=1_000)(bits)
    for resample in (0, 63, 64, 69):  # both ends of a lot
        swap = bits[resample].astype(bool)
        for mine, measure in zip(found, (np.where(swap, b, a), np.where(swap, a, b)), strict=True):
            alone = [
                scipy.stats.kendalltau(human[part], measure[part]).statistic
                for part in (slice(2_900), slice(2_900, None))
            ]
            np.testing.assert_allclose(mine[resample], alone, rtol=0, atol=1e-12)


def test_counts_beyond_sixteen_bits_are_kept():
    size = 40_000
    human = np.arange(size, dtype=float)
    a, b = human // 2, -human // 3
    bits = np.zeros((2, size), np.uint8)
    bits[1, ::5] = 1
    found = swapper(human, a, b, kind="kendall", starts=np.array([0, size]), resamples=1_000)(bits)
    for resample, swap in enumerate(bits.astype(bool)):
        for mine, measure in zip(found, (np.where(swap, b, a), np.where(swap, a, b)), strict=True):
            alone = scipy.stats.kendalltau(human, measure).statistic
            assert mine[resample, 0] == pytest.approx(alone, abs=1e-12)
