"""Means from ratings of a stratified random part: inclusion probabilities are known, and predictions cover everything.

Answers fall into strata, such as those of which the judge was sure and the others, and of each stratum n_h of N_h are
rated at random. With ratings y, predictions f of all N answers and W_h = N_h / N, the mean rating is estimated by

    sum_h W_h mean of (y - lambda f) over the rated of stratum h + lambda * mean of f over all answers,

the difference estimator of survey sampling (Särndal, Swensson & Wretman, 1992, ch. 6), which is PPI++ (Angelopoulos,
Duchi & Zrnic, 2023) with unequal probabilities n_h / N_h (Zrnic & Candès, 2024). Whatever the predictions are worth,
their bias cancels, also where it differs between strata; lambda, from 0 to 1, has the least variance.

Its variance is that of sums over clusters of each answer's influence

    lambda f + r_h + (N_h / n_h) (r - r_h) [if rated] - estimate,  r = y - lambda f, r_h its mean over the rated of h,

so that it is about answers like these, not these alone. A stratum in which the judge was hardly ever wrong shows no
disagreement among few ratings, which proves little: to the squared residuals of each stratum that is rated in part, d²
is added, as items are to either kind of disagreement in Bonett and Price's interval (2012). It is sum r⁴ / sum r² over
all strata: 1 of residuals that are mostly 0 and else ±1. Strata rated as a whole are exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dialeval.stats.estimate import ClassicalEstimate, Estimate
from dialeval.stats.resampling.bootstrap import Floats, Integers, check_confidence
from dialeval.stats.resampling.prediction_powered import PPIEstimate


class Stratified(NamedTuple):
    """Answers of one system; arrays of shape (n,)."""

    ratings: Floats
    """NaN where nobody was asked, or did not answer."""
    predictions: Floats
    """On the scale of the ratings; NaN counts as the mean of the others."""
    strata: Integers
    clusters: Integers
    """Answers with the same number depend on each other: turns of a dialogue, or answers of two systems to one item."""


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One system's estimate, or a classical one, before its interval."""

    value: float
    influences: Floats
    """By answer; their sum is 0, and they are already divided by the number of answers."""
    clusters: Integers
    extra: float
    """Variance by strata that the influences lack: denominators of n_h - 1, and the residuals that are added."""
    variances: tuple[tuple[float, int], ...]
    """By stratum that is rated in part: its variance, and degrees of freedom."""


def stratified_mean(sample: Stratified, *, confidence: float = 0.95) -> PPIEstimate:
    """The mean rating of answers like these; undefined if a stratum has fewer than two ratings and more answers."""
    return _estimate([sample], confidence)


def stratified_difference(a: Stratified, b: Stratified, *, confidence: float = 0.95) -> PPIEstimate:
    """The mean rating of ``a`` minus that of ``b``; clusters of both that have the same number belong together."""
    return _estimate([a, b], confidence)


def _estimate(samples: list[Stratified], confidence: float) -> PPIEstimate:
    check_confidence(confidence)
    rated = sum(int(np.isfinite(sample.ratings).sum()) for sample in samples)
    rest = sum(len(sample.ratings) for sample in samples) - rated
    reason = next((why for sample in samples if (why := _why_not(sample))), None)
    nothing = ClassicalEstimate(Estimate(None, None, None, rated), None)
    if reason is not None:
        return _undefined(reason, math.nan, rated, rest, nothing)
    tunings = [_tuning(_filled(sample)) for sample in samples]
    parts = [_part(_filled(sample), tuning) for sample, tuning in zip(samples, tunings, strict=True)]
    plain = [_part(_filled(sample), 0.0) for sample in samples]
    (value, error, degrees), (alone, alone_error, alone_degrees) = (
        _together(each) for each in (parts, plain)
    )
    if not error:
        return _undefined(f"the {rated} ratings do not vary", value, rated, rest, nothing)
    from scipy.special import stdtr, stdtrit

    tail = (1 + confidence) / 2
    reach = error * float(stdtrit(degrees, tail))
    wide = alone_error * float(stdtrit(alone_degrees, tail)) if alone_error else math.nan
    classical = ClassicalEstimate(Estimate.of(alone, alone - wide, alone + wide, rated), alone_error or None)
    return PPIEstimate(
        Estimate.of(value, value - reach, value + reach, rated),
        error,
        float(2 * stdtr(degrees, -abs(value) / error)),
        math.fsum(tunings) / len(tunings),
        rest,
        classical,
        rated * (alone_error / error) ** 2,
    )


def _why_not(sample: Stratified) -> str | None:
    for stratum in np.unique(sample.strata).tolist():
        own = sample.strata == stratum
        rated = int((own & np.isfinite(sample.ratings)).sum())
        if rated < min(2, int(own.sum())):
            return f"{rated} of {int(own.sum())} answers of a stratum are rated, where 2 are needed"
    return None if len(sample.ratings) > 1 else f"{len(sample.ratings)} answers, where 2 are needed"


def _filled(sample: Stratified) -> Stratified:
    known = np.isfinite(sample.predictions)
    mean = float(sample.predictions[known].mean()) if known.any() else 0.0
    return sample._replace(predictions=np.where(known, sample.predictions, mean))


def _expanded(values: Floats, sample: Stratified) -> Floats:
    """The stratum's mean over the rated, for each answer; of those that are rated plus their weighted deviation."""
    found = np.empty(len(values))
    for stratum in np.unique(sample.strata).tolist():
        own = sample.strata == stratum
        rated = own & np.isfinite(sample.ratings)
        mean = float(values[rated].mean())
        found[own] = mean
        found[rated] += own.sum() / rated.sum() * (values[rated] - mean)
    return found


def _tuning(sample: Stratified) -> float:
    """Lambda of least variance, in [0, 1]: by regression of sums over clusters."""
    if not np.ptp(sample.predictions):
        return 0.0
    of_ratings = _expanded(sample.ratings, sample)
    of_predictions = sample.predictions - _expanded(sample.predictions, sample)
    y, f = (_sums(each - each.mean(), sample.clusters) for each in (of_ratings, of_predictions))
    spread = float((f * f).sum())
    return min(1.0, max(0.0, -float((y * f).sum()) / spread)) if spread > 1e-12 else 0.0


def _part(sample: Stratified, tuning: float) -> _Part:
    residuals = sample.ratings - tuning * sample.predictions
    influences = tuning * sample.predictions + _expanded(residuals, sample)
    n, value = len(influences), float(influences.mean())
    size = _size(residuals, sample)
    extra, variances = 0.0, []
    for stratum in np.unique(sample.strata).tolist():
        own = sample.strata == stratum
        rated = own & np.isfinite(residuals)
        number, of = int(rated.sum()), int(own.sum())
        if number == of:
            continue
        squares = float(((residuals[rated] - residuals[rated].mean()) ** 2).sum())
        # The mean is estimated, and so is lambda.
        variance = (of / n) ** 2 * (squares + size) / max(1, number - 1 - (tuning > 0)) / number
        extra += variance - (of / n) ** 2 * squares / number**2
        degrees = len(np.unique(sample.clusters[rated])) - 1
        variances.append((variance, max(1, degrees)))
    return _Part(value, (influences - value) / n, sample.clusters, extra, tuple(variances))


def _size(residuals: Floats, sample: Stratified) -> float:
    """d²: the squared size of a residual that is not near 0."""
    away = []
    for stratum in np.unique(sample.strata).tolist():
        own = residuals[(sample.strata == stratum) & np.isfinite(residuals)]
        away.append(own - own.mean())
    squares = np.concatenate(away) ** 2
    return float((squares**2).sum() / squares.sum()) if squares.sum() > 1e-12 else 0.0


def _together(parts: list[_Part]) -> tuple[float, float, float]:
    """Value, standard error and degrees of freedom of the first part, minus the second if there is one."""
    value = parts[0].value - sum(part.value for part in parts[1:])
    signed = np.concatenate(
        [part.influences if not at else -part.influences for at, part in enumerate(parts)]
    )
    sums = _sums(signed, np.concatenate([part.clusters for part in parts]))
    groups = len(sums)
    between = groups / max(1, groups - 1) * float((sums**2).sum())
    total = between + math.fsum(part.extra for part in parts)
    pieces = [piece for part in parts for piece in part.variances]
    pieces.append((max(0.0, total - math.fsum(each for each, _ in pieces)), max(1, groups - 1)))
    spread = math.fsum(each**2 / of for each, of in pieces)
    degrees = math.fsum(each for each, _ in pieces) ** 2 / spread if spread else 1.0
    if groups < max(len(part.influences) for part in parts):  # clusters vary as wholes
        degrees = min(degrees, groups - 1)
    return value, math.sqrt(max(0.0, total)), degrees


def _sums(values: Floats, clusters: Integers) -> Floats:
    codes = np.unique(clusters, return_inverse=True)[1]
    return np.asarray(np.bincount(codes, values), dtype=np.float64)


def _undefined(reason: str, value: float, n: int, rest: int, alone: ClassicalEstimate) -> PPIEstimate:
    nan = math.nan
    return PPIEstimate(Estimate.of(value, nan, nan, n, reason), nan, nan, nan, rest, alone, nan)
