"""Krippendorff's alpha: agreement among any number of raters, on any scale, with ratings missing.

Alpha is 1 - observed / expected disagreement (Krippendorff, 2019, chapter 12; 2011, "Computing Krippendorff's
alpha-reliability"). With n_uc the ratings of unit u in category c, m_u >= 2 their number, n_c and n the totals and
d(c, k) the difference between two categories:

    alpha = 1 - (n - 1) * [sum over u of sum over c, k of n_uc n_uk d(c, k)² / (m_u - 1)]
                        / [sum over c, k of n_c n_k d(c, k)²]

Both sums add up over units, so a resample of units needs no more than how often each was drawn. Units with fewer than
two ratings say nothing about agreement and are left out. Alpha is undefined if all ratings are equal: nobody can
tell whether raters who used one category would have agreed on another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.stats.agreement._pairable import Pairable, Weigh, pairable, pairs_within, patterns
from dialeval.stats.estimate import Statistic
from dialeval.stats.resampling.bootstrap import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Scale: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
"""Meaning of a difference between two ratings."""

DENSE: Final = 1 << 23
"""Up to this many cells the counts are one plain matrix; beyond it, as of measurements, only what is not 0 is kept."""

FLAT: Final = 1e-12
"""A spread below this share of the squares is rounding error, not spread."""


def krippendorff_alpha(ratings: Floats, level: Scale = "nominal") -> Statistic:
    """Alpha of ``ratings``, shape (units, raters), NaN if a rater gave none; 1 is perfect, 0 is chance.

    d(c, k)² is 1 (nominal), the squared difference of mean ranks among all ratings (ordinal), (c - k)² (interval), or
    ((c - k) / (c + k))² (ratio, which needs values of 0 or more). ``n`` counts the units with two ratings or more.
    Time and memory grow with the ratings; only ratio also takes time with the square of the different values.
    """
    units = pairable(ratings)
    reason = _undefined(units, level)
    if reason is not None:
        return Statistic.undefined(reason, len(units.sizes))
    disagreements = DISAGREEMENTS[level](units)(np.ones((1, len(units.sizes))))
    return Statistic(float(_alpha(disagreements)[0]), len(units.sizes))


def alpha_of_weights(ratings: Floats, level: Scale) -> Weigh | None:
    """Return a function from counts of units with two ratings or more to alpha; None if it is undefined."""
    units = pairable(ratings)
    if _undefined(units, level) is not None:
        return None
    disagreements = DISAGREEMENTS[level](units)
    return lambda weights: _alpha(disagreements(weights))


def _undefined(units: Pairable, level: Scale) -> str | None:
    if not len(units.sizes):
        return "no unit has two ratings or more"
    if len(units.values) == 1:
        return f"all ratings are equal ({units.values[0]:g})"
    if level == "ratio" and units.values[0] < 0:
        return f"a ratio scale starts at 0, but there is a rating of {units.values[0]:g}"
    return None


class Disagreements(NamedTuple):
    """The parts of alpha, one of each per resample."""

    observed: Floats
    expected: Floats
    ratings: Floats
    """Number of ratings."""


Weighing: TypeAlias = Callable[[Floats], Disagreements]
"""From how often each unit was drawn, shape (resamples, units)."""


def _alpha(parts: Disagreements) -> Floats:
    shape, defined = parts.expected.shape, parts.expected > 0
    share = np.divide(parts.observed, parts.expected, out=np.full(shape, np.nan), where=defined)
    return np.asarray(1 - (parts.ratings - 1) * share)


def _nominal(units: Pairable) -> Weighing:
    pattern = patterns(units)
    equal = np.bincount(pattern.unit, weights=pattern.times.astype(np.float64) ** 2)
    within, counts = (units.sizes**2 - equal) / (units.sizes - 1), _counts(units)

    def weigh(weights: Floats) -> Disagreements:
        pooled = _times(weights, counts)
        n = pooled.sum(axis=1)
        return Disagreements(weights @ within, n**2 - (pooled**2).sum(axis=1), n)

    return weigh


def _interval(units: Pairable) -> Weighing:
    # Deviations from the unit's own mean, and values from the mean of all: no digits are lost to a distant zero.
    rating = units.values[units.code]
    mean = np.bincount(units.unit, weights=rating) / units.sizes
    squares = np.bincount(units.unit, weights=(rating - mean[units.unit]) ** 2)
    centred = rating - rating.mean()
    sums, powers = (np.bincount(units.unit, weights=centred**power) for power in (1, 2))
    rows = np.column_stack([2 * units.sizes / (units.sizes - 1) * squares, units.sizes, sums, powers])

    def weigh(weights: Floats) -> Disagreements:
        within, n, total, power = (weights @ rows).T
        expected = 2 * (n * power - total**2)
        return Disagreements(within, np.where(expected > FLAT * n * power, expected, 0.0), n)

    return weigh


def _ordinal(units: Pairable) -> Weighing:
    # The sum of n_g from c to k less half of n_c and n_k (Krippendorff, 2011) is the difference of their mean ranks.
    counts = _counts(units)
    inner, outer = units.sizes / (units.sizes - 1), 1 / (units.sizes - 1)

    def weigh(weights: Floats) -> Disagreements:
        pooled = _times(weights, counts)
        n = pooled.sum(axis=1)
        rank = np.cumsum(pooled, axis=1) - pooled / 2 - n[:, None] / 2  # their mean is 0
        squares = (_times(weights * inner, counts) * rank**2).sum(axis=1)
        sums = np.asarray(counts @ rank.T).T
        within = 2 * (squares - (weights * outer * sums**2).sum(axis=1))
        return Disagreements(within, 2 * n * (pooled * rank**2).sum(axis=1), n)

    return weigh


def _ratio(units: Pairable) -> Weighing:
    pattern, counts = patterns(units), _counts(units)
    value, within = units.values[pattern.code], np.zeros(len(units.sizes))
    for i, j in pairs_within(pattern.unit):
        apart = pattern.times[i] * pattern.times[j] * _ratio_apart(value[i], value[j])
        within += np.bincount(pattern.unit[i], weights=2 * apart, minlength=len(within))
    within /= units.sizes - 1

    def weigh(weights: Floats) -> Disagreements:
        pooled = _times(weights, counts)
        return Disagreements(weights @ within, _ratio_expected(pooled, units.values), pooled.sum(axis=1))

    return weigh


def _ratio_expected(pooled: Floats, values: Floats) -> Floats:
    """Sum over c, k of n_c n_k d(c, k)², a few columns of d at a time."""
    total, width = np.zeros(len(pooled)), max(1, (1 << 22) // len(values))
    for start in range(0, len(values), width):
        part = slice(start, start + width)
        apart = _ratio_apart(values[:, None], values[None, part])
        total += ((pooled @ apart) * pooled[:, part]).sum(axis=1)
    return total


def _ratio_apart(a: Floats, b: Floats) -> Floats:
    """((a - b) / (a + b))²; 0 if both are 0, which are equal."""
    both = a + b
    return np.divide(a - b, both, out=np.zeros(both.shape), where=both != 0) ** 2


def _counts(units: Pairable) -> Floats | csr_array[np.float64]:
    shape = (len(units.sizes), len(units.values))
    if shape[0] * shape[1] <= DENSE:
        cells = np.bincount(units.unit * shape[1] + units.code, minlength=shape[0] * shape[1])
        return cells.reshape(shape).astype(np.float64)
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(units.unit)), (units.unit, units.code)), shape=shape)


def _times(weights: Floats, counts: Floats | csr_array[np.float64]) -> Floats:
    return np.asarray(weights @ counts)


DISAGREEMENTS: Final[Mapping[Scale, Callable[[Pairable], Weighing]]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}
