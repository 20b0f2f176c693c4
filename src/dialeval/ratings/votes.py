"""Aggregation of several people's votes into one label: rules and steps as small values that compose.

A rule gives a label or says why it is unsettled. A step looks at the votes before a rule does: it drops the item, or
changes the votes. ``Then(step, rule)`` puts a step before a rule; ``Else(rule, other)`` tries the other if the first is
unsettled. The way Sato et al. (2020, section 3.1) keep a false candidate, for example, is::

    Then(DropIf(Count(Cut(">=", 3), at_least=3)), Then(DropIf(Count(Cut("=", 0), at_least=3)), Mean()))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean, median
from typing import Protocol, TypeAlias

import numpy as np

from dialeval.data.types import Judgement
from dialeval.ratings.scale import Cut
from dialeval.ratings.table import Ratings

Votes: TypeAlias = tuple[float, ...]
"""The values that raters gave one unit; those who could not say are not among them."""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Why votes give no label."""

    reason: str


class Rule(Protocol):
    """Turns votes into a label."""

    def label(self, votes: Votes) -> float | Unsettled:
        """The label, or why there is none."""
        ...


class Step(Protocol):
    """Looks at votes before a rule does."""

    def votes(self, votes: Votes) -> Votes | Unsettled:
        """The remaining votes, or why the unit is dropped."""
        ...


@dataclass(frozen=True, slots=True)
class Majority:
    """The value that more than half of the votes are for."""

    def label(self, votes: Votes) -> float | Unsettled:
        """That value, or how the votes are spread."""
        return AtLeast(len(votes) // 2 + 1).label(votes)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The value with ``k`` votes or more; if ``of`` is given, of exactly that many."""

    k: int
    of: int | None = None

    def __post_init__(self) -> None:
        if self.k < 1 or (self.of is not None and self.of < self.k):
            raise ValueError(f"at least {self.k} of {self.of} votes cannot be asked for")

    def label(self, votes: Votes) -> float | Unsettled:
        """That value, or why there is none or more than one."""
        if not votes:
            return _NO_VOTES
        if self.of is not None and len(votes) != self.of:
            return Unsettled(f"{len(votes)} votes, not {self.of}")
        enough = sorted(value for value, count in Counter(votes).items() if count >= self.k)
        if len(enough) == 1:
            return enough[0]
        if enough:
            return Unsettled(f"{_listed(enough)} have {self.k} votes or more each")
        return Unsettled(f"no value has {self.k} of {len(votes)} votes")


@dataclass(frozen=True, slots=True)
class Unanimous:
    """The value that all votes are for."""

    def label(self, votes: Votes) -> float | Unsettled:
        """That value, or which ones there are."""
        if not votes:
            return _NO_VOTES
        different = sorted(set(votes))
        return different[0] if len(different) == 1 else Unsettled(f"votes for {_listed(different)}")


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of the votes."""

    def label(self, votes: Votes) -> float | Unsettled:
        """The mean."""
        return fmean(votes) if votes else _NO_VOTES


@dataclass(frozen=True, slots=True)
class Median:
    """The median of the votes; halfway between the middle two of an even number."""

    def label(self, votes: Votes) -> float | Unsettled:
        """The median."""
        return float(median(votes)) if votes else _NO_VOTES


@dataclass(frozen=True, slots=True)
class Then:
    """A step, then a rule on what it leaves."""

    step: Step
    rule: Rule

    def label(self, votes: Votes) -> float | Unsettled:
        """The rule's label, or why the step dropped the unit."""
        left = self.step.votes(votes)
        return left if isinstance(left, Unsettled) else self.rule.label(left)


@dataclass(frozen=True, slots=True)
class Else:
    """A rule, and another if the first is unsettled."""

    rule: Rule
    other: Rule

    def label(self, votes: Votes) -> float | Unsettled:
        """The first rule's label, else the other's."""
        first = self.rule.label(votes)
        return self.other.label(votes) if isinstance(first, Unsettled) else first


def aggregate(ratings: Ratings, criterion: str, rule: Rule) -> tuple[Judgement, ...]:
    """One label per unit of a criterion, in order of first sight; unsettled ones have no value, and the reason.

    The rater of a label is the rule itself, as Python writes it: ``AtLeast(k=3, of=5)``.
    """
    chosen = ratings.criterion_named(criterion)
    out = []
    for unit, votes in zip(chosen.units, _votes(chosen), strict=True):
        label = rule.label(votes)
        value, reason = (None, label.reason) if isinstance(label, Unsettled) else (label, None)
        out.append(Judgement(unit.item, unit.system, repr(rule), criterion, value, reason))
    return tuple(out)


def _votes(ratings: Ratings) -> Iterator[Votes]:
    """The votes of each unit of one criterion, in order of the raters; no table of all units by all raters is made."""
    keys = ratings.item * max(1, len(ratings.systems)) + ratings.system
    _, first, unit = np.unique(keys, return_index=True, return_inverse=True)
    order = np.lexsort((ratings.rater, unit))
    ends = np.cumsum(np.bincount(unit, minlength=len(first)))
    starts = ends - np.bincount(unit, minlength=len(first))
    values = ratings.value[order]
    for index in np.argsort(first, kind="stable").tolist():
        given = values[starts[index] : ends[index]]
        yield tuple(given[~np.isnan(given)].tolist())


_NO_VOTES = Unsettled("there are no votes")


def _listed(values: list[float]) -> str:
    return " and ".join(f"{value:g}" for value in values)


class Condition(Protocol):
    """Something that may be true of votes."""

    def holds(self, votes: Votes) -> bool:
        """Whether it is."""
        ...

    def __str__(self) -> str:
        """Description of the condition, in words."""
        ...


@dataclass(frozen=True, slots=True)
class DropIf:
    """Drops a unit of whose votes the condition is true."""

    condition: Condition

    def votes(self, votes: Votes) -> Votes | Unsettled:
        """The votes as they are, unless the condition is true."""
        return Unsettled(f"dropped: {self.condition}") if self.condition.holds(votes) else votes


@dataclass(frozen=True, slots=True)
class Collapse:
    """Votes in two classes: 1 if the cut holds, else 0."""

    cut: Cut

    def votes(self, votes: Votes) -> Votes | Unsettled:
        """The classes of the votes."""
        return tuple(self.cut.holds(np.array(votes)).tolist())


@dataclass(frozen=True, slots=True)
class Fewer:
    """Fewer than ``n`` votes."""

    n: int

    def holds(self, votes: Votes) -> bool:
        """Whether there are fewer."""
        return len(votes) < self.n

    def __str__(self) -> str:
        return f"fewer than {self.n} votes"


@dataclass(frozen=True, slots=True)
class Count:
    """``at_least`` votes or more satisfy the cut."""

    cut: Cut
    at_least: int

    def holds(self, votes: Votes) -> bool:
        """Whether this many do."""
        return bool(self.cut.holds(np.array(votes)).sum() >= self.at_least)

    def __str__(self) -> str:
        return f"{self.at_least} votes or more are {self.cut}"


@dataclass(frozen=True, slots=True)
class Spread:
    """The highest and the lowest vote are more than ``above`` apart."""

    above: float

    def holds(self, votes: Votes) -> bool:
        """Whether they are."""
        return bool(votes) and max(votes) - min(votes) > self.above

    def __str__(self) -> str:
        return f"votes are more than {self.above:g} apart"
