"""Effect sizes of paired differences, numbers of items needed, and their ranges."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.stats.resampling.bootstrap import Floats, Integers, draws, pool

FLAT: Final = 1e-12
"""A spread below this share of the mean is rounding error, not spread."""

QUANTILES: Final = {
    0.8: 0.8416212335729143,
    1 - 0.05 / 2: 1.959963984540054,
    1 - 0.05 / 2 / 2: 2.241402727604947,
    1 - 0.05 / 3 / 2: 2.3939797998185104,
    1 - 0.05 / 4 / 2: 2.497705474412374,
    1 - 0.05 / 5 / 2: 2.5758293035489004,
    1 - 0.05 / 6 / 2: 2.638257273476751,
}
"""Of the normal distribution, for a power of 0.8 and for one to six tests at 0.05, so that small comparisons need not
import scipy; the values are those of ``scipy.special.ndtri``, to the last bit."""


def required_items(
    difference: float, standard_error: float, n: int, *, power: float = 0.8, alpha: float = 0.05
) -> int | None:
    """Number of items in all that would show this difference with the given power; None if unknown.

    The standard error seen on ``n`` items shrinks with the root of their number, so a two-sided z test needs
    n ((z[1 - alpha/2] + z[power]) standard_error / difference)^2 items (Cohen, 1988, chapter 2). Never fewer
    than can reach alpha when all agree, 2^(1 - items) < alpha. None for a difference of zero, or where fewer
    than two items leave the spread unknown.
    """
    if n < 2 or difference == 0 or not math.isfinite(difference) or not math.isfinite(standard_error):
        return None
    needed = n * (reach(alpha, power) * standard_error / difference) ** 2
    fewest = math.floor(1 - math.log2(alpha)) + 1
    return max(fewest, math.ceil(needed))


def reach(alpha: float, power: float = 0.8, *, degrees: float = math.inf) -> float:
    """Number of standard errors that a difference must be for a two-sided test to show it with the given power.

    A z test, or a t test of these degrees of freedom.
    """
    if math.isinf(degrees):
        return _normal_quantile(1 - alpha / 2) + _normal_quantile(power)
    # Special functions alone: scipy.stats takes a second to import.
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 1 - alpha / 2) + stdtrit(degrees, power))


def _normal_quantile(probability: float) -> float:
    if probability in QUANTILES:
        return QUANTILES[probability]
    from scipy.special import ndtri

    return float(ndtri(probability))


class ItemsNeeded(NamedTuple):
    """Range of the number of items in all that would show a difference."""

    fewest: int | None
    """Number if the difference is as large as it may be; None if nothing is known."""
    most: int | None
    """Number if it is as small as it may be; None if it may be 0, so that perhaps no number would do."""


def items_needed(
    low: float, high: float, standard_error: float, n: int, *, power: float = 0.8, alpha: float = 0.05
) -> ItemsNeeded:
    """Numbers of items that would show a difference between ``low`` and ``high``: `required_items` of both ends.

    One number from the difference observed is wrong by a factor of ten as often as not, and finite if there is no
    difference at all.
    """
    near, far = sorted((abs(low), abs(high)))
    fewest = required_items(far, standard_error, n, power=power, alpha=alpha)
    if fewest is None or low <= 0 <= high:
        return ItemsNeeded(fewest, None)
    return ItemsNeeded(fewest, required_items(near, standard_error, n, power=power, alpha=alpha))


@dataclass(frozen=True, slots=True)
class PilotPlan:
    """Number of units (items, or clusters of them) that a study needs, over resamples of a pilot."""

    fewest: int | None
    """Enough in one of ten resamples; None, as below, if no finite number is, as without a difference."""
    middle: int | None
    assured: int | None
    """Enough in a share ``assurance`` of the resamples, by default eight of ten: the number to plan with."""
    most: int | None
    """Enough in nine of ten."""


def plan_from_pilot(
    differences: Floats,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    assurance: float = 0.8,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Integers | None = None,
) -> PilotPlan:
    """Number of units that would show the difference of a pilot's paired values with the given power.

    The pilot itself is resampled, for its difference and spread are only estimates: planned with those, half of the
    studies are too small (Browne, 1995). A resample whose difference has the other sign
    needs no finite number of units. Units are clusters if these are given.
    """
    rows = pool(np.column_stack([differences, np.ones(len(differences))]), clusters)
    if len(rows) < 2:
        return PilotPlan(None, None, None, None)
    total = rows.sum(axis=0)
    observed = total[0] / total[1]
    needed = []
    for weights in draws(len(rows), resamples=resamples, seed=seed):
        sums = weights @ rows
        means = sums[:, 0] / sums[:, 1]
        errors = _cluster_errors(weights, rows, means, sums[:, 1])
        needed.append(_units(means * np.sign(observed), errors, len(rows), power, alpha))
    quantiles = np.quantile(np.concatenate(needed), [0.1, 0.5, assurance, 0.9], method="inverted_cdf")
    return PilotPlan(*(math.ceil(each) if math.isfinite(each) else None for each in quantiles.tolist()))


def _cluster_errors(weights: Floats, rows: Floats, means: Floats, sizes: Floats) -> Floats:
    """Standard errors of the means of resampled units, shape (some,)."""
    n = len(rows)
    away = rows[None, :, 0] - means[:, None] * rows[None, :, 1]
    return np.asarray(np.sqrt(n / (n - 1) * (weights * away**2).sum(axis=1)) / sizes)


def _units(differences: Floats, errors: Floats, n: int, power: float, alpha: float) -> Floats:
    """`required_items` of many; infinite if the difference is not above 0."""
    above: NDArray[np.bool_] = differences > 0
    ratio = np.divide(
        reach(alpha, power) * errors, differences, out=np.full(len(differences), np.inf), where=above
    )
    fewest = math.floor(1 - math.log2(alpha)) + 1
    return np.asarray(np.maximum(fewest, n * ratio**2))


TOLERANCE: Final = 1e-9
"""Values closer than this share of the larger one are equal: sums in another order differ by far less."""


def d_z(difference: float, error: float, n: int) -> float:
    """The difference in standard deviations of one unit's part in it: difference / (error * sqrt(n)).

    For a mean of n independent items it is Cohen's d_z, the mean of the paired differences over their standard
    deviation (Cohen, 1988, section 2.3.5; Lakens, 2013). For a pooled measure, as corpus BLEU, it keeps the sign of the
    difference that is reported, which the mean of per-item scores does not. It is not on the scale of Cohen's
    benchmarks, which are for independent groups. 0 if there is no difference, NaN without an error, or with one that is
    a rounding error.
    """
    if difference == 0:
        return 0.0
    known = math.isfinite(error) and error > TOLERANCE * abs(difference)
    return difference / (error * math.sqrt(n)) if known else math.nan


class Wins(NamedTuple):
    """On how many items one system does better than another."""

    wins: int
    ties: int
    losses: int


def wins_of(a: Floats, b: Floats, *, higher_is_better: bool = True, tolerance: float | None = None) -> Wins:
    """Items on which a does better, as well, and worse, a difference up to ``tolerance`` being a tie.

    Without one, values are equal if only rounding separates them.
    """
    if a.shape != b.shape:
        raise ValueError(f"paired values must have one shape, not {a.shape} and {b.shape}")
    margin = TOLERANCE * np.maximum(np.abs(a), np.abs(b)) if tolerance is None else tolerance
    ahead = (a - b) if higher_is_better else (b - a)
    wins, losses = int(np.count_nonzero(ahead > margin)), int(np.count_nonzero(ahead < -margin))
    return Wins(wins, len(a) - wins - losses, losses)
