"""Sets of questions: checked, narrowed to some errors or one truth each; notes on bad ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from dialeval.data.types import Question
from dialeval.display.notes import Note
from dialeval.display.wording import count
from dialeval.errors import UnknownName, Unsuitable
from dialeval.selection.asking.choices import why_no_question
from dialeval.selection.repository.utterances import same_key


def checked_questions(questions: Sequence[Question]) -> tuple[Question, ...]:
    """The questions, of which there must be one, each with an id of its own."""
    if not questions:
        raise Unsuitable("No questions to ask. Give a file with one or more.")
    twice = [item for item, times in Counter(q.item for q in questions).items() if times > 1]
    if twice:
        raise Unsuitable(
            f"{len(twice)} ids are used several times (first: {twice[0]!r}). Give every question its own id."
        )
    return tuple(questions)


def narrowed(
    questions: Sequence[Question], errors: Collection[str] = (), *, one_truth: bool = False
) -> tuple[Question, ...]:
    """Return the questions that are asked: against some errors only, about each truth on its own."""
    known = {
        candidate.error for question in questions for candidate in question.candidates if candidate.error
    }
    for label in errors:
        if label not in known:
            todo = f"There are {', '.join(sorted(known))}." if known else "No candidate has a label."
            raise UnknownName("error label in these questions", label, known, todo=todo)
    kept = against(questions, errors) if errors else questions
    return checked_questions(one_truth_each(kept) if one_truth else kept)


def refuse_twins(questions: Sequence[Question], file: str) -> None:
    """Fail if each question has a false candidate with the text of a right one: whatever is chosen is wrong."""
    if all(map(has_twins, questions)):
        raise Unsuitable(
            f"{file}: found {count(len(questions), 'question')}, each with a false candidate that has the text of a "
            'right one, so that nothing can be chosen correctly. Check the candidates\' texts, and which are "correct".'
        )


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
    single = []
    for question in questions:
        right = [candidate for candidate in question.candidates if candidate.correct]
        for number, truth in enumerate(right, start=1):
            candidates = tuple(
                candidate for candidate in question.candidates if candidate is truth or not candidate.correct
            )
            item = question.item if len(right) == 1 else f"{question.item}/{number}"
            single.append(replace(question, item=item, candidates=candidates))
    return single


def sharing_a_context(questions: Sequence[Question]) -> int:
    """Return the number of questions that have the context of an earlier one."""
    return len(questions) - len({question.context for question in questions})


def question_notes(questions: Sequence[Question]) -> tuple[Note, ...]:
    """A note for each defect that some of the questions have, with how many do and the first of them."""
    notes = []
    for code, (defect, has) in _DEFECTS.items():
        items = [question.item for question in questions if has(question)]
        if items:
            number = "1 question has" if len(items) == 1 else f"{len(items):,} questions have"
            notes.append(Note(code, f"{number} {defect} (first: {items[0]!r})"))
    return tuple(notes)


def has_twins(question: Question) -> bool:
    """Whether a false candidate has the text of a right one, so that the question has no correct choice."""
    right = {_key(candidate.text) for candidate in question.candidates if candidate.correct}
    return any(_key(candidate.text) in right for candidate in question.candidates if not candidate.correct)


def _blank_candidate(question: Question) -> bool:
    return any(not candidate.text.strip() for candidate in question.candidates)


def _no_context(question: Question) -> bool:
    return not any(turn.text.strip() for turn in question.context)


def _nothing_to_choose(question: Question) -> bool:
    return why_no_question(question) is not None


def _key(text: str) -> str:
    # Of a text of marks alone, same_key leaves nothing, and "..." is not "?!".
    return same_key(text) or text.strip()


_DEFECTS: Final[Mapping[str, tuple[str, Callable[[Question], bool]]]] = {
    "same_text": (
        "a false candidate with the text of a right one, so that the question has no correct choice",
        has_twins,
    ),
    "blank_candidate": ("a blank candidate", _blank_candidate),
    "no_context": ("no context, or a blank one", _no_context),
    "nothing_to_choose": (
        "no false candidate or no right one, so that there is nothing to choose",
        _nothing_to_choose,
    ),
}
