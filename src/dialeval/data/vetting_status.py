"""Whether raters have looked at the candidates of questions, in the words that every report shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from dialeval.data.types import Question

Status: TypeAlias = str | None
"""As questions and choices have it: ``vetted``, ``unvetted``, or nothing said."""


def status_line(questions: Iterable[Question]) -> str:
    """The sentence for these questions."""
    return status_sentence(question.status for question in questions)


def status_sentence(statuses: Iterable[Status]) -> str:
    """The sentence for questions of these statuses."""
    counts = Counter(statuses)
    if set(counts) == {"vetted"}:
        return "vetted: raters have looked at every candidate"
    if set(counts) == {"unvetted"}:
        return "unvetted: nobody has looked at the candidates, so some false ones may be acceptable"
    if set(counts) == {None}:
        return "no word on whether raters have looked at the candidates"
    unknown = f", {counts[None]:,} of which nobody says" if counts[None] else ""
    return f"{counts['vetted']:,} questions vetted by raters, {counts['unvetted']:,} unvetted{unknown}"
