"""What is wrong with raters' answers that cannot be used, in words that name the first of each kind."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.annotation.forms import Form
from dialeval.data.types import Judgement
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


class Problem(NamedTuple):
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


class Read(NamedTuple):
    """The judgements of a file, and what in it is none."""

    judgements: tuple[Judgement, ...]
    problems: tuple[Problem, ...]


def faults_told(problems: Iterable[Problem]) -> list[str]:
    """What is wrong with answers that could not be used: a sentence for each fault, commonest first, with its first."""
    found: dict[Fault, list[Problem]] = {}
    for one in problems:
        found.setdefault(one.fault, []).append(one)
    return [
        f"{len(own):,} {'answer' if len(own) == 1 else 'answers'} not used: {fault} (first: {own[0]})"
        for fault, own in sorted(found.items(), key=lambda entry: -len(entry[1]))
    ]


def blamed(problems: Sequence[Problem], form: Form, *, used: int) -> str:
    """What to say where answers that cannot be used are why there is no result."""
    could = f"{used:,} answers could be used." if used else "No answer could be used."
    commonest = Counter(one.fault for one in problems).most_common(1)[0][0]
    todo = _TODO[commonest].format(needed=form.needed, criterion=form.criterion)
    return f"{could} {'; '.join(faults_told(problems))}. {todo}"


_TODO: Final[Mapping[Fault, str]] = {
    "unknown task": "Give the key.jsonl that was written with the tasks.",
    "unknown candidate": "Give the questions that were rated.",
    "other criterion": "Give answers under the criterion {criterion!r}.",
    "another text": "Give the key.jsonl and the questions of the export that was filled in.",
    "no answer": "Fill in the answers: each is {needed}.",
    "not an answer of the form": "Each answer must be {needed}.",
    "second answer": "Give each rater a name of their own, in the column 'rater' or, where it is blank, as the file's.",
    "rejected": "Give answers that the platform's AssignmentStatus does not reject.",
}


def check_scale(read: Read, form: Form) -> None:
    """Raise Unsuitable where five numbers or more, and one in ten, lie outside the form's scale: it was another one.

    Of a scale that begins higher, as 1 to 6, often only ground truths get the highest value, so that one in fifty
    will do where the form's lowest was never given.
    """
    low, high = min(form.values), max(form.values)
    given = [(one.value, "") for one in read.judgements if one.criterion == form.criterion]
    given += [
        (_number(one.found), f" (first: {one})") for one in read.problems if one.fault == _NO_ANSWER_OF_IT
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
