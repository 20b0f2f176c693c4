"""Comparisons of measures by their correlation with people."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.display.notes import Note
from dialeval.files.documents import finite
from dialeval.meta.document import Coefficient, Level, Resample, Rivalry, Row, Test
from dialeval.ratings.joined import Joined, MeasureGrid
from dialeval.stats.correlation.dependent import Permuted, permuted, williams
from dialeval.stats.correlation.jackknife import LeftOutLevel, correlation_difference, leave_out_level
from dialeval.stats.correlation.levels import LevelCorrelation, level_correlation
from dialeval.stats.estimate import Estimate
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
"""Number of standard errors that another seed may well move a p-value by."""
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
    """Every pair of measures at one level; significant if Holm's p-value is below alpha.

    A difference is of signed coefficients: turn a measure round first if low values are good. What is resampled
    decides: for other items, measures are swapped item by item; for other systems, system by system; for both,
    Student's t has the jackknife's error over both. There are as many permutations or more if many pairs need
    smaller p-values, and fewer if ``ENOUGH`` of them show that two measures do not differ. Items of one cluster
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
    """Settings and data that all comparisons at one level share."""

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
        of_a, of_b = self._entering(a.values), self._entering(b.values)
        shared = of_a & of_b
        people = self.human if self.level == "system" else np.where(shared, self.human, np.nan)
        scores_a, scores_b = (np.where(shared, values, np.nan) for values in (a.values, b.values))
        with_a, with_b = (self._correlation(people, scores) for scores in (scores_a, scores_b))
        none = None if shared.any() else "no answer was scored by both"
        blank = Rivalry(
            a=a.name,
            b=b.name,
            level=self.level,
            coefficient=self.coefficient,
            value_a=finite(with_a.value),
            value_b=finite(with_b.value),
            difference=Estimate(None, None, None, with_a.n, none or with_a.reason or with_b.reason),
            cells=int(shared.sum()),
            only_a=int((of_a & ~shared).sum()),
            only_b=int((of_b & ~shared).sum()),
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
        _, low, high, _, _ = jackknife.estimate if bounded else Estimate(None, None, None, 0)
        test = Permuted(math.nan) if self.resample == "both" else self._permuted(people, scores_a, scores_b)
        return dataclasses.replace(
            blank,
            difference=Estimate(with_a.value - with_b.value, low, high, with_a.n),
            p_williams=self._williams(with_a, with_b, self._correlation(scores_a, scores_b)),
            p_permutation=finite(test.p),
            p_error=finite(test.error),
            p_jackknife=finite(jackknife.p),
        )

    def _entering(self, scores: Floats) -> NDArray[np.bool_]:
        """The answers that a measure is compared over: scored, and rated; over systems, of a system that is rated."""
        rated: NDArray[np.bool_] = np.asarray(~np.isnan(self.human))
        there = rated.any(axis=1, keepdims=True) if self.level == "system" else rated
        return np.asarray(~np.isnan(scores) & there)

    def _correlation(self, x: Floats, y: Floats) -> LevelCorrelation:
        return level_correlation(x, y, kind=self.coefficient, level=self.level)

    def _without(self, name: str, people: Floats, scores: Floats) -> LeftOutLevel:
        key = (name, np.isnan(scores).tobytes())
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


def rank_groups(rows: Sequence[Row], rivalries: Sequence[Rivalry]) -> dict[str, int]:
    """The rank group of each measure, 1 the best, of ``rows`` and ``rivalries`` at one level.

    Measures stand in order of their coefficient; one that differs significantly from a measure of the group above it
    begins the next, as in the rankings of WMT. Differing is being worse, unless the two scored different answers: over
    those of both, the order may be the other way round. Measures without a coefficient have no rank group.
    """
    differ = {frozenset((rivalry.a, rivalry.b)) for rivalry in rivalries if rivalry.better is not None}
    defined = [row for row in rows if row.value is not None]
    ranked = sorted(defined, key=lambda row: row.value or 0.0, reverse=True)
    groups: dict[str, int] = {}
    current: list[str] = []
    number = 1
    for row in ranked:
        if any(frozenset((row.measure, above)) in differ for above in current):
            number, current = number + 1, []
        current.append(row.measure)
        groups[row.measure] = number
    return groups


def with_rank_groups(rows: Sequence[Row], rivalries: Sequence[Rivalry]) -> tuple[Row, ...]:
    """The rows, each with its rank group by the rivalries at its level, and a note if these saw less of it."""
    by_level: dict[str, Mapping[str, int]] = {
        level: rank_groups(
            [row for row in rows if row.level == level],
            [rivalry for rivalry in rivalries if rivalry.level == level],
        )
        for level in {rivalry.level for rivalry in rivalries}
    }
    return tuple(
        dataclasses.replace(
            row,
            cluster=by_level.get(row.level, {}).get(row.measure),
            warnings=(*row.warnings, *_of_coverage(row, rows, rivalries)),
        )
        for row in rows
    )


def _of_coverage(row: Row, rows: Sequence[Row], rivalries: Sequence[Rivalry]) -> Iterator[Note]:
    """Notes on a row whose measure scored answers that others did not."""
    mine = [
        rivalry
        for rivalry in rivalries
        if rivalry.level == row.level and row.measure in (rivalry.a, rivalry.b)
    ]
    narrow = [rivalry for rivalry in mine if (rivalry.only_a if rivalry.a == row.measure else rivalry.only_b)]
    if apart := [rivalry for rivalry in narrow if not rivalry.cells]:
        yield Note(
            "not_compared", f"not compared with {_others(apart, row.measure)}: no answer was scored by both"
        )
    narrow = [rivalry for rivalry in narrow if rivalry.cells]
    if narrow:
        text = f"compared with {_others(narrow, row.measure)} over fewer answers, those of both"
        yield Note("compared_over_fewer", text)
    value = row.value
    if value is None:
        return
    same = [other for other in rows if other.level == row.level]
    above = {other.measure for other in same if other.value is not None and other.value > value}
    beaten = [
        rivalry for rivalry in mine if rivalry.better == row.measure and _other(rivalry, row.measure) in above
    ]
    if beaten:
        others = _others(beaten, row.measure)
        text = f"better than {others} over the answers of both: the order depends on coverage"
        yield Note("order_depends_on_coverage", text)


def _other(rivalry: Rivalry, measure: str) -> str:
    return rivalry.b if rivalry.a == measure else rivalry.a


def _others(rivalries: Sequence[Rivalry], measure: str) -> str:
    names = [_other(rivalry, measure) for rivalry in rivalries]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
