"""How well a score tells how many turns of a dialogue were replaced (Ma et al., 2022, table 2).

Each dialogue has three versions: as it is (Rep-0), with one replaced turn (Rep-1), and with more (Rep-2). The paper
does not say how a level is predicted from a score; here it is by two cut points, the best ones of other dialogues.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.data.types import Dialogue, Prompt, Turn
from dialeval.errors import Unsuitable
from dialeval.selfeval.subjects import spoken_turns, whole_dialogues
from dialeval.stats import Estimate
from dialeval.stats.resampling.proportions import clustered_proportion

LEVELS: Final = (0, 1, 2)
"""No replaced turn, one, and more."""
_LEAST_TURNS: Final = 4


class Talk(NamedTuple):
    """A dialogue as texts, and what it shares with others that differ in their last turn alone."""

    turns: tuple[str, ...]
    origin: str


class ScoresDialogues(Protocol):
    """A metric of whole dialogues."""

    def unscorable(self, subject: Any) -> str | None:
        """Reason why a dialogue has no score, or None."""
        ...

    def statistics(self, subjects: Sequence[Any]) -> Floats:
        """Rows of value and weight."""
        ...


@dataclass(frozen=True, slots=True)
class LevelsResult:
    """Shares of versions whose level is found, of those that have a score."""

    by_level: tuple[Estimate, ...]
    overall: Estimate
    first_above_second: Estimate
    """Share of originals whose score is above that of their version with one replaced turn."""
    second_above_third: Estimate
    cuts: tuple[float, float]
    """Scores below the first are of level 2, from the second on of level 0."""
    dialogues: int
    unscored: int
    """Dialogues left out since one of their versions has no score."""


def talks_of(records: Iterable[Dialogue | Prompt]) -> list[Talk]:
    """Dialogues of four turns or more; a prompt gives one for each of its references."""
    talks = [
        Talk(tuple(turn.text for turn in spoken_turns(dialogue)), record.item)
        for record in records
        for dialogue in whole_dialogues(record)
    ]
    return [talk for talk in talks if len(talk.turns) >= _LEAST_TURNS]


def versions_of(talks: Sequence[Talk], seed: int) -> list[Dialogue]:
    """Each dialogue with none, one, and two or more turns of its last speaker replaced by turns of other dialogues."""
    if len({talk.origin for talk in talks}) < 2:
        raise Unsuitable(
            f"Found {len(talks)} dialogues of four turns or more; expected at least 2 different ones, to take turns "
            "from. Give more."
        )
    draw = random.Random(seed)
    made = []
    for number, talk in enumerate(talks):
        places = range((len(talk.turns) - 1) % 2, len(talk.turns), 2)
        for level, count in zip(LEVELS, (0, 1, draw.randint(2, len(places))), strict=True):
            spoilt = list(talk.turns)
            for place in draw.sample(places, count):
                spoilt[place] = draw.choice(_other(talks, talk, draw).turns)
            turns = tuple(Turn("AB"[place % 2], text) for place, text in enumerate(spoilt))
            made.append(Dialogue(f"{number}/{level}", turns))
    return made


def _other(talks: Sequence[Talk], own: Talk, draw: random.Random) -> Talk:
    other = own
    while other.origin == own.origin:
        other = draw.choice(talks)
    return other


def measure_levels(
    metric: ScoresDialogues, known: Sequence[Talk], tested: Sequence[Talk], *, seed: int = 0
) -> LevelsResult:
    """Choose cut points on the dialogues ``known``, and measure how often they find the level of those tested."""
    cuts = best_cuts(_scores(metric, versions_of(known, seed)))
    scores = _scores(metric, versions_of(tested, seed))
    kept = ~np.isnan(scores).any(axis=1)
    origins = np.unique([talk.origin for talk in tested], return_inverse=True)[1][kept]
    scores = scores[kept]
    right = predicted(scores, cuts) == np.array(LEVELS)
    return LevelsResult(
        by_level=tuple(_share(right[:, level], origins) for level in LEVELS),
        overall=_share(right.ravel(), np.repeat(origins, len(LEVELS))),
        first_above_second=_share(scores[:, 0] > scores[:, 1], origins),
        second_above_third=_share(scores[:, 1] > scores[:, 2], origins),
        cuts=cuts,
        dialogues=len(scores),
        unscored=int((~kept).sum()),
    )


def _scores(metric: ScoresDialogues, versions: Sequence[Dialogue]) -> Floats:
    """The score of each version, shape (dialogues, levels); NaN if it has none."""
    rows = metric.statistics(versions)
    values = np.divide(rows[:, 0], rows[:, 1], out=np.full(len(rows), np.nan), where=rows[:, 1] > 0)
    scores: Floats = values.reshape(-1, len(LEVELS))
    return scores


def best_cuts(scores: Floats) -> tuple[float, float]:
    """The two quantiles of scores, shape (dialogues, levels), between which most levels are right; the lower first."""
    given = scores[~np.isnan(scores).any(axis=1)]
    if not len(given):
        raise Unsuitable(
            "No dialogue has a score, so no cut points can be chosen. Give others, or another metric."
        )
    grid = np.unique(np.quantile(given, np.linspace(0.05, 0.95, 37))).tolist()
    pairs = list(combinations(grid, 2)) or [(grid[0], grid[0])]
    low, high = max(pairs, key=lambda pair: float((predicted(given, pair) == np.array(LEVELS)).mean()))
    return low, high


def predicted(scores: Floats, cuts: tuple[float, float]) -> Integers:
    """The level of each score: 2 below the lower cut, 0 from the upper one on."""
    return (scores < cuts[1]).astype(np.int64) + (scores < cuts[0])


def _share(right: Any, origins: Integers) -> Estimate:
    if not len(right):
        return Estimate.undefined("no dialogue has a score")
    values = right.astype(np.float64)
    return Estimate.of(float(values.mean()), *clustered_proportion(values, origins), len(values))
