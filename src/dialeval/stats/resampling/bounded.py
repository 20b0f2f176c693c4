"""Intervals of means of bounded values: Gaffke's bound, and how far it moves the ends of the jackknife's interval.

Gaffke's bound (2005; Learned-Miller & Thomas, 2019) asks for nothing but limits of the values. With random weights that
are exponential variables over their sum, one for each of n units and one for the limit, the lower end is the quantile
of the weighted mean: what was not seen counts as the limit. Of yes/no values it is Clopper and Pearson's end, of equal
values the exact bound on the share of others times the distance to the limit, and no simulation found it too short. It
is wide where values spread little, so it does not stand alone here: it is how far an end can reach at most, and what an
end is drawn towards where units are so few, or so skewed, that their spread shows too little (`pull`).

Values without a limit are held to the range seen and as much again, which only keeps ends from reaching beyond reason;
of fewer than five units, of which Student's t knows more than their range shows, to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from dialeval.stats.resampling.bootstrap import Bounds, Floats, Integers
from dialeval.stats.resampling.jackknife import FEW, LeftOut, SkewedT
from dialeval.stats.tests.paired import difference_of

FEWEST: Final = 20
"""Below so many units, ends of a score are drawn towards Gaffke's: more so on the side of a long tail."""
SHOWING: Final = 5
"""Units from which on their range is one to hold ends to."""
MOST: Final = 40
"""Of many units, as many with the largest parts in the score count one by one, the others in as many groups."""

_NODES: Final = (np.arange(44) + 0.5) * 0.2
_STEPS: Final = np.sinh(_NODES)
_LENGTHS: Final = np.log(0.2 * np.cosh(_NODES) / math.pi)
_ENOUGH: Final = 22
"""Nodes beyond which nothing is left of ten units or more."""


class BoundedMean(NamedTuple):
    """A mean of values with limits, over units that hold one value or several."""

    sums: Floats
    """Of the values of each unit, shape (units,)."""
    counts: Floats
    """Number of values of each unit."""
    least: float
    """The least value there can be; minus infinity if there is none."""
    greatest: float
    """The greatest, or infinity."""
    is_difference: bool = False
    """Its ends are held to Gaffke's, and not drawn there: two systems' values are skewed alike."""

    def ends(self, confidence: float) -> Bounds:
        """Gaffke's lower and upper end, each at half of what the confidence leaves."""
        tail = (1 - confidence) / 2
        low, high = (limit if side is None else side.end(tail) for limit, side in self._sides())
        return low, high

    def drawn(self, skewed: SkewedT, confidence: float) -> Bounds:
        """The ends of the jackknife's interval, none beyond Gaffke's, and drawn towards these as `pull` says."""
        tail, units, ends = (1 - confidence) / 2, len(self.sums), list(skewed.interval(confidence))
        skewness = skewed.shift * math.sqrt(units)
        # The mean of a dialogue's turns is hardly ever at a limit.
        drawn = not self.is_difference and bool((self.counts == 1).all())
        for place, (limit, side) in enumerate(self._sides()):
            sign, end = 2 * place - 1, ends[place]
            share = pull(units, skewed.effective, sign * skewness) if drawn else 0.0
            if side is None:
                ends[place] = limit if math.isfinite(limit) else end
            elif (share and math.isfinite(limit)) or side.is_beyond(end, tail):
                farthest = side.end(tail)
                ends[place] = end + max(share, float(sign * (end - farthest) > 0)) * (farthest - end)
        return ends[0], ends[1]

    def _sides(self) -> list[tuple[float, _Side | None]]:
        """The lower and the upper limit, each with what is needed for the end there; None if all values are there."""
        score, values = float(self.sums.sum() / self.counts.sum()), self.sums / self.counts
        units, size = _grouped(self.sums, self.counts, score), float(self.counts.mean())
        least, greatest = float(values.min()), float(values.max())
        sides: list[tuple[float, _Side | None]] = []
        for sign, limit, nearest in ((1, self.least, least), (-1, self.greatest, greatest)):
            bound, side = limit if math.isfinite(limit) else nearest - sign * (greatest - least), None
            if sign * (score - bound) > 0 and (math.isfinite(limit) or len(values) >= SHOWING):
                sums, counts = np.append(units.sums, size * bound), np.append(units.counts, size)
                apart = _Units(sign * sums, counts, np.append(units.times, 1.0))
                side = _Side(sign, bound, apart, abs(score - bound), abs(nearest - bound))
            sides.append((limit, side))
        return sides


class Ties(NamedTuple):
    """Units of two systems, and how many of them do not tie.

    Where nearly all tie, the few other differences do not show how large differences are, so each end is as far from
    the difference as if all tied, or farther.
    """

    units: int
    differing: int
    typical: float
    """How large a difference that was not seen is taken to be: as two items of one system differ."""

    def least_reach(self, confidence: float) -> float:
        """How far ends are from the difference at least: exact bound on the share of others times typical difference.

        0 if most units differ, or so many that a test of their signs could show a difference at this confidence.
        """
        if 2 * self.differing > self.units or 2.0 ** (1 - self.differing) <= 1 - confidence:
            return 0.0
        return self.typical * (1 - math.pow((1 - confidence) / 2, 1 / self.units))


def typical_difference(values: Floats, score: float, limits: tuple[float, float]) -> float:
    """The root mean square of the difference between two of these values, one more being at the farther limit.

    With that one, values that are all equal do not pass for a measure that cannot vary.
    """
    reach = max(score - limits[0], limits[1] - score)
    squares = float(((values - values.mean()) ** 2).sum()) + reach**2
    return min(reach, math.sqrt(2 * squares / (len(values) + 1)))


def narrowed(limits: tuple[float, float], values: Floats) -> tuple[float, float]:
    """The limits; without an upper one, 1 above the lower one if all values are there.

    Such is a rate without an error: an error at every chance is then taken for the worst.
    """
    low, high = limits
    all_low = math.isinf(high) and len(values) and float(values.max()) == low
    return (low, low + 1) if all_low else limits


def bounded_score(
    values: Floats, left_out: LeftOut, limits: tuple[float, float], clusters: Integers | None = None
) -> BoundedMean | None:
    """The mean of these values, by unit; None if the score is not their mean, or one is beyond the limits."""
    low, high = narrowed(limits, values)
    if not len(values) or not low <= float(values.min()) <= float(values.max()) <= high:
        return None
    sums, counts = _by_unit(values, clusters)
    return BoundedMean(sums, counts, low, high) if _is_mean(sums, counts, left_out) else None


def bounded_difference(
    a: Floats, b: Floats, left_out: LeftOut, limits: tuple[float, float], clusters: Integers | None = None
) -> BoundedMean | None:
    """The mean of a's values minus b's; None as for `bounded_score`.

    If most items tie, a difference that was not seen counts as the largest of these: those seen, and an answer of
    the mean level at which both agree beside the worst or the best there can be. Elsewhere it counts as the limits'.
    """
    low, high = limits
    both = np.concatenate([a, b])
    if not len(a) or not low <= float(both.min()) <= float(both.max()) <= high:
        return None
    values, reach = difference_of(a, b), high - low
    level = b[values == 0]
    if math.isfinite(reach) and 2 * len(level) >= len(a):
        common = float(level.mean())
        reach = max(common - low, high - common, float(np.abs(values).max()))
    sums, counts = _by_unit(values, clusters)
    return (
        BoundedMean(sums, counts, -reach, reach, is_difference=True)
        if _is_mean(sums, counts, left_out)
        else None
    )


def _by_unit(values: Floats, clusters: Integers | None) -> tuple[Floats, Floats]:
    if clusters is None:
        return values, np.ones(len(values))
    labels = np.unique(clusters, return_inverse=True)[1]
    sums = np.asarray(np.bincount(labels, values), dtype=np.float64)
    return sums, np.bincount(labels).astype(np.float64)


def _is_mean(sums: Floats, counts: Floats, left_out: LeftOut) -> bool:
    """Whether the score without each unit is the mean of the values of the others."""
    if len(sums) < 2:
        return False
    means = (sums.sum() - sums) / (counts.sum() - counts)
    return bool(np.allclose(left_out.without, means, rtol=1e-9, atol=1e-12))


def pull(units: int, effective: float, skewness: float) -> float:
    """Share of the way that an end moves towards Gaffke's, from 0 to 1.

    ``skewness`` counts as positive where the long tail is on the end's side. The shares were chosen on real text and on
    made designs of 5 to 100 units (docs/trust.md): for fewer than `FEWEST` units, and for a skewed spread that fewer
    than `FEW` ``effective`` units make up.
    """
    few = max(0.0, 1 - units / FEWEST) * _share(0.15 + skewness / 1.5)
    tail = 0.4 * max(0.0, 1 - effective / FEW) * _share(skewness - 1)
    return max(few, tail)


def _share(number: float) -> float:
    return min(1.0, max(0.0, number))


class _Units(NamedTuple):
    """Units with their parts in a mean."""

    sums: Floats
    counts: Floats
    times: Floats
    """Number of such units."""


class _Side(NamedTuple):
    """Random means on the side of one limit: all units have random weights, and so has one more, at the limit."""

    sign: int
    """1 for the lower limit; -1 for the upper one, where all is mirrored."""
    limit: float
    units: _Units
    """With the one at the limit, and mirrored sums."""
    score: float
    """Its distance from the limit."""
    nearest: float
    """Distance of the nearest value from the limit."""

    def is_beyond(self, end: float, tail: float) -> bool:
        """Whether random means lie beyond this end more rarely than the tail says."""
        distance = self.sign * (end - self.limit)
        return distance <= 0 or self._log_probability(distance, 0.5)[0] < math.log(tail)

    def end(self, tail: float) -> float:
        """Place beyond which random means lie with the probability ``tail``."""
        return self.limit + self.sign * self._distance(tail)

    def _distance(self, tail: float) -> float:
        """Distance from the limit: no farther than the score."""
        wanted, start = math.sqrt(-2 * math.log(tail)), 0.5

        def over(distance: float) -> float:
            """The root of minus twice the logarithm of the probability, which is nearly linear, over the tail's."""
            nonlocal start
            found, start = self._log_probability(distance, start)
            return math.sqrt(max(0.0, -2 * found)) - wanted

        # Were all values the nearest one, the end would be here.
        units = float(self.units.times.sum()) - 1
        least = max(self.nearest * math.pow(tail, 1 / units), 1e-9 * self.score)
        low, high, at_high = self.score, self.score, over(self.score)
        # The squares of very small numbers are 0, and a step of 0 would lead nowhere.
        step, at_low = max(wanted * self._error(), 1e-3 * self.score, math.ulp(0.0)), at_high
        if at_high >= 0:
            return self.score
        while at_low < 0:  # by about as many standard errors as it takes
            if low == least:
                return least
            high, at_high = low, at_low
            low, step = max(least, low - step), 2 * step
            at_low = over(low)
        return _root(over, (low, at_low), (high, at_high))

    def _error(self) -> float:
        """The standard error of random means, about."""
        sums, counts, times = self.units
        parts = sums - (self.sign * self.limit + self.score) * counts
        return math.sqrt(float(times @ parts**2)) / float(times @ counts)

    def _log_probability(self, distance: float, start: float) -> tuple[float, float]:
        sums, counts, times = self.units
        return _log_positive((self.sign * self.limit + distance) * counts - sums, times, start)


def _root(function: Callable[[float], float], low: tuple[float, float], high: tuple[float, float]) -> float:
    """Place where the function is 0, between a place where it is above and one where it is below, each with its value.

    By false position, as in the Illinois algorithm: an end that stays twice counts half.
    """
    (left, at_left), (right, at_right), moved = low, high, 0
    end = right
    for _ in range(60):
        end = right - at_right * (right - left) / (at_right - at_left)
        at_end = function(end)
        if at_end < 0:
            right, at_right, at_left = end, at_end, at_left / 2 if moved < 0 else at_left
        else:
            left, at_left, at_right = end, at_end, at_right / 2 if moved > 0 else at_right
        moved = -1 if at_end < 0 else 1
        if abs(at_end) < 1e-8 or right - left <= 1e-12 * abs(right):
            break
    return end


def _grouped(sums: Floats, counts: Floats, score: float) -> _Units:
    """Equal units once, with their number; many different ones in groups of which each is nearly alike."""
    rows, repeated = np.unique(np.column_stack([sums, counts]), axis=0, return_counts=True)
    sums, counts, times = rows[:, 0], rows[:, 1], repeated.astype(np.float64)
    if len(sums) <= 2 * MOST:
        return _Units(sums, counts, times)
    part = sums - score * counts
    order = np.argsort(-np.abs(part), kind="stable")
    apart, others = order[:MOST], order[MOST:]
    inner = part[others]
    label = np.empty(len(sums), dtype=np.int64)
    label[apart] = np.arange(MOST)
    width = np.ptp(inner) or 1.0  # parts that are all equal are one group
    label[others] = MOST + np.minimum((inner - inner.min()) / width * MOST, MOST - 1).astype(np.int64)
    label = np.unique(label, return_inverse=True)[1]
    number = np.asarray(np.bincount(label, times), dtype=np.float64)
    return _Units(
        np.bincount(label, times * sums) / number, np.bincount(label, times * counts) / number, number
    )


def _log_positive(weights: Floats, times: Floats, start: float) -> tuple[float, float]:
    """The logarithm of the probability that a sum of exponential variables with these weights is above 0.

    Each weight counts so many ``times``. By the Laplace transform of the sum, along a line through its saddle point,
    which is sought from the share ``start`` of where it can be, and given as such a share too. Without a weight above 0
    the probability is 0.
    """
    largest = float(weights.max())
    if not largest > 0:
        return -1e9, start
    weights = weights / largest  # so that the saddle point is between 0 and 1
    at, curvature = start, 1.0
    for _ in range(40):  # damped steps to the least of a self-concordant function, which stay in between
        ratio = weights / (1 - at * weights)
        shares = times * ratio
        slope, curvature = float(shares.sum()) - 1 / at, float(shares @ ratio) + 1 / at**2
        decrement = abs(slope) / math.sqrt(curvature)
        at -= slope / curvature / (1 + decrement)
        if decrement < 0.05:
            break
    width = min(at, 1 - at, 2 / math.sqrt(curvature))
    nodes = _ENOUGH if times.sum() > 10 else len(_STEPS)
    line = at + 1j * width * _STEPS[:nodes]
    logs = _LENGTHS[:nodes] - np.log(line) - np.log(1 - np.multiply.outer(line, weights)) @ times
    top = float(logs.real.max())
    total = float(np.exp(logs - top).real.sum())
    return math.log(max(total, 1e-300) * width) + top, at
