"""Whether a run had enough items for any of its differences to be significant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dialeval.display.wording import count, listing, p_value
from dialeval.study.document import Summary

MOST_ENUMERATED: Final = 13
"""Up to this many items, tests count all assignments, so that p cannot be less than 2 of them."""


def out_of_reach(summary: Summary) -> Iterator[str]:
    """A note for measures under which no pair of systems could have differed significantly, however it came out."""
    if summary.cluster is not None:
        return  # whole dialogues were swapped, and the summary does not count them
    groups: dict[tuple[int, int], list[str]] = {}
    for measure in summary.measures:
        tests = [c for c in summary.comparisons if c.measure == measure.measure]
        most = max((c.n for c in tests), default=MOST_ENUMERATED + 1)
        if measure.per_item and 0 < most <= MOST_ENUMERATED and least_p(most, len(tests)) >= _alpha(summary):
            groups.setdefault((most, len(tests)), []).append(measure.measure)
    for (items, pairs), measures in groups.items():
        under = (
            ""
            if len(measures) == sum(m.per_item for m in summary.measures)
            else f" under {listing(measures)}"
        )
        after = f" after Holm's correction for {pairs} pairs" if pairs > 1 else ""
        yield (
            f"{count(items, 'item')} cannot make a difference significant{under}: "
            f"p is at least {p_value(least_p(items, pairs))}{after}; {_needed(summary, pairs)} could"
        )


def least_p(items: int, pairs: int) -> float:
    """The smallest p-value that a test over so few items can give, after Holm's correction."""
    return min(1.0, pairs * 2.0 ** (1 - items))


def _needed(summary: Summary, pairs: int) -> str:
    items = next(n for n in range(1, 64) if least_p(n, pairs) < _alpha(summary))
    return count(items, "item")


def _alpha(summary: Summary) -> float:
    return round(1 - summary.level, 12)
