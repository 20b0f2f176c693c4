"""The human ceiling: agreement of people with people, and how much of it a measure reaches.

The raters are split at random into two groups whose means are correlated, as Sharma et al. (2017, section 5.4) and Sato
et al. (2020, section 4.2) do once and we do many times. Half of the raters are noisier than all of them: a formula says
what two groups of full size would reach (Spearman, 1910; Brown, 1910; Horst, 1951, for halves of unequal size).

Neither is a bound for a measure, which is compared with people's mean and has no noise of its own: one that said just
what endlessly many raters would say on average correlates with these raters at the square root of the corrected
agreement (Spearman, 1904). Half of the raters may well do worse than a good measure.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.data.importers.ratings import anonymous
from dialeval.files.documents import finite
from dialeval.meta.document import Ceiling, Coefficient, LeftOut, Level, Split
from dialeval.ratings.joined import Joined
from dialeval.stats.correlation.bootstrap import five_numbers
from dialeval.stats.correlation.jackknife import LeftOutLevel, leave_out_level
from dialeval.stats.correlation.levels import LevelCorrelation, level_correlation, settled
from dialeval.stats.estimate import Estimate, Five
from dialeval.stats.resampling.bootstrap import Bounds

_LEFT_OUT: Final = 20
"""Splits over which units are left out: their mean hardly moves with more."""
_FEWEST: Final = 10
"""Coefficients of fewer points than this are too coarse for the formula, which then promises too much."""


def split_half(
    joined: Joined,
    *,
    level: Level = "item",
    coefficient: Coefficient = "spearman",
    repeats: int = 100,
    seed: int = 0,
    split: Split | None = None,
    clusters: Integers | None = None,
    confidence: float = 0.95,
) -> Ceiling:
    """The agreement of two random halves of the people.

    By default the raters are split, or the ratings of each answer if an answer usually has fewer than half of them:
    with a crowd, many answers would fall wholly into one half and be lost. The interval is for other items, or other
    clusters of items.
    """
    chosen = split or _fitting(joined)
    raters = len(joined.people.raters)

    def found(mean: Estimate, five: Five | None = None) -> Ceiling:
        return Ceiling(level, coefficient, mean, None, repeats, raters, chosen, five)

    reason = _too_few(joined)
    if reason is not None:
        return found(Estimate.undefined(reason))
    rng = np.random.default_rng(seed)
    halves = [_Halves.drawn(joined, chosen, rng, coefficient, level) for _ in range(repeats)]
    values = np.array([split.correlation.value for split in halves])
    if np.isnan(values).all():
        return found(Estimate(None, None, None, 0, halves[0].correlation.reason))
    bounds = _interval([half.means for half in halves[:_LEFT_OUT]], level, coefficient, clusters, confidence)
    n = int(np.median([split.correlation.n for split in halves]))
    mean = Estimate.of(float(np.nanmean(values)), *bounds, n)
    return _corrected(found(mean, five_numbers(values[~np.isnan(values)])), halves)


def leave_one_out(
    joined: Joined, *, level: Level = "item", coefficient: Coefficient = "spearman"
) -> tuple[LeftOut, ...]:
    """Each rater against the mean of all others, in the order of the raters; of none if raters are positions."""
    if anonymous(joined.people.raters):
        return ()
    return tuple(_left_out(joined, level, coefficient))


def one_rater(
    joined: Joined, *, level: Level = "item", coefficient: Coefficient = "spearman", own: bool = False
) -> float | None:
    """The mean over raters, or positions of raters, of their correlation with the mean of the others.

    With ``own`` the mean is that of all raters, the rater's own rating among them, which is no ceiling: a part of it is
    that rating.
    """
    if _too_few(joined) is not None:
        return None
    values = [found.value for found in _left_out(joined, level, coefficient, own=own)]
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _left_out(
    joined: Joined, level: Level, coefficient: Coefficient, *, own: bool = False
) -> Iterator[LeftOut]:
    people = joined.people
    sums, counts = _sums(joined, np.zeros(len(people.value), np.int64), 1)
    order = np.argsort(people.rater, kind="stable")
    ends = np.cumsum(np.bincount(people.rater, minlength=len(people.raters)))[:-1]
    for name, mine in zip(people.raters, np.split(order, ends), strict=True):
        system, item, value = people.system[mine], people.item[mine], people.value[mine]
        others = counts[0, system, item] - 1
        total, number = (
            (sums[0, system, item], others + 1) if own else (sums[0, system, item] - value, others)
        )
        rest = settled(np.divide(total, number, out=np.full(len(mine), np.nan), where=others > 0))
        # Of the systems and items of this rater alone: whole grids of every rater of a crowd would take long.
        (systems, row), (items, column) = (np.unique(axis, return_inverse=True) for axis in (system, item))
        tables = np.full((2, len(systems), len(items)), np.nan)
        tables[:, row, column] = value, rest
        correlation = level_correlation(*tables, kind=coefficient, level=level)
        yield LeftOut(name, level, coefficient, finite(correlation.value), correlation.n, correlation.reason)


def _too_few(joined: Joined) -> str | None:
    if len(joined.people.raters) < 2:
        return "only one rater: no agreement between people can be computed"
    if not (_per_cell(joined) > 1).any():
        return "no answer has more than one rating"
    return None


def _fitting(joined: Joined) -> Split:
    if anonymous(joined.people.raters):
        return "ratings"
    sizes = _per_cell(joined)
    typical = float(np.median(sizes[sizes > 0]))
    return "raters" if typical >= len(joined.people.raters) / 2 else "ratings"


def _per_cell(joined: Joined) -> Integers:
    people = joined.people
    return np.bincount(people.system * len(joined.items) + people.item)


class _Halves(NamedTuple):
    """One way to split people in two."""

    correlation: LevelCorrelation
    means: Floats
    """Mean ratings of either half, shape (2, systems, items)."""
    product: float
    """Share of an answer's ratings in one half times the share in the other, on average over the answers of both."""

    @classmethod
    def drawn(
        cls, joined: Joined, split: Split, rng: np.random.Generator, coefficient: Coefficient, level: Level
    ) -> _Halves:
        """Random halves, and how their means correlate."""
        people = joined.people
        if split == "raters":
            order = rng.permutation(len(people.raters))
            side = (order < (len(order) + rng.integers(2)) // 2).astype(np.int64)[people.rater]
        else:
            side = _alternating(people.system * len(joined.items) + people.item, rng)
        sums, counts = _sums(joined, side, 2)
        means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
        means = settled(means.reshape(2, -1)).reshape(means.shape)
        a, b = counts[:, (counts > 0).all(axis=0)]
        product = float((a * b / (a + b) ** 2).mean()) if len(a) else math.nan
        return cls(level_correlation(*means, kind=coefficient, level=level), means, product)


def _interval(
    halves: Sequence[Floats],
    level: Level,
    coefficient: Coefficient,
    clusters: Integers | None,
    confidence: float,
) -> Bounds:
    """Interval of the mean over splits for other items; NaN over systems, whose means are noisy in either half."""
    nothing = (math.nan, math.nan)
    if level == "system":
        return nothing
    every = [leave_out_level(*means, kind=coefficient, level=level, clusters=clusters) for means in halves]
    usable = [each for each in every if each.absence is None]
    sizes = {len(each.by_item) for each in usable}
    if not usable or len(sizes) > 1:  # an item that one of the halves lacks in some splits alone
        return nothing if not usable else usable[0].interval(confidence)
    value = float(np.mean([each.value for each in usable]))
    mean = LeftOutLevel(value, np.mean([each.by_item for each in usable], axis=0), np.empty(0))
    return mean.interval(confidence)


def _corrected(ceiling: Ceiling, halves: Sequence[_Halves]) -> Ceiling:
    """With what groups of full size, and a perfect measure, would reach; or the reason why that cannot be said."""
    r, points = ceiling.mean.value or 0.0, np.median([_points(split.correlation) for split in halves])
    reason = None
    if ceiling.coefficient == "kendall":
        reason = (
            "the correction holds for Pearson's coefficient, roughly for Spearman's, and not for Kendall's"
        )
    elif points < _FEWEST:
        reason = f"coefficients of {points:g} points are too coarse for the correction"
    elif r < 0:
        reason = "the halves disagree"
    if reason is not None:
        return dataclasses.replace(ceiling, uncorrected=reason)
    corrected = _of_full_size(r, float(np.nanmean([split.product for split in halves])))
    return dataclasses.replace(ceiling, corrected=corrected, bound=math.sqrt(corrected))


def _points(correlation: LevelCorrelation) -> float:
    """Points behind one coefficient, on average."""
    return correlation.n / max(1, correlation.groups - correlation.undefined)


def _of_full_size(r: float, product: float) -> float:
    """Agreement that two groups as large as both parts together would reach (Horst, 1951).

    ``product`` is of the two parts' shares of the ratings; at a quarter this is 2r / (1 + r).
    """
    if r >= 1:
        return 1.0
    square = r * r
    return (math.sqrt(square**2 + 4 * square * (1 - square) * product) - square) / (
        2 * product * (1 - square)
    )


def _alternating(cells: Integers, rng: np.random.Generator) -> Integers:
    """A side for each rating, in turn within each answer, the ratings shuffled and the first side drawn."""
    shuffled = rng.permutation(len(cells))
    order = shuffled[np.argsort(cells[shuffled], kind="stable")]
    sizes = np.bincount(cells)
    starts = np.cumsum(sizes) - sizes
    first = rng.integers(2, size=len(sizes))
    side = np.empty(len(cells), dtype=np.int64)
    ranked = cells[order]
    side[order] = (np.arange(len(cells)) - starts[ranked] + first[ranked]) % 2
    return side


def _sums(joined: Joined, side: Integers, sides: int) -> tuple[Floats, Integers]:
    """Sums and numbers of ratings by side, shape (sides, systems, items)."""
    people, shape = joined.people, (sides, len(joined.systems), len(joined.items))
    places = (side * shape[1] + people.system) * shape[2] + people.item
    size = math.prod(shape)
    sums = np.bincount(places, people.value, size).astype(np.float64)
    return sums.reshape(shape), np.bincount(places, minlength=size).reshape(shape)
