"""Who leads under a measure, and who cannot be told apart from the leader."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from dialeval.display.wording import NEGLIGIBLE
from dialeval.study.document import MeasureInfo, Summary

Standing: TypeAlias = Literal["best", "level", "behind", "untested", "unranked"]
"""Best score; not significantly behind it; significantly behind; not compared with it; no ranking at all."""

MARKS: Final[dict[Standing, str]] = {"best": "★", "level": "≈", "untested": "?", "behind": "", "unranked": ""}
MEANINGS: Final[dict[Standing, str]] = {
    "best": "best score",
    "level": "not significantly different from the best",
    "untested": "not tested against the best",
}


def leaders(summary: Summary, measure: MeasureInfo) -> tuple[str, ...]:
    """The systems with the best score, several where they tie; none where there is nothing to rank.

    Where every score is as good as zero there is no best one: whoever wins by a billionth has won nothing.
    """
    scores = {
        r.system: r.score for r in summary.results if r.measure == measure.measure and r.score is not None
    }
    if measure.higher_is_better is None or len(scores) < 2 or negligible(summary, measure):
        return ()
    top = max(scores.values()) if measure.higher_is_better else min(scores.values())
    return tuple(system for system, score in scores.items() if score == top)


def negligible(summary: Summary, measure: MeasureInfo) -> bool:
    """Whether no system has a score under that measure that could be told from zero, and one has a score at all."""
    scores = [r.score for r in summary.results if r.measure == measure.measure and r.score is not None]
    return bool(scores) and all(abs(score) < NEGLIGIBLE for score in scores)


def standings(summary: Summary, measure: MeasureInfo) -> dict[str, Standing]:
    """Where each system stands under that measure."""
    best = leaders(summary, measure)
    return {system.name: _standing(summary, measure.measure, system.name, best) for system in summary.systems}


def _standing(summary: Summary, measure: str, system: str, best: tuple[str, ...]) -> Standing:
    score = summary.score(system, measure)
    if not best or score is None or score.score is None:
        return "unranked"
    if system in best:
        return "best"
    tests = [c for leader in best if (c := summary.comparison(measure, system, leader)) is not None]
    if not tests:
        return "untested"
    return "behind" if all(c.significant and c.better != system for c in tests) else "level"
