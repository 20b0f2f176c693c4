"""What raters answered, from judgements or filled-in tables; answers that cannot be used are named and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dialeval.annotation.filled import Filled, filled_in, filled_rows
from dialeval.annotation.forms import ACCEPTABILITY, Form, candidate_ids
from dialeval.annotation.problems import Fault, Problem, Read
from dialeval.annotation.shown_texts import other_form, other_text
from dialeval.annotation.tasks import KeyEntry
from dialeval.data.reading import read
from dialeval.data.types import Context, Judgement, Question
from dialeval.errors import Unsuitable
from dialeval.selection.vetting.rules import Votes


@dataclass(frozen=True, slots=True)
class Answers:
    """Every usable answer by question, candidate and rater, and the problems with all others."""

    form: Form
    given: Mapping[tuple[str, str], Mapping[str, int]]
    problems: tuple[Problem, ...]

    def votes(self, question: str, candidate: str, *, raters: int | None = None) -> Votes:
        """What was answered about a candidate; ``raters`` were expected, by default as many as the form says."""
        given = tuple(self.given.get((question, candidate), {}).values())
        return Votes(given, max(0, (self.form.raters if raters is None else raters) - len(given)))

    @property
    def faults(self) -> Counter[Fault]:
        """How many answers have each fault."""
        return Counter(problem.fault for problem in self.problems)


def read_answers(
    path: Path,
    *,
    key: Mapping[str, KeyEntry] | None = None,
    form: Form = ACCEPTABILITY,
    questions: Iterable[Question] = (),
) -> Read:
    """The judgements of a file: JSON Lines or a table of judgements, or of tasks that raters filled in.

    Filled-in tasks have ``task`` (or a platform's ``Input.task``) and either ``score`` and ``rater``, a row for each
    answer, or one more column for each rater. Where ``rater`` is blank, the file's name is the rater's. What they still
    say of the form and the candidate is held against ``form`` and ``key``, and their turns against ``questions``.
    """
    rows = filled_rows(path)
    if rows is not None:
        return _from_tasks(path, filled_in(path, rows), key, form, questions)
    return _from_judgements(read(path, "judgement"), key)


def collect(
    questions: Iterable[Question], judgements: Iterable[Judgement], *, form: Form = ACCEPTABILITY
) -> Answers:
    """The judgements that answer the form about a candidate of the questions; all others become problems.

    Of two answers by one rater about one candidate the first counts.
    """
    given: dict[tuple[str, str], dict[str, int]] = {
        (question.item, name): {} for question in questions for name in candidate_ids(question)
    }
    problems: list[Problem] = []
    for one in judgements:
        problem = _problem(one, given, form)
        if problem is None:
            given[one.item, one.system][one.rater] = int(one.value or 0)
        else:
            problems.append(problem)
    return Answers(form, given, tuple(problems))


def _problem(
    one: Judgement, given: Mapping[tuple[str, str], Mapping[str, int]], form: Form
) -> Problem | None:
    fault: Fault
    found = one.reason or ("nothing" if one.value is None else f"{one.value:g}")
    if one.criterion != form.criterion:
        fault, found = "other criterion", one.criterion
    elif (one.item, one.system) not in given:
        fault = "unknown candidate"
    elif one.value is None:
        fault = "no answer"
    elif one.value not in form.values:
        fault = "not an answer of the form"
    elif one.rater in given[one.item, one.system]:
        fault = "second answer"
    else:
        return None
    return Problem(fault, f"{one.item} {one.system}".strip(), one.rater, found)


def _from_judgements(judgements: Iterable[Judgement], key: Mapping[str, KeyEntry] | None) -> Read:
    """Judgements of tasks become judgements of the candidates they show; others stay as they are."""
    found = []
    for one in judgements:
        entry = (key or {}).get(one.item)
        found.append(
            one
            if entry is None
            else Judgement(entry.question, entry.candidate, one.rater, one.criterion, one.value, one.reason)
        )
    return Read(tuple(found), ())


def _from_tasks(
    path: Path,
    answers: Iterable[Filled],
    key: Mapping[str, KeyEntry] | None,
    form: Form,
    questions: Iterable[Question],
) -> Read:
    if key is None:
        raise Unsuitable(
            f"{path} holds answers to tasks. Give the key.jsonl that was written with the tasks."
        )
    contexts = {question.item: question.context for question in questions}
    judgements: list[Judgement] = []
    problems: list[Problem] = []
    known = 0
    for answer in answers:
        entry = key.get(answer.task)
        known += entry is not None
        value = form.value_of(answer.written)
        problem = _problem_of(answer, entry, value, form, contexts)
        if problem is not None:
            problems.append(problem)
        elif entry is not None and value is not None:
            judgements.append(
                Judgement(entry.question, entry.candidate, answer.rater, form.criterion, float(value))
            )
    _refuse_others(path, problems, known)
    return Read(tuple(judgements), tuple(problems))


def _problem_of(
    answer: Filled, entry: KeyEntry | None, value: int | None, form: Form, contexts: Mapping[str, Context]
) -> Problem | None:
    fault: Fault
    found = answer.written
    if entry is None:
        fault = "unknown task"
    elif (asked := other_form(answer.shown, form)) is not None:
        fault, found = "other criterion", asked.found
    elif (other := other_text(answer.shown, entry.text, contexts.get(entry.question))) is not None:
        fault, found = "another text", other.found
    elif answer.rejected:
        fault = "rejected"
    elif not answer.written.strip():
        fault, found = "no answer", "a blank cell"
    elif value is None:
        fault = "not an answer of the form"
    else:
        return None
    return Problem(fault, answer.task, answer.rater, found, answer.where.path, answer.where.line)


def _refuse_others(path: Path, problems: Sequence[Problem], known: int) -> None:
    """Raise Unsuitable where most of a file answers other tasks: those that look alike do so by chance."""
    for fault, (what, todo) in _OTHERS.items():
        strange = [one for one in problems if one.fault == fault]
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
        "Where you have worded the question anew, leave out the column 'ask'.",
    ),
    "another text": (
        "another text than the key and the questions have",
        "Give the key.jsonl and the questions of the export that raters filled in.",
    ),
}
