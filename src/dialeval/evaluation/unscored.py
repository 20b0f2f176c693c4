"""Measures that have no value for any system, and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Final

from dialeval.core import ABSENCES, Outcome
from dialeval.display.wording import count, listing

_SHOWN: Final = 3


def no_value(results: Iterable[Outcome]) -> str | None:
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
