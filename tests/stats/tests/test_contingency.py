"""Fisher's exact and the chi-square test equal scipy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st

from dialeval.stats.tests.contingency import fisher_exact
from dialeval.stats.tests.t_tests import Alternative

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
CELL = st.integers(0, 40)


def test_the_lady_tasting_tea() -> None:
    # Fisher (1935): eight cups, three of four named rightly: (16 + 1) / 70 one-sided, (1 + 16) * 2 / 70 two-sided.
    tea = [[3, 1], [1, 3]]
    assert fisher_exact(tea, "greater") == pytest.approx((9, 17 / 70))
    assert fisher_exact(tea).p == pytest.approx(34 / 70)


@given(st.tuples(CELL, CELL, CELL, CELL), st.sampled_from(ALTERNATIVES))
def test_fisher_equals_scipy(cells: tuple[int, ...], alternative: Alternative) -> None:
    table = np.reshape(cells, (2, 2))
    theirs = scipy.stats.fisher_exact(table, alternative=alternative)
    found = fisher_exact(table, alternative)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert found.odds_ratio == pytest.approx(theirs.statistic, nan_ok=True)
    assert (found.reason is None) == (not math.isnan(found.odds_ratio))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_large_tables_keep_their_digits(alternative: Alternative) -> None:
    table = [[60_500, 59_900], [40_100, 40_300]]
    theirs = scipy.stats.fisher_exact(table, alternative=alternative)
    assert fisher_exact(table, alternative).p == pytest.approx(theirs.pvalue, rel=1e-8)


@given(st.tuples(CELL, CELL, CELL, CELL))
def test_swapping_rows_swaps_the_sides(cells: tuple[int, ...]) -> None:
    table = np.reshape(cells, (2, 2))
    assert fisher_exact(table, "greater").p == pytest.approx(fisher_exact(table[::-1], "less").p)
    assert fisher_exact(table).p == pytest.approx(fisher_exact(table.T).p)


def test_fisher_wants_four_whole_counts() -> None:
    for bad in ([[1, 2, 3], [4, 5, 6]], [[1.5, 2], [3, 4]], [[-1, 2], [3, 4]]):
        with pytest.raises(ValueError, match="whole counts"):
            fisher_exact(bad)
