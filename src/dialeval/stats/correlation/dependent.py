"""Tests of two measures' correlations with the same people: Williams' t and PERM-BOTH.

Both measures' values are known in each cell, so a permutation is one bit a cell. Pearson's coefficient needs sums over
the swapped cells alone, and Spearman's and Kendall's one walk along the order of all values. As in ``weighted``, small
problems are done in numpy, where each value occurs once or not at all, and large ones in compiled loops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.correlation.coefficients import correlations
from dialeval.stats.correlation.levels import (
    Cells,
    cluster_of_items,
    settled,
    shared_cells,
    system_means,
)
from dialeval.stats.correlation.weighted import (
    FLAT,
    HELD,
    MOST_PLAIN,
    levels_within,
    mean_over_groups,
    order_within,
    ratio,
    weigher,
)
from dialeval.stats.estimate import Coefficient, Level, Statistic
from dialeval.stats.resampling.bootstrap import CELLS, Bits, Floats, Integers, every_swap, random_swaps
from dialeval.stats.tests.paired import MOST_ENUMERATED, ROUNDING, difference_of

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
    """Return a function from swaps to both measures' coefficients, group by group as in ``weigher``."""
    if kind == "pearson":
        return _pearson(human, a, b, starts, resamples)
    if kind == "spearman" and resamples * len(a) > MOST_PLAIN:
        return _compiled_spearman(human, a, b, starts)
    if kind == "kendall" and resamples * len(a) > MOST_PLAIN:
        return _compiled_kendall(human, a, b, starts, resamples)
    return _by_frequencies(human, a, b, kind, starts, resamples)


def subtracter(human: Floats, a: Floats, b: Floats, *, starts: Integers, resamples: int) -> Subtracter | None:
    """Return a function from swaps to differences of Kendall's coefficients, if no counting is needed.

    That is if no swap makes ties, the values of both measures being all different; None elsewhere, and of few swaps.
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
    from dialeval.stats.correlation._swap_kernels import count_lanes

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
    from dialeval.stats.correlation._swap_kernels import compare_smaller

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
    """Sums of squares about the mean of each group; 0 if they are rounding error."""
    squares = np.add.reduceat(centred * centred, starts[:-1])
    largest = np.maximum.reduceat(np.abs(values), starts[:-1])
    return np.where(squares > np.diff(starts) * (FLAT * largest) ** 2, squares, 0)


Swap: TypeAlias = Literal["cells", "items", "systems"]
"""Units in which two measures are swapped: each cell alone, or whole items or systems (PERM-BOTH, PERM-INPUTS and
PERM-SYSTEMS of Deutsch, Dror & Roth, 2021)."""


class _Swaps(NamedTuple):
    """Coefficients and differences after swaps, each of shape (resamples,)."""

    correlate: Callable[[Bits], tuple[Floats, Floats]]
    """The correlations of both measures."""
    differ: Callable[[Bits], Floats]
    """The first minus the second, which may take much less than both."""


def williams(r12: float, r13: float, r23: float, n: int) -> Statistic:
    """Williams' t of r12 - r13, both correlations with variable 1 on the same n observations; p two-sided.

    t = (r12 - r13) sqrt((n - 1) (1 + r23) / (2 K (n - 1) / (n - 3) + (r12 + r13)^2 / 4 (1 - r23)^3)) with
    K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23 has n - 3 degrees of freedom (Williams, 1959; Steiger, 1980,
    equation 7). It is made for Pearson's coefficient and for observations that do not depend on each other.
    """
    if n < 4:
        return Statistic.undefined(f"fewer than 4 observations ({n})", n)
    if any(math.isnan(r) for r in (r12, r13, r23)):
        return Statistic.undefined("one of the three correlations is undefined", n)
    if abs(r23) >= 1 - ROUNDING:
        how = "say the same" if r23 > 0 else "say the opposite of each other"
        return Statistic.undefined(f"the two measures {how} (their correlation is {r23:g})", n)
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if k < -ROUNDING:
        return Statistic.undefined("no observations can have these three correlations with each other", n)
    spread = 2 * max(k, 0) * (n - 1) / (n - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    if spread <= ROUNDING:
        return Statistic.undefined("the three correlations leave no spread to compare with", n)
    from scipy.special import stdtr

    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / spread)
    return Statistic(t, n, float(2 * stdtr(n - 3, -abs(t))))


class Permuted(NamedTuple):
    """Result of swapping two measures at random."""

    p: float
    """Two-sided; NaN if the observed difference is undefined."""
    resamples: int = 0
    """Swaps that have a difference, of those that were made."""
    exact: bool = False
    """Whether every way to swap was tried."""

    @property
    def error(self) -> float:
        """The standard error of p from a finite number of resamples; 0 if it is exact."""
        return 0.0 if self.exact else math.sqrt(self.p * (1 - self.p) / max(1, self.resamples))


def perm_both(
    human: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    kind: Coefficient,
    level: Level,
    resamples: int = 1000,
    seed: int = 0,
    cells: int = CELLS,
) -> float:
    """Two-sided p-value that two measures correlate with people alike (PERM-BOTH; Deutsch, Dror & Roth, 2021).

    Tables are of shape (systems, items); cells that all three have are used. Both measures are standardised over
    these, and each resample swaps them in each cell with probability one half. The p-value is (1 + count) /
    (1 + resamples) of the resamples whose difference is at least the observed one, or count / 2^n over all
    assignments if n <= 13 cells; resamples without a difference are left out. NaN if the observed
    difference is undefined, as ``level_correlation`` explains. At most about ``cells`` swaps are held at once;
    no result depends on it.
    """
    return permuted(human, a, b, kind=kind, level=level, resamples=resamples, seed=seed, cells=cells).p


def permuted(
    human: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    kind: Coefficient,
    level: Level,
    resamples: int = 1000,
    seed: int = 0,
    enough: int | None = None,
    swap: Swap = "cells",
    clusters: Integers | None = None,
    cells: int = CELLS,
) -> Permuted:
    """``perm_both`` with the error of its p-value, and free to stop if the measures clearly do not differ.

    Swapping whole items is valid if a measure errs on an item with all systems alike, swapping whole systems where
    it errs on all answers of a system alike: they are for conclusions about other items, and about other systems.

    Resampling ends with the one that is the ``enough``-th to differ as much as observed; then p is ``enough`` over the
    resamples made, which is as valid as p of all of them (Besag & Clifford, 1991), and its error at most
    p / sqrt(``enough``). ``clusters`` labels the items: then the items of a cluster are swapped together or not at all.
    At level ``system`` people's means are over all of their cells, and cells are swapped that both measures have.
    """
    if level == "system":
        human = _means_everywhere(human)
    shared = shared_cells(human, a, b)
    n = len(shared.item)
    owner = _owner(shared, swap, None if clusters is None else cluster_of_items(clusters, human, a, b))
    units = n if owner is None else int(owner.max(initial=-1)) + 1
    if not n or any(np.ptp(table) == 0 for table in shared.tables):
        return Permuted(math.nan)
    exact = units <= MOST_ENUMERATED
    found = _by_level(_standardised(shared), kind, level, 1 << units if exact else resamples)
    of_a, of_b = found.correlate(np.zeros((1, n), np.uint8))
    observed = abs(float(difference_of(of_a, of_b)[0]))
    if math.isnan(observed):
        return Permuted(math.nan)
    held = cells if enough is None else min(cells, 2 * enough * n)
    # As many units at a time as their cells can be held, in whole lots.
    rows = max(1, held // n)
    held = (rows if rows < LOT else rows - rows % LOT) * units
    drawn = _every(units, held) if exact else random_swaps(units, resamples=resamples, seed=seed, cells=held)
    swaps = drawn if owner is None else (np.ascontiguousarray(bits[:, owner]) for bits in drawn)
    least = observed - ROUNDING * float(abs(of_a[0]) + abs(of_b[0]))
    differences = (np.abs(found.differ(bits)) for bits in swaps)
    if exact:
        count, defined = _counted(differences, least, None)
        return Permuted(count / defined, defined, exact=True)
    count, defined = _counted(differences, least, enough)
    p = count / defined if count == enough else (1 + count) / (1 + defined)
    return Permuted(p, defined)


def _means_everywhere(human: ArrayLike) -> Floats:
    """Each system's mean in every cell; NaN if it has none."""
    table = np.asarray(human, dtype=np.float64)
    there = ~np.isnan(table)
    counts = there.sum(axis=1)
    sums = np.where(there, table, 0.0).sum(axis=1)
    means = settled(np.divide(sums, counts, out=np.full(len(table), np.nan), where=counts > 0))
    return np.broadcast_to(means[:, None], table.shape)


def _every(units: int, held: int) -> Iterator[Bits]:
    """All ways to swap, some at a time."""
    whole, size = every_swap(units), max(1, held // units)
    return (whole[start : start + size] for start in range(0, len(whole), size))


def _owner(cells: Cells, swap: Swap, cluster: Integers | None) -> Integers | None:
    """The unit that each cell is swapped with; None if each is one of its own."""
    if swap == "systems":
        return cells.system
    if cluster is not None:
        return cluster[cells.item]
    return cells.item if swap == "items" and cells.items < len(cells.item) else None


def _counted(differences: Iterable[Floats], least: float, enough: int | None) -> tuple[int, int]:
    """Count differences that reach ``least``, and all of them; stop once there are enough."""
    count = defined = 0
    for some in differences:
        known = some[~np.isnan(some)]
        reached = np.flatnonzero(known >= least)
        if enough is not None and count + len(reached) >= enough:
            return enough, defined + int(reached[enough - count - 1]) + 1
        count, defined = count + len(reached), defined + len(known)
    return count, defined


def _standardised(cells: Cells) -> Cells:
    """Both measures with mean 0 and deviation 1; values that only rounding tells apart are made equal."""
    human, a, b = cells.tables
    # Brought near 1 first: squares of values such as the probabilities of sentences are beyond any float.
    near = [table / np.abs(table).max(initial=0.0) if table.any() else table for table in (a, b)]
    a, b = (settled((table - table.mean()) / table.std()) for table in near)
    return Cells(cells.system, cells.item, (human, a, b))


def _by_level(cells: Cells, kind: Coefficient, level: Level, resamples: int) -> _Swaps:
    if level == "system":
        return _over_systems(cells, kind, resamples)
    if level == "system_within_item":
        return _in_groups(cells, cells.item, kind, resamples)
    return _in_groups(
        cells, cells.system if level == "item_within_system" else 0 * cells.system, kind, resamples
    )


def _over_systems(cells: Cells, kind: Coefficient, resamples: int) -> _Swaps:
    human, a, b = system_means(cells)
    counts = np.bincount(cells.system)
    starts = np.concatenate([[0], np.cumsum(counts)])
    gain = cells.tables[2] - cells.tables[1]

    def correlate(bits: Bits) -> tuple[Floats, Floats]:
        moved = swapped_sums(bits, starts, gain, resamples) / counts
        return correlations(settled(a + moved), human, kind), correlations(settled(b - moved), human, kind)

    return _Swaps(correlate, lambda bits: difference_of(*correlate(bits)))


def _in_groups(cells: Cells, group: Integers, kind: Coefficient, resamples: int) -> _Swaps:
    order = np.argsort(group, kind="stable")
    moved = bool((order[1:] < order[:-1]).any())
    human, a, b = (table[order] for table in cells.tables)
    starts = np.concatenate([[0], np.cumsum(np.bincount(group))])
    subtract = subtracter(human, a, b, starts=starts, resamples=resamples) if kind == "kendall" else None
    swap = swapper(human, a, b, kind=kind, starts=starts, resamples=resamples if subtract is None else 1)

    def correlate(bits: Bits) -> tuple[Floats, Floats]:
        of_a, of_b = swap(bits[:, order] if moved else bits)
        return mean_over_groups(of_a), mean_over_groups(of_b)

    if subtract is None:
        return _Swaps(correlate, lambda bits: difference_of(*correlate(bits)))
    differ = subtract
    return _Swaps(correlate, lambda bits: mean_over_groups(differ(bits[:, order] if moved else bits)))
