"""How far measures agree with people, at four levels.

``system`` correlates the systems' means; ``item`` pools all answers; ``item_within_system`` takes each system alone,
and ``system_within_item`` each item, and averages the coefficients. A measure that only tells systems apart does well
at the first two: see `dialeval.ratings.system_identity`. All are over the answers that both sides have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.files.documents import finite
from dialeval.meta.correlation.notes import Correlated, notes_on, resampled
from dialeval.meta.document import LEVELS, Coefficient, Level, Matrix, Resample, Row
from dialeval.ratings.joined import Joined, MeasureGrid
from dialeval.stats.correlation.bootstrap import bootstrap_level
from dialeval.stats.correlation.coefficients import COEFFICIENTS
from dialeval.stats.correlation.levels import LevelCorrelation, level_correlation
from dialeval.stats.resampling.bootstrap import percentile_interval

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

    The interval is of ``coefficient``, by resampling the items, the systems or both; 0 resamples give none. Items that
    share a cluster, as the turns of a dialogue do, are resampled together.
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
        drawn = self._resampled(human, scores, level, main)
        low, high = percentile_interval(drawn, self.resampling.confidence)
        about = Correlated(human, scores, level, self.coefficient, main, drawn, self.resample, self.clusters)
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
        )

    def _resampled(self, human: Floats, scores: Floats, level: Level, main: LevelCorrelation) -> Floats:
        """The coefficients of the resamples; none where there is nothing to resample."""
        both = ~np.isnan(human) & ~np.isnan(scores)
        possible = main.reason is None and resampled(both, self.resample, self.clusters)
        if not self.resampling.resamples or not possible:
            return np.zeros(0)
        return bootstrap_level(
            human,
            scores,
            kind=self.coefficient,
            level=level,
            resamples=self.resampling.resamples,
            seed=self.resampling.seed,
            resample=self.resample,
            clusters=self.clusters,
        )
