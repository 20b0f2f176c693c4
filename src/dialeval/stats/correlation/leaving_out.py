"""Intervals and tests of correlations, from what they are without each item, each system, or each of both.

The jackknife's error on Fisher's scale with Student's t covers from five units on, where percentiles of the bootstrap
fall short below about a hundred (``python -m bench calibration``). For other items and other systems alike, the two
variances add up, with the degrees of freedom of a sum (Satterthwaite, 1946).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.correlation.bootstrap import ESTIMATORS, Resample
from dialeval.stats.correlation.levels import Cells, Level, cluster_of_items, shared_cells
from dialeval.stats.correlation.true_means import MOST
from dialeval.stats.estimate import Coefficient
from dialeval.stats.resampling.bootstrap import Bounds, Floats, Integers, check_confidence
from dialeval.stats.resampling.jackknife import jackknife_error

Absence: TypeAlias = Literal["few-items", "few-systems", "undefined", "no-spread"]
"""Why there is no interval: too few items (or clusters) or systems to leave one out; no correlation without one of
them; or the same correlation whichever is left out."""

FEWEST: Final = 5
"""Units below which nothing is said about others: what is left of four points has hardly a correlation."""
BLOCKS: Final = 200
"""More units than this are left out in as many blocks of equal size, drawn at random."""


@dataclass(frozen=True, slots=True, eq=False)
class LeftOutLevel:
    """A correlation at one level, and what it is without each unit."""

    value: float
    by_item: Floats
    """Without each item, cluster or block of items; empty where items are taken as they are."""
    by_system: Floats
    """Without each system; empty where systems are taken as they are."""
    absence: Absence | None = None

    def interval(self, confidence: float = 0.95) -> Bounds:
        """Where the coefficient of other items, systems or both lies; NaN where ``absence`` says why."""
        if self.absence is not None:
            return Bounds(math.nan, math.nan)
        fisher = LeftOutLevel(float(_fisher(self.value)), _fisher(self.by_item), _fisher(self.by_system))
        low, high = _bounds(fisher, confidence)
        return Bounds(math.tanh(low), math.tanh(high))

    def pseudo_values(self) -> Floats:
        """What each unit of the side that is left out stands for, their mean being the coefficient (Tukey, 1958)."""
        without = self.by_item if len(self.by_item) else self.by_system
        return np.asarray(len(without) * self.value - (len(without) - 1) * without)


@dataclass(frozen=True, slots=True)
class CorrelationDifference:
    """The difference of two correlations with the same people."""

    low: float
    """NaN, as ``high`` and ``p``, where ``absence`` says why."""
    high: float
    p: float
    """Student's t test that there is none."""
    absence: Absence | None = None


def leave_out_level(
    human: ArrayLike,
    scores: ArrayLike,
    *,
    kind: Coefficient,
    level: Level,
    resample: Resample = "items",
    clusters: Integers | None = None,
    seed: int = 0,
    blocks: int = BLOCKS,
) -> LeftOutLevel:
    """The correlation of two tables (systems, items), and without each item, system or either.

    ``clusters`` labels the items: then whole clusters are left out. Only items and systems that have a cell in both
    tables count. More than ``blocks`` items or clusters are left out in so many blocks.
    """
    cells = shared_cells(human, scores)
    owner = np.arange(cells.items) if clusters is None else cluster_of_items(clusters, human, scores)
    absence = _too_few(cells, owner, resample)
    if not len(cells.item):
        return LeftOutLevel(math.nan, np.empty(0), np.empty(0), absence)
    estimate = ESTIMATORS[level](cells, kind, BLOCKS)
    value = float(estimate(np.ones((1, cells.items)), None)[0])
    by_item = by_system = np.empty(0)
    if absence is None and resample != "systems":
        block = _blocks(owner, seed, blocks)
        by_item = estimate((block != np.arange(block.max() + 1)[:, None]).astype(np.float64), None)
    if absence is None and resample != "items":
        by_system = estimate(None, 1 - np.eye(cells.systems))
    absence = absence or _unusable(value, _fisher(by_item), _fisher(by_system))
    return LeftOutLevel(value, by_item, by_system, absence)


def correlation_difference(
    first: LeftOutLevel, second: LeftOutLevel, confidence: float = 0.95
) -> CorrelationDifference:
    """The first minus the second, both of the same cells, so that the same units were left out of both."""
    nan = math.nan
    absence = first.absence or second.absence
    absence = None if absence == "no-spread" else absence  # of one of them; the other may vary
    difference = LeftOutLevel(
        first.value - second.value, first.by_item - second.by_item, first.by_system - second.by_system
    )
    absence = absence or _unusable(difference.value, difference.by_item, difference.by_system)
    if absence is not None:
        return CorrelationDifference(nan, nan, nan, absence)
    # Special functions alone: scipy.stats takes a second to import.
    from scipy.special import stdtr

    error, degrees = _error(difference)
    low, high = _bounds(difference, confidence)
    p = float(2 * stdtr(degrees, -abs(difference.value) / error))
    return CorrelationDifference(max(-2.0, low), min(2.0, high), p)


def _too_few(cells: Cells, owner: Integers, resample: Resample) -> Absence | None:
    if resample != "systems" and len(np.unique(owner)) < FEWEST:
        return "few-items"
    return "few-systems" if resample != "items" and cells.systems < FEWEST else None


def _unusable(value: float, by_item: Floats, by_system: Floats) -> Absence | None:
    without = np.concatenate([by_item, by_system])
    if math.isnan(value) or np.isnan(without).any():
        return "undefined"
    sides = [side for side in (by_item, by_system) if len(side)]
    return None if any(np.ptp(side) > 1e-12 for side in sides) else "no-spread"


def _blocks(owner: Integers, seed: int, most: int) -> Integers:
    """The block of each item: its cluster, or where there are many of these, a share of them."""
    units = int(owner.max()) + 1
    if units <= most:
        return owner
    dealt = np.random.default_rng(seed).permutation(units) % most
    return np.asarray(dealt[owner], dtype=np.int64)


def _error(left_out: LeftOutLevel) -> tuple[float, float]:
    """The standard error, and its degrees of freedom."""
    sides = [side for side in (left_out.by_item, left_out.by_system) if len(side)]
    parts = [(jackknife_error(side) ** 2, len(side) - 1) for side in sides]
    variance = sum(part for part, _ in parts)
    degrees = variance**2 / sum(part**2 / freedom for part, freedom in parts)
    return math.sqrt(variance), degrees


def _bounds(left_out: LeftOutLevel, confidence: float) -> Bounds:
    check_confidence(confidence)
    from scipy.special import stdtrit

    error, degrees = _error(left_out)
    reach = float(stdtrit(degrees, (1 + confidence) / 2)) * error
    return Bounds(left_out.value - reach, left_out.value + reach)


def _fisher(values: Floats | float) -> Floats:
    return np.asarray(np.arctanh(np.clip(values, -MOST, MOST)))
