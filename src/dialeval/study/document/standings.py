"""Standings under a measure: the leaders, systems not significantly different, and whether any could be."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from dialeval.display.wording import NEGLIGIBLE
from dialeval.stats.tests.paired import MOST_ENUMERATED, ROUNDING
from dialeval.study.document.summary import MeasureInfo, Summary

Standing: TypeAlias = Literal["best", "equivalent", "undecided", "behind", "untested", "silent", "unranked"]
"""Best score; shown to be equivalent to it; perhaps as good; shown to be worse; not compared with it; unanswered items
that the measure cannot count; no ranking."""


def leaders(summary: Summary, measure: MeasureInfo) -> tuple[str, ...]:
    """The systems with the best score, several where they tie; none where there is nothing to rank.

    Where every score is as good as zero there is no best one: a lead of a billionth means nothing. Nor is there where
    scores rest on different items. A system whose silence the measure cannot count is not ranked.
    """
    scores = {
        r.system: r.estimate.value
        for r in summary.results
        if r.measure == measure.measure
        and r.estimate.value is not None
        and not summary.is_silent(r.system, measure.measure)
    }
    if not ranks(summary, measure) or len(scores) < 2 or negligible(summary, measure):
        return ()
    top = max(scores.values()) if measure.higher_is_better else min(scores.values())
    return tuple(
        system for system, score in scores.items() if abs(score - top) <= ROUNDING * (abs(score) + abs(top))
    )


def ranks(summary: Summary, measure: MeasureInfo) -> bool:
    """Whether the measure has a better direction, and scores of all systems on the same items."""
    return measure.higher_is_better is not None and same_items(summary, measure.measure)


def same_items(summary: Summary, measure: str) -> bool:
    """Whether all systems that have a score under that measure have it on the same items."""
    sizes = {r.system: r.estimate.n for r in summary.results if r.measure == measure and r.estimate.n}
    tests = [c for c in summary.comparisons if c.measure == measure]
    if summary.missing not in ("own", "auto") or (summary.missing == "auto" and not summary.trials):
        return True
    pairs = len(sizes) * (len(sizes) - 1) // 2
    return len(tests) == pairs and all(c.n == sizes[c.a] == sizes[c.b] for c in tests)


def negligible(summary: Summary, measure: MeasureInfo) -> bool:
    """Whether no system has a score under that measure that differs from zero, and at least one has a score."""
    found = [r.estimate.value for r in summary.results if r.measure == measure.measure]
    scores = [value for value in found if value is not None]
    return bool(scores) and all(abs(score) < NEGLIGIBLE for score in scores)


def standings(summary: Summary, measure: MeasureInfo) -> dict[str, Standing]:
    """Where each system stands under that measure."""
    best = leaders(summary, measure)
    return {system.name: _standing(summary, measure.measure, system.name, best) for system in summary.systems}


def _standing(summary: Summary, measure: str, system: str, best: tuple[str, ...]) -> Standing:
    score = summary.score(system, measure)
    if score is None or score.estimate.value is None:
        return "unranked"
    silent = summary.is_silent(system, measure)
    if not best:
        return "silent" if silent else "unranked"
    if system in best:
        return "best"
    verdicts = {summary.relation(measure, system, leader) for leader in best}
    if verdicts == {None}:
        return "silent" if silent else "untested"
    if verdicts == {"worse"}:
        return "behind"
    if silent:
        return "silent"
    return "equivalent" if verdicts == {"equivalent"} else "undecided"


def headline_measure(summary: Summary) -> MeasureInfo | None:
    """The measure that systems are sorted by: the primary one, else the first that ranks them; None without one."""
    directed = [measure for measure in summary.measures if ranks(summary, measure)]
    telling = [measure for measure in directed if not negligible(summary, measure)]
    first = [measure for measure in telling if measure.measure == summary.primary]
    return next(iter([*first, *telling, *directed]), None)


def ranked(summary: Summary) -> tuple[str, ...]:
    """The systems' names, best first by `headline_measure`, those without a score last."""
    names = tuple(system.name for system in summary.systems)
    first = headline_measure(summary)
    if first is None:
        return names
    sign = -1 if first.higher_is_better else 1
    scores = {r.system: r.estimate.value for r in summary.results if r.measure == first.measure}

    def key(name: str) -> tuple[bool, bool, float]:
        score = scores.get(name)
        silent = summary.is_silent(name, first.measure)
        return score is None, silent, 0.0 if score is None else sign * score

    return tuple(sorted(names, key=key))


class OutOfReach(NamedTuple):
    """Measures under which no pair of systems could have differed significantly: there are too few units."""

    measures: tuple[str, ...]
    units: int
    """Items, or dialogues where items are resampled by dialogue."""
    tests: int
    """Number of tests that the smallest p-value was corrected for."""
    least_p: float
    """The smallest p-value that so few units can give, after correction."""
    needed: int
    """Number of units that could make a difference significant."""


def out_of_reach(summary: Summary) -> tuple[OutOfReach, ...]:
    """The measures that had too few items or dialogues, by how many they had."""
    alpha = round(1 - summary.level, 12)
    groups: dict[tuple[int, int], list[str]] = {}
    for measure in summary.measures:
        tests = [c for c in summary.comparisons if c.measure == measure.measure]
        most = max((c.units for c in tests), default=MOST_ENUMERATED + 1)
        # Benjamini and Hochberg's smallest p-value may be as it was, where all others are as small.
        family = max((c.family for c in tests if c.correction == "holm"), default=1)
        if measure.per_item and 0 < most <= MOST_ENUMERATED and least_p(most, family) >= alpha:
            groups.setdefault((most, family), []).append(measure.measure)
    return tuple(
        OutOfReach(
            tuple(measures),
            units,
            family,
            least_p(units, family),
            next(n for n in range(1, 64) if least_p(n, family) < alpha),
        )
        for (units, family), measures in groups.items()
    )


def least_p(units: int, tests: int) -> float:
    """The smallest p-value that a test over so few units can give, after Holm's correction."""
    return min(1.0, tests * 2.0 ** (1 - units))
