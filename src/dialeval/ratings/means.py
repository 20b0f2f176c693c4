"""Mean ratings of systems, and the difference of every two, with intervals over items and raters."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.display.notes import Note
from dialeval.display.wording import count, listing
from dialeval.errors import UnknownName, Unsuitable
from dialeval.evaluation.compare import Comparison, decide_families
from dialeval.evaluation.compare.comparison import Basis, MoreItems
from dialeval.files.documents import FINITE, finite
from dialeval.metrics.rows import mean_of_rows
from dialeval.ratings.agreement import NOT_NAMED, Raters
from dialeval.ratings.scale import RatingScale
from dialeval.ratings.table import Ratings
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.bootstrap import Aggregate
from dialeval.stats.resampling.intervals import (
    ABSENCES,
    Absence,
    Spread,
    joined_rows,
    limits_of_difference,
    spread_of,
    spread_of_difference,
    spread_without,
)
from dialeval.stats.resampling.jackknife import SkewedT, two_way
from dialeval.stats.tests.paired import ROUNDING

ModelName: TypeAlias = Literal["linear", "ordinal"]
"""A linear mixed model with crossed random effects, or an ordinal probit model without random effects."""

Disagreement: TypeAlias = Literal["sign", "significance"]
"""Contradiction between a model and the means: who is ahead, or whether that is significant."""


@dataclass(frozen=True, slots=True)
class SystemMean:
    """One system's mean rating, in which each item counts the same."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    mean: Estimate
    """Over items, with an interval for other items, or for other items and raters."""
    ratings: int
    absence: Absence | None = None
    """Why there is no interval."""


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """Difference of two systems by a model; the number of the linear one is on the scale of the ratings."""

    __pydantic_config__: ClassVar = FINITE

    a: str
    b: str
    estimate: Estimate
    """a's effect minus b's; that of the ordinal model is in standard deviations of a latent normal variable."""
    p: float | None
    """Wald's, before any correction."""
    p_adjusted: float | None = None
    """After Holm's correction over the same family of tests as that of the means."""
    significant: bool = False
    disagrees: Disagreement | None = None
    """None if the model and the means say the same, or one of them says nothing."""


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """One model of all ratings of a criterion."""

    __pydantic_config__: ClassVar = FINITE

    model: ModelName
    differences: tuple[ModelDifference, ...]
    """Of the same pairs as those of the means, in their order; empty if ``reason`` says why."""
    components: Mapping[str, float]
    """Standard deviations of the random effects and of the residual; empty for the ordinal model."""
    reason: str | None = None
    """Why there is no estimate."""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class CriterionMeans:
    """Mean ratings of all systems on one criterion, the highest first, and the difference of every two."""

    __pydantic_config__: ClassVar = FINITE

    criterion: str
    items: int
    """Items that were rated for every system, over which the means are; all items if there is none."""
    raters: int
    ratings: int
    interval_raters: Raters
    """Whether intervals and tests are about these raters, or about others like them, too."""
    level: float
    """The confidence of intervals."""
    clusters: int | None
    """Number of dialogues that are resampled whole; None if items are independent."""
    systems: tuple[SystemMean, ...]
    differences: tuple[Comparison, ...]
    """Of every two systems that share items, each over the items that both have."""
    models: tuple[CrossCheck, ...] = ()
    """Empty if no model was asked for."""
    notes: tuple[Note, ...] = ()


class MeanTest(NamedTuple):
    """A mean, or a difference of means, over items with its interval, and the p-value of it being 0."""

    estimate: Estimate
    p: float
    absence: Absence | None
    """None too if a single rater is why there is no interval."""


class Layout(NamedTuple):
    """The ratings of one criterion, without those that give no value."""

    ratings: Ratings
    counts: Integers
    """Number of ratings of each item for each system, shape (items, systems)."""
    clusters: Integers
    """The dialogue of each item, or the item itself."""
    clustered: bool
    confidence: float
    raters: Raters
    limits: tuple[float, float] | None = None
    """Of the scale that was declared; None of one that ratings leave."""

    @classmethod
    def of(
        cls, ratings: Ratings, resampling: Resampling, raters: Raters, scale: RatingScale | None = None
    ) -> Layout:
        """The ratings of one criterion, all of which have a value."""
        shape = (len(ratings.items), len(ratings.systems))
        counts = np.zeros(shape, dtype=np.int64)
        np.add.at(counts, (ratings.item, ratings.system), 1)
        together = resampling.clusters(ratings.items)
        clusters = np.arange(shape[0]) if together is None else together
        limits = scale.limits if scale is not None and scale.holds(ratings.value) else None
        return cls(ratings, counts, clusters, together is not None, resampling.confidence, raters, limits)

    def shared(self, *systems: int) -> NDArray[np.bool_]:
        """Which items were rated for all of these systems, shape (items,)."""
        return np.asarray((self.counts[:, list(systems)] > 0).all(axis=1))

    def mean(self, system: int, items: NDArray[np.bool_]) -> MeanTest:
        """The mean of one system over these items, each of which counts the same."""
        (rows,), keys = self._rows([system], items)
        if self.raters == "sampled":
            return self._two_way(rows, mean_of_rows, keys, self.limits)
        spread = spread_of(rows, mean_of_rows, clusters=self._labels(keys), limits=self.limits)
        return self._fixed(spread, len(keys))

    def difference(self, a: int, b: int) -> MeanTest:
        """The mean of a minus that of b, over the items that both have."""
        (rows_a, rows_b), keys = self._rows([a, b], self.shared(a, b))
        if self.raters == "sampled":
            joined, limits = joined_rows(rows_a, rows_b, mean_of_rows), limits_of_difference(self.limits)
            return self._two_way(*joined, keys, limits)
        labels = self._labels(keys)
        spread = spread_of_difference(rows_a, rows_b, mean_of_rows, clusters=labels, limits=self.limits)
        return self._fixed(spread, len(keys))

    def item_means(self, system: int, items: NDArray[np.bool_]) -> Floats:
        """The mean rating of each of these items for one system."""
        (rows,), _ = self._replace(raters="fixed")._rows([system], items)
        return rows[:, 0]

    def _rows(self, systems: list[int], items: NDArray[np.bool_]) -> tuple[list[Floats], Integers]:
        """Rows of (weighted sum, weight) for each system, and the key of each row: its item, or its item and rater.

        A rating weighs one over the number of ratings that its item has for its system, so that items count the same.
        """
        given = self.ratings
        kept = items[given.item] & np.isin(given.system, systems)
        item, system, value = given.item[kept], given.system[kept], given.value[kept]
        keys = item * len(given.raters) + given.rater[kept] if self.raters == "sampled" else item
        units, unit = np.unique(keys, return_inverse=True)
        weight = 1 / self.counts[item, system]
        rows = []
        for code in systems:
            own = system == code
            table = np.zeros((len(units), 2))
            np.add.at(table, unit[own], np.column_stack([value[own] * weight[own], weight[own]]))
            rows.append(table)
        return rows, units

    def _labels(self, items: Integers) -> Integers | None:
        return self.clusters[items] if self.clustered else None

    def _fixed(self, spread: Spread, items: int) -> MeanTest:
        if spread.absence == "unseen":  # said of counts of matches; ratings that are all 0 are only alike
            spread = spread_without(spread.left_out, spread.limits)
        interval = spread.interval(self.confidence)
        return MeanTest(interval.estimate._replace(n=items), spread.skewed.p, interval.absence)

    def _two_way(
        self, rows: Floats, aggregate: Aggregate, keys: Integers, limits: tuple[float, float] | None
    ) -> MeanTest:
        item, rater = np.divmod(keys, len(self.ratings.raters))
        labels = self.clusters[item]
        spread = two_way(rows, aggregate, labels, rater)
        absence = _absence(spread, labels)
        known = absence is None and not math.isnan(spread.error)
        low, high = spread.interval(self.confidence) if known else (math.nan, math.nan)
        if known and limits is not None:
            low, high = max(low, limits[0]), min(high, limits[1])
        why = None if absence is None else ABSENCES[absence]
        estimate = Estimate.of(spread.score, low, high, len(np.unique(item)), why)
        return MeanTest(estimate, spread.p, absence)


def _absence(spread: SkewedT, units: Integers) -> Absence | None:
    if math.isnan(spread.score):
        return "undefined"
    if math.isnan(spread.error):
        return "one-unit" if len(np.unique(units)) < 2 else None
    return "constant" if spread.error <= ROUNDING * abs(spread.score) else None


def means_of(
    ratings: Ratings,
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
    raters: Raters = "fixed",
    lower_is_better: Collection[str] = (),
    primary: str | None = None,
    scales: Mapping[str, RatingScale] = MappingProxyType({}),
) -> tuple[CriterionMeans, ...]:
    """Mean ratings of systems on each criterion, and every difference with Holm's correction over all of them.

    ``fixed`` raters: intervals and tests are about other items, rated by these raters. ``sampled``: about other raters
    like these, too. A ``primary`` criterion, declared beforehand, is a family of tests of its own. Of ``resampling``
    confidence and clusters count: errors are the jackknife's and tests Student's, so nothing is random. No end of an
    interval lies outside the ``scales`` that were declared for criteria, nor that of a difference beyond their length.
    """
    for name in (*lower_is_better, *([primary] if primary is not None else [])):
        if name not in ratings.criteria:
            raise UnknownName(
                "criterion", name, ratings.criteria, todo=f"There are {listing(ratings.criteria)}."
            )
    layouts = {
        name: criterion_layout(ratings, name, resampling, raters, scales.get(name))
        for name in ratings.criteria
    }
    if not any(len(layout.ratings.systems) > 1 for layout in layouts.values()):
        raise Unsuitable(_one_system(layouts))
    found = [_criterion(name, layout, name in lower_is_better) for name, layout in layouts.items()]
    pairs = [pair for criterion in found for pair in criterion.differences]
    decided = iter(decide_families(pairs, primary=primary))
    return tuple(
        replace(criterion, differences=tuple(next(decided) for _ in criterion.differences))
        for criterion in found
    )


def criterion_layout(
    ratings: Ratings, name: str, resampling: Resampling, raters: Raters, scale: RatingScale | None = None
) -> Layout:
    """The ratings of one criterion; Unsuitable if they have no mean, or raters cannot be sampled."""
    chosen = ratings.criterion_named(name)
    chosen = chosen.where(~np.isnan(chosen.value))
    if name in ratings.nominal:
        raise Unsuitable(
            f"Values of {name!r} are names of categories and have no mean. See 'dialeval annotate agreement'."
        )
    if raters == "sampled" and chosen.anonymous:
        raise Unsuitable(f"{name!r}: {NOT_NAMED}. Use '--raters fixed'.")
    if raters == "sampled" and len(chosen.raters) < 2:
        who = f"one rater, {chosen.raters[0]!r}" if chosen.raters else "no rating with a value"
        raise Unsuitable(
            f"{name!r} has {who}, but intervals for other raters need two or more. Add the ratings of others, use "
            "'--raters fixed', or name other criteria with --criterion."
        )
    return Layout.of(chosen, resampling, raters, scale)


def _one_system(layouts: dict[str, Layout]) -> str:
    names = list(dict.fromkeys(name for layout in layouts.values() for name in layout.ratings.systems))
    given = f"one system each ({listing(names)})" if len(names) > 1 else f"one system, {listing(names)!r}"
    return (
        f"Differences need two systems rated on one criterion, but the ratings are of "
        f"{given if names else 'no system'}. Add the ratings of another system; for raters' agreement on one, see "
        "'dialeval annotate agreement'."
    )


def _criterion(name: str, layout: Layout, lower: bool) -> CriterionMeans:
    given, systems = layout.ratings, range(len(layout.ratings.systems))
    shared = layout.shared(*systems)
    common = bool(shared.any())
    means = [_mean(layout, system, shared if common else layout.shared(system)) for system in systems]
    best = sorted(systems, key=lambda s: (means[s].mean.value or 0.0) * (1 if lower else -1))
    pairs = [(a, b) for a, b in combinations(best, 2) if layout.shared(a, b).any()]
    return CriterionMeans(
        criterion=name,
        items=int(shared.sum()) if common else len(given.items),
        raters=len(given.raters),
        ratings=len(given),
        interval_raters=layout.raters,
        level=layout.confidence,
        clusters=len(np.unique(layout.clusters)) if layout.clustered else None,
        systems=tuple(means[system] for system in best),
        differences=(differences := tuple(_difference(name, layout, a, b, lower) for a, b in pairs)),
        notes=(*_notes(layout, shared, best), *_unknown_scale(layout, means, differences)),
    )


def _unknown_scale(
    layout: Layout, means: Sequence[SystemMean], differences: Sequence[Comparison]
) -> Iterator[Note]:
    """That the scale is not known, if an interval reaches beyond all ratings that were given."""
    values = layout.ratings.value
    if layout.limits is not None or not len(values):
        return
    least, most = float(values.min()), float(values.max())
    ends = [end for one in means for end in one.mean.bounds or ()]
    apart = [pair.largest for pair in differences if pair.largest is not None]
    if (
        min(ends, default=least) < least
        or max(ends, default=most) > most
        or max(apart, default=0) > most - least
    ):
        text = f"intervals reach beyond all ratings, {least:g} to {most:g}: give the scale that raters had with --scale"
        yield Note("unknown_scale", text)


def _mean(layout: Layout, system: int, items: NDArray[np.bool_]) -> SystemMean:
    found = layout.mean(system, items)
    return SystemMean(
        system=layout.ratings.systems[system],
        mean=found.estimate,
        ratings=int(layout.counts[items, system].sum()),
        absence=found.absence,
    )


def _difference(criterion: str, layout: Layout, a: int, b: int, lower: bool) -> Comparison:
    """Two systems over the items that both have, before any correction."""
    both, names = layout.shared(a, b), layout.ratings.systems
    either = layout.shared(a) | layout.shared(b)
    values_a, values_b = (layout.item_means(system, both) for system in (a, b))
    found = layout.difference(a, b)
    bounds = found.estimate.bounds
    wins, losses = _tally(values_a, values_b, lower)
    return Comparison(
        measure=criterion,
        a=names[a],
        b=names[b],
        difference=found.estimate,
        p_bootstrap=None,
        p_permutation=None,
        p_mcnemar=None,
        p_jackknife=finite(found.p),
        p_adjusted=None,
        significant=False,
        better=None,
        effect_size=None,
        wins=wins,
        ties=len(values_a) - wins - losses,
        losses=losses,
        unpaired=int(either.sum()) - len(values_a),
        more_items=None,
        largest=None if bounds is None else max(map(abs, bounds)),
        units=len(np.unique(layout.clusters[both])),
        absence=found.absence,
        basis=_basis(criterion, layout, (values_a, values_b), lower),
    )


def _basis(criterion: str, layout: Layout, values: tuple[Floats, Floats], lower: bool) -> Basis:
    return Basis(
        signature=criterion,
        score_a=float(values[0].mean()),
        score_b=float(values[1].mean()),
        confidence=layout.confidence,
        alpha=round(1 - layout.confidence, 12),
        higher_is_better=not lower,
        more=MoreItems(),
    )


def _tally(a: Floats, b: Floats, lower: bool) -> tuple[int, int]:
    """On how many items a does better, and worse, by more than rounding."""
    ahead = (b - a) if lower else (a - b)
    noise = ROUNDING * (np.abs(a) + np.abs(b))
    return int((ahead > noise).sum()), int((ahead < -noise).sum())


def _notes(layout: Layout, shared: NDArray[np.bool_], best: Sequence[int]) -> Iterator[Note]:
    """Notes on the items of the means, and on pairs that cannot be compared."""
    given = layout.ratings
    left = len(given.items) - int(shared.sum())
    if not shared.any() and len(given.systems) > 1:
        yield Note("no_shared_item", "no item was rated for every system: each mean is over other items")
    elif left:
        text = f"means are over the items rated for every system; {count(left, 'item')} left out"
        yield Note("shared_items", text)
    apart = [
        f"{given.systems[a]} and {given.systems[b]}"
        for a, b in combinations(best, 2)
        if not layout.shared(a, b).any()
    ]
    if apart:
        yield Note("not_compared", f"not compared, because they share no item: {listing(apart)}")
    if layout.raters == "fixed" and len(given.raters) == 1:
        yield Note("one_rater", f"there is only one rater, {given.raters[0]}: all of this is their opinion")
