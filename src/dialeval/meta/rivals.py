"""Which measure agrees better with people, and which do not differ."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np

from dialeval.core import Floats
from dialeval.meta.joining import Joined, MeasureGrid
from dialeval.meta.levels import Row, number
from dialeval.stats.correlation_bootstrap import Resample, bootstrap_level
from dialeval.stats.dependent import Permuted, permuted, williams
from dialeval.stats.estimate import Coefficient
from dialeval.stats.levels import Level, LevelCorrelation, level_correlation
from dialeval.stats.multiple import holm
from dialeval.stats.paired import difference_of
from dialeval.stats.resampling import percentile_interval

ENOUGH: Final = 100
"""Permutations as extreme as what was seen after which no more are made: then p is known to a tenth of itself."""
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
) -> tuple[Rivalry, ...]:
    """Every pair of measures at one level; significant where Holm's p-value is below ``alpha``.

    A difference is of signed coefficients: turn a measure round first where low values are good. Its interval is by
    ``trials`` resamples. There are as many permutations or more where many pairs need smaller p-values, and fewer where
    ``ENOUGH`` of them show that two measures do not differ.
    """
    pairs = list(combinations(joined.measures, 2))
    permutations = _permutations(trials, alpha, len(pairs))
    contest = _Contest(joined.human.values, level, coefficient, trials, seed, alpha, resample, permutations)
    found = [contest.between(a, b) for a, b in pairs]
    given = [math.nan if one.p_permutation is None else one.p_permutation for one in found]
    return tuple(
        dataclasses.replace(one, p_adjusted=number(p), significant=bool(p < alpha))
        for one, p in zip(found, holm(given).tolist(), strict=True)
    )


def _permutations(trials: int, alpha: float, pairs: int) -> int:
    """The smallest p is 1/permutations, and Holm multiplies it by the pairs: leave it room below alpha."""
    return max(trials, math.ceil(2 * pairs / alpha), min(_AMPLE, math.ceil(10 * pairs / alpha)))


def clusters(rows: Sequence[Row], rivalries: Sequence[Rivalry]) -> dict[str, int]:
    """The cluster of each measure, 1 the best, of ``rows`` and ``rivalries`` at one level.

    Measures stand in order of their coefficient; one that differs significantly from a measure of the cluster above it
    begins the next, as in the rankings of WMT. Differing is being worse, unless the two scored different cells: over
    those of both, the order may be the other way round. Measures without a coefficient have no cluster.
    """
    differ = {frozenset((one.a, one.b)) for one in rivalries if one.better is not None}
    defined = [row for row in rows if row.value is not None]
    ranked = sorted(defined, key=lambda row: row.value or 0.0, reverse=True)
    found: dict[str, int] = {}
    current: list[str] = []
    number = 1
    for row in ranked:
        if any(frozenset((row.measure, above)) in differ for above in current):
            number, current = number + 1, []
        current.append(row.measure)
        found[row.measure] = number
    return found


def with_clusters(rows: Sequence[Row], rivalries: Sequence[Rivalry]) -> tuple[Row, ...]:
    """The rows, each with its cluster by the rivalries at its level, and a warning where these saw less of it."""
    by_level: dict[str, Mapping[str, int]] = {
        level: clusters(
            [row for row in rows if row.level == level], [one for one in rivalries if one.level == level]
        )
        for level in {one.level for one in rivalries}
    }
    return tuple(
        dataclasses.replace(
            row,
            cluster=by_level.get(row.level, {}).get(row.measure),
            warnings=(*row.warnings, *_of_coverage(row, rows, rivalries)),
        )
        for row in rows
    )


def _of_coverage(row: Row, rows: Sequence[Row], rivalries: Sequence[Rivalry]) -> Iterator[str]:
    """What to know of a row whose measure scored cells that others did not."""
    own = [one for one in rivalries if one.level == row.level and row.measure in (one.a, one.b)]
    narrow = [one for one in own if (one.only_a if one.a == row.measure else one.only_b)]
    if narrow:
        yield f"compared with {_others(narrow, row.measure)} over fewer cells, those of both"
    value = row.value
    if value is None:
        return
    same = [one for one in rows if one.level == row.level]
    above = {one.measure for one in same if one.value is not None and one.value > value}
    beaten = [one for one in own if one.better == row.measure and _other(one, row.measure) in above]
    if beaten:
        yield f"better than {_others(beaten, row.measure)} over the cells of both: the order depends on coverage"


def _other(one: Rivalry, measure: str) -> str:
    return one.b if one.a == measure else one.a


def _others(rivalries: Sequence[Rivalry], measure: str) -> str:
    names = [_other(one, measure) for one in rivalries]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


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
        trialled = (self._trialled(name, people, scores) for name, scores in ((a.name, one), (b.name, two)))
        low, high = percentile_interval(difference_of(*trialled), 1 - self.alpha)
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
                trials=self.trials,
                seed=self.seed,
                resample=self.resample,
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
            trials=self.permutations,
            seed=self.seed,
            enough=ENOUGH,
        )
