"""Tests of two systems on the same items: paired bootstrap, approximate randomisation, McNemar.

Everywhere the difference is a's score minus b's. Differences within rounding error of zero are zero, so two
systems that tie on paper tie here too. Trials on which the score is undefined (NaN) are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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

SMALL: Final = 1 << 18
"""OpenBLAS lets one thread do a product of up to this many multiplications."""

MOST_ENUMERATED: Final = 13
"""Up to this many units, all 2^n assignments are enumerated; 8,192 of them take milliseconds."""


def difference_of(scores_a: Floats, scores_b: Floats) -> Floats:
    """Scores of a minus those of b, elementwise; zero if only rounding tells them apart."""
    difference = scores_a - scores_b
    noise = ROUNDING * (np.abs(scores_a) + np.abs(scores_b))
    return np.where(np.abs(difference) <= noise, 0.0, difference)


class Sums:
    """Sums of several systems' rows over the same resamples and permutations, each computed when first asked for.

    Row i of all arrays belongs to the same item. ``clusters`` as in ``bootstrap``.
    """

    def __init__(
        self, rows: Sequence[Floats], *, resamples: int, seed: int, clusters: Integers | None = None
    ) -> None:
        shapes = {table.shape for table in rows}
        if len(shapes) != 1:
            raise ValueError(f"paired rows must have one shape, not {' and '.join(map(str, sorted(shapes)))}")
        self.resamples, self.seed = resamples, seed
        self.units = [pool(table, clusters) for table in rows]
        self.n = len(self.units[0])
        self._drawn: list[Floats] = []
        self._swapped: dict[int, list[Floats]] = {}

    def drawn(self, system: int) -> Floats:
        """Sums of that system's rows over each resample, shape (resamples, k)."""
        if not self._drawn:
            self._drawn = self._products(draws(self.n, resamples=self.resamples, seed=self.seed))
        return self._drawn[system]

    def swapped(self, system: int, permutations: int) -> Floats:
        """Sums of the rows that each permutation takes from that system; all assignments if there are few units."""
        if permutations not in self._swapped:
            few = self.n <= MOST_ENUMERATED
            swaps = (
                [every_swap(self.n)] if few else random_swaps(self.n, resamples=permutations, seed=self.seed)
            )
            self._swapped[permutations] = self._products(swaps)
        return self._swapped[permutations][system]

    def _products(self, blocks: Iterable[Floats | Bits]) -> list[Floats]:
        # A product for each system, not one over joined columns: equal rows give equal bits, and swapping negates
        # exactly. Each is small enough for one thread: several would mostly wait for memory and for each other.
        rows = max(1, SMALL // max(1, self.units[0].size))
        sums: list[list[Floats]] = [[] for _ in self.units]
        for block in blocks:
            for start in range(0, len(block), rows):
                weights = block[start : start + rows].astype(np.float64, copy=False)
                for system, units in zip(sums, self.units, strict=True):
                    system.append(weights @ units)
        return [np.concatenate(system) for system in sums]


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
    return bootstrap_differences(
        Sums([rows_a, rows_b], resamples=resamples, seed=seed, clusters=clusters), (0, 1), aggregate
    )


def bootstrap_differences(sums: Sums, pair: tuple[int, int], aggregate: Aggregate) -> Floats:
    """Compare two systems among several, whose sums are computed once."""
    if not sums.n:
        return np.full(sums.resamples, np.nan)
    a, b = pair
    return difference_of(aggregate(sums.drawn(a)), aggregate(sums.drawn(b)))


def bootstrap_p(differences: Floats) -> float:
    """Two-sided p-value of resampled differences: min(1, 2 (1 + least) / (1 + resamples)).

    ``least`` is the smaller of the numbers of differences <= 0 and >= 0. Koehn (2004) counts one of the two;
    doubling makes it two-sided, and p falls below alpha as the percentile interval of level 1 - alpha leaves
    zero (Efron & Tibshirani, 1993, section 15.4). NaN if no difference is defined.
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
    (1 + count) / (1 + resamples), or count / 2^n over all assignments if n <= 13. Where that is below ``alpha``,
    there are ``finest`` permutations if these are more, so that a correction for many tests can still find it so. NaN
    where the observed difference is undefined.
    """
    sums = Sums([rows_a, rows_b], resamples=resamples, seed=seed, clusters=clusters)
    return permutation_p(sums, (0, 1), aggregate, finest=finest, alpha=alpha)


def permutation_p(
    sums: Sums, pair: tuple[int, int], aggregate: Aggregate, *, finest: int = 0, alpha: float = 0.05
) -> float:
    """Compare two systems among several, whose sums are computed once."""
    a, b = pair
    total_a, total_b = sums.units[a].sum(axis=0), sums.units[b].sum(axis=0)
    score_a, score_b = aggregate(total_a), aggregate(total_b)
    observed = abs(float(difference_of(score_a, score_b)))
    if not sums.n or math.isnan(observed):
        return math.nan
    least = observed - ROUNDING * (abs(float(score_a)) + abs(float(score_b)))

    def tally(permutations: int) -> tuple[int, int]:
        """Count permutations that differ as much, and those that have a difference."""
        moved = sums.swapped(b, permutations) - sums.swapped(a, permutations)
        differences = np.abs(difference_of(aggregate(total_a + moved), aggregate(total_b - moved)))
        return int(np.count_nonzero(differences >= least)), int(np.count_nonzero(~np.isnan(differences)))

    count, defined = tally(sums.resamples)
    if sums.n <= MOST_ENUMERATED:
        return count / defined
    if (1 + count) / (1 + defined) < alpha and finest > sums.resamples:
        count, defined = tally(finest)
    return (1 + count) / (1 + defined)


def mcnemar(a: NDArray[np.bool_] | Floats, b: NDArray[np.bool_] | Floats) -> float:
    """Exact two-sided p-value of McNemar's test on paired yes/no values (McNemar, 1947; binomial form).

    Only items on which the systems disagree count: by chance each goes to either with probability one half.
    1 if they never disagree.
    """
    won, lost = int(np.count_nonzero(a > b)), int(np.count_nonzero(a < b))
    n, k = won + lost, min(won, lost)
    above = np.arange(k)
    # log C(n, i) for i = 0..k by its recurrence; sums of logarithms stay finite where n is in the millions.
    log_choose = np.concatenate([[0.0], np.cumsum(np.log(n - above) - np.log(above + 1))])
    tail = math.fsum(np.exp(log_choose - n * math.log(2)))
    return min(1.0, 2 * tail)
