"""Compiled loops that count correlations of pairs with frequencies, equal to the numpy code of ``weighted``.

Plain loops over given arrays: array expressions take numba seconds to compile. Results are NaN where undefined.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.stats.resampling import Floats, Integers


@njit(cache=True)
def weigh_pearson(weights: Floats, starts: Integers, x: Floats, y: Floats, flat: float, out: Floats) -> None:
    """Fill the coefficients of (trials, groups): means first, then squares about them."""
    for trial in range(len(weights)):
        weight = weights[trial]
        for group in range(len(starts) - 1):
            n = mx = my = 0.0
            for at in range(starts[group], starts[group + 1]):
                n += weight[at]
                mx += weight[at] * x[at]
                my += weight[at] * y[at]
            out[trial, group] = np.nan
            if n == 0:
                continue
            mx, my = mx / n, my / n
            xx = yy = xy = 0.0
            for at in range(starts[group], starts[group + 1]):
                dx, dy = x[at] - mx, y[at] - my
                xx += weight[at] * dx * dx
                yy += weight[at] * dy * dy
                xy += weight[at] * dx * dy
            if xx > n * flat and yy > n * flat:
                out[trial, group] = min(1.0, max(-1.0, xy / math.sqrt(xx * yy)))


@njit(cache=True)
def weigh_spearman(
    weights: Floats,
    starts: Integers,
    order_x: Integers,
    fresh_x: NDArray[np.bool_],
    order_y: Integers,
    fresh_y: NDArray[np.bool_],
    ranks: Floats,
    out: Floats,
) -> None:
    """Fill the coefficients of (trials, groups) by walking along both orders; ``ranks`` is room for one trial."""
    for trial in range(len(weights)):
        weight = weights[trial]
        for group in range(len(starts) - 1):
            first, last = starts[group], starts[group + 1]
            n = 0.0
            for at in range(first, last):
                n += weight[at]
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
                at = order_y[start]
                tied = weight[at]
                other = weight[at] * ranks[at]
                stop = start + 1
                while stop < last and not fresh_y[stop]:
                    at = order_y[stop]
                    tied += weight[at]
                    other += weight[at] * ranks[at]
                    stop += 1
                rank = below + (tied - n) / 2
                yy += tied * rank * rank
                xy += other * rank
                below += tied
                start = stop
            out[trial, group] = np.nan
            if xx > 0 and yy > 0:
                out[trial, group] = min(1.0, max(-1.0, xy / math.sqrt(xx * yy)))


@njit(cache=True)
def weigh_kendall(
    weights: Floats,
    starts: Integers,
    order_x: Integers,
    fresh_x: NDArray[np.bool_],
    level: Integers,
    most: Integers,
    tree: Floats,
    counts: Floats,
    out: Floats,
) -> None:
    """Fill the coefficients of (trials, groups): each pair looks up how many before it are lower and higher.

    ``level`` numbers the y values of each group from 1 to ``most``; ``tree`` sums the frequencies met so far
    (Fenwick, 1994) and ``counts`` has them level by level; both are room for one group.
    """
    for trial in range(len(weights)):
        weight = weights[trial]
        for group in range(len(starts) - 1):
            first, last, top = starts[group], starts[group + 1], most[group]
            for at in range(top + 1):
                tree[at] = 0.0
                counts[at] = 0.0
            met = more = ties_x = 0.0
            start = first
            while start < last:
                tied = 0.0
                stop = start
                while stop < last and (stop == start or not fresh_x[stop]):
                    at = order_x[stop]
                    stop += 1
                    if weight[at] == 0:
                        continue
                    tied += weight[at]
                    lower = 0.0
                    node = level[at] - 1
                    while node > 0:
                        lower += tree[node]
                        node &= node - 1
                    more += weight[at] * (2 * lower + counts[level[at]] - met)
                for place in range(start, stop):
                    at = order_x[place]
                    if weight[at] == 0:
                        continue
                    counts[level[at]] += weight[at]
                    node = level[at]
                    while node <= top:
                        tree[node] += weight[at]
                        node += node & -node
                met += tied
                ties_x += tied * tied
                start = stop
            ties_y = 0.0
            for at in range(1, top + 1):
                ties_y += counts[at] * counts[at]
            xx, yy = met * met - ties_x, met * met - ties_y
            out[trial, group] = np.nan
            if xx > 0 and yy > 0:
                out[trial, group] = min(1.0, max(-1.0, 2 * more / math.sqrt(xx * yy)))
