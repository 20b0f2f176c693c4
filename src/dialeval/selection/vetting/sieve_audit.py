"""How good a sieve is: what it would do to candidates of which people have said whether they are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from dialeval.data.types import Candidate, Question
from dialeval.errors import Unsuitable
from dialeval.selection.vetting.plausibility import Judge, drops

_ACCEPTABLE: Final = "acceptable"


class Audit(NamedTuple):
    """What a sieve would do to candidates of known worth."""

    acceptable_dropped: float
    """Share of acceptable responses that it rightly drops from among the false ones; the more the better."""
    false_kept: Mapping[str, float]
    """Share of false candidates that it rightly keeps, by their error; the more the better."""
    questions: int


def audit(questions: Sequence[Question], judges: Sequence[Judge]) -> Audit:
    """How the judges fare on questions with several correct candidates, of which the first is taken for the truth.

    The others are what raters would have called acceptable among the false ones. DailyDialog++ is such a set.
    """
    posed = [
        _posed(question) for question in questions if sum(one.correct for one in question.candidates) > 1
    ]
    if not posed:
        raise Unsuitable("An audit needs questions with two correct candidates or more, and there is none.")
    excesses = [judge.excess(posed) for judge in judges]
    dropped: dict[str, list[bool]] = {}
    for at, question in enumerate(posed):
        for place, one in enumerate(question.candidates):
            if not one.correct:
                dropped.setdefault(one.error or "false", []).append(
                    any(drops(own[at][place]) for own in excesses)
                )
    shares = {error: sum(own) / len(own) for error, own in dropped.items()}
    return Audit(shares.pop(_ACCEPTABLE), {error: 1 - share for error, share in shares.items()}, len(posed))


def _posed(question: Question) -> Question:
    truth = next(at for at, one in enumerate(question.candidates) if one.correct)
    posed = (
        one if at == truth or not one.correct else Candidate(one.text, correct=False, error=_ACCEPTABLE)
        for at, one in enumerate(question.candidates)
    )
    return replace(question, candidates=tuple(posed))
