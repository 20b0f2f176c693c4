"""Ratings of one criterion laid out for means: a row per item, or per item and rater, and columns for each system."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Integers, Resampling
from dialeval.metrics.rows import mean_of_rows
from dialeval.ratings.agreement.intervals import Raters
from dialeval.ratings.table import Ratings
from dialeval.stats.resampling.bootstrap import Aggregate
from dialeval.stats.resampling.intervals import (
    Absence,
    Spread,
    joined_rows,
    spread_of,
    spread_of_difference,
    spread_without,
)
from dialeval.stats.resampling.jackknife import SkewedT
from dialeval.stats.resampling.two_way import two_way
from dialeval.stats.tests.paired import ROUNDING


class Estimated(NamedTuple):
    """A mean, or a difference of means, with its interval and the p-value of it being 0."""

    value: float
    low: float
    """NaN, as ``high``, where there is no interval."""
    high: float
    p: float
    absence: Absence | None
    """None too where a single rater is why there is no interval."""


class Layout(NamedTuple):
    """The ratings of one criterion, without those that give no value."""

    ratings: Ratings
    counts: Integers
    """How many ratings each item has for each system, shape (items, systems)."""
    clusters: Integers
    """The dialogue of each item, or the item itself."""
    clustered: bool
    confidence: float
    raters: Raters

    @classmethod
    def of(cls, ratings: Ratings, resampling: Resampling, raters: Raters) -> Layout:
        """The ratings of one criterion, all of which have a value."""
        shape = (len(ratings.items), len(ratings.systems))
        counts = np.zeros(shape, dtype=np.int64)
        np.add.at(counts, (ratings.item, ratings.system), 1)
        together = resampling.clusters(ratings.items)
        clusters = np.arange(shape[0]) if together is None else together
        return cls(ratings, counts, clusters, together is not None, resampling.confidence, raters)

    def shared(self, *systems: int) -> NDArray[np.bool_]:
        """Which items were rated for all of these systems, shape (items,)."""
        return np.asarray((self.counts[:, list(systems)] > 0).all(axis=1))

    def mean(self, system: int, items: NDArray[np.bool_]) -> Estimated:
        """The mean of one system over these items, each of which counts the same."""
        (rows,), keys = self._rows([system], items)
        if self.raters == "sampled":
            return self._two_way(rows, mean_of_rows, keys)
        return self._fixed(spread_of(rows, mean_of_rows, clusters=self._labels(keys)))

    def difference(self, a: int, b: int) -> Estimated:
        """The mean of a minus that of b, over the items that both have."""
        (rows_a, rows_b), keys = self._rows([a, b], self.shared(a, b))
        if self.raters == "sampled":
            return self._two_way(*joined_rows(rows_a, rows_b, mean_of_rows), keys)
        return self._fixed(spread_of_difference(rows_a, rows_b, mean_of_rows, clusters=self._labels(keys)))

    def item_means(self, system: int, items: NDArray[np.bool_]) -> Floats:
        """The mean rating of each of these items for one system."""
        (rows,), _ = self._replace(raters="fixed")._rows([system], items)
        return rows[:, 0]

    def _rows(self, systems: list[int], items: NDArray[np.bool_]) -> tuple[list[Floats], Integers]:
        """Rows of (weighted sum, weight) for each system, and the key of each row: its item, or its item and rater.

        A rating weighs one over the number of ratings that its item has for its system, so that items count the same.
        """
        given = self.ratings
        kept = items[given.item] & np.isin(given.system, systems)
        item, system, value = given.item[kept], given.system[kept], given.value[kept]
        keys = item * len(given.raters) + given.rater[kept] if self.raters == "sampled" else item
        units, unit = np.unique(keys, return_inverse=True)
        weight = 1 / self.counts[item, system]
        rows = []
        for code in systems:
            own = system == code
            table = np.zeros((len(units), 2))
            np.add.at(table, unit[own], np.column_stack([value[own] * weight[own], weight[own]]))
            rows.append(table)
        return rows, units

    def _labels(self, items: Integers) -> Integers | None:
        return self.clusters[items] if self.clustered else None

    def _fixed(self, spread: Spread) -> Estimated:
        if spread.absence == "unseen":  # said of counts of matches; ratings that are all 0 are only alike
            spread = spread_without(spread.left_out)
        interval = spread.interval(self.confidence)
        return Estimated(
            spread.left_out.score, interval.low, interval.high, spread.skewed.p, interval.absence
        )

    def _two_way(self, rows: Floats, aggregate: Aggregate, keys: Integers) -> Estimated:
        item, rater = np.divmod(keys, len(self.ratings.raters))
        labels = self.clusters[item]
        spread = two_way(rows, aggregate, labels, rater)
        absence = _absence(spread, labels)
        known = absence is None and not math.isnan(spread.error)
        low, high = spread.interval(self.confidence) if known else (math.nan, math.nan)
        return Estimated(spread.score, low, high, spread.p, absence)


def _absence(spread: SkewedT, units: Integers) -> Absence | None:
    if math.isnan(spread.score):
        return "undefined"
    if math.isnan(spread.error):
        return "one-unit" if len(np.unique(units)) < 2 else None
    return "constant" if spread.error <= ROUNDING * abs(spread.score) else None
