"""Sentences that say what a comparison shows, and no more than that."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from dialeval.core import ABSENCES

if TYPE_CHECKING:
    from dialeval.evaluation.compare.comparison import Comparison

CORRECTIONS: Final = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction"}


def sentence_of(c: Comparison) -> str:
    """Who is better and by how much, that both are equivalent, or how large the difference may still be."""
    if c.difference is None:
        return f"Undecided: {c.a} or {c.b} has no defined score."
    up = c.difference >= 0
    high, low = (c.a, c.b) if up else (c.b, c.a)
    gap, evidence = _number(c, abs(c.difference)), _evidence(c, up=up)
    if c.verdict == "equivalent":
        return _equivalent(c, high, gap)
    if c.better is not None:
        return f"{c.better} is better than {c.b if c.better == c.a else c.a} by {gap} ({evidence})."
    if c.significant:
        return f"{high} scores higher than {low} by {gap} ({evidence})."
    if c.difference == 0:
        return f"Undecided: {c.a} and {c.b} score the same on {c.n:,} items ({evidence}){_reach(c)}."
    return f"Undecided: {high} scores {gap} higher than {low} ({evidence}){_reach(c)}."


def prospect_of(c: Comparison) -> str | None:
    """How many more items would show a difference, as a range; None where the comparison is settled."""
    if c.more_items_low == 0 or c.verdict != "undecided":
        return None
    if c.more_items_low is None:
        return "These items do not say how many more would show a difference."
    fewest = about(c.more_items_low)
    if c.more_items_high is None:
        return f"About {fewest} more would show the largest, and perhaps no number would do: it may be 0."
    most = about(c.more_items_high)
    range_ = f"{fewest} to {most}" if fewest != most else fewest
    return f"About {range_} more would show a difference as large as these ends."


def about(number: int) -> str:
    """The number, rounded up to two significant digits."""
    magnitude = 10 ** max(0, len(str(number)) - 2)
    return f"{math.ceil(number / magnitude) * magnitude:,} item{'s' * (number > 1)}"


def _equivalent(c: Comparison, high: str, gap: str) -> str:
    margin = f"{c.margin:g}"
    ahead = f"{high} scores {gap} higher" if c.difference else "both score the same"
    also = ", a difference that is significant and too small to matter" if c.significant else ""
    evidence = _evidence(c, up=(c.difference or 0) >= 0, p=c.p_equivalence)
    return f"{c.a} and {c.b} are equivalent within {margin}: {ahead} ({evidence}){also}."


def _evidence(c: Comparison, *, up: bool, p: float | None = None) -> str:
    """The interval, of the higher score minus the lower one, and the p-value."""
    p = c.p_adjusted if p is None else p
    shown = "p undefined" if p is None else "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    if c.correction:
        shown += f" after {CORRECTIONS[c.correction]} over {c.family} tests"
    if c.low is None or c.high is None:
        return f"no interval: {ABSENCES[c.absence]}; {shown}" if c.absence else shown
    low, high = (c.low, c.high) if up else (-c.high, -c.low)
    confidence = f"{100 * c.basis.confidence:g} % " if c.basis else ""
    return f"{confidence}interval {_number(c, low)} to {_number(c, high)}, {shown}"


def _reach(c: Comparison) -> str:
    if c.largest is None:
        return ""
    return f"; the difference may be as large as {_number(c, c.largest)}"


def _number(c: Comparison, value: float) -> str:
    """The value with as many decimals as give the largest number of the comparison three significant digits."""
    largest = max(abs(number or 0.0) for number in (c.difference, c.low, c.high))
    places = 3 if largest == 0 else min(12, max(0, 2 - math.floor(math.log10(largest))))
    return f"{value:z.{places}f}"
