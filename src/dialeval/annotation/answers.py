"""Raters' answers as judgements of candidates; an answer that cannot be used has a code and a text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.annotation.filled import Filled, filled_in, filled_rows
from dialeval.annotation.forms import ACCEPTABILITY, Form, candidate_ids
from dialeval.annotation.key import KeyEntry
from dialeval.data.reading import read
from dialeval.data.types import Context, Judgement, Question
from dialeval.errors import Unsuitable

Fault: TypeAlias = Literal[
    "unknown task",
    "unknown candidate",
    "other criterion",
    "another text",
    "no answer",
    "not an answer of the form",
    "second answer",
    "rejected",
]


class Unusable(NamedTuple):
    """An answer that cannot be used, and why."""

    fault: Fault
    item: str
    """The task, or the question and its candidate."""
    rater: str
    found: str
    file: str | None = None
    """Where a filled-in task has it; None of judgements."""
    line: int | None = None

    def __str__(self) -> str:
        place = self.item if self.file is None else f"{self.file}, line {self.line}, task {self.item}"
        return f"{place}, by {self.rater!r}: {self.found if self.fault == 'no answer' else repr(self.found)}"


@dataclass(frozen=True, slots=True)
class Answers:
    """Raters' answers as judgements (``item`` is the question, ``system`` the candidate), and the unusable ones."""

    judgements: tuple[Judgement, ...]
    unusable: tuple[Unusable, ...] = ()

    def by_candidate(self) -> dict[tuple[str, str], dict[str, int]]:
        """The values by question and candidate, then by rater, of answers that ``usable`` let through."""
        values: dict[tuple[str, str], dict[str, int]] = {}
        for judgement in self.judgements:
            values.setdefault((judgement.item, judgement.system), {})[judgement.rater] = int(
                judgement.value or 0
            )
        return values


def read_answers(
    path: Path,
    *,
    key: Mapping[str, KeyEntry] | None = None,
    form: Form = ACCEPTABILITY,
    questions: Iterable[Question] = (),
) -> Answers:
    """The judgements of a file: JSON Lines or a table of judgements, or of tasks that raters filled in.

    Filled-in tasks have ``task`` (or a platform's ``Input.task``) and either ``score`` and ``rater``, a row for each
    answer, or one more column for each rater. Where ``rater`` is blank, the file's name is the rater's. What they still
    say of the form and the candidate is compared with ``form`` and ``key``, and their turns with ``questions``.
    """
    rows = filled_rows(path)
    if rows is not None:
        return _from_tasks(path, filled_in(path, rows), key, form, questions)
    return _from_judgements(read(path, "judgement"), key)


def usable(
    questions: Iterable[Question],
    judgements: Iterable[Judgement],
    *,
    form: Form = ACCEPTABILITY,
    unusable: Iterable[Unusable] = (),
) -> Answers:
    """The judgements that answer the form about a candidate of the questions, in the order of the candidates.

    All others join ``unusable``. Of two answers by one rater about one candidate the first counts.
    """
    named = [(question.item, name) for question in questions for name in candidate_ids(question)]
    places = {candidate: place for place, candidate in enumerate(named)}
    given: dict[tuple[str, str, str], Judgement] = {}
    refused = list(unusable)
    for judgement in judgements:
        fault = _fault(judgement, places, given, form)
        if fault is None:
            given[judgement.item, judgement.system, judgement.rater] = judgement
        else:
            refused.append(fault)
    ordered = sorted(given.values(), key=lambda judgement: places[judgement.item, judgement.system])
    return Answers(tuple(ordered), tuple(refused))


def _fault(
    one: Judgement,
    known: Container[tuple[str, str]],
    given: Container[tuple[str, str, str]],
    form: Form,
) -> Unusable | None:
    fault: Fault
    found = one.reason or ("nothing" if one.value is None else f"{one.value:g}")
    if one.criterion != form.criterion:
        fault, found = "other criterion", one.criterion
    elif (one.item, one.system) not in known:
        fault = "unknown candidate"
    elif one.value is None:
        fault = "no answer"
    elif one.value not in form.values:
        fault = "not an answer of the form"
    elif (one.item, one.system, one.rater) in given:
        fault = "second answer"
    else:
        return None
    return Unusable(fault, f"{one.item} {one.system}".strip(), one.rater, found)


def _from_judgements(judgements: Iterable[Judgement], key: Mapping[str, KeyEntry] | None) -> Answers:
    """Judgements of tasks become judgements of the candidates they show; others stay as they are."""
    found = []
    for judgement in judgements:
        entry = (key or {}).get(judgement.item)
        found.append(
            judgement
            if entry is None
            else Judgement(
                entry.question,
                entry.candidate,
                judgement.rater,
                judgement.criterion,
                judgement.value,
                judgement.reason,
            )
        )
    return Answers(tuple(found))


def _from_tasks(
    path: Path,
    answers: Iterable[Filled],
    key: Mapping[str, KeyEntry] | None,
    form: Form,
    questions: Iterable[Question],
) -> Answers:
    if key is None:
        raise Unsuitable(
            f"{path} holds answers to tasks. Give the key.jsonl that was written with the tasks."
        )
    contexts = {question.item: question.context for question in questions}
    judgements: list[Judgement] = []
    unusable: list[Unusable] = []
    known = 0
    for answer in answers:
        entry = key.get(answer.task)
        known += entry is not None
        value = form.value_of(answer.written)
        refused = _unusable(answer, entry, value, form, contexts)
        if refused is not None:
            unusable.append(refused)
        elif entry is not None and value is not None:
            judgements.append(
                Judgement(entry.question, entry.candidate, answer.rater, form.criterion, float(value))
            )
    _refuse_others(path, unusable, known)
    return Answers(tuple(judgements), tuple(unusable))


def _unusable(
    answer: Filled, entry: KeyEntry | None, value: int | None, form: Form, contexts: Mapping[str, Context]
) -> Unusable | None:
    fault: Fault
    found = answer.written
    if entry is None:
        fault = "unknown task"
    elif (asked := answer.other_form(form)) is not None:
        fault, found = "other criterion", asked
    elif (other := answer.other_text(entry.text, contexts.get(entry.question))) is not None:
        fault, found = "another text", other
    elif answer.rejected:
        fault = "rejected"
    elif not answer.written.strip():
        fault, found = "no answer", "an empty cell"
    elif value is None:
        fault = "not an answer of the form"
    else:
        return None
    return Unusable(fault, answer.task, answer.rater, found, answer.where.path, answer.where.line)


def _refuse_others(path: Path, unusable: Sequence[Unusable], known: int) -> None:
    """Raise Unsuitable where most of a file answers other tasks: those that look alike do so by chance."""
    for fault, (what, todo) in _OTHERS.items():
        strange = [answer for answer in unusable if answer.fault == fault]
        if 2 * len(strange) > known:
            first = strange[0]
            raise Unsuitable(
                f"{path} answers other tasks: {len(strange):,} of {known:,} answers are about {what} (first: line "
                f"{first.line}, task {first.item}: {first.found!r}). {todo}"
            )


_OTHERS: Final[Mapping[Fault, tuple[str, str]]] = {
    "other criterion": (
        "another question than the form asks",
        "Name the form that was asked ('dialeval select vet' reads acceptability, 'select label --form' the others). "
        "If you have reworded the question, leave out the column 'ask'.",
    ),
    "another text": (
        "another text than the key and the questions have",
        "Give the key.jsonl and the questions of the export that raters filled in.",
    ),
}


def fault_counts(unusable: Iterable[Unusable]) -> dict[str, int]:
    """How many answers have each fault."""
    return dict(Counter(answer.fault for answer in unusable))


def faults_told(unusable: Iterable[Unusable]) -> list[str]:
    """What is wrong with answers that could not be used: a sentence for each fault, commonest first, with its first."""
    result: dict[Fault, list[Unusable]] = {}
    for answer in unusable:
        result.setdefault(answer.fault, []).append(answer)
    return [
        f"{len(own):,} {'answer' if len(own) == 1 else 'answers'} not used: {fault} (first: {own[0]})"
        for fault, own in sorted(result.items(), key=lambda entry: -len(entry[1]))
    ]


def blamed(unusable: Sequence[Unusable], form: Form, *, used: int) -> str:
    """What to say where answers that cannot be used are why there is no result."""
    could = f"{used:,} answers could be used." if used else "No answer could be used."
    commonest = Counter(answer.fault for answer in unusable).most_common(1)[0][0]
    todo = _TODO[commonest].format(expected=form.expected, criterion=form.criterion)
    return f"{could} {'; '.join(faults_told(unusable))}. {todo}"


_TODO: Final[Mapping[Fault, str]] = {
    "unknown task": "Give the key.jsonl that was written with the tasks.",
    "unknown candidate": "Give the questions that were rated.",
    "other criterion": "Give answers under the criterion {criterion!r}.",
    "another text": "Give the key.jsonl and the questions of the export that was filled in.",
    "no answer": "Fill in the answers: each is {expected}.",
    "not an answer of the form": "Each answer must be {expected}.",
    "second answer": "Give each rater a different name, in the column 'rater' or, where it is empty, as the file name.",
    "rejected": "Give answers that the platform's AssignmentStatus does not reject.",
}


def check_scale(answers: Answers, form: Form) -> None:
    """Raise Unsuitable where five numbers or more, and one in ten, lie outside the form's scale: it was another one.

    Of a scale that begins higher, as 1 to 6, often only ground truths get the highest value, so that one in fifty
    will do where the form's lowest was never given.
    """
    low, high = min(form.values), max(form.values)
    given = [
        (judgement.value, "") for judgement in answers.judgements if judgement.criterion == form.criterion
    ]
    given += [
        (_number(answer.found), f" (first: {answer})")
        for answer in answers.unusable
        if answer.fault == _NO_ANSWER_OF_IT
    ]
    numbers = [(number, place) for number, place in given if number is not None]
    outside = [(number, place) for number, place in numbers if not low <= number <= high]
    if len(outside) < _FEW:
        return
    least, most = min(numbers)[0], max(numbers)[0]
    if len(outside) * (10 if least <= low else 50) < len(numbers):
        return
    raise Unsuitable(
        f"The answers run from {least:g} to {most:g}, and the form ({form.criterion}) has {low} to {high}: "
        f"{len(outside):,} of {len(numbers):,} lie outside{outside[0][1]}, so the others may mean something else too. "
        f"Bring them to the form's scale: {form.scale}."
    )


_NO_ANSWER_OF_IT: Final[Fault] = "not an answer of the form"
_FEW: Final = 5


def _number(written: str) -> float | None:
    try:
        number = float(written.strip().replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
