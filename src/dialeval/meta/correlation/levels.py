"""Correlation of measures with people, at four levels.

``item_within_system`` takes each system alone, and ``system_within_item`` each item, and averages the coefficients;
``item`` pools all answers; ``system`` correlates the systems' means. A measure that only tells systems apart does well
at the last two: see `dialeval.stats.identity_correlation`. All are over the answers that both sides have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.files.documents import finite
from dialeval.meta.correlation.notes import NO_TRUE_MEANS, Correlated, notes_on
from dialeval.meta.document import LEVELS, Coefficient, Level, Matrix, Resample, Row, TrueMeans
from dialeval.ratings.joined import Joined, MeasureGrid
from dialeval.stats.correlation.coefficients import COEFFICIENTS
from dialeval.stats.correlation.leaving_out import LeftOutLevel, leave_out_level
from dialeval.stats.correlation.levels import LevelCorrelation, level_correlation
from dialeval.stats.correlation.true_means import true_correlation
from dialeval.stats.resampling.jackknife import jackknife_error

_GROUPED: Final = ("item_within_system", "system_within_item")


def correlate(
    joined: Joined,
    *,
    levels: Sequence[Level] = LEVELS,
    coefficient: Coefficient = "spearman",
    resampling: Resampling = DEFAULT_RESAMPLING,
    resample: Resample = "items",
) -> tuple[Row, ...]:
    """One row per measure and level, in the order of the measures.

    The interval is of ``coefficient``, for other items, other systems or both, by leaving each out in turn; without
    resamples there is none. Items that share a cluster, as the turns of a dialogue do, are left out together. Over
    systems, means of few items correlate less than true means, which is what other items would tell of: there the
    interval is that of ``true_means``.
    """
    rows = _Rows(joined, coefficient, resampling, resample, resampling.clusters(joined.items))
    return tuple(rows.row(measure, level) for measure in joined.measures for level in levels)


def correlation_matrix(joined: Joined, *, level: Level, coefficient: Coefficient = "spearman") -> Matrix:
    """Correlations of people and all measures with one another."""
    grids = [joined.human.values, *(measure.values for measure in joined.measures)]
    values = np.full((len(grids), len(grids)), np.nan)
    for a, grid in enumerate(grids):
        for b in range(a, len(grids)):
            correlation = level_correlation(grid, grids[b], kind=coefficient, level=level)
            values[a, b] = values[b, a] = correlation.value
    names = ("human", *(measure.name for measure in joined.measures))
    return Matrix(level, coefficient, names, tuple(tuple(map(finite, row)) for row in values.tolist()))


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """What is wanted of every row alike."""

    joined: Joined
    coefficient: Coefficient
    resampling: Resampling
    resample: Resample
    clusters: Integers | None

    def row(self, measure: MeasureGrid, level: Level) -> Row:
        """One measure at one level."""
        human, scores = self.joined.human.values, measure.values
        by_kind: dict[Coefficient, LevelCorrelation] = {
            kind: level_correlation(human, scores, kind=kind, level=level) for kind in COEFFICIENTS
        }
        main = by_kind[self.coefficient]
        both = ~np.isnan(human) & ~np.isnan(scores)
        corrected = level == "system" and self.resample == "items"
        left_out = None if corrected else self._left_out(human, scores, level, self.clusters)
        low, high = (
            (math.nan, math.nan) if left_out is None else left_out.interval(self.resampling.confidence)
        )
        absence = None if left_out is None else left_out.absence
        true = self._true_means(human, scores) if corrected else None
        about = Correlated(
            human, scores, level, self.coefficient, main, absence, self.resample, self.clusters
        )
        return Row(
            measure=measure.name,
            rater=measure.rater,
            criterion=measure.criterion,
            level=level,
            pearson=finite(by_kind["pearson"].value),
            spearman=finite(by_kind["spearman"].value),
            kendall=finite(by_kind["kendall"].value),
            p=MappingProxyType({kind: finite(correlation.p) for kind, correlation in by_kind.items()}),
            coefficient=self.coefficient,
            low=finite(low),
            high=finite(high),
            n=main.n,
            systems=int(both.any(axis=1).sum()),
            items=int(both.any(axis=0).sum()),
            groups=main.groups - main.undefined if level in _GROUPED else None,
            undefined=main.undefined if level in _GROUPED else 0,
            warnings=notes_on(about),
            design_effect=None if left_out is None else self._design_effect(human, scores, level, left_out),
            true_means=true,
        )

    def _left_out(
        self, human: Floats, scores: Floats, level: Level, clusters: Integers | None
    ) -> LeftOutLevel | None:
        """The coefficient without each unit; None where no intervals are asked for."""
        if not self.resampling.resamples:
            return None
        return leave_out_level(
            human,
            scores,
            kind=self.coefficient,
            level=level,
            resample=self.resample,
            clusters=clusters,
            seed=self.resampling.seed,
        )

    def _design_effect(
        self, human: Floats, scores: Floats, level: Level, together: LeftOutLevel
    ) -> float | None:
        """What leaving out whole clusters does to the variance; None where items are left out one by one."""
        alone = None if self.clusters is None else self._left_out(human, scores, level, None)
        if alone is None or alone.absence is not None or together.absence is not None:
            return None
        errors = [jackknife_error(left_out.by_item) for left_out in (together, alone)]
        return finite((errors[0] / errors[1]) ** 2) if errors[1] else None

    def _true_means(self, human: Floats, scores: Floats) -> TrueMeans | None:
        if not self.resampling.resamples:
            return None
        true = true_correlation(human, scores, confidence=self.resampling.confidence, clusters=self.clusters)
        return TrueMeans(
            pearson=finite(true.value),
            low=finite(true.low),
            high=finite(true.high),
            reliability_human=finite(true.reliability_x),
            reliability_measure=finite(true.reliability_y),
            items=true.items,
            reason=NO_TRUE_MEANS[true.absence] if true.absence else None,
        )
