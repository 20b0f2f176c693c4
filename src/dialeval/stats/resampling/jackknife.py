"""The jackknife: how far a score would move with other items, from leaving each out in turn (Tukey, 1958).

It suits scores that the bootstrap biases, such as the number of distinct words, which a resample with its repeats
always lowers. Its variance is too large on average, never too small, for whatever function of exchangeable items
(Efron & Stein, 1981).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from dialeval.stats.resampling.bootstrap import Aggregate, Bounds, Floats, Integers, in_blocks, pool, sum_rows
from dialeval.stats.resampling.students_t import t_quantile
from dialeval.stats.tests.paired import ROUNDING

FEW: Final = 50
"""Below this many units an interval takes the wider of the plain and the corrected end, on either side.

Units count as few too where a few of them make up the spread: as many as units of a normal distribution whose squares
vary as much.
"""


class LeftOut(NamedTuple):
    """A score, and what it would be without each unit."""

    score: float
    without: Floats
    """One per unit, shape (units,); NaN where the rest has no score."""


def leave_out(rows: Floats, aggregate: Aggregate, clusters: Integers | None = None) -> LeftOut:
    """The score of summed rows, and without each row or each cluster of rows."""
    units = pool(rows, clusters)
    total = sum_rows(units)
    with np.errstate(invalid="ignore", divide="ignore"):  # without the only unit nothing is left
        without = in_blocks(lambda rows: aggregate(total - rows), units) if len(units) else np.empty(0)
    return LeftOut(float(aggregate(total)), without)


def jackknife_error(without: Floats) -> float:
    """The standard error of a score, from the scores without each of g units.

    sqrt((g - 1) / g * sum of (score without one - mean of these)^2). NaN of fewer than two units, or where one of the
    scores is undefined.
    """
    units = len(without)
    if units < 2 or not np.isfinite(without).all():
        return math.nan
    return math.sqrt((units - 1) / units * float(((without - without.mean()) ** 2).sum()))


def jackknife_interval(score: float, without: Floats, confidence: float = 0.95) -> Bounds:
    """Where the expected score of as many items lies: score ± t * error, t of g - 1 degrees of freedom."""
    reach = t_quantile(len(without) - 1, confidence) * jackknife_error(without)
    return Bounds(score - reach, score + reach)


class Source(NamedTuple):
    """A source of variance beside the units, such as the runs of a system with other seeds."""

    variance: float
    """Of the score."""
    degrees: float
    """Of freedom: one less than the values that it was estimated from."""


def source_of(values: Floats) -> Source | None:
    """The variance of a mean of these values, such as the scores of runs; None of fewer than two."""
    n = len(values)
    return Source(float(values.var(ddof=1)) / n, n - 1) if n > 1 else None


class SkewedT(NamedTuple):
    """What Hall's correction of the jackknife's interval rests on; see `skewed_t_interval`."""

    score: float
    error: float
    """NaN where undefined."""
    shift: float
    """Skewness of the units' pseudo-values over the root of their number; 0 without spread."""
    degrees: float
    """Of freedom: one less than units, or fewer where another source of variance rests on few values."""
    few: bool
    """Whether the skewness is itself hardly known."""
    effective: float = math.inf
    """Units of a normal distribution whose squares vary as much as those of the units do, and no more than these."""

    @property
    def p(self) -> float:
        """Two-sided p-value of Student's t test that the expected score is 0; NaN where the error is undefined.

        A score that is the same without every unit has no error: then it is as sure as so many equal signs.
        """
        if math.isnan(self.error) or self.score == 0:
            return math.nan if math.isnan(self.error) else 1.0
        if self.error <= ROUNDING * abs(self.score):
            return float(2.0**-self.degrees)
        from scipy.special import stdtr

        return float(2 * stdtr(self.degrees, -abs(self.score) / self.error))

    def widened(self, sources: Sequence[Source]) -> SkewedT:
        """With the variance of other sources, which are not skewed as far as we know.

        The degrees of freedom are those of a sum of variances (Satterthwaite, 1946).
        """
        own = Source(self.error**2, self.degrees)
        variance = own.variance + sum(source.variance for source in sources)
        if not variance > own.variance:
            return self
        parts = sum(source.variance**2 / source.degrees for source in (own, *sources) if source.variance)
        degrees = variance**2 / parts
        shift = self.shift * (own.variance / variance) ** 1.5
        few = self.few or degrees < FEW
        return SkewedT(self.score, math.sqrt(variance), shift, degrees, few, self.effective)

    def interval(self, confidence: float) -> Bounds:
        """The ends, for any confidence."""
        quantile = t_quantile(self.degrees, confidence)
        low, high = (self.score - _inverse(end, self.shift) * self.error for end in (quantile, -quantile))
        if self.few:
            reach = quantile * self.error
            low, high = min(low, self.score - reach), max(high, self.score + reach)
        return Bounds(low, high)


def skewed_t(score: float, without: Floats) -> SkewedT:
    """From a score, and the scores without each unit."""
    error, units = jackknife_error(without), len(without)
    if not error > 0:  # nor is NaN
        return SkewedT(score, error, 0.0, units - 1, few=True)
    # Pseudo-values go down where scores without the unit go up; scaled, so that powers of small numbers are not 0.
    pseudo = without.mean() - without
    pseudo /= np.abs(pseudo).max()
    # By multiplication: powers of negative numbers take a hundred times as long.
    squared = pseudo * pseudo
    squares, fourths = float(squared.mean()), float((squared * squared).mean())
    cubes = float((squared * pseudo).mean())
    effective = min(units, 3 * units * squares**2 / fourths)
    shift = cubes / squares**1.5 / math.sqrt(units)
    return SkewedT(score, error, shift, units - 1, effective < FEW, effective)


def skewed_t_interval(score: float, without: Floats, confidence: float = 0.95) -> Bounds:
    """The jackknife's interval with Hall's correction for the skewness of the units (Hall, 1992, JRSS B 54).

    With the skewness s of the units' pseudo-values, g(t) = t + b t^2 / 3 + b^2 t^3 / 27 + b / 6, b = s / sqrt(units),
    has a distribution free of skewness to the first order, and grows with t. The ends are score - g^-1(±q) * error, q
    being Student's quantile of units - 1 degrees of freedom. Where there are `FEW` units, or a few of many make up the
    spread, the skewness is itself hardly known: then each end is the farther one of this interval and of
    `jackknife_interval`. NaN as there.

    Percentile and BCa intervals cover less at every size that we measured (``python -m bench calibration``).
    """
    return skewed_t(score, without).interval(confidence)


def jackknife_p(score: float, without: Floats) -> float:
    """Two-sided p-value of Student's t test that the expected score is 0; NaN where there is no error."""
    return SkewedT(score, jackknife_error(without), 0.0, len(without) - 1, few=True).p


def _inverse(value: float, shift: float) -> float:
    """Where Hall's transformation takes this value: it is ((1 + b t / 3)^3 - 1) / b + b / 6."""
    if abs(shift) < 1e-9:
        return value
    return 3 / shift * (float(np.cbrt(1 + shift * (value - shift / 6))) - 1)
