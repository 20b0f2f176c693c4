"""Prediction-powered estimates: a mean rating from few ratings and many predictions of them.

Ratings Y and predictions f of n items, and predictions alone of N others, give

    mean of (Y - lambda f) over the rated items + lambda * mean of f over the others,

with variance var(Y - lambda f) / n + lambda² var(f) / N (Angelopoulos et al., 2023a, Science 382; PPI++: Angelopoulos,
Duchi & Zrnic, 2023b, section 6). Whatever the predictions are worth, their bias cancels; how much they help depends on
lambda, tuned to the least variance: cov(Y, f) / ((1 + n / N) var f), clipped to [0, 1]. At 0 the estimate is the plain
mean of the ratings. Rated items must be a random draw from all items.

Intervals come in two kinds. ``t``, the default, is meant for few ratings: variances over n - 1, n - 2 where lambda was
tuned on the same ratings, and Student's t with Satterthwaite's degrees of freedom. ``normal`` is the papers': variances
over n and normal quantiles, as in ``ppi_py``; with 20 ratings it is too narrow. Both tune lambda as ``ppi_py`` does,
with the covariance over n and the variance of f over n + N - 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.stats.estimate import ClassicalEstimate, Estimate
from dialeval.stats.resampling.bootstrap import Floats, Integers, check_confidence, pool

Quantiles: TypeAlias = Literal["t", "normal"]
"""Which distribution an interval takes its width from, and with it how variances are computed."""


class PartlyRated(NamedTuple):
    """A system's items, some of them rated by people, all of them by a metric."""

    rated: Floats
    """Ratings, shape (n,)."""
    predicted_rated: Floats
    """Predictions for the same items, shape (n,)."""
    predicted_rest: Floats
    """Predictions for the items without a rating, shape (N,)."""


Clusters: TypeAlias = tuple[Integers, Integers]
"""Which rated items, and which of the others, belong together, as turns of a dialogue do; by the same labels."""


@dataclass(frozen=True, slots=True)
class PPIEstimate:
    """A prediction-powered estimate beside the classical one of the same ratings."""

    estimate: Estimate
    """Over the rated items that entered: those with a prediction. Undefined if fewer than two are rated."""
    error: float
    """Standard error; NaN, as ``p`` and ``effective_n``, exactly if the estimate has a ``reason``."""
    p: float
    """Two-sided p-value of the hypothesis that the mean, or the difference, is 0."""
    tuning: float
    """Lambda: how far the predictions are trusted, from 0 to 1; of two independent systems, the mean of theirs."""
    n_unrated: int
    classical: ClassicalEstimate
    effective_n: float
    """Number of ratings that would have given this error without predictions: n * classical variance / variance."""

    @property
    def gained(self) -> float:
        """Number of ratings that the predictions are worth; below 0 if they cost more than they gave."""
        return self.effective_n - self.estimate.n


def ppi_mean(
    rated: Floats,
    predicted_rated: Floats,
    predicted_rest: Floats,
    *,
    confidence: float = 0.95,
    power_tuning: bool = True,
    quantiles: Quantiles = "t",
    clusters: Clusters | None = None,
) -> PPIEstimate:
    """The mean rating of the items that the rated ones were drawn from.

    Without ``power_tuning`` lambda is 1, where bad predictions widen the interval. Items without a prediction (NaN) are
    left out, but the classical estimate has all ratings. Ratings that do not vary say nothing of how far their mean may
    be off, so there is no interval then. Lambda is 0 if nothing can be tuned: constant predictions, fewer than three
    rated items or fewer than two others. Lambda of at most 1 takes predictions on the ratings' own scale for granted:
    bring them to the ratings' spread first, or a metric from 0 to 1 will help little with ratings from 1 to 5.
    With clusters, variances are of sums over clusters, with as many degrees of freedom as clusters are rated, less one.
    """
    sample = _Sample(rated, predicted_rated, predicted_rest, *(clusters or (None, None)))
    return _combine([sample], confidence=confidence, power_tuning=power_tuning, quantiles=quantiles)


def ppi_difference(
    a: PartlyRated,
    b: PartlyRated,
    *,
    paired: bool,
    confidence: float = 0.95,
    power_tuning: bool = True,
    quantiles: Quantiles = "t",
    clusters: tuple[Clusters, Clusters] | None = None,
) -> PPIEstimate:
    """The mean rating of system ``a`` minus that of system ``b``.

    ``paired``: both systems answered the same items in the same order, rated ones and others, so the mean of the items'
    differences is estimated. Otherwise it is the difference of the two systems' estimates, and their variances add.
    """
    labels: tuple[Clusters | tuple[None, None], ...] = clusters or ((None, None), (None, None))
    samples = [_Sample(*side, *of_side) for side, of_side in zip((a, b), labels, strict=True)]
    if paired:
        if any(np.shape(of_a) != np.shape(of_b) for of_a, of_b in zip(a, b, strict=True)):
            raise ValueError("paired systems need the same rated and the same unrated items")
        y, f, rest = (np.subtract(of_a, of_b) for of_a, of_b in zip(a, b, strict=True))
        samples = [_Sample(y, f, rest, *labels[0])]
    return _combine(samples, confidence=confidence, power_tuning=power_tuning, quantiles=quantiles)


class _Sample(NamedTuple):
    """Ratings and predictions as in `PartlyRated`, and the cluster of each; None if items are independent."""

    rated: Floats
    predicted_rated: Floats
    predicted_rest: Floats
    cluster_rated: Integers | None = None
    cluster_rest: Integers | None = None

    @property
    def units(self) -> int:
        """Number of rated clusters, or of rated items if these are independent."""
        return len(self.rated) if self.cluster_rated is None else len(np.unique(self.cluster_rated))


class _Symmetric(NamedTuple):
    """A number, how far its interval reaches to either side, and its standard error."""

    value: float
    reach: float
    error: float

    def estimate(self, n: int) -> Estimate:
        """The number with its interval; without one if nothing varies."""
        reach = self.reach if self.error else math.nan
        return Estimate.of(self.value, self.value - reach, self.value + reach, n)


class _Mean(NamedTuple):
    """An estimated mean, and the variances that add up to its own, each with its degrees of freedom."""

    value: float
    variances: tuple[float, ...]
    degrees: tuple[float, ...]


def _combine(
    given: Sequence[_Sample], *, confidence: float, power_tuning: bool, quantiles: Quantiles
) -> PPIEstimate:
    """The estimate of the first sample, minus that of a second if there is one."""
    check_confidence(confidence)
    samples = [_checked(sample) for sample in given]
    n = sum(len(sample.rated) for sample in samples)
    n_unrated = sum(len(sample.predicted_rest) for sample in samples)
    alone = _classical(given, confidence=confidence, quantiles=quantiles)
    least = min(sample.units for sample in samples)
    if least < 2:
        unit = "item" if samples[0].cluster_rated is None else "dialogue"
        reason = f"{least} rated {unit}{'' if least == 1 else 's'}, where 2 are needed"
        return _undefined(reason, math.nan, math.nan, n, n_unrated, alone)
    tunings = [_tuning(each) if power_tuning else float(len(each.predicted_rest) >= 2) for each in samples]
    means = [
        _mean(*each, tuned=power_tuning, quantiles=quantiles) for each in zip(samples, tunings, strict=True)
    ]
    plain = [_mean(each, 0.0, tuned=False, quantiles=quantiles) for each in samples]
    powered, classical = (_interval(of, confidence=confidence, quantiles=quantiles) for of in (means, plain))
    tuning = math.fsum(tunings) / len(tunings)
    if not powered.error:
        still = (
            "predictions leave nothing of the ratings" if classical.error else f"the {n} ratings do not vary"
        )
        reason = f"{still}, so there is no telling how far the mean may be off"
        return _undefined(reason, powered.value, tuning, n, n_unrated, alone)
    return PPIEstimate(
        powered.estimate(n),
        powered.error,
        _p(means, powered, quantiles=quantiles),
        tuning,
        n_unrated,
        alone,
        n * (classical.error / powered.error) ** 2,
    )


def _classical(given: Sequence[_Sample], *, confidence: float, quantiles: Quantiles) -> ClassicalEstimate:
    """The estimate from the ratings alone, whether their items have predictions or not."""
    samples = [_rated_alone(sample) for sample in given]
    n = sum(len(sample.rated) for sample in samples)
    if min(sample.units for sample in samples) < 2:
        return ClassicalEstimate(Estimate(None, None, None, n), None)
    means = [_mean(sample, 0.0, tuned=False, quantiles=quantiles) for sample in samples]
    found = _interval(means, confidence=confidence, quantiles=quantiles)
    return ClassicalEstimate(found.estimate(n), found.error or None)


def _rated_alone(sample: _Sample) -> _Sample:
    """The ratings that there are, with nothing beside them."""
    ratings = np.asarray(sample.rated, dtype=np.float64)
    there, nothing = ~np.isnan(ratings), np.zeros(0)
    labels = None if sample.cluster_rated is None else np.asarray(sample.cluster_rated)[there]
    none = None if labels is None else np.zeros(0, dtype=np.int64)
    return _Sample(ratings[there], ratings[there], nothing, labels, none)


def _tuning(sample: _Sample) -> float:
    """Lambda of least variance, in [0, 1] (Angelopoulos, Duchi & Zrnic, 2023, section 6)."""
    y, f, rest = sample[:3]
    everything = np.concatenate([f, rest])
    if sample.units < 3 or len(rest) < 2 or not np.ptp(everything):
        return 0.0
    covariance = float(((y - y.mean()) * (f - f.mean())).mean())
    best = covariance / ((1 + len(y) / len(rest)) * float(everything.var(ddof=1)))
    return min(1.0, max(0.0, best))


def _mean(sample: _Sample, tuning: float, *, tuned: bool, quantiles: Quantiles) -> _Mean:
    y, f, rest = sample[:3]
    residual = y - tuning * f if tuning else y
    # Lambda was fitted to these very residuals, which costs a degree of freedom as a slope does in regression.
    lost = 0 if quantiles == "normal" else 1 + int(tuned and tuning > 0)
    value, degrees = float(residual.mean()), sample.units - lost
    if sample.cluster_rated is not None:
        value += tuning * float(rest.mean()) if tuning else 0.0
        squares = _clustered(sample, residual, sample.cluster_rated, tuning)
        return _Mean(value, (sample.units * squares / degrees,), (degrees,))
    variance = _squares(residual) / degrees / len(y)
    if not tuning:
        return _Mean(value, (variance,), (degrees,))
    of_rest = len(rest) - min(lost, 1)
    imputed = tuning**2 * _squares(rest) / of_rest / len(rest)
    return _Mean(value + tuning * float(rest.mean()), (variance, imputed), (degrees, of_rest))


def _clustered(sample: _Sample, residual: Floats, labels: Integers, tuning: float) -> float:
    """The sum of squares of what each cluster adds to the mean."""
    influence = (residual - residual.mean()) / len(residual) if np.ptp(residual) else 0 * residual
    if tuning and sample.cluster_rest is not None:
        rest = sample.predicted_rest
        influence = np.concatenate([influence, tuning * (rest - rest.mean()) / len(rest)])
        labels = np.concatenate([labels, sample.cluster_rest])
    return float((pool(influence[:, None], labels) ** 2).sum())


def _interval(means: Sequence[_Mean], *, confidence: float, quantiles: Quantiles) -> _Symmetric:
    value = means[0].value - sum(mean.value for mean in means[1:])
    error = math.sqrt(math.fsum(variance for mean in means for variance in mean.variances))
    # Special functions alone: scipy.stats takes a second to import.
    from scipy.special import ndtri, stdtrit

    tail = (1 + confidence) / 2
    reach = error * float(ndtri(tail) if quantiles == "normal" else stdtrit(_degrees(means), tail))
    return _Symmetric(value, reach, error)


def _p(means: Sequence[_Mean], found: _Symmetric, *, quantiles: Quantiles) -> float:
    from scipy.special import ndtr, stdtr

    z = -abs(found.value) / found.error
    return float(2 * (ndtr(z) if quantiles == "normal" else stdtr(_degrees(means), z)))


def _degrees(means: Sequence[_Mean]) -> float:
    """Degrees of freedom of a sum of variances (Satterthwaite, 1946)."""
    variances = [variance for mean in means for variance in mean.variances]
    degrees = [each for mean in means for each in mean.degrees]
    spread = sum(variance**2 / each for variance, each in zip(variances, degrees, strict=True))
    return math.fsum(variances) ** 2 / spread if spread else min(degrees)


def _squares(values: Floats) -> float:
    """The sum of squared deviations; exactly 0 of equal values, whatever their mean rounds to."""
    return float(((values - values.mean()) ** 2).sum()) if np.ptp(values) else 0.0


def _checked(sample: _Sample) -> _Sample:
    y, f, rest = (np.asarray(part, dtype=np.float64) for part in sample[:3])
    if y.shape != f.shape or y.ndim != 1 or rest.ndim != 1:
        raise ValueError(
            f"every rated item needs one rating and one prediction, not shapes {y.shape} and {f.shape}"
        )
    both, there = ~np.isnan(y) & ~np.isnan(f), ~np.isnan(rest)
    if sample.cluster_rated is None or sample.cluster_rest is None:
        return _Sample(y[both], f[both], rest[there])
    return _Sample(y[both], f[both], rest[there], sample.cluster_rated[both], sample.cluster_rest[there])


def _undefined(
    reason: str, value: float, tuning: float, n: int, n_unrated: int, classical: ClassicalEstimate
) -> PPIEstimate:
    nan = math.nan
    estimate = Estimate.of(value, nan, nan, n, reason)
    return PPIEstimate(estimate, nan, nan, tuning, n_unrated, classical, nan)
