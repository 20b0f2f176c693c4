"""Measures of single responses on talks: the responses of a talk are measured one by one and count together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from dialeval.core import Floats, Integers, LeaveOneOut, Metric
from dialeval.core.results import absence
from dialeval.data.types import Dialogue, Example, Response
from dialeval.evaluation.runs import Derived


@dataclass(frozen=True, slots=True)
class OverTurns(Derived):
    """A metric of responses as one of talks: the statistics of all of the system's turns in a talk, summed.

    So the score of a talk is that of its turns together, and the score of a system that of all turns of all talks.
    """

    @property
    def yes_no(self) -> bool:
        """Never: some turns of a talk may be right and others wrong."""
        return False

    @property
    def family(self) -> str:
        """As of the metric."""
        return self.metric.family

    def has(self, member: str) -> bool:
        """Return whether the metric has that member, of those that are passed on."""
        return member == "fit" and self.metric.has("fit")

    def fit(self, talks: Sequence[Any]) -> OverTurns:
        """Return the metric fitted to all turns that it can score."""
        return replace(
            self, metric=self.metric.fit([each for talk in talks for each in self._scorable(talk)])
        )

    def unscorable(self, talk: Any) -> str | None:
        """Return why no turn of the talk can be scored, or None if one can."""
        reasons = [self._obstacle(turn) for turn in responses_of(talk)]
        return None if None in reasons else next(iter(reasons), "no response of the system")

    def undefined(self, row: Floats) -> str:
        """As of the metric."""
        return self.metric.undefined(row)

    def statistics(self, talks: Sequence[Any]) -> Floats:
        """Sums of the rows of each talk's turns."""
        turns = [self._scorable(talk) for talk in talks]
        rows = self.metric.statistics([turn for own in turns for turn in own])
        if not talks:
            return rows
        starts = np.cumsum([0, *map(len, turns)])
        return np.stack([rows[a:b].sum(axis=0) for a, b in pairwise(starts)])

    def aggregate(self, totals: Floats) -> Floats:
        """As of the metric."""
        return self.metric.aggregate(totals)

    def without(self, talks: Sequence[Any], groups: Integers) -> LeaveOneOut:
        """Return the score of all turns, and without those of each group of talks."""
        turns = [self._scorable(talk) for talk in talks]
        repeated = np.repeat(groups, list(map(len, turns)))
        return self.metric.without([turn for own in turns for turn in own], repeated)

    def _scorable(self, talk: Dialogue) -> list[Example]:
        return [turn for turn in responses_of(talk) if self._obstacle(turn) is None]

    def _obstacle(self, turn: Example) -> str | None:
        return absence(turn) or self.metric.unscorable(turn)


def on_talks(metric: Metric[Any]) -> Metric[Any]:
    """Return the metric as one of talks: itself if it judges whole dialogues."""
    return metric if metric.whole_dialogues else OverTurns(metric)


def responses_of(talk: Dialogue) -> list[Example]:
    """Return the system's turns with all that was said before each, under ``TALK/TURN``."""
    return [
        Example(f"{talk.item}/{place + 1}", talk.system, talk.turns[:place], Response(turn.text))
        for place, turn in enumerate(talk.turns)
        if turn.speaker == "assistant"
    ]
