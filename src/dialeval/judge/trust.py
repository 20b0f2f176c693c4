"""Whether to trust a judge, or any measure, here: to rank systems, and to find bad answers; by rules over intervals.

**To rank systems**: on these systems, three or more. Every pair that people tell apart the judge tells apart the same
way, these are at least half of all pairs, and within systems it correlates with people at all: without that it may know
only which system answered. *No* if it puts one pair the other way round. Intervals of pairs hold for all pairs at once.

**To find bad answers**: the lower end of its correlation with people within systems is at least half of what a perfect
measure would reach against these raters, by the upper end of their own agreement. *No* if its upper end is below half
of what a perfect measure would reach by the lower end. Without a second rater nobody knows what can be reached: then
half of 1 is required, and there is no *no*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias

from dialeval.display.wording import listing
from dialeval.files.documents import FINITE
from dialeval.stats.estimate import Estimate

Answer: TypeAlias = Literal["yes", "no", "undecided"]
Code: TypeAlias = Literal["rank_and_find", "rank", "find", "not_here", "undecided"]
HALF: Final = 0.5
"""Share of what a perfect measure would reach."""
LEAST_SYSTEMS: Final = 3
MOST: Final = 100
"""More than so many times the present ratings are no advice."""


class PairOfSystems(NamedTuple):
    """How much higher one system is than another, by people and by the judge."""

    a: str
    b: str
    people: Estimate
    judge: Estimate

    @property
    def told_apart(self) -> bool:
        """Return whether people show a difference."""
        return _sign(self.people) != 0

    @property
    def agreed(self) -> bool:
        """Return whether both show a difference, and the same way."""
        return self.told_apart and _sign(self.judge) == _sign(self.people)

    @property
    def opposed(self) -> bool:
        """Return whether both show a difference, and not the same way."""
        return _sign(self.judge) * _sign(self.people) < 0

    @property
    def needed(self) -> float:
        """Return how many times the ratings would tell it apart, if the differences stay; infinite if there is none."""
        return max(_times(self.people), _times(self.judge))


@dataclass(frozen=True, slots=True)
class Trust:
    """What a judge may be trusted with, by the rules of this module."""

    __pydantic_config__: ClassVar = FINITE

    code: Code
    rank: Answer
    find: Answer
    pairs: int
    """Pairs of systems."""
    agreed: int
    """Those that people and the judge tell apart the same way."""
    opposed: int
    """Those that they tell apart, not the same way."""
    told_apart: int
    """Those that people tell apart."""
    within: Estimate
    """Correlation within systems."""
    bound: Estimate
    """What a perfect measure would reach against the mean of these raters."""
    needed_to_rank: int | None
    """Rated answers that would decide whether it ranks systems, if all stays as it is; None if that is decided, or
    perhaps no number would."""
    needed_to_find: int | None
    """The same for bad answers."""

    @property
    def sentence(self) -> str:
        """Return what the judge may be trusted with."""
        if self.code == "not_here":
            return "do not trust it here"
        uses = {"rank systems": self.rank, "find bad answers": self.find}
        parts = []
        for answer, words in (("yes", "trust it to"), ("no", "do not trust it to")):
            own = [use for use, given in uses.items() if given == answer]
            if own:
                parts.append(f"{words} {listing(own).replace(' and ', ' and to ')}")
        if self.rank == "undecided":
            parts.append(f"undecided whether it ranks systems: {self._more(self.needed_to_rank)}")
        if self.find == "undecided":
            parts.append(f"undecided whether it finds bad answers: {self._more(self.needed_to_find)}")
        return "; ".join(parts)

    def _more(self, needed: int | None) -> str:
        if needed is not None:
            return f"about {needed:,} rated answers would decide"
        return "perhaps no number of ratings of these answers would decide"


def judge_trust(pairs: tuple[PairOfSystems, ...], within: Estimate, bound: Estimate, rated: int) -> Trust:
    """The answers to both questions, from intervals; ``rated`` are the answers that people rated."""
    systems = len({name for pair in pairs for name in (pair.a, pair.b)})
    rank, find = _rank(pairs, within, systems), _find(within, bound)
    to_rank = _needed_to_rank(pairs, within, rated) if systems >= LEAST_SYSTEMS else math.inf
    to_find = _needed_to_find(within, bound)
    return Trust(
        _code(rank, find),
        rank,
        find,
        len(pairs),
        sum(pair.agreed for pair in pairs),
        sum(pair.opposed for pair in pairs),
        sum(pair.told_apart for pair in pairs),
        within,
        bound,
        _advice(to_rank, rated) if rank == "undecided" else None,
        _advice(to_find, rated) if find == "undecided" else None,
    )


def _advice(needed: float, rated: int) -> int | None:
    return math.ceil(needed) if needed <= MOST * max(1, rated) else None


def _code(rank: Answer, find: Answer) -> Code:
    if rank == "yes":
        return "rank_and_find" if find == "yes" else "rank"
    if find == "yes":
        return "find"
    return "not_here" if rank == find == "no" else "undecided"


def _rank(pairs: tuple[PairOfSystems, ...], within: Estimate, systems: int) -> Answer:
    if any(pair.opposed for pair in pairs):
        return "no"
    told = [pair for pair in pairs if pair.told_apart]
    enough = systems >= LEAST_SYSTEMS and 2 * len(told) >= len(pairs)
    knows = within.low is not None and within.low > 0
    return "yes" if enough and knows and all(pair.agreed for pair in told) else "undecided"


def _find(within: Estimate, bound: Estimate) -> Answer:
    if within.low is None or within.high is None:
        return "undecided"
    highest = 1.0 if bound.high is None else bound.high
    if within.low >= HALF * highest:
        return "yes"
    return "no" if bound.low is not None and within.high < HALF * bound.low else "undecided"


def _needed_to_rank(pairs: tuple[PairOfSystems, ...], within: Estimate, rated: int) -> float:
    """Ratings with which half of the pairs are told apart by both, and the correlation is not 0."""
    missed = [pair.needed for pair in pairs if pair.told_apart and not pair.agreed]
    others = sorted(pair.needed for pair in pairs if not pair.told_apart)
    lacking = math.ceil(len(pairs) / 2) - sum(pair.told_apart for pair in pairs)
    times = [*missed, *others[: max(0, lacking)]]
    return max(rated * max(times, default=1.0), _for_distance(within, 0.0))


def _needed_to_find(within: Estimate, bound: Estimate) -> float:
    """Ratings with which the correlation is above or below half of the bound."""
    if bound.value is None or bound.low is None or bound.high is None:
        return math.inf
    above = within.value is not None and within.value > HALF * bound.value
    end = bound.high if above else bound.low
    return _for_distance(within, HALF * bound.value, abs(_fisher(HALF * end) - _fisher(HALF * bound.value)))


def _for_distance(within: Estimate, target: float, reach: float = 0.0) -> float:
    """Ratings with which the interval of a correlation leaves ``target`` and its reach out, on Fisher's scale."""
    if within.value is None or within.low is None or within.high is None:
        return math.inf
    value, low, high, goal = map(_fisher, (within.value, within.low, within.high, target))
    apart = abs(value - goal)
    return within.n * (((high - low) / 2 + reach) / apart) ** 2 if apart > 1e-6 else math.inf


def _fisher(correlation: float) -> float:
    return math.atanh(min(0.999, max(-0.999, correlation)))


def _sign(difference: Estimate) -> int:
    if difference.bounds is None:
        return 0
    low, high = difference.bounds
    return (low > 0) - (high < 0)


def _times(difference: Estimate) -> float:
    if difference.bounds is None or not difference.value:
        return math.inf
    reach = (difference.bounds[1] - difference.bounds[0]) / 2
    return max(1.0, (reach / difference.value) ** 2)
