"""Correlations with one human ranking over many test sets, and their distribution in five numbers."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from dialeval.stats.correlation.coefficients import correlations
from dialeval.stats.estimate import Coefficient
from dialeval.stats.resampling.bootstrap import Floats

Five: TypeAlias = tuple[float, float, float, float, float]
"""Least, first quartile, median, third quartile, greatest: the numbers of a box plot."""


class OverSets(NamedTuple):
    """The correlations over many test sets."""

    values: Floats
    """One per test set that has a correlation."""
    undefined: int
    """Test sets without one: all systems tie, or fewer than two have a score."""

    @property
    def five(self) -> Five | None:
        """The five numbers of a box plot; None where no test set has a correlation."""
        return five_numbers(self.values) if self.values.size else None


def over_scores(human: Floats, scores: Floats, coefficient: Coefficient = "spearman") -> OverSets:
    """The correlation of systems' scores with people's on each test set.

    ``human`` has shape (systems,) and ``scores`` (test sets, systems); NaN is a missing score.
    """
    usable = ~np.isnan(human) & ~np.isnan(scores)
    values = np.full(len(scores), np.nan)
    # A test set may leave a system without any score; those with the same systems are correlated together.
    for pattern in np.unique(usable, axis=0):
        same = (usable == pattern).all(axis=1)
        if pattern.sum() > 1:
            rows = scores[np.ix_(same, pattern)]
            values[same] = correlations(np.broadcast_to(human[pattern], rows.shape), rows, coefficient)
    defined = values[~np.isnan(values)]
    return OverSets(defined, len(values) - len(defined))


def five_numbers(values: Floats) -> Five:
    """The least value, the quartiles and the greatest, of one value or more."""
    least, first, median, third, greatest = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return least, first, median, third, greatest
