"""Questions that can be asked and yet measure nothing: nobody could answer them, or there is nothing to answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from dialeval.data.types import Question
from dialeval.display.notes import Note
from dialeval.selection.asking.choosing import why_no_question
from dialeval.selection.repository.utterances import same_key


def question_notes(questions: Sequence[Question]) -> tuple[Note, ...]:
    """A note for each defect that some of the questions have, with how many do and the first of them."""
    notes = []
    for code, (defect, has) in _DEFECTS.items():
        items = [question.item for question in questions if has(question)]
        if items:
            number = "1 question has" if len(items) == 1 else f"{len(items):,} questions have"
            notes.append(Note(code, f"{number} {defect} (first: {items[0]!r})"))
    return tuple(notes)


def _same_text(question: Question) -> bool:
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
        "a false candidate with the text of a right one, so that nobody can choose rightly",
        _same_text,
    ),
    "blank_candidate": ("a blank candidate", _blank_candidate),
    "no_context": ("no context, or a blank one", _no_context),
    "nothing_to_choose": (
        "no false candidate or no right one, so that there is nothing to choose",
        _nothing_to_choose,
    ),
}
