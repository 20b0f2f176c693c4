"""The notes below a leaderboard: what its marks mean, which items its scores are on, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dialeval.display.wording import count, listing, one_line, p_value
from dialeval.study.document import Standing, Summary, Values, out_of_reach, same_items, standings

FEW_ITEMS: Final = 10
"""Fewer items than these say little, however many there are."""
MOST_NOTES: Final = 6
MOST_CHARACTERS: Final = 80
MARKS: Final[dict[Standing, str]] = {"best": "★", "level": "≈", "untested": "?", "behind": "", "unranked": ""}
MEANINGS: Final[dict[Standing, str]] = {
    "best": "best score",
    "level": "not significantly different from the best",
    "untested": "not tested against the best",
}


def leaderboard_notes(
    summary: Summary, values: Values | None = None, notes: Sequence[str] = ()
) -> Iterator[str]:
    """All of them; with the items' ``values`` also why items are unscored; ``notes`` are those of capabilities."""
    yield from _legend(summary)
    yield from _item_notes(summary)
    yield from notes
    yield from _reach_notes(summary)
    yield from _coverage_notes(summary, values)


def _legend(summary: Summary) -> Iterator[str]:
    seen = {standing for measure in summary.measures for standing in standings(summary, measure).values()}
    marks = [f"{MARKS[standing]} {meaning}" for standing, meaning in MEANINGS.items() if standing in seen]
    if marks:
        yield "; ".join(marks)
    if any(r.low is not None for r in summary.results):
        yield (
            f"brackets hold {summary.level:.0%} {_kinds_of_interval(summary)}; "
            f"differences count as significant when Holm's p < {1 - summary.level:.2g}"
        )
    if any(m.higher_is_better is None for m in summary.measures):
        yield "a measure without an arrow describes: neither direction is better"
    whole = [m.measure for m in summary.measures if not m.per_item]
    if whole:
        verb = "measures" if len(whole) == 1 else "measure"
        yield f"{listing(whole)} {verb} all responses together, so there are no per-item values"


def _item_notes(summary: Summary) -> Iterator[str]:
    """Which items the scores are on, where systems lack values."""
    if summary.missing == "own":
        apart = [m.measure for m in summary.measures if not same_items(summary, m.measure)]
        if apart:
            yield (
                f"each system is scored on its own items, which differ under {listing(apart)}: these scores are not "
                "comparable and rank nobody"
            )
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


def _ranked_on(summary: Summary) -> dict[tuple[int, int], list[str]]:
    """Measures under which some system is not scored on its own items, by how many items count, and out of how many."""
    groups: dict[tuple[int, int], list[str]] = {}
    for measure in summary.measures:
        results = [r for r in summary.results if r.measure == measure.measure and r.own_n]
        if any(r.n != r.own_n for r in results):
            groups.setdefault((results[0].n, max(r.own_n + r.unscored for r in results)), []).append(
                measure.measure
            )
    return groups


def _reach_notes(summary: Summary) -> Iterator[str]:
    """Under which measures there are too few items for any difference to be significant."""
    per_item = sum(measure.per_item for measure in summary.measures)
    for few in out_of_reach(summary):
        under = "" if len(few.measures) == per_item else f" under {listing(few.measures)}"
        after = f" after Holm's correction for {few.pairs} pairs" if few.pairs > 1 else ""
        yield (
            f"{count(few.items, 'item')} cannot make a difference significant{under}: "
            f"p is at least {p_value(few.least_p)}{after}; {count(few.needed, 'item')} could"
        )


def _kinds_of_interval(summary: Summary) -> str:
    whole = [m.measure for m in summary.measures if not m.per_item]
    if len(whole) == len(summary.measures):
        return "jackknife intervals"
    return "bootstrap intervals" + (f", jackknife intervals for {listing(whole)}" if whole else "")


def _coverage_notes(summary: Summary, values: Values | None) -> list[str]:
    why = _reasons(values) if values else {}
    groups: dict[tuple[str, int, int, str], list[str]] = {}
    for r in summary.results:
        if r.unscored:
            key = (r.system, r.unscored, r.own_n + r.unscored, why.get((r.measure, r.system), ""))
            groups.setdefault(key, []).append(r.measure)
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
