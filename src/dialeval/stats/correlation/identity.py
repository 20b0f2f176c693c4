"""The correlation that knowing only the system of each response gives."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.resampling.bootstrap import Floats


class IdentityCorrelation(NamedTuple):
    """Pearson's correlation, over all answers, of ratings with the mean rating of the system of each."""

    observed: float
    """The root of the share of the ratings' spread that lies between systems' means; NaN where ratings do not vary."""
    by_chance: float
    """What it would be on average if the systems did not differ: means of few items differ all the same."""
    corrected: float
    """Without what chance adds: the root of epsilon squared (Kelley, 1935); 0 where nothing is left."""


def identity_correlation(ratings: ArrayLike) -> IdentityCorrelation:
    """Of ratings, shape (systems, items), NaN where there is none.

    With the sum of squares B between the means of k systems, T that of all ratings, and M the mean square of what is
    neither system nor item: corrected² = (B - (k - 1) M) / T. Items are taken into account where all systems
    have the same ones, so that their means share what items do to them; else M is the mean square within systems.
    """
    table = np.asarray(ratings, dtype=np.float64)
    rated = ~np.isnan(table)
    table, rated = table[rated.any(axis=1)], rated[rated.any(axis=1)]
    values = table[rated]
    total = float(((values - values.mean()) ** 2).sum()) if values.size else 0.0
    if not total or not np.ptp(values):
        return IdentityCorrelation(math.nan, math.nan, math.nan)
    counts = rated.sum(axis=1)
    means = np.where(rated, table, 0.0).sum(axis=1) / counts
    between = float((counts * (means - values.mean()) ** 2).sum())
    noise = (len(table) - 1) * _mean_square(table[:, rated.any(axis=0)], between, total)
    left = max(0.0, between - noise)
    return IdentityCorrelation(
        math.sqrt(between / total), math.sqrt(min(1.0, noise / total)), math.sqrt(left / total)
    )


def _mean_square(table: Floats, between: float, total: float) -> float:
    """The mean square of the rest, per degree of freedom; 0 where there is none to know it from."""
    systems, items = table.shape
    if not np.isnan(table).any():
        of_items = systems * float(((table.mean(axis=0) - table.mean()) ** 2).sum())
        degrees = (systems - 1) * (items - 1)
        return max(0.0, total - between - of_items) / degrees if degrees else 0.0
    degrees = int((~np.isnan(table)).sum()) - systems
    return max(0.0, total - between) / degrees if degrees > 0 else 0.0
