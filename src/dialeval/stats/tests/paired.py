"""Tests of two systems on the same items: paired bootstrap, approximate randomisation, McNemar.

Everywhere the difference is a's score minus b's. Differences within rounding error of zero are zero, so two
systems that tie on paper tie here too. Trials on which the score is undefined (NaN) are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dialeval.stats.resampling.bootstrap import (
    Aggregate,
    Bits,
    Floats,
    Integers,
    draws,
    every_swap,
    pool,
    random_swaps,
)

ROUNDING: Final = 1e-10
"""Scores closer than this share of their size are equal: sums in another order differ by far less."""

MOST_ENUMERATED: Final = 13
"""Up to this many units, all 2^n assignments are enumerated; 8,192 of them take milliseconds."""


def difference_of(scores_a: Floats, scores_b: Floats) -> Floats:
    """Scores of a minus those of b, elementwise; zero where only rounding tells them apart."""
    difference = scores_a - scores_b
    noise = ROUNDING * (np.abs(scores_a) + np.abs(scores_b))
    return np.where(np.abs(difference) <= noise, 0.0, difference)


def paired_bootstrap(
    rows_a: Floats,
    rows_b: Floats,
    aggregate: Aggregate,
    *,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Integers | None = None,
) -> Floats:
    """Differences on ``resamples`` resamples of the items, the same resample for both systems (Koehn, 2004).

    Row i of both arrays belongs to the same item. ``clusters`` as in ``bootstrap``.
    """
    a, b = _pairs(rows_a, rows_b, clusters)
    if not len(a):
        return np.full(resamples, np.nan)
    # Two products, not one over joined columns: equal rows give equal bits, and swapping negates exactly.
    totals = [(weights @ a, weights @ b) for weights in draws(len(a), resamples=resamples, seed=seed)]
    totals_a, totals_b = (np.concatenate(side) for side in zip(*totals, strict=True))
    return difference_of(aggregate(totals_a), aggregate(totals_b))


def bootstrap_p(differences: Floats) -> float:
    """Two-sided p-value of resampled differences: min(1, 2 (1 + least) / (1 + resamples)).

    ``least`` is the smaller of the numbers of differences <= 0 and >= 0. Koehn (2004) counts one of the two;
    doubling makes it two-sided, and p falls below alpha as the percentile interval of level 1 - alpha leaves
    zero (Efron & Tibshirani, 1993, section 15.4). NaN where no difference is defined.
    """
    defined = differences[~np.isnan(differences)]
    if not defined.size:
        return math.nan
    least = min(np.count_nonzero(defined <= 0), np.count_nonzero(defined >= 0))
    return min(1.0, 2 * (1 + int(least)) / (1 + defined.size))


def permutation_test(
    rows_a: Floats,
    rows_b: Floats,
    aggregate: Aggregate,
    *,
    resamples: int = 1000,
    finest: int = 0,
    alpha: float = 0.05,
    seed: int = 0,
    clusters: Integers | None = None,
) -> float:
    """Two-sided p-value of approximate randomisation (Noreen, 1989): how often chance differs as much.

    Each permutation swaps the two systems' rows of each item (or cluster) with probability one half. The p-value is
    (1 + count) / (1 + resamples), or count / 2^n over all assignments where n <= 13. Where that is below ``alpha``,
    there are ``finest`` permutations if these are more, so that a correction for many tests can still find it so. NaN
    where the observed difference is undefined.
    """
    a, b = _pairs(rows_a, rows_b, clusters)
    gain, total_a, total_b = b - a, a.sum(axis=0), b.sum(axis=0)
    score_a, score_b = aggregate(total_a), aggregate(total_b)
    observed = abs(float(difference_of(score_a, score_b)))
    if not len(a) or math.isnan(observed):
        return math.nan
    exact = len(a) <= MOST_ENUMERATED
    least = observed - ROUNDING * (abs(float(score_a)) + abs(float(score_b)))

    def tally(swaps: Iterable[Bits]) -> tuple[int, int]:
        """How many of these permutations differ as much, and how many have a difference."""
        moved = np.concatenate([swap.astype(np.float64) @ gain for swap in swaps])
        differences = np.abs(difference_of(aggregate(total_a + moved), aggregate(total_b - moved)))
        return int(np.count_nonzero(differences >= least)), int(np.count_nonzero(~np.isnan(differences)))

    if exact:
        count, defined = tally([every_swap(len(a))])
        return count / defined
    count, defined = tally(random_swaps(len(a), resamples=resamples, seed=seed))
    if (1 + count) / (1 + defined) < alpha and finest > resamples:
        count, defined = tally(random_swaps(len(a), resamples=finest, seed=seed))
    return (1 + count) / (1 + defined)


def mcnemar(a: NDArray[np.bool_] | Floats, b: NDArray[np.bool_] | Floats) -> float:
    """Exact two-sided p-value of McNemar's test on paired yes/no values (McNemar, 1947; binomial form).

    Only items on which the systems disagree count: by chance each goes to either with probability one half.
    1 where they never disagree.
    """
    won, lost = int(np.count_nonzero(a > b)), int(np.count_nonzero(a < b))
    n, k = won + lost, min(won, lost)
    above = np.arange(k)
    # log C(n, i) for i = 0..k by its recurrence; sums of logarithms stay finite where n is in the millions.
    log_choose = np.concatenate([[0.0], np.cumsum(np.log(n - above) - np.log(above + 1))])
    tail = math.fsum(np.exp(log_choose - n * math.log(2)))
    return min(1.0, 2 * tail)


def _pairs(rows_a: Floats, rows_b: Floats, clusters: Integers | None) -> tuple[Floats, Floats]:
    if rows_a.shape != rows_b.shape:
        raise ValueError(f"paired rows must have one shape, not {rows_a.shape} and {rows_b.shape}")
    return pool(rows_a, clusters), pool(rows_b, clusters)
