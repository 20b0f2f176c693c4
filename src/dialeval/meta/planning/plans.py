"""How many items, raters and systems the next study needs: the questions that the data at hand raise themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Final, TypeAlias, TypedDict

import numpy as np

from dialeval.errors import Unsuitable
from dialeval.meta.planning.curves import Over, PowerCurve, WidthCurve
from dialeval.meta.planning.measures import (
    correlation_by_raters,
    power_between_measures,
    width_of_correlation,
)
from dialeval.meta.planning.ratings import power_of_items, power_of_raters
from dialeval.ratings.joined import Joined
from dialeval.stats.estimate import Coefficient

MOST_PAIRS: Final = 4
"""Neighbours in people's order of the systems that are asked about: the hardest to tell apart, from the top."""
FEWEST_SYSTEMS: Final = 5
"""To draw other systems from: copies of two or three systems say nothing of a fourth."""
MOST_TRIALS: Final = 500
"""Enough to tell power .80 from .76; more would be time spent on digits that the data do not have."""

Curve: TypeAlias = PowerCurve | WidthCurve


@dataclass(frozen=True, slots=True)
class Plan:
    """One question of how many it takes, and its answer or the reason why there is none."""

    question: str
    over: Over
    curve: Curve | None
    reason: str | None = None


def plans(
    joined: Joined,
    measures: Sequence[str],
    *,
    coefficient: Coefficient = "spearman",
    trials: int = MOST_TRIALS,
    seed: int = 0,
    alpha: float = 0.05,
) -> tuple[Plan, ...]:
    """What it would take to tell neighbouring systems apart, the two best measures, and to pin down the best one.

    ``measures`` are those that have a correlation, best first, with higher being better. Draws are made from the data
    at hand, ``trials`` of them for each size, though no more than ``MOST_TRIALS``.
    """
    draw = _Draw(joined, coefficient, min(trials, MOST_TRIALS), seed, alpha)
    return (
        *draw.between_systems(),
        *(
            plan
            for better, worse in [*pairwise(measures)][:1]
            for plan in draw.between_measures(better, worse)
        ),
        *(plan for best in measures[:1] for plan in draw.of_measure(best)),
    )


class _Chance(TypedDict):
    trials: int
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class _Draw:
    """What is drawn from, and how."""

    joined: Joined
    coefficient: Coefficient
    trials: int
    seed: int
    alpha: float

    @property
    def chance(self) -> _Chance:
        return {"trials": self.trials, "seed": self.seed}

    def between_systems(self) -> Iterator[Plan]:
        pairs = _neighbours(self.joined)
        chance = self.chance
        for higher, lower in pairs:
            power = partial(power_of_items, self.joined, higher, lower, alpha=self.alpha, **chance)
            yield _ask(f"to find that {higher} is rated above {lower}", "items", power)
        for higher, lower in pairs:
            power = partial(power_of_raters, self.joined, higher, lower, alpha=self.alpha, **chance)
            yield _ask(f"to find that {higher} is rated above {lower}", "raters", power)

    def between_measures(self, better: str, worse: str) -> Iterator[Plan]:
        question = f"to find that {better} agrees better with people than {worse}"
        power = partial(
            power_between_measures,
            self.joined,
            better,
            worse,
            coefficient=self.coefficient,
            alpha=self.alpha,
            **self.chance,
        )
        yield _ask(question, "items", power)
        yield self._of_systems(question, partial(power, level="system", over="systems"))

    def of_measure(self, best: str) -> Iterator[Plan]:
        question = f"to pin down the correlation of {best} with people"
        width = partial(
            width_of_correlation,
            self.joined,
            best,
            coefficient=self.coefficient,
            **self.chance,
        )
        yield _ask(question, "items", width)
        yield self._of_systems(question, partial(width, level="system", over="systems"))
        yield _ask(
            f"to free the correlation of {best} with people from who rated",
            "raters",
            partial(
                correlation_by_raters,
                self.joined,
                best,
                coefficient=self.coefficient,
                **self.chance,
            ),
        )

    def _of_systems(self, question: str, make: Callable[[], Curve]) -> Plan:
        asked, found = f"{question}, as to systems", len(self.joined.systems)
        if found < FEWEST_SYSTEMS:
            needed = f"{found} systems are too few to draw others from: it takes {FEWEST_SYSTEMS} or more"
            return Plan(asked, "systems", None, needed)
        return _ask(asked, "systems", make)


def _neighbours(joined: Joined) -> list[tuple[str, str]]:
    """Systems beside each other in the order of their mean ratings, from the top."""
    values = joined.human.values
    rated = ~np.isnan(values)
    sums, counts = np.where(rated, values, 0.0).sum(axis=1), rated.sum(axis=1)
    known = [at for at in range(len(sums)) if counts[at]]
    order = sorted(known, key=lambda at: -sums[at] / counts[at])
    return [(joined.systems[a], joined.systems[b]) for a, b in pairwise(order)][:MOST_PAIRS]


def _ask(question: str, over: Over, make: Callable[[], Curve]) -> Plan:
    try:
        return Plan(question, over, make())
    except Unsuitable as obstacle:
        return Plan(question, over, None, str(obstacle))
