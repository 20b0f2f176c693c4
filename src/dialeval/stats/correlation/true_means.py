"""Correlations over systems corrected for the noise of few items.

A system's mean over n items is its true mean plus noise, and noise hides correlation. With every system on the same
items, two-way analysis of variance tells how much of the spread of the means, and of what two tables have in common, is
noise: with B the sum of squares (or products) of the systems' means about their mean, times n, and W that of all values
about their item's mean, the part of B that is not noise is T = B - (W - B) / (n - 1). The correlation of the true means
is T[xy] / sqrt(T[xx] T[yy]) (Spearman, 1904, with noise that the two tables may share).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.resampling.bootstrap import Aggregate, Floats, Integers
from dialeval.stats.resampling.jackknife import leave_out, skewed_t_interval

Absence: TypeAlias = Literal["few-systems", "few-items", "no-spread"]
"""Why there is no value: fewer than five systems; fewer than three items, or two clusters, that all systems have; or
systems whose true means do not differ under one of the tables, as far as these items can tell."""

FEWEST_SYSTEMS: Final = 5
"""With three or four, intervals cover 86 to 92 per cent of correlations near 1."""

MOST: Final = 1 - 1e-6
"""Correlations beyond this are taken as this before Fisher's transformation, which has no value at 1."""


@dataclass(frozen=True, slots=True)
class TrueCorrelation:
    """Pearson's correlation of the true means of these very systems under two tables."""

    value: float
    """From -1 to 1; NaN, as all but the counts, where ``absence`` says why."""
    low: float
    """NaN, as ``high``, also where leaving an item out leaves systems whose means do not differ."""
    high: float
    observed: float
    """That of the means as they are, with their noise."""
    reliability_x: float
    """Share of the spread of the observed means that is not noise."""
    reliability_y: float
    systems: int
    items: int
    """Those that all systems have under both tables."""
    absence: Absence | None = None


def true_correlation(
    x: ArrayLike, y: ArrayLike, *, confidence: float = 0.95, clusters: Integers | None = None
) -> TrueCorrelation:
    """The correlation of systems' true means under two tables, shape (systems, items), NaN where there is no value.

    The interval is for other items and these systems: the jackknife over items, or ``clusters`` of items, of the
    correlation and of its Fisher transform, the farther end of both on either side. It widens as systems become hard
    to separate, where the plain bootstrap of the observed means only moves away from the truth.
    """
    both = np.stack([np.asarray(table, dtype=np.float64) for table in (x, y)])
    shared = ~np.isnan(both).any(axis=(0, 1))
    tables = both[:, :, shared]
    labels = None if clusters is None else clusters[shared]
    systems, items = tables.shape[1:]
    if systems < FEWEST_SYSTEMS:
        return _undefined("few-systems", systems, items)
    if items < 3 or (labels is not None and len(np.unique(labels)) < 2):
        return _undefined("few-items", systems, items)
    rows = _rows(*tables)
    products = _products(rows.sum(axis=0), systems, corrected=True)
    if not min(products[0], products[1]) > 0:
        return _undefined("no-spread", systems, items)
    raw = _products(rows.sum(axis=0), systems, corrected=False)
    low, high = _ends(rows, systems, labels, confidence)
    value = float(np.clip(_ratio(products), -1, 1))
    of_x, of_y = (float(part / whole) for part, whole in zip(products[:2], raw[:2], strict=True))
    return TrueCorrelation(value, low, high, float(_ratio(raw)), of_x, of_y, systems, items)


def _ends(rows: Floats, systems: int, clusters: Integers | None, confidence: float) -> tuple[float, float]:
    plain, fisher = (
        skewed_t_interval(
            *leave_out(rows, _correlation(systems, transformed=transformed), clusters), confidence
        )
        for transformed in (False, True)
    )
    low, high = min(plain.low, math.tanh(fisher.low)), max(plain.high, math.tanh(fisher.high))
    return max(-1.0, low), min(1.0, high)


def _rows(x: Floats, y: Floats) -> Floats:
    """What each item adds: its values under both tables, their squares and products about its means, and 1."""
    about_x, about_y = x - x.mean(axis=0), y - y.mean(axis=0)
    within = [(one * other).sum(axis=0) for one, other in _pairs(about_x, about_y)]
    return np.column_stack([x.T, y.T, *within, np.ones(x.shape[1])])


def _products(totals: Floats, systems: int, *, corrected: bool) -> Floats:
    """Sums of squares and products of the systems' means (xx, yy, xy), shape (3, ...); less noise if ``corrected``."""
    n = totals[..., -1]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [part / n[..., None] for part in (totals[..., :systems], totals[..., systems : 2 * systems])]
        about = [part - part.mean(axis=-1, keepdims=True) for part in means]
        between = np.stack([n * (one * other).sum(axis=-1) for one, other in _pairs(*about)])
        within = np.moveaxis(totals[..., 2 * systems : 2 * systems + 3], -1, 0)
        return between - (within - between) / (n - 1) if corrected else between


def _correlation(systems: int, *, transformed: bool) -> Aggregate:
    def correlation(totals: Floats) -> Floats:
        value = _ratio(_products(totals, systems, corrected=True))
        return np.asarray(np.arctanh(np.clip(value, -MOST, MOST))) if transformed else value

    return correlation


def _ratio(products: Floats) -> Floats:
    xx, yy, xy = products
    defined = (xx > 0) & (yy > 0)
    size = np.sqrt(np.where(defined, xx * yy, 1.0))
    return np.where(defined, xy / size, np.nan)


def _pairs(x: Floats, y: Floats) -> tuple[tuple[Floats, Floats], ...]:
    return (x, x), (y, y), (x, y)


def _undefined(absence: Absence, systems: int, items: int) -> TrueCorrelation:
    nan = math.nan
    return TrueCorrelation(nan, nan, nan, nan, nan, nan, systems, items, absence)
