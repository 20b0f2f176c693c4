"""The findings of a run in a paragraph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dialeval.display.wording import about, count, listing, percent
from dialeval.study.document import MeasureInfo, Summary, leaders, negligible, standings


def verdict(summary: Summary) -> str:
    """Who is best on what, what no measure could settle, and what went wrong."""
    return " ".join((*_setting(summary), *_findings(summary), *_reservations(summary)))


def _setting(summary: Summary) -> Iterator[str]:
    systems, measures = count(len(summary.systems), "system"), count(len(summary.measures), "measure")
    verb = "compared" if len(summary.systems) > 1 else "measured"
    yield f"This study {verb} {systems} on {count(summary.items, 'item')} with {measures}."


def _findings(summary: Summary) -> Iterator[str]:
    if len(summary.systems) < 2:
        yield "With one system, there is nothing to compare."
        return
    groups: dict[Finding, list[str]] = {}
    for measure in summary.measures:
        best = leaders(summary, measure)
        if best:
            finding = Finding(best, _rivals(summary, measure), bool(measure.higher_is_better))
            groups.setdefault(finding, []).append(measure.measure)
    if groups and not any(finding.clear for finding in groups):
        yield "No measure separates the best system from all the others."
    for finding, measures in sorted(groups.items(), key=lambda group: not group[0].clear):
        yield _sentence(summary, finding, measures)
    zero = [m.measure for m in summary.measures if m.higher_is_better is not None and negligible(summary, m)]
    if zero:
        is_zero, ranks = ("is", "ranks") if len(zero) == 1 else ("are", "rank")
        yield f"{listing(zero)} {is_zero} as good as 0 for every system and so {ranks} none."
    described = [m.measure for m in summary.measures if m.higher_is_better is None]
    if described:
        verb = "describes" if len(described) == 1 else "describe"
        yield f"{listing(described)} only {verb}, without a better direction."


class Finding(NamedTuple):
    """Who leads and who keeps level, which several measures may agree on."""

    best: tuple[str, ...]
    rivals: tuple[str, ...]
    higher: bool

    @property
    def clear(self) -> bool:
        """Whether one system is significantly ahead of all others."""
        return len(self.best) == 1 and not self.rivals


def _rivals(summary: Summary, measure: MeasureInfo) -> tuple[str, ...]:
    where = standings(summary, measure)
    return tuple(
        system for system, standing in where.items() if standing in ("equivalent", "undecided", "untested")
    )


def _sentence(summary: Summary, finding: Finding, measures: list[str]) -> str:
    on, leader, top = listing(measures), listing(finding.best), "highest" if finding.higher else "lowest"
    if finding.clear:
        return f"{leader} is best on {on}, significantly ahead of every other system."
    if len(finding.best) > 1:
        tied = f"On {on}, {leader} tie for the {top} score"
        return f"{tied}; {_not_different(finding)} from them." if finding.rivals else f"{tied}."
    hint = _hint(summary, finding, measures)
    return f"On {on}, {leader} scores {top}, but {_not_different(finding)}{hint}."


def _not_different(finding: Finding) -> str:
    verb = "is" if len(finding.rivals) == 1 else "are"
    return f"{listing(finding.rivals)} {verb} not significantly different"


def _hint(summary: Summary, finding: Finding, measures: list[str]) -> str:
    """What would settle it; with several rivals or measures one figure would promise more than it could keep."""
    if len(finding.rivals) != 1 or len(measures) != 1:
        return ""
    test = summary.comparison(measures[0], finding.best[0], finding.rivals[0])
    return f" (about {about(test.more_items)} more items would settle it)" if test and test.more_items else ""


def _reservations(summary: Summary) -> Iterator[str]:
    partial = [(r.coverage, r) for r in summary.results if r.coverage is not None and r.unscored]
    if partial:
        share = min(coverage for coverage, _ in partial)
        worst = [r for coverage, r in partial if coverage == share]
        whose = listing(list(dict.fromkeys(r.system for r in worst)))
        on = f" on {worst[0].measure}" if len(worst) == 1 else ""
        yield f"Some items are unscored: coverage is lowest for {whose}{on} ({percent(share)})."
    missed = [g for g in summary.gates if not g.passed]
    if summary.gates:
        yield (
            f"{len(missed)} of {count(len(summary.gates), 'gate')} failed."
            if missed
            else "Every gate passed."
        )
    cut_short = [failure.system for failure in summary.failures if failure.partial]
    if cut_short:
        yield f"{listing([system or 'all' for system in cut_short])} failed before all items were answered."
    failed = len(summary.failures) - len(cut_short)
    if failed:
        yield f"{count(failed, 'part')} of the run failed and is missing here."
