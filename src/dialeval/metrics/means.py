"""Rows of metrics whose corpus score is the mean of their values: ``(value, 1)``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialeval.core import Floats


def rows_of_values(values: Sequence[float]) -> Floats:
    """One row ``(value, 1)`` per value, shape (n, 2)."""
    rows = np.ones((len(values), 2))
    rows[:, 0] = values
    return rows


def mean_of_rows(totals: Floats) -> Floats:
    """The mean of the values that were summed, shape (..., 2) to (...); NaN of none."""
    values, count = totals[..., 0], totals[..., 1]
    means: Floats = np.divide(values, count, out=np.full(np.shape(count), np.nan), where=count > 0)
    return means
