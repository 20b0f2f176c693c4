"""Which measure agrees better with people, and which do not differ."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.files.documents import finite
from dialeval.meta.correlation.notes import resampled
from dialeval.meta.document import Coefficient, Level, Resample, Rivalry
from dialeval.ratings.joined import Joined, MeasureGrid
from dialeval.stats.correlation.bootstrap import bootstrap_level
from dialeval.stats.correlation.dependent import Permuted, permuted, williams
from dialeval.stats.correlation.levels import LevelCorrelation, level_correlation
from dialeval.stats.resampling.bootstrap import percentile_interval
from dialeval.stats.tests.multiple import holm
from dialeval.stats.tests.paired import difference_of

ENOUGH: Final = 100
"""Permutations as extreme as what was seen after which no more are made: then p is known to a tenth of itself."""
_ERRORS: Final = 2
"""How many standard errors another seed may well move a p-value by."""
_AMPLE: Final = 4000
"""Permutations up to which the smallest p-value is left ten times the room below alpha, and not twice."""


def compare_measures(
    joined: Joined,
    *,
    level: Level = "item",
    coefficient: Coefficient = "spearman",
    resampling: Resampling = DEFAULT_RESAMPLING,
    resample: Resample = "items",
) -> tuple[Rivalry, ...]:
    """Every pair of measures at one level; significant where Holm's p-value is below alpha.

    A difference is of signed coefficients: turn a measure round first where low values are good. Its interval is by
    resampling. There are as many permutations or more where many pairs need smaller p-values, and fewer where
    ``ENOUGH`` of them show that two measures do not differ. Items of one cluster are resampled, and swapped, together.
    """
    pairs = list(combinations(joined.measures, 2))
    alpha = resampling.alpha
    contest = _Contest(
        joined.human.values,
        level,
        coefficient,
        resampling,
        resample,
        _permutations(resampling.resamples, alpha, len(pairs)),
        resampling.clusters(joined.items),
    )
    rivalries = [contest.between(a, b) for a, b in pairs]
    given = np.array(
        [math.nan if rivalry.p_permutation is None else rivalry.p_permutation for rivalry in rivalries]
    )
    reach = _ERRORS * np.array([rivalry.p_error or 0.0 for rivalry in rivalries])
    lower, upper = (holm(np.clip(given + sign * reach, 0, 1)) for sign in (-1, 1))
    on_edge = (lower < alpha) & (upper >= alpha)
    return tuple(
        dataclasses.replace(rivalry, p_adjusted=finite(p), significant=bool(p < alpha), on_edge=bool(edge))
        for rivalry, p, edge in zip(rivalries, holm(given).tolist(), on_edge, strict=True)
    )


def _permutations(resamples: int, alpha: float, pairs: int) -> int:
    """The smallest p is 1/permutations, and Holm multiplies it by the pairs: leave it room below alpha."""
    return max(resamples, math.ceil(2 * pairs / alpha), min(_AMPLE, math.ceil(10 * pairs / alpha)))


@dataclass(frozen=True, slots=True, eq=False)
class _Contest:
    """What every comparison at one level shares."""

    human: Floats
    level: Level
    coefficient: Coefficient
    resampling: Resampling
    resample: Resample
    permutations: int
    clusters: Integers | None
    resampled: dict[tuple[str, bytes], Floats] = field(default_factory=dict)
    """Coefficients of a measure's resamples over some cells: most pairs of measures share their cells."""

    def between(self, a: MeasureGrid, b: MeasureGrid) -> Rivalry:
        """The two measures, before correction over all pairs."""
        shared = ~(np.isnan(self.human) | np.isnan(a.values) | np.isnan(b.values))
        people, scores_a, scores_b = (
            np.where(shared, values, np.nan) for values in (self.human, a.values, b.values)
        )
        with_a, with_b = (self._correlation(people, scores) for scores in (scores_a, scores_b))
        blank = Rivalry(
            a=a.name,
            b=b.name,
            level=self.level,
            coefficient=self.coefficient,
            value_a=finite(with_a.value),
            value_b=finite(with_b.value),
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
            both = (
                self._trialled(name, people, own) for name, own in ((a.name, scores_a), (b.name, scores_b))
            )
            low, high = percentile_interval(difference_of(*both), self.resampling.confidence)
        test = self._permuted(people, scores_a, scores_b)
        return dataclasses.replace(
            blank,
            difference=with_a.value - with_b.value,
            low=finite(low),
            high=finite(high),
            p_williams=self._williams(with_a, with_b, self._correlation(scores_a, scores_b)),
            p_permutation=finite(test.p),
            p_error=finite(test.error),
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
                resamples=self.resampling.resamples,
                seed=self.resampling.seed,
                resample=self.resample,
                clusters=self.clusters,
            )
        return self.resampled[key]

    def _williams(
        self, with_a: LevelCorrelation, with_b: LevelCorrelation, between: LevelCorrelation
    ) -> float | None:
        if self.level not in ("system", "item") or self.coefficient == "kendall":
            return None
        return finite(williams(with_a.value, with_b.value, between.value, with_a.n).p)

    def _permuted(self, people: Floats, a: Floats, b: Floats) -> Permuted:
        return permuted(
            people,
            a,
            b,
            kind=self.coefficient,
            level=self.level,
            resamples=self.permutations,
            seed=self.resampling.seed,
            enough=ENOUGH,
            clusters=self.clusters,
        )
