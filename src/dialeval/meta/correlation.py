"""Correlation of measures with people at four levels, with notes and pairwise accuracies.

``item_within_system`` takes each system alone, and ``system_within_item`` each item, and averages the coefficients;
``item`` pools all answers; ``system`` correlates the systems' means. A measure that only tells systems apart does well
at the last two: see `dialeval.stats.correlation.levels.identity_correlation`. All are over the answers that both sides
have.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.display.notes import Note
from dialeval.display.wording import count
from dialeval.files.documents import finite
from dialeval.meta.document import LEVELS, Coefficient, Level, Matrix, Resample, Row, TrueMeans
from dialeval.ratings.joined import Flags, Joined, MeasureGrid
from dialeval.stats.correlation.coefficients import COEFFICIENTS
from dialeval.stats.correlation.jackknife import (
    FEWEST,
    FEWEST_SYSTEMS,
    Absence,
    LeftOutLevel,
    TrueAbsence,
    leave_out_level,
    true_correlation,
)
from dialeval.stats.correlation.levels import LevelCorrelation, level_cells, level_correlation, system_means
from dialeval.stats.correlation.pairwise import calibrate_ties, pairwise_accuracy, soft_pairwise_accuracy
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.jackknife import jackknife_error
from dialeval.stats.tests.multiple import holm

_FEW_SYSTEMS: Final = 10
"""Below this many, how well a measure ranks these systems says little about the next one."""
_MANY_TIES: Final = 0.5
_GROUP: Final = {"item_within_system": "system", "system_within_item": "item"}


NO_TRUE_MEANS: Final[Mapping[TrueAbsence, str]] = {
    "few-systems": f"fewer than {FEWEST_SYSTEMS} systems",
    "few-items": "fewer than 3 items (or 2 dialogues) have a value of every system, on one side",
    "no-spread": "as far as these items can tell, the systems' true means do not differ",
}
"""Why there is no correlation of true means."""


class Correlated(NamedTuple):
    """One coefficient, and how it came about."""

    human: Floats
    """Shape (systems, items), as ``scores``."""
    scores: Floats
    level: Level
    kind: Coefficient
    correlation: LevelCorrelation
    absence: Absence | None
    """Why there is no interval, if one was asked for."""
    resample: Resample
    clusters: Integers | None = None
    """The cluster of each item, if whole clusters are resampled."""


def notes_on(about: Correlated) -> tuple[Note, ...]:
    """Notes for the reader of one coefficient; none if nothing is amiss."""
    return tuple(_notes(about))


def _notes(about: Correlated) -> Iterator[Note]:
    human, scores, level, kind, correlation, absence, resample, clusters = about
    rated, scored = ~np.isnan(human), ~np.isnan(scores)
    both = rated & scored
    if correlation.reason is not None:
        yield Note("undefined", f"undefined: {_why_undefined(about) or correlation.reason}")
    elif absence is not None:
        yield _no_interval(absence, rated | scored if level == "system" else both, clusters)
    if level == "system":
        yield from _own_items(rated, scored)
        yield from _few_systems(rated, scored, kind, resample)
    else:
        yield from _coverage(human, both)
        yield from _ties(human, scores, both)
    if level == "system_within_item":
        yield from _pairs_of_systems(both)
    yield from _left_out(level, correlation)


def _why_undefined(about: Correlated) -> str | None:
    """Why there is no coefficient, in words of this field: statistics know of pairs and of two variables alone."""
    cells = level_cells(about.level, about.human, about.scores)
    group = _GROUP.get(about.level)
    points = "systems" if about.level == "system" else "answers that people rated and the measure scored"
    if group is not None and len(cells.system):
        groups, sizes = np.unique(cells.system if group == "system" else cells.item, return_counts=True)
        if sizes.max() < 2:
            return f"no {group} has 2 {points} or more ({len(groups)} {group}s)"
        return f"one side has a single value in each of the {len(groups)} {group}s"
    sides = system_means(cells) if about.level == "system" else cells.tables
    if len(sides[0]) < 2:
        return f"fewer than 2 {points} ({len(sides[0])})"
    for name, values in zip(("human ratings", "scores"), sides, strict=True):
        if (values == values[0]).all():
            return f"all {name} are equal ({values[0]:g})"
    return None


def _no_interval(absence: Absence, both: NDArray[np.bool_], clusters: Integers | None) -> Note:
    there, unit = both.any(axis=0), "item" if clusters is None else "dialogue"
    items = int(there.sum()) if clusters is None else len(np.unique(clusters[there]))
    reasons = {
        "few-items": f"{count(items, unit)}, and {FEWEST} are required",
        "few-systems": f"{count(int(both.any(axis=1).sum()), 'system')}, and {FEWEST} are required",
        "undefined": "without one of them there is no correlation",
        "no-spread": "the correlation is the same whichever of them is left out",
    }
    return Note(absence.replace("-", "_"), f"no interval: {reasons[absence]}")


def _coverage(human: Floats, both: NDArray[np.bool_]) -> Iterator[Note]:
    rated, shared = int((~np.isnan(human)).sum()), int(both.sum())
    if shared < rated:
        yield Note("coverage", f"scores only {shared} of the {rated} answers that people rated")


def _own_items(rated: Flags, scored: Flags) -> Iterator[Note]:
    """Note on systems' means that are over other items for people than for the measure."""
    rated, scored = _of_both(rated, scored)
    if (rated == scored).all():
        return
    items, measured, shared = (int(side.any(axis=0).sum()) for side in (rated, scored, rated & scored))
    if measured == 1:
        text = f"one score per system, taken as given, against people's means over {count(items, 'item')}"
        yield Note("one_score_per_system", text)
    elif items == measured == shared:
        yield Note(
            "own_answers",
            "people and the measure have other answers of these items: each counts with its own",
        )
    else:
        text = (
            f"people's means are over {count(items, 'item')}, the measure's over {measured:,}, "
            f"{f'{shared:,} of them the same' if shared else 'none of them the same'}"
        )
        yield Note("own_items", text)


def _of_both(rated: Flags, scored: Flags) -> tuple[Flags, Flags]:
    """Both sides, of the systems that both have."""
    systems = rated.any(axis=1) & scored.any(axis=1)
    return rated[systems], scored[systems]


def _few_systems(rated: Flags, scored: Flags, kind: Coefficient, resample: Resample) -> Iterator[Note]:
    sides = _of_both(rated, scored)
    n = len(sides[0])
    if n == 2:
        yield Note("two_systems", "2 systems always give plus or minus 1")
    elif n in (3, 4) and kind == "pearson":
        text = f"{n} systems: Pearson's p holds only if systems' means are normal, which so few cannot show"
        yield Note("p_of_few_systems", text)
    elif n in (3, 4):
        # Of the n! orders of the systems, one agrees wholly and one disagrees wholly.
        least = f"{2 / math.factorial(n):.2f}".removeprefix("0")
        yield Note("p_of_few_systems", f"{n} systems: {kind.title()}'s p can never fall below {least}")
    if 2 < n < _FEW_SYSTEMS and resample == "items":
        yield Note("few_systems", f"only {n} systems: what holds for them may not hold for others")
    if n > 1 and any((present != present[0]).any() for present in sides):
        yield Note("different_items", "the systems' means are over different items")


def _ties(human: Floats, scores: Floats, both: NDArray[np.bool_]) -> Iterator[Note]:
    for name, values in (("human ratings", human[both]), ("scores", scores[both])):
        different, times = np.unique(values, return_counts=True)
        if len(different) > 1 and times.max() >= _MANY_TIES * len(values):
            share = times.max() / len(values)
            yield Note("ties", f"{share:.0%} of the {name} are {different[times.argmax()]:.3g}")


def _pairs_of_systems(both: NDArray[np.bool_]) -> Iterator[Note]:
    sizes = both.sum(axis=0)
    pairs, items = int((sizes == 2).sum()), int((sizes >= 2).sum())
    if pairs:
        text = f"{pairs} of {items} items have 2 systems, which always give plus or minus 1"
        yield Note("items_of_two_systems", text)


def _left_out(level: Level, correlation: LevelCorrelation) -> Iterator[Note]:
    if correlation.reason is None and correlation.undefined:
        groups = f"{correlation.undefined} of {correlation.groups} {_GROUP.get(level, 'system')}s"
        yield Note("groups_left_out", f"{groups} left out: fewer than 2 answers, or all values equal")


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
    interval is that of ``true_means``. Each side's mean of a system is over all items that this side has of it, be they
    the same, some or none in common; the interval accounts for the items of both (`true_correlation`), for these
    systems and these raters.
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
    """Settings that all rows share."""

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
        both = [~np.isnan(human), ~np.isnan(scores)]
        if level == "system":
            rated, scored = _of_both(both[0], both[1])
        else:
            rated = scored = both[0] & both[1]
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
            estimate=Estimate.of(main.value, low, high, main.n, main.reason),
            systems=int(rated.any(axis=1).sum()),
            items=int(rated.any(axis=0).sum()),
            groups=main.groups - main.undefined if level in _GROUPED else None,
            undefined=main.undefined if level in _GROUPED else 0,
            warnings=notes_on(about),
            design_effect=None if left_out is None else self._design_effect(human, scores, level, left_out),
            true_means=true,
            items_measure=int(scored.any(axis=0).sum()) if level == "system" else None,
            p_test=finite(main.p if left_out is None else left_out.p),
        )

    def _left_out(
        self, human: Floats, scores: Floats, level: Level, clusters: Integers | None
    ) -> LeftOutLevel | None:
        """The coefficient without each unit; None if no intervals are asked for."""
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
        """Effect of leaving out whole clusters on the variance; None if items are left out one by one."""
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
            pearson=true.estimate._replace(reason=NO_TRUE_MEANS[true.absence] if true.absence else None),
            reliability_human=finite(true.reliability_x),
            reliability_measure=finite(true.reliability_y),
            items=true.items_x,
            items_measure=true.items_y,
        )


def with_adjusted_p(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows with their p-values after Holm's correction over the measures at each level."""
    adjusted: dict[Level, list[float]] = {}
    for level in {row.level for row in rows}:
        given = [math.nan if row.p_test is None else row.p_test for row in rows if row.level == level]
        adjusted[level] = holm(given).tolist()[::-1]
    return tuple(replace(row, p_adjusted=finite(adjusted[row.level].pop())) for row in rows)


MOST: Final = 1 << 21
"""Pairs of answers to one item, beyond which their ties are not calibrated."""
MOST_SOFT: Final = 1 << 18
"""Limit for soft accuracy, which looks at each of them in every trial."""


class _Accuracy(NamedTuple):
    """Share of pairs of systems that a measure orders as people do; NaN if undefined or not asked for."""

    pairwise: float
    """Of systems' means (Kocmi et al., 2021)."""
    soft: float
    """Of systems' means, by how sure of the order both sides are (Thompson et al., 2024)."""
    tied: float
    """Of the answers to one item, ties counting (Deutsch et al., 2023), with the best ``epsilon``."""
    epsilon: float
    """The difference up to which the measure's values had best count as tied, chosen on these very pairs."""


def with_accuracies(
    rows: Sequence[Row], joined: Joined, *, resampling: Resampling = DEFAULT_RESAMPLING
) -> tuple[Row, ...]:
    """The rows with each measure's accuracies at the levels ``system`` and ``system_within_item``.

    Higher values have to be better with all measures. Without resamples there is no soft accuracy, nor if it would
    take long: beyond ``MOST_SOFT`` pairs of answers.
    """
    levels = {row.level for row in rows}
    accuracies = {
        measure.name: _accuracy(joined.human.values, measure.values, levels, resampling)
        for measure in joined.measures
    }
    return tuple(_with_accuracy(row, accuracies[row.measure]) for row in rows)


def _with_accuracy(row: Row, accuracy: _Accuracy) -> Row:
    pairwise, soft, tied, epsilon = map(finite, accuracy)
    if row.level == "system":
        return replace(row, pairwise_accuracy=pairwise, soft_pairwise_accuracy=soft)
    if row.level == "system_within_item":
        return replace(row, acc_eq=tied, tie_epsilon=epsilon)
    return row


def _accuracy(human: Floats, scores: Floats, levels: Collection[Level], resampling: Resampling) -> _Accuracy:
    rated, scored = ~np.isnan(human), ~np.isnan(scores)
    counts = (rated & scored).sum(axis=0)
    pairs = int((counts * (counts - 1) // 2).sum())
    pairwise = soft = tied = epsilon = math.nan
    if "system" in levels:
        pairwise = pairwise_accuracy(_means(human, rated), _means(scores, scored)).value
        wide = np.maximum(rated.sum(axis=0), scored.sum(axis=0))
        if resampling.resamples and int((wide * (wide - 1) // 2).sum()) <= MOST_SOFT:
            draws, seed = resampling.resamples, resampling.seed
            soft = soft_pairwise_accuracy(human, scores, resamples=draws, seed=seed).value
    if "system_within_item" in levels and pairs <= MOST:
        calibrated = calibrate_ties(human, scores)
        tied, epsilon = calibrated.accuracy, calibrated.epsilon
    return _Accuracy(pairwise, soft, tied, epsilon)


def _means(values: Floats, there: Flags) -> Floats:
    sums, counts = np.where(there, values, 0.0).sum(axis=1), there.sum(axis=1)
    means: Floats = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
    return means
