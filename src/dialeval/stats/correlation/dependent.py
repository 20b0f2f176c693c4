"""Tests of two measures' correlations with the same people: Williams' t and PERM-BOTH."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.correlation.coefficients import correlations
from dialeval.stats.correlation.levels import (
    Cells,
    Level,
    cluster_of_items,
    settled,
    shared_cells,
    system_means,
)
from dialeval.stats.correlation.swapping import LOT, subtracter, swapped_sums, swapper
from dialeval.stats.correlation.weighted import mean_over_groups
from dialeval.stats.estimate import Coefficient, Estimate
from dialeval.stats.resampling.bootstrap import CELLS, Bits, Floats, Integers, every_swap, random_swaps
from dialeval.stats.tests.paired import MOST_ENUMERATED, ROUNDING, difference_of

Swap: TypeAlias = Literal["cells", "items", "systems"]
"""What two measures are swapped in: each cell alone, or whole items or systems (PERM-BOTH, PERM-INPUTS and
PERM-SYSTEMS of Deutsch, Dror & Roth, 2021)."""


class _Swaps(NamedTuple):
    """What follows from which cells are swapped, each of shape (resamples,)."""

    correlate: Callable[[Bits], tuple[Floats, Floats]]
    """The correlations of both measures."""
    differ: Callable[[Bits], Floats]
    """The first minus the second, which may take much less than both."""


def williams(r12: float, r13: float, r23: float, n: int) -> Estimate:
    """Williams' t of r12 - r13, both correlations with variable 1 on the same n observations; p two-sided.

    t = (r12 - r13) sqrt((n - 1) (1 + r23) / (2 K (n - 1) / (n - 3) + (r12 + r13)^2 / 4 (1 - r23)^3)) with
    K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23 has n - 3 degrees of freedom (Williams, 1959; Steiger, 1980,
    equation 7). It is made for Pearson's coefficient and for observations that do not depend on each other.
    """
    if n < 4:
        return Estimate.undefined(f"fewer than 4 observations ({n})", n)
    if any(math.isnan(r) for r in (r12, r13, r23)):
        return Estimate.undefined("one of the three correlations is undefined", n)
    if abs(r23) >= 1 - ROUNDING:
        how = "say the same" if r23 > 0 else "say the opposite of each other"
        return Estimate.undefined(f"the two measures {how} (their correlation is {r23:g})", n)
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if k < -ROUNDING:
        return Estimate.undefined("no observations can have these three correlations with each other", n)
    spread = 2 * max(k, 0) * (n - 1) / (n - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    if spread <= ROUNDING:
        return Estimate.undefined("the three correlations leave no spread to compare with", n)
    from scipy.special import stdtr

    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / spread)
    return Estimate(t, n, float(2 * stdtr(n - 3, -abs(t))))


class Permuted(NamedTuple):
    """What swapping two measures at random says of the difference between them."""

    p: float
    """Two-sided; NaN where the observed difference is undefined."""
    resamples: int = 0
    """Swaps that have a difference, of those that were made."""
    exact: bool = False
    """Whether every way to swap was tried."""

    @property
    def error(self) -> float:
        """The standard error of p from a finite number of resamples; 0 where it is exact."""
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
    assignments where n <= 13 cells; resamples without a difference are left out. NaN where the observed
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
    """``perm_both`` with the error of its p-value, and free to stop where the measures clearly do not differ.

    Swapping whole items is valid where a measure errs on an item with all systems alike, swapping whole systems where
    it errs on all answers of a system alike: they are for conclusions about other items, and about other systems.

    Resampling ends with the one that is the ``enough``-th to differ as much as observed; then p is ``enough`` over the
    resamples made, which is as valid as p of all of them (Besag & Clifford, 1991), and its error at most
    p / sqrt(``enough``). ``clusters`` labels the items: then the items of a cluster are swapped together or not at all.
    """
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


def _every(units: int, held: int) -> Iterator[Bits]:
    """All ways to swap, some at a time."""
    whole, size = every_swap(units), max(1, held // units)
    return (whole[start : start + size] for start in range(0, len(whole), size))


def _owner(cells: Cells, swap: Swap, cluster: Integers | None) -> Integers | None:
    """The unit that each cell is swapped with; None where each is one of its own."""
    if swap == "systems":
        return cells.system
    if cluster is not None:
        return cluster[cells.item]
    return cells.item if swap == "items" and cells.items < len(cells.item) else None


def _counted(differences: Iterable[Floats], least: float, enough: int | None) -> tuple[int, int]:
    """How many differences reach ``least``, and of how many; no more are looked at than it takes to find enough."""
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
