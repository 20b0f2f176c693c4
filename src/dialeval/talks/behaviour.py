"""Behaviour of users in talks, real or simulated: how long, how curious, how polite, how open at the start."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import ClassVar, Final, NamedTuple

import numpy as np

from dialeval.core import Estimate, Floats, Metric, Resampling
from dialeval.data.types import Dialogue
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.metrics.rows import mean_of_rows
from dialeval.stats import leave_out
from dialeval.stats.resampling.jackknife import jackknife_error, t_quantile
from dialeval.talks.outcome import by_scenario, end_of

_THANKS: Final = re.compile(r"\b(thanks?|thank you|thx|cheers|appreciate|grateful)\b", re.IGNORECASE)
_COMPLAINTS: Final = re.compile(
    r"\b(not (helpful|working|what i|right|good|correct)|useless|frustrat\w*|annoy\w*|ridiculous|disappoint\w*|"
    r"terrible|awful|doesn'?t (work|help|make sense)|didn'?t (work|help|answer)|wrong|waste of)\b",
    re.IGNORECASE,
)
_Parts = tuple[float, float]


def _asks(text: str) -> bool:
    return text.rstrip(" \t\n*_)\"'”’").endswith(("?", "？", "؟"))


def _words(text: str) -> int:
    return len(text.split())


def _information(said: Sequence[str]) -> _Parts:
    words = [_words(text) for text in said]
    return (words[0] if words else 0), sum(words)


FIGURES: Final[Mapping[str, Callable[[Dialogue, Sequence[str]], _Parts]]] = {
    "user turns per talk": lambda _talk, said: (len(said), 1),
    "words per user turn": lambda _talk, said: (sum(map(_words, said)), len(said)),
    "share of words in the first turn": lambda _talk, said: _information(said),
    "share of turns that ask": lambda _talk, said: (sum(map(_asks, said)), len(said)),
    "talks with thanks": lambda _talk, said: (any(map(_THANKS.search, said)), 1),
    "talks with a complaint": lambda _talk, said: (any(map(_COMPLAINTS.search, said)), 1),
    "talks that the user ends": lambda talk, _said: (end_of(talk) == "user", float(end_of(talk) is not None)),
}
"""Each figure is a ratio of sums over talks; words are split at whitespace."""
_COUNTS: Final = ("user turns per talk", "words per user turn")
"""Figures that are no shares."""


def _said(talk: Dialogue) -> list[str]:
    """All turns of the user, empty ones too."""
    return [turn.text for turn in talk.turns if turn.speaker == "user"]


@dataclass(frozen=True, slots=True)
class UserFigure(Metric[Dialogue]):
    """A figure of users: a ratio of two sums over their talks."""

    name: ClassVar[str] = "user_figure"
    higher_is_better: ClassVar[None] = None
    figure: str = "user turns per talk"

    @property
    def limits(self) -> tuple[float, float]:
        """From 0, to 1 of a share."""
        return (0.0, np.inf if self.figure in _COUNTS else 1.0)

    def unscorable(self, talk: Dialogue) -> str | None:
        """Return that the user said nothing, or that nobody recorded what the figure is about."""
        said = _said(talk)
        if not any(text.strip() for text in said):
            return "the user said nothing"
        return None if FIGURES[self.figure](talk, said)[1] else "not recorded"

    def statistics(self, talks: Sequence[Dialogue]) -> Floats:
        """Rows of both sums."""
        sums = [FIGURES[self.figure](talk, _said(talk)) for talk in talks]
        return np.array(sums, dtype=np.float64).reshape(-1, 2)

    def aggregate(self, totals: Floats) -> Floats:
        """The ratio."""
        return mean_of_rows(totals)


class Behaviour(NamedTuple):
    """A figure of one group of users, or of two beside each other."""

    figure: str
    first: Estimate
    second: Estimate | None = None
    difference: Estimate | None = None
    """The first minus the second."""
    p: float | None = None


def behaviour_of(
    first: Sequence[Dialogue],
    second: Sequence[Dialogue] | None = None,
    resampling: Resampling | None = None,
) -> list[Behaviour]:
    """Return every figure of the users of these talks, beside those of others and the differences if these are given.

    The two groups are independent samples; the repeats of a scenario are one unit. Intervals of differences are Welch's
    with the jackknife's errors.
    """
    resampling = by_scenario(resampling or Resampling(), [*first, *(second or ())])
    return [_figure(UserFigure(figure), first, second, resampling) for figure in FIGURES]


def _figure(
    metric: UserFigure, first: Sequence[Dialogue], second: Sequence[Dialogue] | None, resampling: Resampling
) -> Behaviour:
    plan = Plan(resampling=resampling)
    one = evaluate(metric, list(first), plan).estimate
    if second is None:
        return Behaviour(metric.figure, one)
    other = evaluate(metric, list(second), plan).estimate
    difference, p = _difference(metric, first, second, resampling)
    return Behaviour(metric.figure, one, other, difference, p)


def _difference(
    metric: UserFigure, first: Sequence[Dialogue], second: Sequence[Dialogue], resampling: Resampling
) -> tuple[Estimate, float | None]:
    from scipy.special import stdtr

    sides = []
    for talks in (first, second):
        able = [talk for talk in talks if metric.unscorable(talk) is None]
        if len(able) < 2:
            return Estimate.undefined("fewer than two talks"), None
        clusters = resampling.clusters([talk.item for talk in able])
        left = leave_out(metric.statistics(able), metric.aggregate, clusters)
        sides.append((left.score, jackknife_error(left.without) ** 2, len(left.without) - 1))
    (a, var_a, free_a), (b, var_b, free_b) = sides
    variance, n = var_a + var_b, free_a + free_b + 2
    if isnan(variance) or not variance > 0 or min(free_a, free_b) < 1:
        return Estimate(a - b, None, None, n, "nothing varies"), None
    free = variance**2 / (var_a**2 / free_a + var_b**2 / free_b)
    reach = t_quantile(free, resampling.confidence) * variance**0.5
    p = 2 * float(stdtr(free, -abs(a - b) / variance**0.5))
    return Estimate.of(a - b, a - b - reach, a - b + reach, n), p
