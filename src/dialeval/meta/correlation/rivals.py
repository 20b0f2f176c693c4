"""Which measure agrees better with people, and which do not differ."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.meta.correlation.levels import number
from dialeval.meta.correlation.notes import resampled
from dialeval.ratings.joining import Joined, MeasureGrid
from dialeval.stats.correlation.bootstrap import Resample, bootstrap_level
from dialeval.stats.correlation.dependent import Permuted, permuted, williams
from dialeval.stats.correlation.levels import Level, LevelCorrelation, level_correlation
from dialeval.stats.estimate import Coefficient
from dialeval.stats.resampling.bootstrap import percentile_interval
from dialeval.stats.tests.multiple import holm
from dialeval.stats.tests.paired import difference_of

ENOUGH: Final = 100
"""Permutations as extreme as what was seen after which no more are made: then p is known to a tenth of itself."""
_ERRORS: Final = 2
"""How many standard errors another seed may well move a p-value by."""
_AMPLE: Final = 4000
"""Permutations up to which the smallest p-value is left ten times the room below alpha, and not twice."""


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
    """Bounds of the difference, by resampling what ``compare_measures`` was told to."""
    high: float | None = None
    p_williams: float | None = None
    """Williams' test of two correlations that share the human ratings; none where a level averages many, nor of tau."""
    p_permutation: float | None = None
    """PERM-BOTH (Deutsch, Dror and Roth, 2021): scores swapped between the measures, cell by cell."""
    p_adjusted: float | None = None
    """The permutation test's after Holm's correction over all pairs at this level."""
    significant: bool = False
    p_error: float | None = None
    """The standard error of ``p_permutation`` for want of more permutations; 0 where all were tried."""
    cells: int = 0
    """Cells that people and both measures have; at every level, these alone are compared."""
    only_a: int = 0
    """Cells that people and a have and b has not: they count in a's row and not here."""
    only_b: int = 0
    on_edge: bool = False
    """Whether the verdict hangs on chance: two standard errors of the p-values, up or down, would turn it."""

    @property
    def better(self) -> str | None:
        """The measure that agrees significantly better with people; None where none does."""
        if not self.significant or not self.difference:
            return None
        return self.a if self.difference > 0 else self.b


def compare_measures(
    joined: Joined,
    *,
    level: Level = "item",
    coefficient: Coefficient = "spearman",
    trials: int = 1000,
    seed: int = 0,
    alpha: float = 0.05,
    resample: Resample = "items",
    clusters: Integers | None = None,
) -> tuple[Rivalry, ...]:
    """Every pair of measures at one level; significant where Holm's p-value is below ``alpha``.

    A difference is of signed coefficients: turn a measure round first where low values are good. Its interval is by
    ``trials`` resamples. There are as many permutations or more where many pairs need smaller p-values, and fewer where
    ``ENOUGH`` of them show that two measures do not differ. ``clusters`` labels the items: whole clusters are then
    resampled, and swapped.
    """
    pairs = list(combinations(joined.measures, 2))
    permutations = _permutations(trials, alpha, len(pairs))
    contest = _Contest(
        joined.human.values, level, coefficient, trials, seed, alpha, resample, permutations, clusters
    )
    found = [contest.between(a, b) for a, b in pairs]
    given = np.array([math.nan if one.p_permutation is None else one.p_permutation for one in found])
    reach = _ERRORS * np.array([one.p_error or 0.0 for one in found])
    lower, upper = (holm(np.clip(given + sign * reach, 0, 1)) for sign in (-1, 1))
    return tuple(
        dataclasses.replace(one, p_adjusted=number(p), significant=bool(p < alpha), on_edge=bool(edge))
        for one, p, edge in zip(found, holm(given).tolist(), (lower < alpha) & (upper >= alpha), strict=True)
    )


def _permutations(trials: int, alpha: float, pairs: int) -> int:
    """The smallest p is 1/permutations, and Holm multiplies it by the pairs: leave it room below alpha."""
    return max(trials, math.ceil(2 * pairs / alpha), min(_AMPLE, math.ceil(10 * pairs / alpha)))


@dataclass(frozen=True, slots=True, eq=False)
class _Contest:
    """What every comparison at one level shares."""

    human: Floats
    level: Level
    coefficient: Coefficient
    trials: int
    seed: int
    alpha: float
    resample: Resample
    permutations: int
    clusters: Integers | None
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
            value_a=number(with_a.value),
            value_b=number(with_b.value),
            n=with_a.n,
            cells=int(shared.sum()),
            only_a=int((~np.isnan(self.human + a.values) & ~shared).sum()),
            only_b=int((~np.isnan(self.human + b.values) & ~shared).sum()),
        )
        if with_a.reason is not None or with_b.reason is not None:
            return blank
        # One seed draws the same items for both, so the differences are paired.
        low = high = math.nan
        if resampled(shared, self.resample, self.clusters):
            both = (self._trialled(name, people, own) for name, own in ((a.name, one), (b.name, two)))
            low, high = percentile_interval(difference_of(*both), 1 - self.alpha)
        test = self._permuted(people, one, two)
        return dataclasses.replace(
            blank,
            difference=with_a.value - with_b.value,
            low=number(low),
            high=number(high),
            p_williams=self._williams(with_a, with_b, self._correlation(one, two)),
            p_permutation=number(test.p),
            p_error=number(test.error),
        )

    def _correlation(self, x: Floats, y: Floats) -> LevelCorrelation:
        return level_correlation(x, y, kind=self.coefficient, level=self.level)

    def _trialled(self, name: str, people: Floats, scores: Floats) -> Floats:
        key = (name, np.isnan(people).tobytes())
        if key not in self.resampled:
            self.resampled[key] = bootstrap_level(
                people,
                scores,
                kind=self.coefficient,
                level=self.level,
                resamples=self.trials,
                seed=self.seed,
                resample=self.resample,
                clusters=self.clusters,
            )
        return self.resampled[key]

    def _williams(
        self, with_a: LevelCorrelation, with_b: LevelCorrelation, between: LevelCorrelation
    ) -> float | None:
        if self.level not in ("system", "item") or self.coefficient == "kendall":
            return None
        return number(williams(with_a.value, with_b.value, between.value, with_a.n).p)

    def _permuted(self, people: Floats, a: Floats, b: Floats) -> Permuted:
        return permuted(
            people,
            a,
            b,
            kind=self.coefficient,
            level=self.level,
            resamples=self.permutations,
            seed=self.seed,
            enough=ENOUGH,
            clusters=self.clusters,
        )
