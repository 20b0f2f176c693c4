"""How far measures agree with people, at four levels.

``system`` correlates the systems' means; ``item`` pools all cells; ``item_within_system`` takes each system by itself,
and ``system_within_item`` each item, and averages the coefficients. A measure that only tells systems apart does well
at the first two: see `dialeval.ratings.joining.system_identity`. All are over the cells that both sides have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Integers
from dialeval.meta.correlation.notes import Correlated, doubts, resampled
from dialeval.ratings.joining import Joined, MeasureGrid
from dialeval.stats.correlation.bootstrap import Resample, bootstrap_level
from dialeval.stats.correlation.coefficients import COEFFICIENTS
from dialeval.stats.correlation.levels import LEVELS, Level, LevelCorrelation, level_correlation
from dialeval.stats.estimate import Coefficient
from dialeval.stats.resampling.bootstrap import percentile_interval

__all__ = ["LEVELS", "Level", "Row", "correlate", "number"]

_GROUPED: Final = ("item_within_system", "system_within_item")


@dataclass(frozen=True, slots=True)
class Row:
    """One measure at one level: coefficients, an interval, and what to be wary of."""

    measure: str
    rater: str
    criterion: str
    level: Level
    pearson: float | None
    """None where undefined, with the reason among the warnings."""
    spearman: float | None
    kendall: float | None
    """Tau-b."""
    p: Mapping[Coefficient, float | None]
    """Two-sided p-values; none for means over groups.

    At level ``item`` they take several systems' answers to one item to be independent, and are too small where they are
    not: the interval, which resamples whole items, does not.
    """
    coefficient: Coefficient
    """The one that ``low``, ``high`` and ``cluster`` are about."""
    low: float | None
    high: float | None
    n: int
    """Points correlated: systems at level ``system``, cells elsewhere."""
    systems: int
    items: int
    groups: int | None
    """How many systems or items have a coefficient of their own or should have; None where they have none."""
    undefined: int
    """How many of these are left out of the mean because theirs is undefined."""
    cluster: int | None = None
    """1 for the best measures at this level; equal where they do not differ significantly."""
    warnings: tuple[str, ...] = ()

    @property
    def value(self) -> float | None:
        """The coefficient that was asked for."""
        return {"pearson": self.pearson, "spearman": self.spearman, "kendall": self.kendall}[self.coefficient]


def correlate(
    joined: Joined,
    *,
    levels: Sequence[Level] = LEVELS,
    coefficient: Coefficient = "spearman",
    trials: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    resample: Resample = "items",
    clusters: Integers | None = None,
) -> tuple[Row, ...]:
    """One row per measure and level, in the order of the measures.

    The interval is of ``coefficient``, by ``trials`` resamples of the items, the systems or both; 0 trials give none.
    ``clusters`` labels the items, as dialogues do their turns: then whole clusters are resampled.
    """
    asked = _Asked(coefficient, trials, seed, level, resample, clusters)
    return tuple(_row(joined, measure, at, asked) for measure in joined.measures for at in levels)


def number(value: float) -> float | None:
    """The value, or None where it is undefined."""
    return None if math.isnan(value) else float(value)


class _Asked(NamedTuple):
    """What is wanted of every row alike."""

    coefficient: Coefficient
    trials: int
    seed: int
    level: float
    resample: Resample
    clusters: Integers | None


def _row(joined: Joined, measure: MeasureGrid, at: Level, asked: _Asked) -> Row:
    coefficient, trials, seed, level, resample, clusters = asked
    human, scores = joined.human.values, measure.values
    found: dict[Coefficient, LevelCorrelation] = {
        kind: level_correlation(human, scores, kind=kind, level=at) for kind in COEFFICIENTS
    }
    main = found[coefficient]
    both = ~np.isnan(human) & ~np.isnan(scores)
    trialled = np.zeros(0)
    if trials and main.reason is None and resampled(both, resample, clusters):
        trialled = bootstrap_level(
            human,
            scores,
            kind=coefficient,
            level=at,
            resamples=trials,
            seed=seed,
            resample=resample,
            clusters=clusters,
        )
    low, high = percentile_interval(trialled, level)
    return Row(
        measure=measure.name,
        rater=measure.rater,
        criterion=measure.criterion,
        level=at,
        pearson=number(found["pearson"].value),
        spearman=number(found["spearman"].value),
        kendall=number(found["kendall"].value),
        p=MappingProxyType({kind: number(one.p) for kind, one in found.items()}),
        coefficient=coefficient,
        low=number(low),
        high=number(high),
        n=main.n,
        systems=int(both.any(axis=1).sum()),
        items=int(both.any(axis=0).sum()),
        groups=main.groups - main.undefined if at in _GROUPED else None,
        undefined=main.undefined if at in _GROUPED else 0,
        warnings=doubts(Correlated(human, scores, at, coefficient, main, trialled, resample, clusters)),
    )
