"""Sentences that say what a comparison shows, and no more than that, and the names of systems in them."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from dialeval.core import ABSENCES, Result
from dialeval.display.wording import about
from dialeval.errors import Unsuitable

if TYPE_CHECKING:
    from dialeval.evaluation.compare.comparison import Comparison


CORRECTIONS: Final = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction"}


def sentence_of(c: Comparison) -> str:
    """Say who is better and by how much, that both are equivalent, or how large the difference may still be."""
    text = _sentence(c)
    return text[:1].upper() + text[1:] if begins_by_place(text) else text


def _sentence(c: Comparison) -> str:
    difference = c.difference.value
    if difference is None:
        return f"Undecided: {c.a} or {c.b} has no defined score."
    up = difference >= 0
    high, low = (c.a, c.b) if up else (c.b, c.a)
    gap, evidence = _number(c, abs(difference)), _evidence(c, up=up)
    if c.verdict == "equivalent":
        return _equivalent(c, high, gap)
    if c.better is not None:
        return f"{c.better} is better than {c.b if c.better == c.a else c.a} by {gap} ({evidence})."
    if c.significant:
        return f"{high} scores higher than {low} by {gap} ({evidence}){_silent(c, high, low)}."
    if difference == 0:
        return f"Undecided: {c.a} and {c.b} score the same on {c.n:,} items ({evidence}){_reach(c)}."
    return f"Undecided: {high} scores {gap} higher than {low} ({evidence}){_reach(c)}{_apart(c)}."


def _silent(c: Comparison, high: str, low: str) -> str:
    """Why a significant difference makes no system better, if the measure has a better direction."""
    if c.basis is None or c.basis.higher_is_better is None:
        return ""
    return f", but {high if c.basis.higher_is_better else low} left items unanswered, which the measure cannot count"


def prospect_of(c: Comparison) -> str | None:
    """Say how many more items would show a difference, as a range; None if the comparison is settled."""
    if c.verdict != "undecided" or c.difference.value is None:
        return None
    if c.more_items_low is None:
        return "These items do not show how many more would settle it."
    few = c.more_items_low == 1  # as many as there are would often be enough
    fewest = "A few more items" if few else f"As few as {about(c.more_items_low)} more items"
    if c.more_items_high is None:
        return f"{fewest} might show a difference; perhaps no number would, because it may be 0."
    if about(c.more_items_high) == about(c.more_items_low):
        return f"{'A few' if few else f'About {about(c.more_items_low)}'} more items would show a difference."
    return f"{fewest} might show a difference, or as many as {about(c.more_items_high)}."


def _equivalent(c: Comparison, high: str, gap: str) -> str:
    if c.identical:
        return f"{c.a} and {c.b} are equivalent: identical on {_all(c.n)}."
    margin = f"{c.margin:g}"
    ahead = f"{high} scores {gap} higher" if c.difference.value else "both score the same"
    also = ", a difference that is significant and too small to matter" if c.significant else ""
    evidence = _evidence(c, up=(c.difference.value or 0) >= 0, p=c.p_equivalence)
    return f"{c.a} and {c.b} are equivalent within {margin}: {ahead} ({evidence}){also}."


def _all(n: int) -> str:
    return "the only item" if n == 1 else f"all {n:,} items"


def _evidence(c: Comparison, *, up: bool, p: float | None = None) -> str:
    """The interval, of the higher score minus the lower one, and the p-value."""
    p = c.p_adjusted if p is None else p
    shown = "p undefined" if p is None else "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    if c.basis and c.basis.p_looks is not None:
        shown += " of both looks"
    if c.correction:
        shown += f" after {CORRECTIONS[c.correction]} over {c.family} tests"
    bounds = (c.difference if up else -c.difference).bounds
    if bounds is None:
        return f"no interval: {ABSENCES[c.absence]}; {shown}" if c.absence else shown
    low, high = bounds
    confidence = f"{100 * c.basis.confidence:g} % " if c.basis else ""
    return f"{confidence}interval {_number(c, low)} to {_number(c, high)}, {shown}"


def _reach(c: Comparison) -> str:
    if c.largest is None:
        return ""
    return f"; the difference may be as large as {_number(c, c.largest)}"


def _apart(c: Comparison) -> str:
    """Why there is no verdict though the interval excludes 0; nothing if it does not."""
    bounds = c.difference.bounds
    if bounds is None or bounds[0] <= 0 <= bounds[1]:
        return ""
    if c.correction:
        return "; its interval excludes 0, but is not corrected for the other tests, as p is"
    return "; the test decides, and is less sure than the interval, which excludes 0"


def _number(c: Comparison, value: float) -> str:
    """The value with as many decimals as give the largest number of the comparison three significant digits."""
    largest = max(abs(number or 0.0) for number in c.difference[:3])
    places = 3 if largest == 0 else min(12, max(0, 2 - math.floor(math.log10(largest))))
    return f"{value:z.{places}f}"


_ORDINALS: Final = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)


def with_names(results: Sequence[Result], names: Sequence[str] | None = None) -> list[Result]:
    """The results, each of a system with a name of its own.

    Without ``names``, a system that has none is called by its place, as in "the second"; systems of the same name get
    their place before it.
    """
    if names is None:
        own = [_own_name(result) for result in results]
        shared = {name for name, times in Counter(own).items() if times > 1}
        return [
            result
            if name is None or (name and name not in shared)
            else renamed(result, _by_place(number, name))
            for number, (result, name) in enumerate(zip(results, own, strict=True), start=1)
        ]
    given = [names] if isinstance(names, str) else list(names)
    if len(given) != len(results) or len(set(given)) < len(given) or not all(name.strip() for name in given):
        raise Unsuitable(
            f"Found {given!r} as the names of {len(results)} systems, expected a different one for each, as in "
            "names=('new', 'old')."
        )
    return [renamed(result, name) for result, name in zip(results, given, strict=True)]


def renamed(result: Result, name: str) -> Result:
    """The result under another name of its system; one that is not about a single system as it is."""
    if _own_name(result) is None:
        return result  # refused later, with what is wrong
    return dataclasses.replace(result, systems=(name,) * len(result))


def begins_by_place(name: str) -> bool:
    """Whether the name begins as those by place do, which take a capital letter at the beginning of a sentence."""
    return name.startswith(tuple(f"the {ordinal}" for ordinal in _ORDINALS))


def _by_place(number: int, name: str) -> str:
    place = f"the {_ORDINALS[number - 1]}" if number <= len(_ORDINALS) else f"number {number}"
    return f"{place} {name}".rstrip()


def _own_name(result: Result) -> str | None:
    """The name of the one system that a result is about; None if that is not what it is about."""
    names = set(result.systems) if isinstance(result, Result) else set()
    return names.pop() if len(names) == 1 else None
