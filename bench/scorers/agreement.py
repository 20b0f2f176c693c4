"""Correlations of values with people, within systems and over all of them, with bootstrap intervals."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

import numpy as np

from bench.scorers.sets import RatedSet
from dialeval.core import Floats
from dialeval.stats.correlation.bootstrap import bootstrap_level
from dialeval.stats.correlation.levels import level_correlation
from dialeval.stats.estimate import Coefficient, Level

FEWEST: Final = 20
"""Rated subjects that a system needs to be among those whose coefficients are averaged."""
RESAMPLES: Final = 1000


class Estimate(NamedTuple):
    """A correlation and its 95 % interval."""

    value: float
    low: float
    high: float


class Agreement(NamedTuple):
    """How one scorer's values agree with people on one set."""

    n: int
    systems: int
    """How many systems have enough rated subjects."""
    within_spearman: Estimate
    within_pearson: Estimate
    pooled_spearman: Estimate
    pooled_pearson: Estimate


def agreement(rated: RatedSet, values: Floats, *, resamples: int = RESAMPLES) -> Agreement:
    """The mean of each system's own correlation, and that of all subjects together; subjects without a value left out.

    Contexts, or talks, are resampled, with the ratings of all systems on them.
    """
    known = ~np.isnan(values)
    counts = Counter(system for (_, system), here in zip(rated.keys, known, strict=True) if here)
    enough = {system for system, count in counts.items() if count >= FEWEST}

    def estimate(kind: Coefficient, level: Level) -> Estimate:
        kept = known if level == "item" else known & np.array([system in enough for _, system in rated.keys])
        return _estimate(rated, values, kept, kind, level, resamples)

    return Agreement(
        int(known.sum()),
        len(enough),
        estimate("spearman", "item_within_system"),
        estimate("pearson", "item_within_system"),
        estimate("spearman", "item"),
        estimate("pearson", "item"),
    )


def _estimate(
    rated: RatedSet, values: Floats, kept: np.ndarray, kind: Coefficient, level: Level, resamples: int
) -> Estimate:
    if not kept.any():
        return Estimate(np.nan, np.nan, np.nan)
    keys = [key for key, keep in zip(rated.keys, kept, strict=True) if keep]
    cluster_of = dict(zip((item for item, _ in rated.keys), rated.clusters, strict=True))
    items, item = np.unique([item for item, _ in keys], return_inverse=True)
    systems, system = np.unique([system for _, system in keys], return_inverse=True)
    human, scores = (np.full((len(systems), len(items)), np.nan) for _ in range(2))
    human[system, item], scores[system, item] = rated.ratings[kept], values[kept]
    clusters = np.unique([cluster_of[name] for name in items.tolist()], return_inverse=True)[1]
    value = level_correlation(human, scores, kind=kind, level=level).value
    drawn = bootstrap_level(
        human, scores, kind=kind, level=level, resamples=resamples, clusters=clusters.astype(np.int64)
    )
    if np.isnan(drawn).all():
        return Estimate(value, np.nan, np.nan)
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    return Estimate(value, float(low), float(high))
