"""Correlations of pairs that each occur a given number of times, in groups: the engine of all resampling here.

A bootstrap resample is the same pairs with other frequencies, and so is a permutation that swaps two measures:
the values of both are there, each with frequency 0 or 1. The values are therefore sorted once, and each resample only
counts along that order. Small problems are done in numpy and large ones in compiled loops, which the size of the
problem alone decides, so that the same call always takes the same path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.stats.estimate import Coefficient
from dialeval.stats.resampling.bootstrap import Floats, Integers


class Order(NamedTuple):
    """Values sorted within their groups, and which of them tie."""

    order: Integers
    """Positions of the values, group by group, smallest first; equal values in the order given."""
    first: Integers
    """For each value as given, the place in ``order`` where those equal to it begin."""
    last: Integers
    """And the place after the last of them."""
    fresh: NDArray[np.bool_]
    """For each place in ``order``, whether no value equal to its own stands before it."""


def midranks(values: Floats) -> Floats:
    """Ranks from 1 along the last axis; equal values share the mean of their ranks (Kendall, 1945)."""
    n = values.shape[-1]
    if not n:
        return values.copy()
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    changes = ordered[..., 1:] != ordered[..., :-1]
    places = np.arange(n)
    begins = np.concatenate([np.ones_like(ordered[..., :1], dtype=bool), changes], axis=-1)
    ends = np.concatenate([changes, np.ones_like(ordered[..., :1], dtype=bool)], axis=-1)
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, places, n)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


def order_within(values: Floats, group: Integers, within: Floats | None = None) -> Order:
    """The order of values within groups, which follow each other; those that also equal in ``within`` tie.

    ``group`` never decreases. ``within`` orders equal values further.
    """
    keys = (values, group) if within is None else (within, values, group)
    order = np.lexsort(keys)
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = False
    for key in keys:
        fresh[1:] |= key[order][1:] != key[order][:-1]
    begins = np.flatnonzero(fresh)
    tie = np.cumsum(fresh) - 1
    bounds = np.append(begins, len(order))
    first, last = np.empty(len(order), np.int64), np.empty(len(order), np.int64)
    first[order], last[order] = bounds[tie], bounds[tie + 1]
    return Order(order, first, last, fresh)


def levels_within(values: Floats, group: Integers) -> Integers:
    """The distinct values of each group numbered from 1, without gaps; ``group`` as in ``order_within``."""
    ordered = order_within(values, group)
    dense = np.cumsum(ordered.fresh)
    begins = np.flatnonzero(np.diff(group, prepend=-1))
    before = np.repeat(dense[begins] - 1, np.diff(begins, append=len(values)))
    levels = np.empty(len(values), np.int64)
    levels[ordered.order] = dense - before
    return levels


Weigher: TypeAlias = Callable[[Floats], Floats]
"""From frequencies of the pairs, shape (resamples, pairs), to coefficients of the groups, shape (resamples, groups)."""

FLAT: Final = 1e-13
"""A spread below this share of the largest value is rounding error, not spread."""

MOST_PLAIN: Final = 1_000_000
"""Frequencies, of all resamples, that numpy counts in a fraction of the seconds that compiling takes."""

HELD: Final = 1 << 18
"""Frequencies held at once: two megabytes, which a processor keeps close."""


def weigher(
    x: Floats, y: Floats, *, kind: Coefficient, starts: Integers | None = None, resamples: int = 1
) -> Weigher:
    """Return a function from frequencies of these pairs to their coefficient, group by group.

    Group g has the pairs from ``starts[g]`` up to ``starts[g + 1]``, at least one; without ``starts`` all are one
    group. The coefficient is NaN if those that occur have one value on either side. ``resamples`` is how many rows
    of frequencies are to come.
    """
    bounds = np.array([0, len(x)]) if starts is None else starts
    pairs = Pairs(x, y, bounds, np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)))
    table = _PLAIN if resamples * len(x) <= MOST_PLAIN else _COMPILED
    return table[kind](pairs)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of values in groups that follow each other."""

    x: Floats
    y: Floats
    starts: Integers
    group: Integers
    """The group of each pair."""

    def sums(self, values: Floats) -> Floats:
        """Sums over each group, of shape (resamples, groups)."""
        return np.add.reduceat(values, self.starts[:-1], axis=-1)

    def scaled(self) -> tuple[Floats, Floats]:
        """Both sides over the largest size in their group: no coefficient notices, and no square overflows."""
        return self.x / self._sizes(self.x), self.y / self._sizes(self.y)

    def _sizes(self, side: Floats) -> Floats:
        sizes = np.maximum.reduceat(np.abs(side), self.starts[:-1])
        return np.where(sizes > 0, sizes, 1.0)[self.group]


def _plain_pearson(pairs: Pairs) -> Weigher:
    x, y = pairs.scaled()

    def weigh(weights: Floats) -> Floats:
        n = pairs.sums(weights)
        with np.errstate(invalid="ignore", divide="ignore"):
            dx = x - (pairs.sums(weights * x) / n)[:, pairs.group]
            dy = y - (pairs.sums(weights * y) / n)[:, pairs.group]
        wx = weights * dx
        xx, yy, xy = pairs.sums(wx * dx), pairs.sums(weights * dy * dy), pairs.sums(wx * dy)
        return ratio(xy, np.where(xx > n * FLAT**2, xx, 0), np.where(yy > n * FLAT**2, yy, 0))

    return weigh


def _plain_spearman(pairs: Pairs) -> Weigher:
    begin, end = pairs.starts[:-1][pairs.group], pairs.starts[1:][pairs.group]
    orders = order_within(pairs.x, pairs.group), order_within(pairs.y, pairs.group)

    def centred_ranks(weights: Floats, ordered: Order) -> Floats:
        """Midranks minus their mean: half of (those below - those above)."""
        upto = _upto(weights[:, ordered.order])
        below = upto[:, ordered.first] - upto[:, begin]
        return (below + upto[:, ordered.last] - upto[:, end]) / 2

    def weigh(weights: Floats) -> Floats:
        rx, ry = (centred_ranks(weights, ordered) for ordered in orders)
        wx = weights * rx
        return ratio(pairs.sums(wx * ry), pairs.sums(wx * rx), pairs.sums(weights * ry * ry))

    return weigh


def _plain_kendall(pairs: Pairs) -> Weigher:
    by_x, by_y = order_within(pairs.x, pairs.group), order_within(pairs.y, pairs.group)
    by_both = order_within(pairs.x, pairs.group, pairs.y)
    levels = _levels(by_y.first[by_both.order], by_both.order)

    def tied(weights: Floats, ordered: Order) -> Floats:
        """Sum of squared sizes of the ties in each group."""
        upto = _upto(weights[:, ordered.order])
        return pairs.sums(weights * (upto[:, ordered.last] - upto[:, ordered.first]))

    def weigh(weights: Floats) -> Floats:
        discordant = np.zeros((len(weights), len(pairs.starts) - 1))
        for order, high, begin in levels:
            here = weights[:, order]
            above = _upto(np.where(high, here, 0))
            discordant += pairs.sums(np.where(high, 0, here * (above[:, :-1] - above[:, begin])))
        every = pairs.sums(weights) ** 2
        ties_x, ties_y, ties = (tied(weights, ordered) for ordered in (by_x, by_y, by_both))
        concordant_more = every - ties_x - ties_y + ties - 4 * discordant
        return ratio(concordant_more, every - ties_x, every - ties_y)

    return weigh


def _levels(values: Integers, order: Integers) -> list[tuple[Integers, NDArray[np.bool_], Integers]]:
    """A sequence parted by one bit of its values after another, from the highest.

    Of each level: the order of the pairs, which have the higher half of their block's values, and where the block
    begins. Two values in falling order are separated at exactly one level, in one block: the pairs that are
    discordant are counted in one pass over each (a wavelet tree; Grossi, Gupta & Vitter, 2003).
    """
    n, levels = len(values), []
    fewer = np.concatenate([[0], np.cumsum(np.bincount(values, minlength=n))])
    for bit in reversed(range(max(1, int(n).bit_length()))):
        block = values >> (bit + 1) << (bit + 1)
        high = (values >> bit & 1).astype(bool)
        begin = fewer[np.minimum(block, n)]
        levels.append((order, high, begin))
        highs = np.concatenate([[0], np.cumsum(high)])
        before = highs[:-1] - highs[begin]
        middle = fewer[np.minimum(block + (1 << bit), n)]
        place = np.where(high, middle + before, np.arange(n) - before)
        moved_values, moved_order = np.empty_like(values), np.empty_like(order)
        moved_values[place], moved_order[place] = values, order
        values, order = moved_values, moved_order
    return levels


def _upto(values: Floats) -> Floats:
    """Sums of the values before each place of each row, and of all."""
    sums = np.zeros((len(values), values.shape[1] + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums


def ratio(xy: Floats, xx: Floats, yy: Floats) -> Floats:
    """The coefficient xy / sqrt(xx yy), kept within [-1, 1]; NaN if xx or yy is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient = xy / np.sqrt(xx * yy)
    return np.where((xx > 0) & (yy > 0), np.clip(quotient, -1, 1), np.nan)


def mean_over_groups(coefficients: Floats, times: Floats | None = None) -> Floats:
    """Means of the coefficients that are defined, each as often as its group occurs; NaN if there is none."""
    defined = ~np.isnan(coefficients)
    counted = defined.astype(np.float64) if times is None else np.where(defined, times, 0)
    total, count = (counted * np.where(defined, coefficients, 0)).sum(axis=1), counted.sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _compiled_pearson(pairs: Pairs) -> Weigher:
    from dialeval.stats.correlation._kernels import weigh_pearson

    x, y = pairs.scaled()

    def weigh(weights: Floats) -> Floats:
        out = _room(weights, pairs)
        weigh_pearson(weights, pairs.starts, x, y, FLAT**2, out)
        return out

    return weigh


def _compiled_spearman(pairs: Pairs) -> Weigher:
    from dialeval.stats.correlation._kernels import weigh_spearman

    by_x, by_y = order_within(pairs.x, pairs.group), order_within(pairs.y, pairs.group)
    order_x, order_y = by_x.order.astype(np.uint32), by_y.order.astype(np.uint32)
    ranks = np.empty(len(pairs.x))

    def weigh(weights: Floats) -> Floats:
        out = _room(weights, pairs)
        weigh_spearman(weights, pairs.starts, order_x, by_x.fresh, order_y, by_y.fresh, ranks, out)
        return out

    return weigh


def _compiled_kendall(pairs: Pairs) -> Weigher:
    from dialeval.stats.correlation._kernels import weigh_kendall

    by_x, level = order_within(pairs.x, pairs.group), levels_within(pairs.y, pairs.group)
    most = np.maximum.reduceat(level, pairs.starts[:-1])
    order = by_x.order.astype(np.uint32)
    longest = np.diff(pairs.starts).max()
    room = np.empty(longest), np.empty(longest, np.int64), np.empty(longest, np.int64)
    sums = np.empty(most.max() + 1), np.empty(most.max() + 1)

    def weigh(weights: Floats) -> Floats:
        out = _room(weights, pairs)
        weigh_kendall(weights, pairs.starts, order, by_x.fresh, level, most, *room, *sums, out)
        return out

    return weigh


def _room(weights: Floats, pairs: Pairs) -> Floats:
    return np.empty((len(weights), len(pairs.starts) - 1))


_Engine: TypeAlias = Mapping[Coefficient, Callable[[Pairs], Weigher]]
_PLAIN: Final[_Engine] = MappingProxyType(
    {"pearson": _plain_pearson, "spearman": _plain_spearman, "kendall": _plain_kendall}
)
_COMPILED: Final[_Engine] = MappingProxyType(
    {"pearson": _compiled_pearson, "spearman": _compiled_spearman, "kendall": _compiled_kendall}
)
