"""Which measure agrees better with people, and which do not differ."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from dialeval.core import Floats
from dialeval.meta.joining import Joined, MeasureGrid
from dialeval.meta.levels import Row
from dialeval.stats.correlation_bootstrap import bootstrap_level
from dialeval.stats.dependent import perm_both, williams
from dialeval.stats.estimate import Coefficient
from dialeval.stats.levels import Level, LevelCorrelation, level_correlation
from dialeval.stats.multiple import holm
from dialeval.stats.paired import difference_of
from dialeval.stats.resampling import percentile_interval


@dataclass(frozen=True, slots=True)
class Rivalry:
    """Two measures' correlations with people at one level, over the cells that all three have."""

    a: str
    b: str
    level: Level
    coefficient: Coefficient
    value_a: float | None
    value_b: float | None
    n: int
    """Points correlated: systems at level ``system``, cells elsewhere."""
    difference: float | None = None
    """a's coefficient minus b's; None where one of them is undefined."""
    low: float | None = None
    """Bounds of the difference, by resampling items."""
    high: float | None = None
    p_williams: float | None = None
    """Williams' test of two correlations that share the human ratings; none where a level averages many, nor of tau."""
    p_permutation: float | None = None
    """PERM-BOTH (Deutsch, Dror and Roth, 2021): scores swapped between the measures, cell by cell."""
    p_adjusted: float | None = None
    """The permutation test's after Holm's correction over all pairs at this level."""
    significant: bool = False


def compare_measures(
    joined: Joined,
    *,
    level: Level = "item",
    coefficient: Coefficient = "spearman",
    trials: int = 1000,
    seed: int = 0,
    alpha: float = 0.05,
) -> tuple[Rivalry, ...]:
    """Every pair of measures at one level; significant where Holm's p-value is below ``alpha``.

    A difference is of signed coefficients: turn a measure round first where low values are good.
    """
    pairs = list(combinations(joined.measures, 2))
    contest = _Contest(joined.human.values, level, coefficient, trials, seed, alpha, len(pairs))
    found = [contest.between(a, b) for a, b in pairs]
    given = [math.nan if one.p_permutation is None else one.p_permutation for one in found]
    return tuple(
        dataclasses.replace(one, p_adjusted=_number(p), significant=bool(p < alpha))
        for one, p in zip(found, holm(given).tolist(), strict=True)
    )


def clusters(rows: Sequence[Row], rivalries: Sequence[Rivalry]) -> dict[str, int]:
    """The cluster of each measure, 1 the best, of ``rows`` and ``rivalries`` at one level.

    Measures stand in order of their coefficient; one that is significantly worse than a measure of the cluster above it
    begins the next, as in the rankings of WMT. Measures without a coefficient have no cluster.
    """
    worse = {
        (one.b, one.a) if (one.difference or 0) > 0 else (one.a, one.b)
        for one in rivalries
        if one.significant
    }
    defined = [row for row in rows if row.value is not None]
    ranked = sorted(defined, key=lambda row: row.value or 0.0, reverse=True)
    found: dict[str, int] = {}
    current: list[str] = []
    number = 1
    for row in ranked:
        if any((row.measure, above) in worse for above in current):
            number, current = number + 1, []
        current.append(row.measure)
        found[row.measure] = number
    return found


def with_clusters(rows: Sequence[Row], rivalries: Sequence[Rivalry]) -> tuple[Row, ...]:
    """The rows, each with the cluster that the rivalries at its level give it."""
    by_level: dict[str, Mapping[str, int]] = {
        level: clusters(
            [row for row in rows if row.level == level], [one for one in rivalries if one.level == level]
        )
        for level in {one.level for one in rivalries}
    }
    return tuple(
        dataclasses.replace(row, cluster=by_level.get(row.level, {}).get(row.measure)) for row in rows
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Contest:
    """What every comparison at one level shares."""

    human: Floats
    level: Level
    coefficient: Coefficient
    trials: int
    seed: int
    alpha: float
    pairs: int
    resampled: dict[tuple[str, bytes], Floats] = field(default_factory=dict)
    """Coefficients of a measure's resamples over some cells: most pairs of measures share their cells."""

    def between(self, a: MeasureGrid, b: MeasureGrid) -> Rivalry:
        """The two measures, before correction over all pairs."""
        shared = ~(np.isnan(self.human) | np.isnan(a.values) | np.isnan(b.values))
        people, one, two = (np.where(shared, values, np.nan) for values in (self.human, a.values, b.values))
        with_a, with_b = (self._correlation(people, scores) for scores in (one, two))
        blank = Rivalry(
            a=a.name,
            b=b.name,
            level=self.level,
            coefficient=self.coefficient,
            value_a=_number(with_a.value),
            value_b=_number(with_b.value),
            n=with_a.n,
        )
        if with_a.reason is not None or with_b.reason is not None:
            return blank
        # One seed draws the same items for both, so the differences are paired.
        trialled = (self._trialled(name, people, scores) for name, scores in ((a.name, one), (b.name, two)))
        low, high = percentile_interval(difference_of(*trialled), 1 - self.alpha)
        return dataclasses.replace(
            blank,
            difference=with_a.value - with_b.value,
            low=_number(low),
            high=_number(high),
            p_williams=self._williams(with_a, with_b, self._correlation(one, two)),
            p_permutation=_number(self._permutation(people, one, two)),
        )

    def _correlation(self, x: Floats, y: Floats) -> LevelCorrelation:
        return level_correlation(x, y, kind=self.coefficient, level=self.level)

    def _trialled(self, name: str, people: Floats, scores: Floats) -> Floats:
        key = (name, np.isnan(people).tobytes())
        if key not in self.resampled:
            self.resampled[key] = bootstrap_level(
                people, scores, kind=self.coefficient, level=self.level, trials=self.trials, seed=self.seed
            )
        return self.resampled[key]

    def _williams(
        self, with_a: LevelCorrelation, with_b: LevelCorrelation, between: LevelCorrelation
    ) -> float | None:
        if self.level not in ("system", "item") or self.coefficient == "kendall":
            return None
        return _number(williams(with_a.value, with_b.value, between.value, with_a.n).p)

    def _permutation(self, people: Floats, a: Floats, b: Floats) -> float:
        # The smallest p is 1/trials, and Holm multiplies it by the pairs: leave it room below alpha.
        trials = max(self.trials, math.ceil(2 * self.pairs / self.alpha))
        return perm_both(people, a, b, kind=self.coefficient, level=self.level, trials=trials, seed=self.seed)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
