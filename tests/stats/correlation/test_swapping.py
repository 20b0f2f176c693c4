import itertools

import numpy as np
import pytest

from dialeval.stats.correlation.coefficients import COEFFICIENTS
from dialeval.stats.correlation.swapping import swapped_sums, swapper
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
