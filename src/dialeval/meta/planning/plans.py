"""Default plans: numbers of items, raters and systems for the questions that the data at hand raise."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Resampling
from dialeval.errors import Unsuitable
from dialeval.meta.document import Coefficient, Level, Over, Planned, PowerCurve, Unplanned, WidthCurve
from dialeval.meta.planning.measures import (
    correlation_by_raters,
    power_between_measures,
    width_of_correlation,
)
from dialeval.meta.planning.ratings import power_of_items, power_of_raters
from dialeval.ratings.joined import Joined

MOST_PAIRS: Final = 4
"""Neighbours in people's order of the systems that are asked about: the closest pairs, from the top."""
FEWEST_SYSTEMS: Final = 5
"""To draw other systems from: copies of two or three systems say nothing of a fourth."""
MOST_TRIALS: Final = 500
"""Enough to tell power .80 from .76; more would be time spent on digits that the data do not have."""

Curve: TypeAlias = PowerCurve | WidthCurve


def plans(
    joined: Joined,
    measures: Sequence[str],
    *,
    level: Level = "item",
    coefficient: Coefficient = "spearman",
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> tuple[Planned, ...]:
    """Plan how many it takes to distinguish neighbouring systems, the two best measures, and to pin down the best one.

    ``measures`` are those that have a correlation at the level, best first, with higher being better. Draws are made
    from the data at hand, no more than ``MOST_TRIALS`` of them for each size.
    """
    fewer = dataclasses.replace(resampling, resamples=min(resampling.resamples, MOST_TRIALS))
    draw = _Draw(joined, level, coefficient, fewer)
    return (
        *draw.between_systems(),
        *(
            plan
            for better, worse in [*pairwise(measures)][:1]
            for plan in draw.between_measures(better, worse)
        ),
        *(plan for best in measures[:1] for plan in draw.of_measure(best)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Draw:
    """Data and settings of the draws."""

    joined: Joined
    level: Level
    coefficient: Coefficient
    resampling: Resampling

    def between_systems(self) -> Iterator[Planned]:
        pairs = _neighbours(self.joined)
        powers: tuple[tuple[Over, Callable[..., Curve]], ...] = (
            ("items", power_of_items),
            ("raters", power_of_raters),
        )
        for over, power in powers:
            for higher, lower in pairs:
                make = partial(power, self.joined, higher, lower, resampling=self.resampling)
                yield _ask(f"to find that {higher} is rated above {lower}", over, make)

    def between_measures(self, better: str, worse: str) -> Iterator[Planned]:
        question = f"to find that {better} agrees better with people than {worse}"
        power = self._correlating(power_between_measures, better, worse)
        yield _ask(f"{question} on these systems", "items", partial(power, level=self.level))
        yield self._of_systems(question, partial(power, level="system", over="systems"))

    def of_measure(self, best: str) -> Iterator[Planned]:
        question = f"to pin down the correlation of {best} with people"
        width = self._correlating(width_of_correlation, best)
        yield _ask(question, "items", partial(width, level=self.level))
        yield self._of_systems(question, partial(width, level="system", over="systems"))
        by_raters = self._correlating(correlation_by_raters, best)
        yield _ask(f"to free the correlation of {best} with people from who rated", "raters", by_raters)

    def _correlating(self, curve: Callable[..., Curve], *measures: str) -> Callable[..., Curve]:
        return partial(
            curve, self.joined, *measures, coefficient=self.coefficient, resampling=self.resampling
        )

    def _of_systems(self, question: str, make: Callable[[], Curve]) -> Planned:
        asked, systems = f"{question}, as to systems", len(self.joined.systems)
        if systems < FEWEST_SYSTEMS:
            reason = f"{systems} systems are too few to resample: at least {FEWEST_SYSTEMS} are required"
            return Unplanned(asked, "systems", reason)
        return _ask(asked, "systems", make)


def _neighbours(joined: Joined) -> list[tuple[str, str]]:
    """Systems beside each other in the order of their mean ratings, from the top."""
    values = joined.human.values
    rated = ~np.isnan(values)
    sums, counts = np.where(rated, values, 0.0).sum(axis=1), rated.sum(axis=1)
    known = [row for row in range(len(sums)) if counts[row]]
    order = sorted(known, key=lambda row: -sums[row] / counts[row])
    return [(joined.systems[a], joined.systems[b]) for a, b in pairwise(order)][:MOST_PAIRS]


def _ask(question: str, over: Over, make: Callable[[], Curve]) -> Planned:
    try:
        return dataclasses.replace(make(), question=question)
    except Unsuitable as obstacle:
        return Unplanned(question, over, str(obstacle))
