"""Correlations of two measures with people when the two are swapped in some cells: the inside of PERM-BOTH.

Both measures' values are known in each cell, so a permutation is one bit a cell. Pearson's coefficient needs sums over
the swapped cells alone, and Spearman's one walk along the order of all values; Kendall's takes each value to occur once
or not at all (see ``weighted``). As there, small problems are done in numpy and large ones in compiled loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from dialeval.stats.correlation.ranking import order_within
from dialeval.stats.correlation.weighted import FLAT, HELD, MOST_PLAIN, ratio, weigher
from dialeval.stats.estimate import Coefficient
from dialeval.stats.resampling.bootstrap import Bits, Floats, Integers

Swapper: TypeAlias = Callable[[Bits], tuple[Floats, Floats]]
"""From swaps to the coefficients of both measures, each of shape (resamples, groups)."""

_DOUBTFUL = 1e-6
"""Squares about the mean below this share of all squares have lost digits, and are recomputed."""


def swapper(
    human: Floats, a: Floats, b: Floats, *, kind: Coefficient, starts: Integers, resamples: int
) -> Swapper:
    """How both measures' coefficients follow from the swaps, group by group as in ``weigher``."""
    if kind == "pearson":
        return _pearson(human, a, b, starts, resamples)
    if kind == "spearman" and resamples * len(a) > MOST_PLAIN:
        return _compiled_spearman(human, a, b, starts)
    return _by_frequencies(human, a, b, kind, starts, resamples)


def swapped_sums(bits: Bits, starts: Integers, gain: Floats, resamples: int) -> Floats:
    """Sums of the gain over the swapped cells of each group, shape (resamples, groups)."""
    if resamples * len(gain) <= MOST_PLAIN:
        return np.add.reduceat(bits * gain, starts[:-1], axis=1)
    from dialeval.stats.correlation._swap_kernels import sum_swapped

    out = np.empty((len(bits), len(starts) - 1))
    sum_swapped(bits, starts, gain, out)
    return out


def _three_sums(bits: Bits, starts: Integers, gains: Floats, resamples: int) -> Floats:
    if resamples * gains.shape[1] <= MOST_PLAIN:
        return np.stack([swapped_sums(bits, starts, gain, resamples) for gain in gains])
    from dialeval.stats.correlation._swap_kernels import sum_three_swapped

    out = np.empty((3, len(bits), len(starts) - 1))
    sum_three_swapped(bits, starts, gains, out)
    return out


def _pearson(human: Floats, a: Floats, b: Floats, starts: Integers, resamples: int) -> Swapper:
    """By sums of values, squares and products, each about the mean of its group."""
    sizes = np.diff(starts)
    h = _about_means(human, starts)
    middle = (a + b) / 2
    shift = middle - _about_means(middle, starts)
    sides = [np.stack([x, x * x, x * h]) for x in (a - shift, b - shift)]
    gains = sides[1] - sides[0]
    wholes = [np.add.reduceat(side, starts[:-1], axis=1)[:, None] for side in sides]
    squares = _squares(human, h, starts)
    recomputed = _by_frequencies(human, a, b, "pearson", starts, resamples)

    def correlate(bits: Bits) -> tuple[Floats, Floats]:
        moved = _three_sums(bits, starts, gains, resamples)
        both_coefficients, doubtful = [], np.zeros((len(bits), len(sizes)), dtype=bool)
        for x, xx, xy in (wholes[0] + moved, wholes[1] - moved):
            spread = xx - x**2 / sizes
            doubtful |= spread <= _DOUBTFUL * xx
            both_coefficients.append(ratio(xy, spread, np.broadcast_to(squares, spread.shape)))
        rows = np.flatnonzero(doubtful.any(axis=1))
        if len(rows):
            for coefficients, right in zip(both_coefficients, recomputed(bits[rows]), strict=True):
                coefficients[rows] = np.where(doubtful[rows], right, coefficients[rows])
        return both_coefficients[0], both_coefficients[1]

    return correlate


def _compiled_spearman(human: Floats, a: Floats, b: Floats, starts: Integers) -> Swapper:
    from dialeval.stats.correlation._swap_kernels import swap_spearman

    group = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    by_human = order_within(human, group)
    # Midranks minus their mean: half of (those below - those above).
    ranks = (by_human.first - starts[group] + by_human.last - starts[group + 1]) / 2
    squares = np.add.reduceat(ranks * ranks, starts[:-1])
    both = order_within(np.stack([a, b], axis=1).ravel(), np.repeat(group, 2))
    cell, side = (both.order // 2).astype(np.uint32), (both.order % 2).astype(np.uint8)
    people = ranks[cell]

    def correlate(bits: Bits) -> tuple[Floats, Floats]:
        out = np.empty((len(bits), 2, len(starts) - 1))
        swap_spearman(bits, starts, cell, side, both.fresh, people, squares, out)
        return out[:, 0], out[:, 1]

    return correlate


def _by_frequencies(
    human: Floats, a: Floats, b: Floats, kind: Coefficient, starts: Integers, resamples: int
) -> Swapper:
    both = np.stack([a, b], axis=1).ravel()
    weigh = weigher(both, np.repeat(human, 2), kind=kind, starts=2 * starts, resamples=2 * resamples)

    def correlate(bits: Bits) -> tuple[Floats, Floats]:
        out = np.empty((2, len(bits), len(starts) - 1))
        size = max(1, HELD // len(both))
        for start in range(0, len(bits), size):
            some = slice(start, start + size)
            weights = np.stack([1 - bits[some], bits[some]], axis=2).reshape(-1, len(both)).astype(np.float64)
            out[0, some], out[1, some] = weigh(weights), weigh(1 - weights)
        return out[0], out[1]

    return correlate


def _about_means(values: Floats, starts: Integers) -> Floats:
    sizes = np.diff(starts)
    return values - np.repeat(np.add.reduceat(values, starts[:-1]) / sizes, sizes)


def _squares(values: Floats, centred: Floats, starts: Integers) -> Floats:
    """Sums of squares about the mean of each group; 0 where they are rounding error."""
    squares = np.add.reduceat(centred * centred, starts[:-1])
    largest = np.maximum.reduceat(np.abs(values), starts[:-1])
    return np.where(squares > np.diff(starts) * (FLAT * largest) ** 2, squares, 0)
