"""Intervals and tests of correlations, from their values without each item, each system, or each of both.

The jackknife's error on Fisher's scale with Student's t covers from five units on, where percentiles of the bootstrap
fall short below about a hundred (``python -m bench calibration``). For other items and other systems alike, the two
variances add up, with the degrees of freedom of a sum (Satterthwaite, 1946).

Correlations over systems are also corrected for the noise of few items: a system's mean over n items is its true mean
plus noise, and noise hides correlation. With every system on the same items, two-way analysis of variance tells how
much of the spread of the means is noise: with S the sum of squares of the systems' means about their mean, and W that
of all values about their item's mean, T = S - (W - n S) / (n (n - 1)) is what is left of S. Two tables may be of other
items each, n[x] and n[y] of them, with k in common: noise that they share goes into the products S[xy] of the means by
these alone, T[xy] = S[xy] - k / (n[x] n[y]) (W[xy] - k S'[xy]) / (k - 1), with W[xy] and S'[xy] over the k items: two
means that have k items in common have the covariance k c / (n[x] n[y]), c being that of one item. The correlation of
the true means is T[xy] / sqrt(T[xx] T[yy]) (Spearman, 1904, with noise that the two tables may share).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dialeval.stats.correlation.bootstrap import ESTIMATORS
from dialeval.stats.correlation.levels import Cells, cluster_of_items, level_cells
from dialeval.stats.estimate import Coefficient, Estimate, Level, Resample
from dialeval.stats.resampling.bootstrap import Aggregate, Bounds, Floats, Integers, check_confidence
from dialeval.stats.resampling.jackknife import (
    LeftOut,
    jackknife_error,
    leave_out,
    skewed_t_of_samples,
)

TrueAbsence: TypeAlias = Literal["few-systems", "few-items", "no-spread"]
"""Why there is no value: fewer than five systems; fewer than three items, or two clusters, that all systems have under
a table, unless it has one score per system; or systems whose true means do not differ under one of the tables, as far
as these items can tell."""

FEWEST_SYSTEMS: Final = 5
"""With three or four, intervals cover 86 to 92 per cent of correlations near 1."""

MOST: Final = 1 - 1e-6
"""Correlations beyond this are taken as this before Fisher's transformation, which has no value at 1."""


@dataclass(frozen=True, slots=True)
class TrueCorrelation:
    """Pearson's correlation of the true means of these very systems under two tables."""

    estimate: Estimate
    """Over systems; undefined, as all but the counts, if ``absence`` says why.

    There is no interval either if leaving an item out leaves systems whose means do not differ.
    """
    observed: float
    """That of the means as they are, with their noise."""
    reliability_x: float
    """Share of the spread of the observed means that is not noise; NaN of one score per system, which is as given."""
    reliability_y: float
    items_x: int
    """Those that all systems have under the first table."""
    items_y: int
    absence: TrueAbsence | None = None


def true_correlation(
    x: ArrayLike, y: ArrayLike, *, confidence: float = 0.95, clusters: Integers | None = None
) -> TrueCorrelation:
    """The correlation of systems' true means under two tables, shape (systems, items), NaN if there is no value.

    Of each table the items count on which all systems that both tables have are scored; the tables may share all items,
    some or none. A table with one item has one score per system, which is taken as given: without noise, and without
    other items.

    The interval is for other items and these systems: the jackknife over items, or ``clusters`` of items, of the
    correlation and of its Fisher transform, the farther end of both on either side. Items of the first table alone, of
    the second alone and of both are three samples, whose variances add up (Arvesen, 1969). It widens as systems become
    hard to separate, where the plain bootstrap of the observed means only moves away from the truth.
    """
    both = np.stack([np.asarray(table, dtype=np.float64) for table in (x, y)])
    tables = both[:, (~np.isnan(both)).any(axis=2).all(axis=0)]
    there: NDArray[np.bool_] = np.asarray(~np.isnan(tables).any(axis=1))
    systems, (items_x, items_y) = tables.shape[1], map(int, there.sum(axis=1))
    given = tuple(n == 1 for n in (items_x, items_y))

    def undefined(absence: TrueAbsence) -> TrueCorrelation:
        nan = math.nan
        return TrueCorrelation(Estimate(None, None, None, systems), nan, nan, nan, items_x, items_y, absence)

    if systems < FEWEST_SYSTEMS:
        return undefined("few-systems")
    if all(given) or any(_too_few_items(side, clusters) for side in there if side.sum() != 1):
        return undefined("few-items")
    sample = there[0] + 2 * there[1].astype(np.int64)
    entering = sample > 0
    design = _Design(systems, (given[0], given[1]), np.where(there, tables.transpose(1, 0, 2), np.nan))
    rows = design.rows[entering]
    total = rows.sum(axis=0)
    products = design.products(total, corrected=True)
    if not min(products[0], products[1]) > 0:
        return undefined("no-spread")
    raw = design.products(total, corrected=False)
    labels = None if clusters is None else clusters[entering]
    low, high = _ends(design, rows, sample[entering], labels, confidence)
    value = float(np.clip(_ratio(products), -1, 1))
    of_x, of_y = (
        math.nan if known else float(part / whole)
        for known, part, whole in zip(given, products[:2], raw[:2], strict=True)
    )
    estimate = Estimate.of(value, low, high, systems)
    return TrueCorrelation(estimate, float(_ratio(raw)), of_x, of_y, items_x, items_y)


def _too_few_items(side: NDArray[np.bool_], clusters: Integers | None) -> bool:
    return bool(side.sum() < 3 or (clusters is not None and len(np.unique(clusters[side])) < 2))


@dataclass(frozen=True, slots=True, eq=False)
class _Design:
    """Two tables as rows of sums, one per item, from which all products follow."""

    systems: int
    given: tuple[bool, bool]
    """Whether a table has one score per system, which has no noise and is never left out."""
    tables: Floats
    """Shape (systems, 2, items); NaN if there is none, for all systems alike."""

    @property
    def rows(self) -> Floats:
        """For each item its values under both tables, again if both have it, squares and products, and three counts."""
        known = ~np.isnan(self.tables[0])
        shared = known.all(axis=0)
        x, y = np.nan_to_num(self.tables).transpose(1, 0, 2)
        about_x, about_y = x - x.mean(axis=0), y - y.mean(axis=0)
        within = [(one * other).sum(axis=0) for one, other in _pairs(about_x, about_y)]
        counts = [part.astype(np.float64) for part in (*known, shared)]
        return np.column_stack([x.T, y.T, (x * shared).T, (y * shared).T, *within, *counts])

    def products(self, totals: Floats, *, corrected: bool) -> Floats:
        """Sums of squares and products of the systems' means (xx, yy, xy), shape (3, ...); without noise if asked."""
        values = [totals[..., at * self.systems : (at + 1) * self.systems] for at in range(4)]
        within = np.moveaxis(totals[..., 4 * self.systems : 4 * self.systems + 3], -1, 0)
        n_x, n_y, shared = np.moveaxis(totals[..., -3:], -1, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = [part / n[..., None] for part, n in zip(values, (n_x, n_y, shared, shared), strict=True)]
            x, y, shared_x, shared_y = (part - part.mean(axis=-1, keepdims=True) for part in means)
            between = np.stack([(one * other).sum(axis=-1) for one, other in _pairs(x, y)])
            if not corrected:
                return between
            noise = np.stack(
                [
                    (within[0] - n_x * between[0]) / (n_x * (n_x - 1)),
                    (within[1] - n_y * between[1]) / (n_y * (n_y - 1)),
                    shared
                    * (within[2] - shared * (shared_x * shared_y).sum(axis=-1))
                    / (n_x * n_y * (shared - 1)),
                ]
            )
        for side, known in enumerate(self.given):
            noise[side] = np.where(known, 0.0, noise[side])
        noise[2] = np.where(shared > 1, noise[2], 0.0)
        return np.asarray(between - noise)

    def correlation(self, *, transformed: bool) -> Aggregate:
        """The correlation of the true means from totals, or its Fisher transform."""

        def correlation(totals: Floats) -> Floats:
            value = _ratio(self.products(totals, corrected=True))
            return np.asarray(np.arctanh(np.clip(value, -MOST, MOST))) if transformed else value

        return correlation


def _ends(
    design: _Design, rows: Floats, sample: Integers, clusters: Integers | None, confidence: float
) -> tuple[float, float]:
    owner = np.arange(len(rows)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    of_owner = np.zeros(int(owner.max()) + 1, np.int64)
    np.bitwise_or.at(of_owner, owner, sample)
    plain, fisher = (
        _bounds_of_samples(
            leave_out(rows, design.correlation(transformed=transformed), clusters),
            _samples(of_owner, design.given),
            confidence,
        )
        for transformed in (False, True)
    )
    low, high = min(plain[0], math.tanh(fisher[0])), max(plain[1], math.tanh(fisher[1]))
    return max(-1.0, low), min(1.0, high)


def _samples(of_owner: Integers, given: tuple[bool, bool]) -> list[Integers]:
    """The units of each sample; those of a single unit join the largest, and scores as given are in none."""
    kept = of_owner.copy()
    for side, known in zip((1, 2), given, strict=True):
        kept[((kept & side) > 0) & known] = 0
    samples = sorted((np.flatnonzero(kept == which) for which in (1, 2, 3)), key=len, reverse=True)
    largest, *others = samples
    alone = [part for part in others if len(part) == 1]
    return [np.concatenate([largest, *alone]), *(part for part in others if len(part) > 1)]


def _bounds_of_samples(left_out: LeftOut, samples: Sequence[Integers], confidence: float) -> Bounds:
    parts = [left_out.without[sample] for sample in samples]
    return skewed_t_of_samples(left_out.score, parts).interval(confidence)


def _ratio(products: Floats) -> Floats:
    xx, yy, xy = products
    defined = (xx > 0) & (yy > 0)
    size = np.sqrt(np.where(defined, xx * yy, 1.0))
    return np.where(defined, xy / size, np.nan)


def _pairs(x: Floats, y: Floats) -> tuple[tuple[Floats, Floats], ...]:
    return (x, x), (y, y), (x, y)


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
    """Without each item, cluster or block of items; empty if items are taken as they are."""
    by_system: Floats
    """Without each system; empty if systems are taken as they are."""
    absence: Absence | None = None

    def interval(self, confidence: float = 0.95) -> Bounds:
        """Interval of the coefficient for other items, systems or both; NaN if ``absence`` says why."""
        if self.absence is not None:
            return (math.nan, math.nan)
        low, high = _bounds(self._fisher(), confidence)
        return (math.tanh(low), math.tanh(high))

    @property
    def p(self) -> float:
        """Student's t test on Fisher's scale that there is no correlation; below alpha where the interval excludes 0.

        NaN if ``absence`` says why.
        """
        if self.absence is not None:
            return math.nan
        from scipy.special import stdtr

        error, degrees = _error(self._fisher())
        return float(2 * stdtr(degrees, -abs(float(_fisher(self.value))) / error))

    def _fisher(self) -> LeftOutLevel:
        return LeftOutLevel(float(_fisher(self.value)), _fisher(self.by_item), _fisher(self.by_system))

    def pseudo_values(self) -> Floats:
        """Pseudo-values of the units of the side that is left out, their mean being the coefficient (Tukey, 1958)."""
        without = self.by_item if len(self.by_item) else self.by_system
        return np.asarray(len(without) * self.value - (len(without) - 1) * without)


@dataclass(frozen=True, slots=True)
class CorrelationDifference:
    """The difference of two correlations with the same people."""

    estimate: Estimate
    """Its ``n`` is the number of units that were left out."""
    p: float
    """Student's t test that there is none; NaN if ``absence`` says why."""
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

    ``clusters`` labels the items: then whole clusters are left out. Only items and systems that enter at this level
    count; one score per system is never left out. More than ``blocks`` items or clusters are left out in so many
    blocks.
    """
    cells = level_cells(level, human, scores)
    owner = (
        np.arange(cells.items) if clusters is None else cluster_of_items(clusters, human, scores, level=level)
    )
    absence = _too_few(cells, owner, resample)
    if not len(cells.item):
        return LeftOutLevel(math.nan, np.empty(0), np.empty(0), absence)
    estimate = ESTIMATORS[level](cells, kind, BLOCKS)
    value = float(estimate(np.ones((1, cells.items)), None)[0])
    by_item = by_system = np.empty(0)
    if absence is None and resample != "systems":
        block = _blocks(owner, seed, blocks)
        kept = block != np.arange(block.max() + 1)[:, None]
        by_item = estimate(kept[_leaves_something(kept, cells)].astype(np.float64), None)
    if absence is None and resample != "items":
        by_system = estimate(None, 1 - np.eye(cells.systems))
    absence = absence or _unusable(value, _fisher(by_item), _fisher(by_system))
    return LeftOutLevel(value, by_item, by_system, absence)


def correlation_difference(
    first: LeftOutLevel, second: LeftOutLevel, confidence: float = 0.95
) -> CorrelationDifference:
    """The first minus the second, both of the same cells, so that the same units were left out of both."""
    absence = first.absence or second.absence
    absence = None if absence == "no-spread" else absence  # of one of them; the other may vary
    difference = LeftOutLevel(
        first.value - second.value, first.by_item - second.by_item, first.by_system - second.by_system
    )
    absence = absence or _unusable(difference.value, difference.by_item, difference.by_system)
    units = len(difference.by_item) + len(difference.by_system)
    if absence is not None:
        unknown = Estimate.of(difference.value, math.nan, math.nan, units)
        return CorrelationDifference(unknown, math.nan, absence)
    # Special functions alone: scipy.stats takes a second to import.
    from scipy.special import stdtr

    error, degrees = _error(difference)
    low, high = _bounds(difference, confidence)
    p = float(2 * stdtr(degrees, -abs(difference.value) / error))
    return CorrelationDifference(Estimate.of(difference.value, max(-2.0, low), min(2.0, high), units), p)


def _too_few(cells: Cells, owner: Integers, resample: Resample) -> Absence | None:
    if resample != "systems" and len(np.unique(owner)) < FEWEST:
        return "few-items"
    return "few-systems" if resample != "items" and cells.systems < FEWEST else None


def _leaves_something(kept: NDArray[np.bool_], cells: Cells) -> NDArray[np.bool_]:
    """Which blocks of items, left out, are not all that a table has, as one score per system is."""
    usable = np.ones(len(kept), dtype=bool)
    for table in cells.tables:
        item = cells.item[~np.isnan(table)]
        usable &= kept[:, np.unique(item)].any(axis=1)
    return usable


def _unusable(value: float, by_item: Floats, by_system: Floats) -> Absence | None:
    without = np.concatenate([by_item, by_system])
    if math.isnan(value) or np.isnan(without).any():
        return "undefined"
    sides = [side for side in (by_item, by_system) if len(side)]
    return None if any(np.ptp(side) > 1e-12 for side in sides) else "no-spread"


def _blocks(owner: Integers, seed: int, most: int) -> Integers:
    """The block of each item: its cluster, or if there are many of these, a share of them."""
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
    return (left_out.value - reach, left_out.value + reach)


def _fisher(values: Floats | float) -> Floats:
    return np.asarray(np.arctanh(np.clip(values, -MOST, MOST)))
