"""Intraclass correlation of clustered items, such as turns of a dialogue, and the design effect (Kish, 1965)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dialeval.stats.resampling.bootstrap import Aggregate, Floats, Integers, pool
from dialeval.stats.resampling.jackknife import jackknife_error, leave_out


@dataclass(frozen=True, slots=True)
class DesignEffect:
    """Effect of clusters on the precision of a score."""

    items: int
    clusters: int
    icc: float
    """Correlation of two items of one cluster, from -1 to 1; NaN if no cluster has two items, or none vary."""
    value: float
    """Variance by clusters over variance as if items were independent; NaN if either is unknown."""


def repeated(clusters: Integers) -> bool:
    """Whether any cluster has more than one item."""
    return len(np.unique(clusters)) < len(clusters)


def design_effect(rows: Floats, aggregate: Aggregate, clusters: Integers) -> DesignEffect:
    """The design effect of a function of summed rows, from the jackknife with and without clusters.

    For a mean of equal clusters of m items it is about 1 + (m - 1) icc (Kish, 1965, section 5.4).
    """
    every, groups = leave_out(rows, aggregate), leave_out(rows, aggregate, clusters)
    value = variance_ratio(groups.without, every.without)
    influence = every.without.mean() - every.without
    return DesignEffect(len(rows), len(groups.without), intraclass(influence, clusters), value)


def variance_ratio(groups: Floats, items: Floats) -> float:
    """The jackknife's variance by clusters over that by items, from the scores without each; NaN if unknown."""
    together, alone = jackknife_error(groups), jackknife_error(items)
    return (together / alone) ** 2 if math.isfinite(together) and alone > 0 else math.nan


def intraclass(values: Floats, clusters: Integers) -> float:
    """The intraclass correlation of items in clusters, by one-way analysis of variance (Donner, 1986).

    (B - W) / (B + (m - 1) W) with the mean squares B between and W within g clusters, m = (n - sum of squared sizes /
    n) / (g - 1). NaN if there are fewer than two clusters, where none has two items, or if nothing varies.
    """
    sums = pool(np.column_stack([values, np.ones(len(values))]), clusters)
    n, groups = len(values), len(sums)
    if groups < 2 or n == groups or not np.isfinite(values).all() or not np.ptp(values):
        return math.nan
    totals, sizes = sums.T
    overall = float(values.mean())
    between = float((sizes * (totals / sizes - overall) ** 2).sum())
    within = float(((values - overall) ** 2).sum()) - between
    typical = (n - float((sizes**2).sum()) / n) / (groups - 1)
    of_clusters, of_items = between / (groups - 1), max(0.0, within) / (n - groups)
    over = of_clusters + (typical - 1) * of_items
    return (of_clusters - of_items) / over if over > 0 else math.nan
