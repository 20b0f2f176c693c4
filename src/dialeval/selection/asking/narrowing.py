"""Other questions of the same candidates: against some errors only, or with one correct candidate each."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from dialeval.data.types import Question


def against(questions: Iterable[Question], errors: Collection[str]) -> list[Question]:
    """Each question with its correct candidates and those false ones that have one of these errors.

    Questions without such a candidate are left out.
    """
    kept = [
        replace(q, candidates=tuple(one for one in q.candidates if one.correct or one.error in errors))
        for q in questions
    ]
    return [question for question in kept if not all(one.correct for one in question.candidates)]


def one_truth_each(questions: Iterable[Question]) -> list[Question]:
    """A question for each correct candidate, against all false ones of its question.

    Where there are several, their ids are the question's with ``/1`` onwards behind it, so that clustering by dialogue
    resamples them together.
    """
    found = []
    for question in questions:
        right = [one for one in question.candidates if one.correct]
        for number, truth in enumerate(right, start=1):
            candidates = tuple(one for one in question.candidates if one is truth or not one.correct)
            item = question.item if len(right) == 1 else f"{question.item}/{number}"
            found.append(replace(question, item=item, candidates=candidates))
    return found
