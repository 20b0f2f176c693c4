"""Steps before an aggregation rule: items dropped, classes merged, labels replaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dialeval.ratings.scale import Cut
from dialeval.ratings.votes.rules import Unsettled, Votes


class Condition(Protocol):
    """Something that may be true of votes."""

    def holds(self, votes: Votes) -> bool:
        """Whether it is."""
        ...

    def __str__(self) -> str:
        """What is true then, in words."""
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
    """Votes in two classes: 1 where the cut holds, else 0."""

    cut: Cut

    def votes(self, votes: Votes) -> Votes | Unsettled:
        """The classes of the votes."""
        return tuple(self.cut.holds(np.array(votes)).tolist())


@dataclass(frozen=True, slots=True)
class Relabel:
    """Votes with some values replaced, as Circa's relaxed labels."""

    values: Mapping[float, float]

    def votes(self, votes: Votes) -> Votes | Unsettled:
        """The votes after the replacement."""
        return tuple(self.values.get(vote, vote) for vote in votes)


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
