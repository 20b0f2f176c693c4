"""Four ways to correlate two tables of scores, systems by items: the one definition of each (Deutsch et al., 2021).

A cell is a system's score on an item, NaN being none. At level ``system`` each table counts with all of its cells;
elsewhere only cells that both tables have enter:

- ``system``: over systems that both tables have, the correlation of the means over all cells of each (Sato et al.,
  2020, section 4.1.2: accuracies on 1,019 questions against ratings of 56). The tables may have other items each.
- ``item``: over all cells, pooled.
- ``item_within_system``: over each system's cells, then the mean over systems.
- ``system_within_item``: over each item's cells, then the mean over items ("group by item" in mt-metrics-eval).

Groups where the coefficient is undefined are counted and left out of the mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dialeval.stats.correlation.coefficients import COEFFICIENTS, complete
from dialeval.stats.correlation.weighted import weigher
from dialeval.stats.estimate import Coefficient, Level
from dialeval.stats.resampling.bootstrap import Floats, Integers


@dataclass(frozen=True, slots=True)
class GroupedCorrelation:
    """The mean of the groups' coefficients, each group counting the same."""

    mean: float
    """NaN exactly if ``reason`` is not None."""
    n: int
    """Number of pairs in the groups that entered."""
    groups: int
    """Number of groups that have a pair."""
    undefined: int
    """Number of these that were left out: fewer than two pairs, or one value on either side."""
    reason: str | None = None
    """Why there is no mean."""


def grouped_correlation(
    x: ArrayLike, y: ArrayLike, groups: NDArray[np.generic], kind: Coefficient
) -> GroupedCorrelation:
    """The coefficient of each group's pairs, averaged over the groups where it is defined.

    Pairs with NaN on either side are left out. ``groups`` labels each pair.
    """
    labels = np.asarray(groups)
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if labels.shape != xs.shape:
        raise ValueError(f"{xs.shape} pairs need as many group labels, not {labels.shape}")
    both = ~(np.isnan(xs) | np.isnan(ys))
    coefficients, sizes = group_correlations(*complete(xs, ys), labels[both], kind)
    return average(coefficients, sizes)


def group_correlations(
    x: Floats, y: Floats, groups: NDArray[np.generic], kind: Coefficient
) -> tuple[Floats, NDArray[np.int64]]:
    """The coefficient of each group in order of its label, NaN if undefined, and how many pairs it has."""
    if not len(x):
        return np.empty(0), np.empty(0, np.int64)
    order = np.argsort(groups, kind="stable")
    sizes = np.unique(groups, return_counts=True)[1].astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return weigher(x[order], y[order], kind=kind, starts=starts)(np.ones((1, len(x))))[0], sizes


def average(coefficients: Floats, sizes: NDArray[np.int64]) -> GroupedCorrelation:
    """The mean of the coefficients that are defined, and what it is of."""
    defined = ~np.isnan(coefficients)
    groups, left = len(coefficients), int(np.count_nonzero(defined))
    if not left:
        return GroupedCorrelation(math.nan, 0, groups, groups, _why(sizes))
    mean = float(coefficients[defined].mean())
    return GroupedCorrelation(mean, int(sizes[defined].sum()), groups, groups - left)


def _why(sizes: NDArray[np.int64]) -> str:
    if not len(sizes):
        return "fewer than 2 pairs (0)"
    if sizes.max() < 2:
        return f"no group has 2 pairs or more ({len(sizes)} groups)"
    return f"one side has a single value in each of the {len(sizes)} groups"


@dataclass(frozen=True, slots=True)
class LevelCorrelation:
    """A correlation at one level, or the reason why it is undefined."""

    value: float
    """NaN exactly if ``reason`` is not None."""
    n: int
    """Points that entered: systems at level ``system``, else cells, those of undefined groups apart."""
    p: float
    """Two-sided p-value at the levels ``system`` and ``item``; NaN elsewhere, a mean of coefficients having none.

    At level ``item`` it takes all cells to be independent, also several systems' answers to one item: if items are
    hard or easy for all systems alike, it is too small.
    """
    reason: str | None
    groups: int
    """Systems or items averaged over, with those that are undefined; 1 at the levels ``system`` and ``item``."""
    undefined: int
    """Groups that were left out of the mean."""


def level_correlation(
    human: ArrayLike, scores: ArrayLike, *, kind: Coefficient, level: Level
) -> LevelCorrelation:
    """The correlation of two tables of shape (systems, items), NaN if a table has no value."""
    cells = level_cells(level, human, scores)
    if level in ("item_within_system", "system_within_item"):
        groups = cells.system if level == "item_within_system" else cells.item
        mean = average(*group_correlations(cells.tables[0], cells.tables[1], groups, kind))
        return LevelCorrelation(mean.mean, mean.n, math.nan, mean.reason, mean.groups, mean.undefined)
    points = cells.tables if level == "item" else tuple(system_means(cells))
    whole = COEFFICIENTS[kind](*points)
    return LevelCorrelation(whole.value, whole.n, whole.p, whole.reason, 1, int(not whole.defined))


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells that several tables share, system by system."""

    system: Integers
    """The system of each cell, numbered from 0 among those that have a cell."""
    item: Integers
    """Its item, likewise."""
    tables: tuple[Floats, ...]
    """The values of each table; NaN only if another one has the cell, at level ``system``."""

    @property
    def systems(self) -> int:
        """Number of systems that have a cell."""
        return int(self.system.max(initial=-1)) + 1

    @property
    def items(self) -> int:
        """Number of items that have a cell."""
        return int(self.item.max(initial=-1)) + 1

    def take(self, order: NDArray[np.int64]) -> Cells:
        """The cells in another order."""
        return Cells(self.system[order], self.item[order], tuple(table[order] for table in self.tables))


def shared_cells(*tables: ArrayLike) -> Cells:
    """The cells where every table has a value; tables are of one shape (systems, items)."""
    given = _of_one_shape(tables)
    return _cells(given, np.asarray(~np.isnan(given).any(axis=0)))


def level_cells(level: Level, *tables: ArrayLike) -> Cells:
    """The cells that enter at one level: those of every table, or at ``system`` of any, of systems in every table."""
    given = _of_one_shape(tables)
    return _cells(given, _entering(level, given))


def _entering(level: Level, given: Floats) -> NDArray[np.bool_]:
    there: NDArray[np.bool_] = np.asarray(~np.isnan(given))
    if level != "system":
        return np.asarray(there.all(axis=0))
    in_every_table: NDArray[np.bool_] = np.asarray(there.any(axis=2).all(axis=0))
    return np.asarray(there.any(axis=0) & in_every_table[:, None])


def _of_one_shape(tables: Sequence[ArrayLike]) -> Floats:
    given = [np.asarray(table, dtype=np.float64) for table in tables]
    shapes = {table.shape for table in given}
    if len(shapes) > 1 or given[0].ndim != 2:
        listed = " and ".join(str(shape) for shape in sorted(shapes))
        raise ValueError(f"tables must be of one shape (systems, items), not {listed}")
    return np.array(given)


def _cells(given: Floats, entering: NDArray[np.bool_]) -> Cells:
    system, item = np.nonzero(entering)
    values = tuple(table[system, item] for table in given)
    return Cells(_renumbered(system), _renumbered(item), values)


def cluster_of_items(clusters: Integers, *tables: ArrayLike, level: Level = "item") -> Integers:
    """The cluster of each item that enters, numbered from 0, in the order of ``level_cells``."""
    given = np.array([np.asarray(table, dtype=np.float64) for table in tables])
    if np.shape(clusters) != given.shape[-1:]:
        raise ValueError(f"{given.shape[-1]} items need as many cluster labels, not {np.shape(clusters)}")
    present = _entering(level, given).any(axis=0)
    return np.unique(np.asarray(clusters)[present], return_inverse=True)[1].astype(np.int64)


def system_means(cells: Cells) -> list[Floats]:
    """The mean over each system's cells, of each table."""
    return [settled(_means(cells.system, table)) for table in cells.tables]


def _means(system: Integers, table: Floats) -> Floats:
    there = ~np.isnan(table)
    size = int(system.max(initial=-1)) + 1
    counts = np.bincount(system[there], minlength=size)
    return np.asarray(np.bincount(system[there], table[there], size) / counts)


def settled(means: Floats) -> Floats:
    """Means to 40 binary digits of the largest in their row: equal ones tie in whatever order they were added up.

    NaN stays NaN.
    """
    largest = np.fmax.reduce(np.abs(means), axis=-1, keepdims=True, initial=0)
    usual = (largest > 0) & np.isfinite(largest)
    grain = np.exp2(np.ceil(np.log2(np.where(usual, largest, 1))) - 40)
    return np.asarray(np.rint(means / grain) * grain)


def _renumbered(codes: NDArray[np.int64]) -> Integers:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


class IdentityCorrelation(NamedTuple):
    """Pearson's correlation, over all answers, of ratings with the mean rating of the system of each."""

    observed: float
    """The root of the share of the ratings' spread that lies between systems' means; NaN if ratings do not vary."""
    by_chance: float
    """Its mean if the systems did not differ: means of few items differ all the same."""
    corrected: float
    """Without what chance adds: the root of epsilon squared (Kelley, 1935); 0 if nothing is left."""


def identity_correlation(ratings: ArrayLike) -> IdentityCorrelation:
    """Of ratings, shape (systems, items), NaN if there is none.

    With the sum of squares B between the means of k systems, T that of all ratings, and M the mean square of what is
    neither system nor item: corrected² = (B - (k - 1) M) / T. Items are taken into account where all systems
    have the same ones, so that their means share what items do to them; else M is the mean square within systems.
    """
    table = np.asarray(ratings, dtype=np.float64)
    rated = ~np.isnan(table)
    table, rated = table[rated.any(axis=1)], rated[rated.any(axis=1)]
    values = table[rated]
    total = float(((values - values.mean()) ** 2).sum()) if values.size else 0.0
    if not total or not np.ptp(values):
        return IdentityCorrelation(math.nan, math.nan, math.nan)
    counts = rated.sum(axis=1)
    means = np.where(rated, table, 0.0).sum(axis=1) / counts
    between = float((counts * (means - values.mean()) ** 2).sum())
    noise = (len(table) - 1) * _mean_square(table[:, rated.any(axis=0)], between, total)
    left = max(0.0, between - noise)
    return IdentityCorrelation(
        math.sqrt(between / total), math.sqrt(min(1.0, noise / total)), math.sqrt(left / total)
    )


def _mean_square(table: Floats, between: float, total: float) -> float:
    """The mean square of the rest, per degree of freedom; 0 if there is none to know it from."""
    systems, items = table.shape
    if not np.isnan(table).any():
        of_items = systems * float(((table.mean(axis=0) - table.mean()) ** 2).sum())
        degrees = (systems - 1) * (items - 1)
        return max(0.0, total - between - of_items) / degrees if degrees else 0.0
    degrees = int((~np.isnan(table)).sum()) - systems
    return max(0.0, total - between) / degrees if degrees > 0 else 0.0
