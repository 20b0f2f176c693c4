"""The jackknife: how far a score would move with other items, from leaving each out in turn (Tukey, 1958).

It suits scores that the bootstrap biases, such as the number of distinct words, which a resample with its repeats
always lowers. Its variance is too large on average, never too small, for whatever function of exchangeable items
(Efron & Stein, 1981).

Resampling items alone says how far a score would move with other items for these raters. If raters have tastes of
their own, other raters would move it too: `two_way` adds the variance by items and that by raters, minus that by single
values, which both contain (Cameron, Gelbach & Miller, 2011; for the bootstrap: Owen, 2007).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from dialeval.stats.resampling.bootstrap import (
    Aggregate,
    Bounds,
    Floats,
    Integers,
    check_confidence,
    in_blocks,
    pool,
    sum_rows,
)
from dialeval.stats.tests.paired import ROUNDING

_TABLE: Final = Path(__file__).with_name("students_t_95.txt")
"""Values of ``scipy.special.stdtrit`` to the last bit, so that small inputs need not import scipy."""
TABULATED: Final = 1000
"""Up to as many degrees of freedom, at a confidence of 0.95."""


def t_quantile(degrees: float, confidence: float) -> float:
    """Quantile that Student's t stays below in size with this probability; NaN without degrees of freedom."""
    check_confidence(confidence)
    if not degrees > 0:
        return math.nan
    if confidence == 0.95 and degrees <= TABULATED and degrees == int(degrees):
        return _tabulated()[int(degrees) - 1]
    # Special functions alone: scipy.stats takes a second to import.
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + confidence) / 2))


@cache
def _tabulated() -> tuple[float, ...]:
    return tuple(map(float, _TABLE.read_text(encoding="ascii").split()))


FEW: Final = 50
"""Below this many units an interval takes the wider of the plain and the corrected end, on either side.

Units count as few too where a few of them make up the spread: as many as units of a normal distribution whose squares
vary as much.
"""


class LeftOut(NamedTuple):
    """A score, and what it would be without each unit."""

    score: float
    without: Floats
    """One per unit, shape (units,); NaN if the rest has no score."""


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
    """Interval of the expected score of as many items: score ± t * error, t of g - 1 degrees of freedom."""
    reach = t_quantile(len(without) - 1, confidence) * jackknife_error(without)
    return (score - reach, score + reach)


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
    """Numbers that Hall's correction of the jackknife's interval rests on; see `skewed_t_interval`."""

    score: float
    error: float
    """NaN if undefined."""
    shift: float
    """Skewness of the units' pseudo-values over the root of their number; 0 without spread."""
    degrees: float
    """Of freedom: one less than units, or fewer if another source of variance rests on few values."""
    few: bool
    """Whether the skewness is itself hardly known."""
    effective: float = math.inf
    """Units of a normal distribution whose squares vary as much as those of the units do, and no more than these."""

    @property
    def p(self) -> float:
        """Two-sided p-value of Student's t test that the expected score is 0; NaN if the error is undefined.

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
        return (low, high)


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


def skewed_t_of_samples(score: float, samples: Sequence[Floats]) -> SkewedT:
    """From a score of several independent samples, and for each sample the scores without each of its units.

    The variances of the samples add up (Arvesen, 1969, Ann. Math. Statist. 40), with the degrees of freedom of a sum
    (Satterthwaite, 1946), as do the third moments. One sample is as in `skewed_t`.
    """
    first, *others = samples
    if not others:
        return skewed_t(score, first)
    errors = [jackknife_error(without) for without in samples]
    variance = sum(error**2 for error in errors)
    if not variance > 0:  # nor is NaN
        return SkewedT(score, math.sqrt(variance), 0.0, min(map(len, samples)) - 1, few=True)
    degrees = variance**2 / sum(
        error**4 / (len(without) - 1) for error, without in zip(errors, samples, strict=True)
    )
    pseudo = np.concatenate([without.mean() - without for without in samples])
    pseudo /= np.abs(pseudo).max()
    squares, cubes, fourths = (float((pseudo**power).sum()) for power in (2, 3, 4))
    effective = min(degrees + 1, 3 * squares**2 / fourths)
    return SkewedT(score, math.sqrt(variance), cubes / squares**1.5, degrees, effective < FEW, effective)


def skewed_t_interval(score: float, without: Floats, confidence: float = 0.95) -> Bounds:
    """The jackknife's interval with Hall's correction for the skewness of the units (Hall, 1992, JRSS B 54).

    With the skewness s of the units' pseudo-values, g(t) = t + b t^2 / 3 + b^2 t^3 / 27 + b / 6, b = s / sqrt(units),
    has a distribution free of skewness to the first order, and grows with t. The ends are score - g^-1(±q) * error, q
    being Student's quantile of units - 1 degrees of freedom. If there are `FEW` units, or a few of many make up the
    spread, the skewness is itself hardly known: then each end is the farther one of this interval and of
    `jackknife_interval`. NaN as there.

    Percentile and BCa intervals cover less at every size that we measured (``python -m bench calibration``).
    """
    return skewed_t(score, without).interval(confidence)


def jackknife_p(score: float, without: Floats) -> float:
    """Two-sided p-value of Student's t test that the expected score is 0; NaN if there is no error."""
    return SkewedT(score, jackknife_error(without), 0.0, len(without) - 1, few=True).p


def _inverse(value: float, shift: float) -> float:
    """Value whose Hall transformation is this one; the transformation is ((1 + b t / 3)^3 - 1) / b + b / 6."""
    if abs(shift) < 1e-9:
        return value
    return 3 / shift * (float(np.cbrt(1 + shift * (value - shift / 6))) - 1)


def two_way_interval(
    rows: Floats, aggregate: Aggregate, items: Integers, raters: Integers, *, confidence: float = 0.95
) -> Bounds:
    """Interval of the score for other items and other raters like these; NaN with one item or one rater.

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
