"""Correction for making many comparisons at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.resampling.bootstrap import Floats, Integers


def holm(p_values: ArrayLike) -> Floats:
    """Adjusted p-values, in the order given, that keep the family-wise error rate (Holm, 1979).

    The i-th smallest of m is multiplied by m - i + 1, made no smaller than those before it, and clipped at 1.
    NaN stays NaN and is not one of the m.
    """
    given, order = _ascending(p_values)
    adjusted = np.full(given.shape, np.nan)
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(given[order] * factors))
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Adjusted p-values, in the order given, that keep the false discovery rate (Benjamini & Hochberg, 1995).

    The i-th smallest of m is multiplied by m / i, made no larger than those after it, and clipped at 1: calling
    significant all that fall below q lets a share of at most q of these be false, if the tests are independent or
    depend on each other positively. NaN stays NaN and is not one of the m.
    """
    given, order = _ascending(p_values)
    adjusted = np.full(given.shape, np.nan)
    factors = len(order) / np.arange(1, len(order) + 1)
    adjusted[order] = np.minimum(1, np.minimum.accumulate((given[order] * factors)[::-1])[::-1])
    return adjusted


def _ascending(p_values: ArrayLike) -> tuple[Floats, Integers]:
    """The p-values as an array, and the places of those that are no NaN, smallest first."""
    given = np.asarray(p_values, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(given))
    return given, tested[np.argsort(given[tested], kind="stable")]
