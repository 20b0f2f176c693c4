"""The notes below a leaderboard: what its marks mean, which items its scores are on, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dialeval.display.wording import as_sacrebleu_prints, count, listing, one_line, p_value, which_bleu
from dialeval.study.document import Comparison, Standing, Summary, Values, out_of_reach, same_items, standings

FEW_ITEMS: Final = 10
"""Fewer items than these say little, however many there are."""
FEW_MEASURES: Final = 3
"""As many are named if they are left to the report; more are counted."""
MOST_NOTES: Final = 6
MOST_CHARACTERS: Final = 80
MARKS: Final[dict[Standing, str]] = {
    "best": "★",
    "equivalent": "≈",
    "undecided": "?",
    "untested": "†",
    "silent": "–",
    "behind": "",
    "unranked": "",
}
MEANINGS: Final[dict[Standing, str]] = {
    "best": "best score",
    "equivalent": "shown to be equivalent to the best",
    "undecided": "undecided: perhaps as good as the best",
    "untested": "not tested against the best",
    "silent": "cannot be best: left items unanswered, which the measure cannot count",
    "behind": "no mark: shown to be worse than the best",
}
CORRECTIONS: Final = {"holm": "Holm", "bh": "Benjamini and Hochberg"}


def leaderboard_notes(
    summary: Summary, values: Values | None = None, notes: Sequence[str] = ()
) -> Iterator[str]:
    """All of them; with the items' ``values`` also why items are unscored; ``notes`` are those of capabilities."""
    yield from _legend(summary)
    yield from _item_notes(summary)
    yield from _unit_notes(summary)
    yield from _run_notes(summary)
    yield from notes
    yield from _reach_notes(summary)
    yield from silence_notes(summary)
    yield from _coverage_notes(summary, values)


def brief_notes(summary: Summary, measures: int) -> Iterator[str]:
    """Marks and brackets, and what only the report has if the table shows the first few ``measures``."""
    yield from _marks(summary)
    yield from _bleu_notes(summary)
    left = [m.measure for m in summary.measures[measures:]]
    more = (
        f"{', '.join(left)}, "
        if 0 < len(left) <= FEW_MEASURES
        else f"{len(left)} more measures, "
        if left
        else ""
    )
    yield f"the report adds {more}ranks, tests of every pair, every item and all notes"


def _bleu_notes(summary: Summary) -> Iterator[str]:
    yield from which_bleu({r.measure: r.signature for r in summary.results})
    yield from as_sacrebleu_prints(
        (r.measure, r.signature, r.system, *r.estimate[:3]) for r in summary.results
    )


def _legend(summary: Summary) -> Iterator[str]:
    yield from _marks(summary)
    yield from _bleu_notes(summary)
    yield from _absence_notes(summary)
    yield from family_notes(summary)
    if any(m.higher_is_better is None for m in summary.measures):
        yield "no arrow: descriptive only"
    whole = [m.measure for m in summary.measures if not m.per_item]
    if whole:
        verb = "measures" if len(whole) == 1 else "measure"
        yield f"{listing(whole)} {verb} all responses together, so there are no per-item values"


def _marks(summary: Summary) -> Iterator[str]:
    seen = {standing for measure in summary.measures for standing in standings(summary, measure).values()}
    marks = [
        f"{MARKS[standing]} {meaning}".strip() for standing, meaning in MEANINGS.items() if standing in seen
    ]
    if marks:
        yield "; ".join(marks)
    if any(r.estimate.bounds for r in summary.results):
        yield f"brackets hold {summary.level:.0%} intervals"


def _absence_notes(summary: Summary) -> Iterator[str]:
    """Which scores have no interval, and why."""
    systems: dict[tuple[str, str], list[str]] = {}
    for result in summary.results:
        if result.estimate.value is not None and (reason := result.estimate.reason) is not None:
            systems.setdefault((result.measure, reason), []).append(result.system)
    measures: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (measure, reason), names in systems.items():
        measures.setdefault((reason, tuple(names)), []).append(measure)
    for (reason, among), under in measures.items():
        whose = "any system" if len(among) == len(summary.systems) else listing(among)
        yield f"no interval for {whose} under {listing(under)}: {reason}"


def family_notes(summary: Summary) -> Iterator[str]:
    """Which tests were corrected together, and which of them were declared to decide."""
    tests = [c for c in summary.comparisons if c.p_adjusted is not None]
    alpha = f"p < {1 - summary.level:.2g}"
    own = [c for c in tests if c.role == "confirmatory"]
    rest = [c for c in tests if c.role != "confirmatory"]
    if own:
        yield (
            f"{summary.primary} is the primary measure: its {_family(own)} {_are(own)} confirmatory, significant where "
            f"{alpha}" + (f"; {_family(rest)} of the other measures {_are(rest)} exploratory" if rest else "")
        )
    elif rest:
        yield f"differences are significant where {alpha} over {_family(rest)}"
    if any(c.correction and c.difference.low is not None for c in tests):
        yield (
            "intervals are not corrected for the number of tests: a difference may be undecided although its interval "
            "excludes 0"
        )
    stated = [f"{measure} {margin:g}" for measure, margin in summary.margins.items()]
    if stated:
        yield f"equivalent means a difference shown to be smaller than the margin of the study: {listing(stated)}"


def _family(tests: Sequence[Comparison]) -> str:
    """``12 tests (6 pairs × 2 measures, Holm)``."""
    if len(tests) == 1:
        return "one test"
    pairs, measures = len({(c.a, c.b) for c in tests}), len({c.measure for c in tests})
    product = (
        f"{count(pairs, 'pair')} × {count(measures, 'measure')}, " if pairs * measures == len(tests) else ""
    )
    return f"{count(len(tests), 'test')} ({product}{CORRECTIONS[tests[0].correction or 'holm']})"


def _are(tests: Sequence[Comparison]) -> str:
    return "is" if len(tests) == 1 else "are"


def _item_notes(summary: Summary) -> Iterator[str]:
    """Which items the scores are on, where systems lack values."""
    apart = [m.measure for m in summary.measures if not same_items(summary, m.measure)]
    if apart:
        yield (
            f"each system is scored on its own items, which differ under {listing(apart)}: these scores are not "
            "comparable and rank nobody"
        )
    if summary.missing == "own":
        return
    for (n, total), measures in _ranked_on(summary).items():
        under = "" if len(measures) == len(summary.measures) else f" under {listing(measures)}"
        if summary.missing == "worst":
            yield f"a missing value counts as the worst possible one{under}"
        elif not n:
            yield f"no item has a value from every system{under}, so nobody is ranked; compare fewer systems"
        else:
            few = "only " if n < max(total / 2, FEW_ITEMS) else ""
            yield f"scores are on items with a value from every system: {few}{n:,} of {total:,}{under}"


def _unit_notes(summary: Summary) -> Iterator[str]:
    """Say what was resampled, and what that costs."""
    if summary.cluster == "none":
        yield "items are treated as independent of each other, as the study says (cluster: none)"
    if summary.cluster == "dialogue":
        units = [r.units for r in summary.results if r.units]
        effects = [r.design_effect for r in summary.results if r.design_effect is not None]
        spread = f"{min(effects):.1f} to {max(effects):.1f}" if effects else "unknown"
        dialogues = count(max(units), "dialogue") if units else "dialogues"
        yield f"items of a dialogue are resampled together: {dialogues}, design effects {spread}"


def _run_notes(summary: Summary) -> Iterator[str]:
    """Which scores are means over several runs, and what that makes of intervals and tests."""
    several = [f"{system.name} {count(system.runs, 'run')}" for system in summary.systems if system.runs > 1]
    if several:
        alone = [system.name for system in summary.systems if system.runs == 1]
        rest = f"; of {listing(alone)} for this one" if alone else ""
        yield f"scores are means over runs ({listing(several)}), and hold for other runs of these systems{rest}"


def _ranked_on(summary: Summary) -> dict[tuple[int, int], list[str]]:
    """Measures under which some system is not scored on its own items, by how many items count, and out of how many."""
    groups: dict[tuple[int, int], list[str]] = {}
    for measure in summary.measures:
        results = [r for r in summary.results if r.measure == measure.measure and r.own.n]
        if any(r.estimate.n != r.own.n for r in results):
            groups.setdefault((results[0].estimate.n, max(r.asked for r in results)), []).append(
                measure.measure
            )
    return groups


def _reach_notes(summary: Summary) -> Iterator[str]:
    """Under which measures there are too few items for any difference to be significant."""
    per_item = sum(measure.per_item for measure in summary.measures)
    unit = "dialogue" if summary.cluster == "dialogue" else "item"
    for few in out_of_reach(summary):
        under = "" if len(few.measures) == per_item else f" under {listing(few.measures)}"
        after = f" after Holm's correction for {few.tests} tests" if few.tests > 1 else ""
        yield (
            f"{count(few.units, unit)} cannot make a difference significant{under}: "
            f"p is at least {p_value(few.least_p)}{after}; {count(few.needed, unit)} could"
        )


def silence_notes(summary: Summary) -> Iterator[str]:
    """Say how many items each system left unanswered, and what these count as."""
    groups: dict[tuple[str, int, int], dict[bool, list[str]]] = {}
    for r in summary.results:
        if r.unanswered:
            rules = groups.setdefault((r.system, r.unanswered, r.asked), {})
            rules.setdefault(r.filled > 0, []).append(r.measure)
    for (system, unanswered, total), rules in groups.items():
        told = (
            ["counted as the worst value"] if True in rules and summary.missing in ("auto", "worst") else []
        )
        told += [_left_out(summary, system, rules[False])] if False in rules else []
        yield f"{system}: {unanswered:,} of {count(total, 'item')} unanswered" + (
            f": {', but '.join(told)}" if told else ""
        )


def _left_out(summary: Summary, system: str, measures: Sequence[str]) -> str:
    """Under which measures unanswered items have no value, and whether these rank the system nonetheless."""
    unmarked = [measure for measure in measures if summary.is_silent(system, measure)]
    whose = "that measure" if len(measures) == 1 else listing(unmarked)
    return f"left out under {listing(measures)}" + (f", so it cannot be best on {whose}" if unmarked else "")


def _coverage_notes(summary: Summary, values: Values | None) -> list[str]:
    why = _reasons(values) if values else {}
    groups: dict[tuple[str, int, int, str], list[str]] = {}
    for r in summary.results:
        if r.unscored:
            # A corpus measure has no items that could tell; they lack the same as under others.
            alike = [
                o
                for o in summary.results
                if (o.system, o.unscored, o.own.n) == (r.system, r.unscored, r.own.n)
            ]
            reason = next((found for o in (r, *alike) if (found := why.get((o.measure, o.system)))), "")
            groups.setdefault((r.system, r.unscored, r.asked, reason), []).append(r.measure)
    notes = [
        f"{system}: {unscored:,} of {count(total, 'item')} unscored under {listing(measures)}{reason}"
        for (system, unscored, total, reason), measures in list(groups.items())[:MOST_NOTES]
    ]
    left = len(groups) - len(notes)
    lowest = ["coverage is the lowest over the measures"] if groups and len(summary.measures) > 1 else []
    return lowest + notes + ([f"and {count(left, 'more such line')}"] if left else [])


def _reasons(values: Values) -> dict[tuple[str, str], str]:
    """Why items of a system are unscored under a measure, the most frequent reason standing for the rest."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for group in values.unscored():
        reasons.setdefault((group.measure, group.system), []).append(group.reason)
    return {
        place: f": {one_line(first, limit=MOST_CHARACTERS)}"
        + (f", and {count(len(rest), 'other reason')}" if rest else "")
        for place, (first, *rest) in reasons.items()
    }
