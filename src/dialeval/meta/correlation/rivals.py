"""Comparisons of measures by their correlation with people."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.files.documents import finite
from dialeval.meta.document import Coefficient, Level, Resample, Rivalry, Test
from dialeval.ratings.joined import Joined, MeasureGrid
from dialeval.stats.correlation.dependent import Permuted, permuted, williams
from dialeval.stats.correlation.leaving_out import LeftOutLevel, correlation_difference, leave_out_level
from dialeval.stats.correlation.levels import LevelCorrelation, level_correlation
from dialeval.stats.tests.multiple import holm

ENOUGH: Final = 100
"""Permutations as extreme as what was seen after which no more are made: then p is known to a tenth of itself."""
TESTS: Final[Mapping[Resample, Test]] = {
    "items": "swapped_items",
    "systems": "swapped_systems",
    "both": "jackknife",
}
"""The test that decides, by what is resampled."""
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

    A difference is of signed coefficients: turn a measure round first where low values are good. What is resampled
    decides: for other items, measures are swapped item by item; for other systems, system by system; for both,
    Student's t has the jackknife's error over both. There are as many permutations or more where many pairs need
    smaller p-values, and fewer where ``ENOUGH`` of them show that two measures do not differ. Items of one cluster
    stay together.
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
    decisive = [rivalry.p_jackknife if resample == "both" else rivalry.p_permutation for rivalry in rivalries]
    given = np.array([math.nan if p is None else p for p in decisive])
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
    left_out: dict[tuple[str, bytes], LeftOutLevel] = field(default_factory=dict)
    """A measure's coefficients without each unit, over some cells: most pairs of measures share their cells."""

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
            test=TESTS[self.resample],
        )
        if with_a.reason is not None or with_b.reason is not None:
            return blank
        jackknife = correlation_difference(
            self._without(a.name, people, scores_a),
            self._without(b.name, people, scores_b),
            self.resampling.confidence,
        )
        bounded = self.level != "system" or self.resample != "items"
        test = Permuted(math.nan) if self.resample == "both" else self._permuted(people, scores_a, scores_b)
        return dataclasses.replace(
            blank,
            difference=with_a.value - with_b.value,
            low=finite(jackknife.low) if bounded else None,
            high=finite(jackknife.high) if bounded else None,
            p_williams=self._williams(with_a, with_b, self._correlation(scores_a, scores_b)),
            p_permutation=finite(test.p),
            p_error=finite(test.error),
            p_jackknife=finite(jackknife.p),
        )

    def _correlation(self, x: Floats, y: Floats) -> LevelCorrelation:
        return level_correlation(x, y, kind=self.coefficient, level=self.level)

    def _without(self, name: str, people: Floats, scores: Floats) -> LeftOutLevel:
        key = (name, np.isnan(people).tobytes())
        if key not in self.left_out:
            self.left_out[key] = leave_out_level(
                people,
                scores,
                kind=self.coefficient,
                level=self.level,
                resample=self.resample,
                clusters=self.clusters,
                seed=self.resampling.seed,
            )
        return self.left_out[key]

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
            swap="systems" if self.resample == "systems" else "items",
            clusters=self.clusters,
        )
