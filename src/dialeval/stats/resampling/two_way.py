"""Intervals for other items and other raters alike, where every value has an item and a rater.

Resampling items alone says how far a score would move with other items for these raters. Where raters have tastes of
their own, other raters would move it too. The variance of both is that by items plus that by raters minus that by
single values, which both contain (Cameron, Gelbach & Miller, 2011; for the bootstrap: Owen, 2007).
"""

from __future__ import annotations

import math

import numpy as np

from dialeval.stats.resampling.bootstrap import Aggregate, Bounds, Floats, Integers, pool
from dialeval.stats.resampling.jackknife import SkewedT, leave_out


def two_way_interval(
    rows: Floats, aggregate: Aggregate, items: Integers, raters: Integers, *, confidence: float = 0.95
) -> Bounds:
    """Where the score of other items and other raters like these plausibly lies; NaN with one item or one rater.

    ``rows`` has one line per rating, ``items`` and ``raters`` say whose it is; rows of differences between two systems
    give the interval of the difference. Score ± t * error, with the error and t of `two_way`.
    """
    return two_way(rows, aggregate, items, raters).interval(confidence)


def two_way(rows: Floats, aggregate: Aggregate, items: Integers, raters: Integers) -> SkewedT:
    """The score with its error over other items and raters, from which interval and p-value follow, not skewed.

    The error is NaN with one item or one rater. The degrees of freedom are those of a sum of variances (Satterthwaite,
    1946): with three raters who differ in taste, few.
    """
    left_out = leave_out(rows, aggregate)
    influence = (left_out.without.mean() - left_out.without) * (len(rows) - 1) / max(1, len(rows))
    by_item, by_rater, alone = (variance_by(influence, labels) for labels in (items, raters, None))
    # Below either of its parts the sum is an accident of few raters or items.
    variance = max(by_item + by_rater - alone, by_item, by_rater)
    if math.isnan(variance):
        return SkewedT(left_out.score, math.nan, 0.0, math.nan, few=True)
    degrees = _degrees((by_item, len(np.unique(items))), (by_rater, len(np.unique(raters))), variance)
    return SkewedT(left_out.score, math.sqrt(variance), 0.0, degrees, few=True)


def variance_by(influence: Floats, clusters: Integers | None) -> float:
    """The variance of a score from what each value adds to it, these adding up to 0, in clusters; NaN with one."""
    sums = pool(influence[:, None], clusters)[:, 0]
    groups = len(sums)
    return groups / (groups - 1) * float((sums**2).sum()) if groups > 1 else math.nan


def _degrees(first: tuple[float, int], second: tuple[float, int], variance: float) -> float:
    parts = sum(part**2 / (groups - 1) for part, groups in (first, second))
    return variance**2 / parts if parts else float(min(first[1], second[1]) - 1)
