"""Numbers of items, systems or raters needed to distinguish two measures, and widths of intervals of correlations."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.display.notes import Note
from dialeval.errors import Unsuitable
from dialeval.meta.document import Coefficient, Level, Over, PowerCurve, WidthCurve, WidthPoint
from dialeval.meta.planning.ratings import needed_units, power_of_units, power_point, sizes_to_try
from dialeval.ratings.joined import Joined
from dialeval.stats.correlation.coefficients import correlations
from dialeval.stats.correlation.jackknife import FEWEST, leave_out_level
from dialeval.stats.correlation.levels import settled
from dialeval.stats.correlation.weighted import weigher
from dialeval.stats.resampling.bootstrap import blocks, percentile_interval
from dialeval.stats.tests.power import PilotPlan

CELLS: Final = 1 << 22
"""Drawn values held at once."""


class Drawn(NamedTuple):
    """Correlations of draws of units."""

    r: Floats
    """Correlations of people with each measure, shape (measures, trials)."""
    n: Floats
    """Number of points that each draw correlates."""


Correlator: TypeAlias = Callable[[Integers], Drawn]
"""From how often each unit is drawn, shape (trials, units), to correlations."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Units that can be drawn, and the values that are correlated once they are drawn."""

    values: Floats
    """People and then the measures, shape (1 + measures, points), points of a group side by side."""
    unit: Integers
    """The item or system that brings each point along."""
    units: int
    cells: Integers
    """Place of each point in the flattened grid of answers; of systems' means, that of its system."""
    starts: Integers
    """Begin of each group of points, and the end: correlations are taken within groups and averaged."""
    unit_of_group: Integers | None
    """The unit that brings each group along, so that one drawn twice counts twice; None if groups are no units."""
    system: Integers | None
    """The system of each point if systems' means over the drawn points are correlated, not the points."""
    notes: tuple[Note, ...]

    def draws(self, sizes: Sequence[int], trials: int, seed: int) -> Iterator[tuple[Integers, int]]:
        """Draws of each unit, shape (some trials, units), and the position of the size.

        Smaller sizes are the beginnings of larger ones, so that curves are smooth.
        """
        rng = np.random.default_rng(seed)
        for block in blocks(max(self.values.shape[1], sizes[-1]), trials, CELLS):
            places = rng.integers(self.units, size=(block, sizes[-1]))
            places += np.arange(block)[:, None] * self.units
            for index, size in enumerate(sizes):
                counts = np.bincount(places[:, :size].ravel(), minlength=block * self.units)
                yield counts.reshape(block, self.units), index

    def correlator(self, coefficient: Coefficient, trials: int) -> Correlator:
        """Return a function from draws of each unit to correlations, for about this many draws."""
        pairs = [(0, column) for column in range(1, len(self.values))]
        if self.system is not None:
            return self._by_means(pairs, self.system, coefficient)
        weighers = [
            weigher(self.values[a], self.values[b], kind=coefficient, starts=self.starts, resamples=trials)
            for a, b in pairs
        ]

        def correlate(counts: Integers) -> Drawn:
            weights = counts[:, self.unit].astype(np.float64)
            found = [self._over_groups(weigh(weights), counts) for weigh in weighers]
            return Drawn(np.stack(found), weights.sum(axis=1))

        return correlate

    def _by_means(
        self, pairs: Sequence[tuple[int, int]], system: Integers, coefficient: Coefficient
    ) -> Correlator:
        member = (system[:, None] == np.unique(system)).astype(np.float64)

        def correlate(counts: Integers) -> Drawn:
            weights = counts[:, self.unit].astype(np.float64)
            sizes = weights @ member
            # Systems are compared as a whole: a draw that misses one of them has no answer.
            met = (sizes > 0).all(axis=1)
            means = np.stack(
                [settled((weights[met] * values) @ member / sizes[met]) for values in self.values]
            )
            found = np.full((len(pairs), len(counts)), np.nan)
            for index, (a, b) in enumerate(pairs):
                found[index, met] = correlations(means[a], means[b], coefficient)
            return Drawn(found, np.full(len(counts), float(member.shape[1])))

        return correlate

    def _over_groups(self, r: Floats, counts: Integers) -> Floats:
        """The mean over the groups in which there is a correlation."""
        defined = ~np.isnan(r)
        weights = defined * (1.0 if self.unit_of_group is None else counts[:, self.unit_of_group])
        total = weights.sum(axis=1)
        mean: Floats = np.full(len(r), np.nan)
        np.divide((np.where(defined, r, 0) * weights).sum(axis=1), total, out=mean, where=total > 0)
        return mean


def sample(
    joined: Joined,
    names: Sequence[str],
    level: Level,
    over: Literal["items", "systems"],
    clusters: Integers | None = None,
) -> Sample:
    """The answers that people and all the named measures have, ready to be drawn: by items, clusters, or systems."""
    grids = np.stack([joined.human.values, *(joined.measure_named(name).values for name in names)])
    system, item = np.nonzero(~np.isnan(grids).any(axis=0))
    if level == "system_within_item":
        order = np.argsort(item, kind="stable")
        system, item = system[order], item[order]
    values, cells = grids[:, system, item], system * len(joined.items) + item
    owner = item if clusters is None else clusters[item]
    drawn, unit = np.unique(owner if over == "items" else system, return_inverse=True)
    if len(drawn) < 2:
        what = over if clusters is None else "dialogues"
        raise Unsuitable(f"Found {len(drawn)} {what} with both ratings and scores, expected 2 to draw from.")
    different = np.unique(system)
    few = Note("few_systems", f"only {len(different)} systems: a correlation of so few points is unreliable")
    if level == "system" and over == "systems":
        values = np.stack([values[:, system == code].mean(axis=1) for code in different], axis=1)
        unit, cells = np.arange(len(drawn)), different
    group = {"item_within_system": system, "system_within_item": item}.get(level, np.zeros(values.shape[1]))
    starts = np.append(np.flatnonzero(np.diff(group, prepend=-1)), len(group))
    by_units = (level, over) in {("item_within_system", "systems"), ("system_within_item", "items")}
    return Sample(
        values=values,
        unit=unit,
        units=len(drawn),
        cells=cells,
        starts=starts,
        unit_of_group=unit[starts[:-1]] if by_units else None,
        system=system if level == "system" and over == "items" else None,
        notes=(few,) if level in ("system", "system_within_item") and len(different) < 10 else (),
    )


def packed(joined: Joined) -> Floats:
    """Ratings of each answer, shape (answers, most ratings of one), NaN after each answer's last."""
    people = joined.people
    cell = people.system * len(joined.items) + people.item
    order = np.argsort(cell, kind="stable")
    slot = np.arange(len(order)) - np.searchsorted(cell[order], cell[order])
    table = np.full((len(joined.systems) * len(joined.items), int(slot.max(initial=0)) + 1), np.nan)
    table[cell[order], slot] = people.value[order]
    return table


MOST_UNITS: Final = 1000
"""More items than this are left out in blocks."""
FEWER: Final = Resampling(resamples=200)
"""Draws of ratings are slow, and their spread is seen soon."""


def power_between_measures(
    joined: Joined,
    first: str,
    second: str,
    sizes: Sequence[int] | None = None,
    *,
    level: Level = "item",
    over: Literal["items", "systems"] = "items",
    coefficient: Coefficient = "spearman",
    resampling: Resampling = DEFAULT_RESAMPLING,
    target: float = 0.8,
) -> PowerCurve:
    """The power to find which of two measures agrees better with people, against the number of items or systems.

    Each item (dialogue, system) stands for what it does to the difference of the two correlations, its pseudo-value,
    and each trial draws these with replacement. The test is Student's, which decides between measures as swapping them
    does if units are many. Only a difference in the direction of the data at hand counts as found.
    """
    differing = _Differing.of(joined, (first, second), level, over, coefficient, resampling)
    tried = sizes_to_try(sizes, differing.at_hand, fewest=2)
    in_blocks = [max(2, round(size / differing.block)) for size in tried]
    detected = power_of_units(differing.units, in_blocks, differing.effect, resampling)
    needed = needed_units(differing.units, resampling, target)
    better, worse = (first, second) if differing.effect > 0 else (second, first)
    return PowerCurve(
        question=f"to find that {better} agrees better with people than {worse}",
        over=differing.over,
        points=tuple(
            power_point(size, count, resampling.resamples)
            for size, count in zip(tried, detected.tolist(), strict=True)
        ),
        effect=differing.effect,
        design=(
            f"t test of the difference of {coefficient} correlations, level {level}; {differing.over} drawn with "
            "replacement"
        ),
        target=target,
        alpha=resampling.alpha,
        trials=resampling.resamples,
        seed=resampling.seed,
        notes=sample(joined, (first, second), level, over).notes,
        at_hand=differing.at_hand,
        needed=PilotPlan(*(times(size, differing.block) for size in dataclasses.astuple(needed))),
    )


class _Differing(NamedTuple):
    """Effects of units on the difference of two measures' correlations with people."""

    units: Floats
    """Their pseudo-values, whose mean is the effect."""
    effect: float
    block: float
    """Number of units of the data that each of them stands for: 1 unless there are very many."""
    at_hand: int
    over: Over

    @classmethod
    def of(
        cls,
        joined: Joined,
        names: tuple[str, str],
        level: Level,
        over: Literal["items", "systems"],
        coefficient: Coefficient,
        resampling: Resampling,
    ) -> _Differing:
        clusters = resampling.clusters(joined.items) if over == "items" else None
        scores = [joined.measure_named(name).values for name in names]
        shared = np.asarray(~np.isnan(np.stack([joined.human.values, *scores])).any(axis=0))
        people = np.where(shared, joined.human.values, np.nan)
        first, second = (
            leave_out_level(
                people,
                np.where(shared, values, np.nan),
                kind=coefficient,
                level=level,
                resample=over,
                clusters=clusters,
                seed=resampling.seed,
                blocks=MOST_UNITS,
            )
            for values in scores
        )
        effect = first.value - second.value
        if not effect or np.isnan(effect):
            which = "no correlation" if np.isnan(effect) else "the same correlation"
            raise Unsuitable(
                f"{names[0]!r} and {names[1]!r} have {which} here, so there is no difference to find."
            )
        present = np.asarray(shared.any(axis=0 if over == "items" else 1))
        at_hand = int(present.sum()) if clusters is None else len(np.unique(clusters[present]))
        units = first.pseudo_values() - second.pseudo_values()
        if len(units) < FEWEST or np.isnan(units).any():
            what = "dialogues" if clusters is not None else over
            raise Unsuitable(
                f"Found {at_hand} {what} with ratings and scores, expected {FEWEST} to draw from."
            )
        kind: Over = "dialogues" if clusters is not None else over
        return cls(units + effect - units.mean(), effect, at_hand / len(units), at_hand, kind)


def times(size: int | None, factor: float) -> int | None:
    """So many times the factor, in whole numbers; None stays None."""
    return None if size is None else math.ceil(size * factor)


def width_of_correlation(
    joined: Joined,
    measure: str,
    sizes: Sequence[int] | None = None,
    *,
    level: Level = "item",
    over: Literal["items", "systems"] = "items",
    coefficient: Coefficient = "spearman",
    resampling: Resampling = DEFAULT_RESAMPLING,
    target: float = 0.2,
) -> WidthCurve:
    """Range of a measure's correlation with people, against the number of items or systems drawn with replacement."""
    clusters = resampling.clusters(joined.items) if over == "items" else None
    drawn_from = sample(joined, (measure,), level, over, clusters)
    drawn_units: Over = over if clusters is None else "dialogues"
    tried = sizes_to_try(sizes, drawn_from.units, fewest=2)
    correlate = drawn_from.correlator(coefficient, resampling.resamples)
    drawn: list[list[Floats]] = [[] for _ in tried]
    for counts, index in drawn_from.draws(tried, resampling.resamples, resampling.seed):
        drawn[index].append(correlate(counts).r[0])
    return WidthCurve(
        question=f"to pin down the correlation of {measure} with people",
        over=drawn_units,
        points=tuple(
            _width(size, np.concatenate(parts), resampling.confidence)
            for size, parts in zip(tried, drawn, strict=True)
        ),
        design=f"{coefficient}, level {level}; {drawn_units} drawn with replacement",
        target=target,
        level=resampling.confidence,
        trials=resampling.resamples,
        seed=resampling.seed,
        notes=drawn_from.notes,
        at_hand=drawn_from.units,
    )


def correlation_by_raters(
    joined: Joined,
    measure: str,
    sizes: Sequence[int] | None = None,
    *,
    coefficient: Coefficient = "spearman",
    resampling: Resampling = FEWER,
    target: float = 0.1,
) -> WidthCurve:
    """Range of a measure's correlation with people, level ``item``, against the number of ratings of each answer.

    Each trial draws that many ratings of every answer without replacement and correlates their means; items stay as
    they are, so the interval holds the luck of who rated and nothing else. Draws from few ratings resemble each other,
    which the finite population correction makes up for (Cochran, 1977, section 2.6); so answers need more ratings than
    the largest size, and those that have no more are left out. Few ratings are noisy: the correlation rises with them.
    """
    drawn_from = sample(joined, (measure,), "item", "items")
    ratings = packed(joined)[drawn_from.cells]
    held = (~np.isnan(ratings)).sum(axis=1)
    tried = sizes_to_try(sizes or range(1, max(2, int(held.min()))), int(held.min()), fewest=1)
    kept = held > tried[-1]
    if kept.sum() < 3:
        raise Unsuitable(
            f"Found {int(kept.sum())} answers with more than {tried[-1]} ratings, expected 3. Take smaller sizes."
        )
    ratings, scores, held = ratings[kept], drawn_from.values[1][kept], held[kept]
    drawn: list[list[Floats]] = [[] for _ in tried]
    rng = np.random.default_rng(resampling.seed)
    for block in blocks(ratings.size, resampling.resamples, CELLS):
        keys = np.where(np.isnan(ratings), np.inf, rng.random((block, *ratings.shape)))
        picked = np.take_along_axis(np.broadcast_to(ratings, keys.shape), np.argsort(keys, axis=-1), axis=-1)
        sums = np.cumsum(picked, axis=-1)
        for index, size in enumerate(tried):
            drawn[index].append(correlations(sums[..., size - 1] / size, scores, coefficient))
    points = [
        _stretched(size, np.concatenate(parts), float(np.mean(1 - size / held)), resampling.confidence)
        for size, parts in zip(tried, drawn, strict=True)
    ]
    left_out = int((~kept).sum())
    return WidthCurve(
        question=f"to free the correlation of {measure} with people from who rated",
        over="raters",
        points=tuple(points),
        design=f"{coefficient}, level item; ratings drawn without replacement",
        target=target,
        level=resampling.confidence,
        trials=resampling.resamples,
        seed=resampling.seed,
        notes=(_left_out(left_out, tried[-1]),) if left_out else (),
        at_hand=int(held.min()),
    )


def _width(size: int, drawn: Floats, confidence: float) -> WidthPoint:
    return _point(size, *percentile_interval(drawn, confidence), drawn)


def _stretched(size: int, drawn: Floats, free: float, confidence: float) -> WidthPoint:
    """The interval as wide as draws of new raters would make it, ``free`` being the share that was not drawn."""
    centre, stretch = float(np.nanmean(drawn)), 1 / math.sqrt(free)
    bounds = percentile_interval(drawn, confidence)
    low, high = (max(-1.0, min(1.0, centre + (end - centre) * stretch)) for end in bounds)
    return _point(size, low, high, drawn)


def _point(size: int, low: float, high: float, drawn: Floats) -> WidthPoint:
    undefined = int(np.isnan(drawn).sum())
    if math.isnan(high - low):
        return WidthPoint(size, None, None, undefined)
    return WidthPoint(size, high - low, (low, high), undefined)


def _left_out(answers: int, most: int) -> Note:
    return Note("answers_left_out", f"{answers} answers have no more than {most} ratings")
