"""Correction for making many comparisons at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.resampling import Floats


def holm(p_values: ArrayLike) -> Floats:
    """Adjusted p-values, in the order given, that keep the family-wise error rate (Holm, 1979).

    The i-th smallest of m is multiplied by m - i + 1, made no smaller than those before it, and clipped at 1.
    NaN stays NaN and is not one of the m.
    """
    given = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(given.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(given))
    order = tested[np.argsort(given[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(given[order] * factors))
    return adjusted
