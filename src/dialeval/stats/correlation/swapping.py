"""Correlations of two measures with people when the two are swapped in some cells: the inside of PERM-BOTH.

Both measures' values are known in each cell, so a permutation is one bit a cell. Pearson's coefficient needs sums over
the swapped cells alone, and Spearman's and Kendall's one walk along the order of all values. As in ``weighted``, small
problems are done in numpy, where each value occurs once or not at all, and large ones in compiled loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from dialeval.stats.correlation.ranking import levels_within, order_within
from dialeval.stats.correlation.weighted import FLAT, HELD, MOST_PLAIN, ratio, weigher
from dialeval.stats.estimate import Coefficient
from dialeval.stats.resampling.bootstrap import Bits, Floats, Integers

Swapper: TypeAlias = Callable[[Bits], tuple[Floats, Floats]]
"""From swaps to the coefficients of both measures, each of shape (resamples, groups)."""

Subtracter: TypeAlias = Callable[[Bits], Floats]
"""From swaps to the first measure's coefficients minus the second's, of shape (resamples, groups)."""

LOT: Final = 64
"""Swaps that are counted together for Kendall's coefficient; fewer take as long."""

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
    if kind == "kendall" and resamples * len(a) > MOST_PLAIN:
        return _compiled_kendall(human, a, b, starts, resamples)
    return _by_frequencies(human, a, b, kind, starts, resamples)


def subtracter(human: Floats, a: Floats, b: Floats, *, starts: Integers, resamples: int) -> Subtracter | None:
    """How the differences of both measures' Kendall coefficients follow from the swaps, where no counting is needed.

    That is where no swap makes ties, the values of both measures being all different; None elsewhere, and of few swaps.
    """
    sizes = np.diff(starts)
    group = np.repeat(np.arange(len(sizes)), sizes)
    both = np.stack([a, b], axis=1).ravel()
    if resamples * len(a) <= MOST_PLAIN or not order_within(both, np.repeat(group, 2)).fresh.all():
        return None
    level = levels_within(human, group)
    subtract = _kendall_subtracter(a, b, level, starts, resamples)
    untied = np.sqrt((sizes**2 - sizes) * _untied(level, starts))
    over = np.where(untied > 0, untied, np.nan)
    return lambda bits: subtract(bits) / over


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


def _compiled_kendall(human: Floats, a: Floats, b: Floats, starts: Integers, resamples: int) -> Swapper:
    """One measure's pairs are counted; the other's follow from the difference."""
    sizes = np.diff(starts).astype(np.float64)
    level = levels_within(human, np.repeat(np.arange(len(sizes)), np.diff(starts)))
    count = _kendall_counter(a, b, level, starts)
    subtract = _kendall_subtracter(a, b, level, starts, resamples)
    squares = _untied(level, starts)

    def correlate(bits: Bits) -> tuple[Floats, Floats]:
        out = np.empty((3, len(bits), len(sizes)))
        for start in range(0, len(bits), LOT):
            out[:, start : start + LOT] = count(bits[start : start + LOT])
        more, every = 2 * out[0], sizes**2 - sizes
        return ratio(more, every - out[1], squares), ratio(more - subtract(bits), every - out[2], squares)

    return correlate


def _kendall_counter(a: Floats, b: Floats, level: Integers, starts: Integers) -> Callable[[Bits], Floats]:
    """From at most a lot of swaps to the first measure's concordant minus discordant pairs, and both measures' ties."""
    from dialeval.stats.correlation._kendall_kernels import count_lanes

    sizes = np.diff(starts)
    most = np.maximum.reduceat(level, starts[:-1])
    both = order_within(np.stack([a, b], axis=1).ravel(), np.repeat(np.arange(len(sizes)), 2 * sizes))
    cell, side = (both.order // 2).astype(np.uint32), (both.order % 2).astype(np.uint8)
    walk = cell, side, both.fresh, level.astype(np.uint32)[cell]
    row, wide = (np.int16, np.int32) if sizes.max() < 1 << 15 else (np.int32, np.int64)
    tree, counts = np.empty((2, int(most.max()) + 1, LOT), row)
    room = tree, counts, np.empty((3, LOT), row), np.empty((3, LOT), wide)

    def count(bits: Bits) -> Floats:
        kept = np.ones((len(a), LOT), np.uint8)
        kept[:, : len(bits)] -= bits.T
        out = np.empty((3, LOT, len(sizes)))
        count_lanes(kept, starts, walk, most, room, out)
        return out[:, : len(bits)]

    return count


def _kendall_subtracter(
    a: Floats, b: Floats, level: Integers, starts: Integers, resamples: int
) -> Callable[[Bits], Floats]:
    """From swaps to how many more pairs, counted twice, are concordant in the first measure than in the second.

    That is a sum over cells. Two cells' part in it is a function of two signs t and u, each 1 or -1 as the cell is as
    it was or swapped: of its four terms 1, t, u and tu, turning all signs, which makes one measure the other, changes
    only t and u.
    """
    gain = _kendall_gain(a, b, level, starts)
    whole = np.add.reduceat(gain, starts[:-1])
    return lambda bits: whole - 2 * swapped_sums(bits, starts, gain, resamples)


def _untied(level: Integers, starts: Integers) -> Floats:
    """Pairs of each group that do not tie, counted twice."""
    ties = [float((np.bincount(part) ** 2).sum()) for part in np.split(level, starts[1:-1])]
    return np.asarray(np.diff(starts) ** 2 - ties)


def _kendall_gain(a: Floats, b: Floats, level: Integers, starts: Integers) -> Floats:
    """Of each cell, how much more the first measure's value agrees with people than the second's.

    It is the concordant minus the discordant pairs with both measures' values of all cells of the group.
    """
    from dialeval.stats.correlation._kendall_kernels import compare_smaller

    group = np.repeat(np.arange(len(starts) - 1), 2 * np.diff(starts))
    most = np.maximum.reduceat(level, starts[:-1])
    values, levels = np.stack([a, b], axis=1).ravel(), np.repeat(level, 2).astype(np.uint32)
    tree, counts = np.empty((2, int(most.max()) + 1), np.int64)
    agreement = np.zeros(len(values))
    for sign in (1, -1):
        ordered = order_within(sign * values, group)
        compared = np.empty(len(values))
        compare_smaller(2 * starts, ordered.fresh, levels[ordered.order], most, tree, counts, compared)
        agreement[ordered.order] += sign * compared
    return np.asarray(agreement[::2] - agreement[1::2])


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
