"""The verdict of a run: the best system in a sentence, with the reservations that belong to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final, NamedTuple

from dialeval.display.wording import count, decimals, listing, number, p_value, percent
from dialeval.study.document import (
    MeasureInfo,
    Summary,
    headline_measure,
    leaders,
    negligible,
    ranked,
    ranks,
    standings,
)
from dialeval.study.report.ranks import counted

FEW_OF_THEM: Final = 0.9
"""Where systems are ranked on a smaller share of the items, the verdict says so."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Findings of a run in sentences."""

    headline: str
    """The best system, or that nobody is shown to be best."""
    details: tuple[str, ...]
    """Findings of the measures one by one, and of what went wrong: a sentence each."""

    def __str__(self) -> str:
        return " ".join((self.headline, *self.details))


def verdict(summary: Summary) -> Verdict:
    """Say which system is best, by the primary measure or by all of them, and what to know beside that."""
    found = [_finding(summary, measure) for measure in summary.measures if leaders(summary, measure)]
    first = headline_measure(summary)
    # The measure that systems are sorted by may rank none of them, as where they share no item with a value.
    primary = first is not None and summary.primary == first.measure
    deciding = [f for f in found if first is not None and (not primary or f.measure == first.measure)]
    if not deciding:
        headline, best = _nobody(summary), None
    elif len(deciding) == 1:
        headline, best = _by_measure(summary, deciding[0]), deciding[0].winner
    else:
        headline, best = _by_all(summary, found), _never_beaten(summary, found)
    remarks = [*_identical(summary), *_silences(summary), *(leak.sentence for leak in summary.leaks)]
    means = _mean_ratings(summary)
    people = list(_people(summary, found, means))
    agreement = _beside_people(summary, best, means) if people else ()
    headline = " ".join([*people, _continued(headline) if people else headline, *agreement, *remarks])
    return Verdict(headline, (*_by_each(summary, found), *_reservations(summary), *_blind_spots(summary)))


def _mean_ratings(summary: Summary) -> dict[str, float]:
    """People's mean rating of each system, the highest first.

    Means are over the answers that people and a measure have, by the measure that has most of them.
    """
    means: dict[str, tuple[int, float]] = {}
    for mean in summary.human.means if summary.human else ():
        if mean.human is not None and mean.n > means.get(mean.system, (0, 0.0))[0]:
            means[mean.system] = (mean.n, mean.human)
    return {system: means[system][1] for system in sorted(means, key=lambda system: -means[system][1])}


def _people(summary: Summary, found: Sequence[Finding], means: Mapping[str, float]) -> Iterator[str]:
    """Say how people rate the systems, and what the measures show that agree with them; nothing without ratings."""
    human = summary.human
    if human is None:
        return
    if len(means) > 1:
        rated = [f"{system} {mean:.2f}" for system, mean in means.items()]
        yield f"People's mean {human.human.criterion!r}: {listing(rated, most=6)}."
    agreeing = [finding for finding in found if agrees(summary, finding.measure)]
    if not agreeing:
        yield "No measure is shown to agree with people. By all measures:"
        return
    names = [finding.measure for finding in agreeing]
    won = _winners(agreeing)
    yield (
        f"Of the measures, {listing(names)} {'is' if len(names) == 1 else 'are'} shown to agree with people: "
        f"{won or 'no clear winner'}. By all measures:"
    )


def _beside_people(summary: Summary, best: str | None, means: Mapping[str, float]) -> Iterator[str]:
    """Whether the best system by the measures contradicts people; nothing if they rate it highest, too."""
    first = next(iter(means), None)
    if best is None or first is None or first == best:
        return
    if best not in means:
        yield f"People did not rate {best}."
        return
    test = summary.rating(first, best)
    if test is None or test.p_adjusted is None:
        yield f"People rated no item of both {first} and {best}, so whom they prefer is open."
    elif test.better == first:
        told = f"rate {first} higher than {best} ({_p(test.p_adjusted)})"
        yield f"This contradicts people, who {told}: go by people."
    elif test.better == best:
        yield f"On the items that people rated of both, they rate {best} higher than {first}, too."
    else:
        told = f"whose ratings of {first} and {best} do not differ significantly ({_p(test.p_adjusted)})"
        yield f"This does not contradict people, {told}."


def _p(value: float) -> str:
    """``p = 0.012`` or ``p < 0.001``."""
    told = p_value(value)
    return f"p < {told[1:]}" if told.startswith("<") else f"p = {told}"


def _continued(headline: str) -> str:
    """The headline after a colon: its own words begin small, the name of a system as it is."""
    own = headline.startswith(("No ", "The ", "With "))
    return headline[:1].lower() + headline[1:] if own else headline


def agrees(summary: Summary, measure: str) -> bool:
    """Whether the measure's correlation with people has an interval on the right side of 0, at the main level."""
    human = summary.human
    rows = () if human is None else human.at(human.main_level)
    row = next((row for row in rows if row.measure == measure), None)
    bounds = None if row is None else row.estimate.bounds
    if human is None or bounds is None:
        return False
    return bounds[1] < 0 if measure in human.settings.lower_is_better else bounds[0] > 0


def _identical(summary: Summary) -> Iterator[str]:
    """Yield who gave identical answers: ``pr and main gave identical answers to all 48 items``."""
    same: dict[tuple[str, str], int] = {}
    for test in summary.comparisons:
        known = same.setdefault((test.a, test.b), test.n)
        same[test.a, test.b] = max(known, test.n) if known and test.identical else 0
    groups: list[tuple[list[str], int]] = []
    for (a, b), items in same.items():
        group = next((group for group, among in groups if among == items and {a, b} & set(group)), None)
        if items and group is None:
            groups.append(([a, b], items))
        elif items and group is not None:
            group += [system for system in (a, b) if system not in group]
    for group, items in groups:
        whole = "the item" if items == 1 else f"all {items:,} items"
        yield f"{listing(group)} gave identical answers to {whole}."


def _silences(summary: Summary) -> Iterator[str]:
    """Yield who left how many items unanswered: ``hush left 24 of 48 items unanswered``."""
    groups: dict[int, list[str]] = {}
    for system in summary.systems:
        own = [score for score in summary.results if score.system == system.name]
        most = max(own, key=lambda score: score.unanswered, default=None)
        if most is not None and most.unanswered:
            left = groups.setdefault(most.asked, [])
            left.append(f"{system.name} {'' if left else 'left '}{most.unanswered:,}")
    for asked, left in groups.items():
        yield f"{listing(left)} of {count(asked, 'item')} unanswered."


class Finding(NamedTuple):
    """Finding of one measure about each system."""

    measure: str
    best: tuple[str, ...]
    undecided: tuple[str, ...]
    """Neither shown to be worse than the best nor equivalent to it, or not tested."""
    equivalent: tuple[str, ...]
    behind: tuple[str, ...]
    silent: tuple[str, ...] = ()
    """Not ranked, since the measure cannot count what they left unanswered."""

    @property
    def winner(self) -> str | None:
        """The system that is shown to be better than all others; None where none is."""
        alone = len(self.best) == 1 and not self.undecided and not self.equivalent
        return self.best[0] if alone and self.behind else None


def _finding(summary: Summary, measure: MeasureInfo) -> Finding:
    where = standings(summary, measure)
    systems = [(system, where[system]) for system in ranked(summary)]
    return Finding(
        measure.measure,
        tuple(system for system, standing in systems if standing == "best"),
        tuple(system for system, standing in systems if standing in ("undecided", "untested")),
        tuple(system for system, standing in systems if standing == "equivalent"),
        tuple(system for system, standing in systems if standing == "behind"),
        tuple(system for system, standing in systems if standing == "silent"),
    )


def _nobody(summary: Summary) -> str:
    if len(summary.systems) < 2:
        return "With one system, there is nothing to compare."
    apart = any(m.higher_is_better is not None and not ranks(summary, m) for m in summary.measures)
    silent = any(summary.is_silent(r.system, r.measure) for r in summary.results)
    zero = [m.measure for m in summary.measures if ranks(summary, m) and negligible(summary, m)]
    none = f"every score is 0 under {listing(zero)}" if zero else ""
    why = (
        "scores are on different items"
        if apart
        else f"{none}, and no other measure can count unanswered items"
        if silent and zero
        else "no measure that can count unanswered items gives two systems scores"
        if silent
        else none or "no measure gives two systems scores that could be ranked"
    )
    return f"No system is ranked: {why}."


def _by_measure(summary: Summary, found: Finding) -> str:
    """Say what the one measure that decides shows."""
    on = found.measure + (", the primary measure" if found.measure == summary.primary else "")
    worse = f"; {listing(found.behind)} {_is(found.behind)} shown to be worse" if found.behind else ""
    if len(found.best) > 1:
        return f"No clear winner on {on}: {listing(found.best)} tie for the best score{worse}."
    (best,) = found.best
    if found.undecided:
        rivals = f"{listing(found.undecided)} may be as good{_reach(summary, found, best)}"
        return f"No clear winner on {on}: {best} scores best, but {rivals}{worse}."
    if found.equivalent:
        equal = f"{listing(found.equivalent)} {_is(found.equivalent)} shown to be equivalent"
        return f"{best} scores best on {on}, and {equal}{worse}."
    others = "every other system" if len(found.behind) > 1 and not found.silent else listing(found.behind)
    return f"{best} is best on {on}: shown to be better than {others}."


def _reach(summary: Summary, found: Finding, best: str) -> str:
    """Say how large the difference to the only rival may still be."""
    test = summary.comparison(found.measure, best, found.undecided[0])
    if len(found.undecided) > 1 or test is None or test.largest is None:
        return ""
    return f" (the difference may be as large as {number(test.largest, decimals([test.largest]))})"


def _by_all(summary: Summary, found: Sequence[Finding]) -> str:
    """Say what several measures show together if none of them was declared to decide."""
    unbeaten, beaten = _unbeaten(summary, found)
    if not beaten:
        return "No clear winner: no measure shows a system to be better than another."
    if not unbeaten:
        return f"The measures disagree: {_disagreement(summary, found)}."
    if len(unbeaten) > 1:
        return f"No clear winner: no measure shows {listing(unbeaten)} to be worse than another system."
    (best,) = unbeaten
    families = _families(summary, found)
    wins = sum(any(f.winner == best for f in family) for family in families)
    if not wins:
        return f"No clear winner, but only {best} is never shown to be worse than another system."
    noun = "measures" if len(families) == len(found) else "families of measures"
    if wins == len(families):
        # All may be one, where every measure is a near-copy of the others.
        shown = f"all {wins} {noun} show" if wins > 1 else "all measures, near-copies of one, show"
        if all(f.winner == best for f in found):
            return f"{best} is best: {shown} it to be better than every other system."
    if len(families) == 1 < len(found):  # near-copies of one measure, of which some show it
        wins, families, noun = (
            sum(f.winner == best for f in found),
            [[f] for f in found],
            "measures, near-copies,",
        )
    show = f"{wins} of {len(families)} {noun} {'shows' if wins == 1 else 'show'} it"
    return f"{best} is best: {show} to be better than every other system, and none shows it to be worse than one."


def _unbeaten(summary: Summary, found: Sequence[Finding]) -> tuple[list[str], set[str]]:
    """Systems that no measure shows to be worse than another, and the others."""
    overall = summary.ranking(None)
    systems = ranked(summary) if overall is None else [rank.system for rank in overall.systems]
    beaten = {
        other
        for system, other in permutations(systems, 2)
        if any(_beats(summary, f.measure, system, other) for f in found)
    }
    return [system for system in systems if system not in beaten], beaten


def _beats(summary: Summary, measure: str, system: str, other: str) -> bool:
    """Whether the measure shows the system to be better, all of its silence being counted."""
    return summary.relation(measure, system, other) == "better" and not summary.is_silent(system, measure)


def _never_beaten(summary: Summary, found: Sequence[Finding]) -> str | None:
    """The system that is best on a measure, and the only one that none shows to be worse; None if there is none."""
    unbeaten, _ = _unbeaten(summary, found)
    best = unbeaten[0] if len(unbeaten) == 1 else None
    return best if any(f.winner == best for f in found) else None


def _disagreement(summary: Summary, found: Sequence[Finding]) -> str:
    """Say who is best on what; if only one system is best on any, also what shows it to be worse, and than whom."""
    winners = list(dict.fromkeys(f.winner for f in found if f.winner is not None))
    if len(winners) != 1:
        return _winners(found) or "each shows some system to be worse than another"
    best = winners[0]
    above = {
        f.measure: [system for system in ranked(summary) if _beats(summary, f.measure, system, best)]
        for f in found
    }
    against = [measure for measure, systems in above.items() if systems]
    others = list(dict.fromkeys(system for systems in above.values() for system in systems))
    show = "shows" if len(against) == 1 else "show"
    return f"{_winners(found)}, but {listing(against)} {show} it to be worse than {listing(others)}"


def _families(summary: Summary, found: Sequence[Finding]) -> list[list[Finding]]:
    """The findings of near-copies together, which count once."""
    named = {measure.measure: measure.family or measure.measure for measure in summary.measures}
    families: dict[str, list[Finding]] = {}
    for finding in found:
        families.setdefault(named[finding.measure], []).append(finding)
    return list(families.values())


def _winners(found: Sequence[Finding]) -> str:
    """``new is best on rouge_l and bleu, old on distinct(n=2)``."""
    wins: dict[str, list[str]] = {}
    for finding in found:
        if finding.winner is not None:
            wins.setdefault(finding.winner, []).append(finding.measure)
    return ", ".join(
        f"{system} {'is best ' if index == 0 else ''}on {listing(measures)}"
        for index, (system, measures) in enumerate(wins.items())
    )


def _by_each(summary: Summary, found: Sequence[Finding]) -> Iterator[str]:
    """Which measures have a clear winner, and who ranks first over all of them; nothing where one measure decides."""
    if len(found) < 2:
        return
    if winners := _winners(found):
        yield f"By measure: {winners}."
    undecided = [finding.measure for finding in found if finding.winner is None]
    if undecided:
        yield f"{listing(undecided)} {'has' if len(undecided) == 1 else 'have'} no clear winner."
    overall = summary.ranking(None)
    first = [rank for rank in overall.systems if rank.rank == 1] if overall else []
    if overall and first:
        lowest = "" if first[0].worst == 1 else f", and may rank as low as {first[0].worst}"
        chance = f" (P(best) {percent(first[0].p_best)})"
        yield f"Over {counted(overall)} together, {first[0].system} ranks first{lowest}{chance}."


def _reservations(summary: Summary) -> Iterator[str]:
    shares = [(r.estimate.n, r.asked) for r in summary.results if r.estimate.value is not None]
    if shares and summary.missing in ("auto", "shared"):
        n, total = min(shares, key=lambda share: share[0] / share[1])
        if n < FEW_OF_THEM * total:
            yield f"Scores are on as few as {n:,} of {count(total, 'item')}: those that every system has a value for."
    partial = [(r.coverage, r) for r in summary.results if r.coverage is not None and r.coverage < 1]
    if partial:
        share = min(coverage for coverage, _ in partial)
        worst = [r for coverage, r in partial if coverage == share]
        whose = listing(list(dict.fromkeys(r.system for r in worst)))
        on = f" on {worst[0].measure}" if len(worst) == 1 else ""
        yield f"Coverage is lowest for {whose}{on} ({percent(share)})."
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
        yield f"{count(failed, 'part')} of the run failed and {'is' if failed == 1 else 'are'} missing here."


_MOST_FAULTS: Final = 3
"""Faults that the verdict names; ``summary.json`` has all of them."""
_FAULTS: Final[Mapping[str, str]] = {
    "wrong_facts": "wrong numbers or names",
    "contradiction": "self-contradiction",
    "off_topic": "answers to another question",
    "truncation": "cut-off answers",
    "repetition": "repetition",
    "language": "a wrong language",
    "scrambled": "scrambled words",
    "form": "a wrong form",
    "wording": "words that should not be there",
}


def _blind_spots(summary: Summary) -> Iterator[str]:
    """Which faults none of the measures is known to notice, and what would."""
    told = [
        _FAULTS.get(spot.fault, spot.fault) + (f" (add {spot.add})" if spot.add else "")
        for spot in summary.unnoticed
    ]
    if len(told) > _MOST_FAULTS:
        rest = len(told) - _MOST_FAULTS
        told = [*told[:_MOST_FAULTS], f"{count(rest, 'other kind')} of {'fault' if rest == 1 else 'faults'}"]
    if told:
        yield f"None of these measures is known to notice {', '.join(told[:-1])}{' or ' * (len(told) > 1)}{told[-1]}."


def _is(systems: Sequence[str]) -> str:
    return "is" if len(systems) == 1 else "are"
