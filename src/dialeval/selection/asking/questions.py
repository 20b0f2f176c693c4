"""Sets of questions: checked, narrowed to some errors or one truth each, and clustered by context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from dialeval.core import by_dialogue
from dialeval.data.types import Question
from dialeval.errors import Unsuitable


def checked_questions(questions: Sequence[Question]) -> tuple[Question, ...]:
    """The questions, of which there must be one, each with an id of its own."""
    if not questions:
        raise Unsuitable("No questions to ask. Give a file with one or more.")
    twice = [item for item, times in Counter(q.item for q in questions).items() if times > 1]
    if twice:
        raise Unsuitable(
            f"{len(twice)} id(s) are used by several questions (first: {twice[0]!r}). Give every question its own id."
        )
    return tuple(questions)


def against(questions: Iterable[Question], errors: Collection[str]) -> list[Question]:
    """Each question with its correct candidates and those false ones that have one of these errors.

    Questions without such a candidate are left out.
    """
    kept = [
        replace(
            q,
            candidates=tuple(
                candidate for candidate in q.candidates if candidate.correct or candidate.error in errors
            ),
        )
        for q in questions
    ]
    return [question for question in kept if not all(candidate.correct for candidate in question.candidates)]


def one_truth_each(questions: Iterable[Question]) -> list[Question]:
    """A question for each correct candidate, against all false ones of its question.

    Where there are several, their ids are the question's with ``/1`` onwards behind it, so that clustering by dialogue
    resamples them together.
    """
    found = []
    for question in questions:
        right = [candidate for candidate in question.candidates if candidate.correct]
        for number, truth in enumerate(right, start=1):
            candidates = tuple(
                candidate for candidate in question.candidates if candidate is truth or not candidate.correct
            )
            item = question.item if len(right) == 1 else f"{question.item}/{number}"
            found.append(replace(question, item=item, candidates=candidates))
    return found


def sharing_a_context(questions: Sequence[Question]) -> int:
    """How many of the questions have a context that an earlier one has."""
    return len(questions) - len({question.context for question in questions})


def by_context(questions: Sequence[Question]) -> Callable[[str], str]:
    """From a question's id to its cluster: questions of one context, or whose ids agree up to the last slash.

    Both together, for ids may hide what contexts show: ``d1/2/false_1`` and ``d1/false_3`` ask about dialogue d1.
    """
    cluster: dict[object, str] = {}

    def root(name: str) -> str:
        while (above := cluster.get(name, name)) != name:
            name = above
        return name

    for question in questions:
        dialogue = root(by_dialogue(question.item))
        # A context is not a text, so that it is never taken for a dialogue's name.
        cluster[dialogue] = cluster[question.context] = root(cluster.get(question.context, dialogue))
    return lambda item: root(by_dialogue(item))
