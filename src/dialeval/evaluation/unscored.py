"""Items and measures that have no value, and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from dialeval.core import ABSENCES, Result
from dialeval.display.wording import count, listing
from dialeval.evaluation.silence import counts_as_empty

_SHOWN: Final = 3
_WORST, _EMPTY, _OUT = _RULES = ("counted as the worst value", "counted as empty responses", "left out")
"""What becomes of unanswered items, as people read it."""


def no_value(results: Iterable[Result]) -> str | None:
    """Why a measure has no score for any system, the most frequent reasons first; None where it has one."""
    results = list(results)
    if not results or any(not math.isnan(result.score) for result in results):
        return None
    reasons = Counter(reason for result in results for reason in result.reasons.values())
    if any(result.scored for result in results) or not reasons:
        return f"no system has a score: {ABSENCES['undefined']}"
    told = [f"{reason} ({count(times, 'time')})" for reason, times in reasons.most_common(_SHOWN)]
    rest = sum(times for _, times in reasons.most_common()[_SHOWN:])
    others = [f"others ({count(rest, 'time')})"] if rest else []
    return f"no item of any system has a value: {listing(told + others)}"


class Unanswered(NamedTuple):
    """How many items a system left unanswered, and of how many; under the measure that counts most of them."""

    source: str
    system: str
    unanswered: int
    items: int


def unanswered_of(source: str, results: Iterable[tuple[str, Result]]) -> list[Unanswered]:
    """The systems that left items unanswered, from results with the names of their systems."""
    most: dict[str, Unanswered] = {}
    for system, result in results:
        known = most.get(system)
        if result.unanswered > (known.unanswered if known else 0):
            most[system] = Unanswered(source, system, result.unanswered, len(result))
    return list(most.values())


def silence_notes(results: Iterable[tuple[tuple[str, str], Result]]) -> Iterator[str]:
    """How many items each system left unanswered, and under which measures they count; by measure and system."""
    groups: dict[tuple[str, int, int], dict[str, list[str]]] = {}
    for (measure, system), result in results:
        if result.unanswered:
            rules = groups.setdefault((system, result.unanswered, len(result)), {})
            counted = _EMPTY if counts_as_empty(result.metric) else _WORST
            rules.setdefault(counted if result.filled else _OUT, []).append(measure)
    for (system, unanswered, items), rules in groups.items():
        told = [f"{rule} under {listing(rules[rule])}" for rule in sorted(rules, key=_RULES.index)]
        yield f"{system} left {unanswered:,} of {count(items, 'item')} unanswered: {', but '.join(told)}"


def unscored_note(result: Result) -> str | None:
    """How many items have no value, by reason, each with its first item; None where all have one."""
    places: dict[str, list[int]] = {}
    for index, reason in result.reasons.items():
        places.setdefault(reason, []).append(index)
    if not places:
        return None
    share = f"{len(result.reasons)} of {len(result)} unscored"
    ranked = sorted(places.items(), key=lambda pair: -len(pair[1]))
    if len(ranked) == 1:
        ((reason, found),) = ranked
        return f"{share}, first {result.items[found[0]]!r}: {reason}"
    told = [f"{reason} ({len(found)}, first {result.items[found[0]]!r})" for reason, found in ranked[:_SHOWN]]
    rest = sum(len(found) for _, found in ranked[_SHOWN:])
    return f"{share}: {'; '.join([*told, f'others ({rest})'] if rest else told)}"
