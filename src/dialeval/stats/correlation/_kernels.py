"""Compiled loops that count correlations of pairs with frequencies, equal to the numpy code of ``weighted``.

Plain loops over given arrays: array expressions take numba seconds to compile. Results are NaN if undefined.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.stats.resampling.bootstrap import Floats, Integers

Places: TypeAlias = NDArray[np.uint32]
"""Without a sign, because checking for negative places takes time."""

FEW = 64
"""Up to this many pairs, looking at every two of them is quicker than any other way."""


@njit(cache=True)
def weigh_pearson(weights: Floats, starts: Integers, x: Floats, y: Floats, flat: float, out: Floats) -> None:
    """Fill the coefficients of (resamples, groups): means first, then squares about them."""
    for resample in range(len(weights)):
        weight = weights[resample]
        for group in range(len(starts) - 1):
            n = mx = my = 0.0
            for index in range(starts[group], starts[group + 1]):
                n += weight[index]
                mx += weight[index] * x[index]
                my += weight[index] * y[index]
            out[resample, group] = np.nan
            if n == 0:
                continue
            mx, my = mx / n, my / n
            xx = yy = xy = 0.0
            for index in range(starts[group], starts[group + 1]):
                dx, dy = x[index] - mx, y[index] - my
                xx += weight[index] * dx * dx
                yy += weight[index] * dy * dy
                xy += weight[index] * dx * dy
            if xx > n * flat and yy > n * flat:
                out[resample, group] = min(1.0, max(-1.0, xy / math.sqrt(xx * yy)))


@njit(cache=True)
def weigh_spearman(
    weights: Floats,
    starts: Integers,
    order_x: Places,
    fresh_x: NDArray[np.bool_],
    order_y: Places,
    fresh_y: NDArray[np.bool_],
    ranks: Floats,
    out: Floats,
) -> None:
    """Fill the coefficients of (resamples, groups) by walking along both orders; ``ranks`` is room for one resample."""
    for resample in range(len(weights)):
        weight = weights[resample]
        for group in range(len(starts) - 1):
            first, last = starts[group], starts[group + 1]
            n = 0.0
            for index in range(first, last):
                n += weight[index]
            below = xx = 0.0
            start = first
            while start < last:
                tied = weight[order_x[start]]
                stop = start + 1
                while stop < last and not fresh_x[stop]:
                    tied += weight[order_x[stop]]
                    stop += 1
                rank = below + (tied - n) / 2
                for place in range(start, stop):
                    ranks[order_x[place]] = rank
                xx += tied * rank * rank
                below += tied
                start = stop
            below = yy = xy = 0.0
            start = first
            while start < last:
                index = order_y[start]
                tied = weight[index]
                other = weight[index] * ranks[index]
                stop = start + 1
                while stop < last and not fresh_y[stop]:
                    index = order_y[stop]
                    tied += weight[index]
                    other += weight[index] * ranks[index]
                    stop += 1
                rank = below + (tied - n) / 2
                yy += tied * rank * rank
                xy += other * rank
                below += tied
                start = stop
            out[resample, group] = np.nan
            if xx > 0 and yy > 0:
                out[resample, group] = min(1.0, max(-1.0, xy / math.sqrt(xx * yy)))


@njit(cache=True)
def weigh_kendall(
    weights: Floats,
    starts: Integers,
    order_x: Places,
    fresh_x: NDArray[np.bool_],
    level: Integers,
    most: Integers,
    times: Floats,
    levels: Integers,
    before: Integers,
    counts: Floats,
    tree: Floats,
    out: Floats,
) -> None:
    """Fill the coefficients of (resamples, groups): each pair is compared with those with a smaller x.

    ``level`` numbers the y values of each group from 1 to ``most``. The five arrays after it are room: three for the
    pairs of a group, two for its levels.
    """
    for resample in range(len(weights)):
        weight = weights[resample]
        for group in range(len(starts) - 1):
            first, last, top = starts[group], starts[group + 1], most[group]
            # Those that occur, in the order of x. All are written and the absent overwritten: no jump to mispredict.
            met, n, ties_x, tied, smaller = 0, 0.0, 0.0, 0.0, 0
            order, fresh = order_x[first:last], fresh_x[first:last]
            for place in range(len(order)):
                index = order[place]
                if fresh[place]:
                    ties_x += tied * tied
                    tied, smaller = 0.0, met
                times[met], levels[met], before[met] = weight[index], level[index], smaller
                tied += weight[index]
                n += weight[index]
                met += weight[index] > 0
            ties_x += tied * tied
            if met <= FEW:
                more = _count_few(times, levels, before, met)
            else:
                more = _count(times, levels, before, met, counts, tree, top)
            for index in range(1, top + 1):
                counts[index] = 0.0
            for index in range(met):
                counts[levels[index]] += times[index]
            ties_y = 0.0
            for index in range(1, top + 1):
                ties_y += counts[index] * counts[index]
            xx, yy = n * n - ties_x, n * n - ties_y
            out[resample, group] = np.nan
            if xx > 0 and yy > 0:
                out[resample, group] = min(1.0, max(-1.0, 2 * more / math.sqrt(xx * yy)))


# The sums are of whole numbers and hence exact in any order: several are added at once.
@njit(cache=True, fastmath={"reassoc"})
def _count_few(times: Floats, levels: Integers, before: Integers, met: int) -> float:
    """Count how many more pairs of pairs are concordant than discordant, by looking at each."""
    more = 0.0
    for pair in range(met):
        here, others, lower = levels[pair], levels[: before[pair]], 0.0
        for other in range(len(others)):
            lower += times[other] * ((others[other] < here) - (others[other] > here))
        more += times[pair] * lower
    return more


@njit(cache=True)
def _count(
    times: Floats, levels: Integers, before: Integers, met: int, counts: Floats, tree: Floats, top: int
) -> float:
    """Count as `_count_few`, by how often each level was entered so far, and a tree of their sums (Fenwick, 1994)."""
    for node in range(top + 1):
        counts[node] = tree[node] = 0.0
    more, entered, n = 0.0, 0, 0.0
    for pair in range(met):
        while entered < before[pair]:
            n += times[entered]
            node = levels[entered]
            counts[node] += times[entered]
            while node <= top:
                tree[node] += times[entered]
                node += node & -node
            entered += 1
        lower, node = 0.0, levels[pair] - 1
        while node > 0:
            lower += tree[node]
            node &= node - 1
        more += times[pair] * (2 * lower + counts[levels[pair]] - n)
    return more
