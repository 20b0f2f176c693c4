"""Intervals of yes/no measures: proportions, of independent or clustered items, and their paired differences."""

from __future__ import annotations

import math

import numpy as np

from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.bootstrap import Bounds, Floats, Integers, check_confidence, pool


def clopper_pearson(yes: float, n: float, confidence: float = 0.95) -> Bounds:
    """The exact interval of a proportion, ``yes`` of ``n`` items (Clopper & Pearson, 1934).

    Its ends are beta quantiles, so that neither tail exceeds (1 - confidence) / 2 whatever the true proportion is;
    never of width zero. Both counts may be fractions, as an effective sample size is.
    """
    check_confidence(confidence)
    if not 0 <= yes <= n or n <= 0:
        raise ValueError(f"a proportion is of 0 to n items, n above 0, not {yes:g} of {n:g}")
    # Special functions alone: scipy.stats takes a second to import.
    from scipy.special import betaincinv

    tail, no = (1 - confidence) / 2, n - yes
    low = float(betaincinv(yes, no + 1, tail)) if yes > 0 else 0.0
    high = float(betaincinv(yes + 1, no, 1 - tail)) if no > 0 else 1.0
    return (low, high)


def proportion(yes: int, n: int, confidence: float = 0.95) -> Estimate:
    """Return the share of ``yes`` among ``n``, with Clopper and Pearson's interval."""
    if not n:
        return Estimate.undefined("there is nothing to take a share of")
    return Estimate(yes / n, *clopper_pearson(yes, n, confidence), n)


def clustered_proportion(values: Floats, clusters: Integers, confidence: float = 0.95) -> Bounds:
    """The interval of a proportion of clustered items: Clopper and Pearson's of an effective number of items.

    With p the proportion and V the variance of p by clusters (the jackknife's, of g - 1 degrees of freedom), these
    are n* = p (1 - p) / V items, times the squared ratio of Student's quantiles of n - 1 and of g - 1 degrees (Korn &
    Graubard, 1998), and no more than n. If all values are equal, or no two clusters differ, V is unknown: then n*
    is the number of clusters, as if all items of one were copies of each other.
    """
    n, share = len(values), float(values.mean())
    rows = pool(np.column_stack([values, np.ones(n)]), clusters)
    effective = _effective_items(rows, share, n, confidence)
    return clopper_pearson(share * effective, effective, confidence)


def paired_proportions(a: Floats, b: Floats, confidence: float = 0.95) -> Bounds:
    """The interval of the difference of two systems' proportions on the same independent items.

    Adjusted Wald (Bonett & Price, 2012): one item is added to either kind of disagreement, f of n + 2 items favour a
    and g favour b: (f - g) / (n + 2) ± z sqrt((f + g - (f - g)^2 / (n + 2))) / (n + 2). Never of width zero.
    """
    check_confidence(confidence)
    if a.shape != b.shape or a.ndim != 1 or not a.size:
        raise ValueError(f"paired values must have one shape (n,), not {a.shape} and {b.shape}")
    n, won, lost = len(a) + 2, 1 + np.count_nonzero(a > b), 1 + np.count_nonzero(a < b)
    middle = (won - lost) / n
    reach = _z(confidence) * math.sqrt(won + lost - (won - lost) ** 2 / n) / n
    return (max(-1.0, middle - reach), min(1.0, middle + reach))


def _effective_items(rows: Floats, share: float, n: int, confidence: float) -> float:
    groups = len(rows)
    if groups < 2:
        return float(groups)
    away = rows[:, 0] - share * rows[:, 1]
    variance = groups / (groups - 1) * float((away**2).sum()) / n**2
    if variance <= 0:
        return float(groups)
    from scipy.special import stdtrit

    tail = (1 + confidence) / 2
    narrower = float(stdtrit(n - 1, tail) / stdtrit(groups - 1, tail))
    return min(float(n), max(1.0, share * (1 - share) / variance * narrower**2))


def _z(confidence: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))
