"""Four ways to correlate two tables of scores, systems by items: the one definition of each (Deutsch et al., 2021).

A cell is a system's score on an item. Only cells that both tables have enter, NaN being none:

- ``system``: over systems, the correlation of the means over the cells of each.
- ``item``: over all cells, pooled.
- ``item_within_system``: over each system's cells, then the mean over systems.
- ``system_within_item``: over each item's cells, then the mean over items ("group by item" in mt-metrics-eval).

Groups where the coefficient is undefined are counted and left out of the mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dialeval.stats.correlation.coefficients import COEFFICIENTS
from dialeval.stats.correlation.grouped import average, group_correlations
from dialeval.stats.estimate import Coefficient
from dialeval.stats.resampling.bootstrap import Floats, Integers

Level: TypeAlias = Literal["item_within_system", "system_within_item", "item", "system"]
"""What the correlation is over; see the head of the module. The first are the least led by which systems there are."""
LEVELS: Final[tuple[Level, ...]] = get_args(Level)


@dataclass(frozen=True, slots=True)
class LevelCorrelation:
    """A correlation at one level, or the reason why it is undefined."""

    value: float
    """NaN exactly where ``reason`` is not None."""
    n: int
    """Points that entered: systems at level ``system``, else cells, those of undefined groups apart."""
    p: float
    """Two-sided p-value at the levels ``system`` and ``item``; NaN elsewhere, a mean of coefficients having none.

    At level ``item`` it takes all cells to be independent, also several systems' answers to one item: where items are
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
    """The correlation of two tables of shape (systems, items), NaN where a table has no value."""
    cells = shared_cells(human, scores)
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
    """The values of each table."""

    @property
    def systems(self) -> int:
        """How many systems have a cell."""
        return int(self.system.max(initial=-1)) + 1

    @property
    def items(self) -> int:
        """How many items have a cell."""
        return int(self.item.max(initial=-1)) + 1

    def take(self, order: NDArray[np.int64]) -> Cells:
        """The cells in another order."""
        return Cells(self.system[order], self.item[order], tuple(table[order] for table in self.tables))


def shared_cells(*tables: ArrayLike) -> Cells:
    """The cells where every table has a value; tables are of one shape (systems, items)."""
    given = [np.asarray(table, dtype=np.float64) for table in tables]
    shapes = {table.shape for table in given}
    if len(shapes) > 1 or given[0].ndim != 2:
        listed = " and ".join(str(shape) for shape in sorted(shapes))
        raise ValueError(f"tables must be of one shape (systems, items), not {listed}")
    system, item = np.nonzero(~np.isnan(given).any(axis=0))
    values = tuple(table[system, item] for table in given)
    return Cells(_renumbered(system), _renumbered(item), values)


def cluster_of_items(clusters: Integers, *tables: ArrayLike) -> Integers:
    """The cluster of each item that has a cell in all tables, numbered from 0, in the order of ``shared_cells``."""
    given = np.array([np.asarray(table, dtype=np.float64) for table in tables])
    if np.shape(clusters) != given.shape[-1:]:
        raise ValueError(f"{given.shape[-1]} items need as many cluster labels, not {np.shape(clusters)}")
    present = (~np.isnan(given).any(axis=0)).any(axis=0)
    return np.unique(np.asarray(clusters)[present], return_inverse=True)[1].astype(np.int64)


def system_means(cells: Cells) -> list[Floats]:
    """The mean over each system's cells, of each table."""
    counts = np.bincount(cells.system)
    return [settled(np.bincount(cells.system, table) / counts) for table in cells.tables]


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
