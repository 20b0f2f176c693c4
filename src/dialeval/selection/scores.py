"""What raters answered, from judgements or filled-in tables; answers that cannot be used are named and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.data.bad import refuse
from dialeval.data.reading import read
from dialeval.data.suffixes import native_format
from dialeval.data.tables import CellRow, Delimiter, read_cells
from dialeval.data.types import Judgement, Question
from dialeval.errors import BadInput, Unsuitable
from dialeval.selection.forms import ACCEPTABILITY, Form, candidate_ids
from dialeval.selection.rules import Votes
from dialeval.selection.tasks import KeyEntry

Fault: TypeAlias = Literal[
    "unknown task",
    "unknown candidate",
    "other criterion",
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


class Read(NamedTuple):
    """The judgements of a file, and what in it is none."""

    judgements: tuple[Judgement, ...]
    problems: tuple[Problem, ...]


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


_TASK: Final = ("task", "Input.task")
_RATER: Final = ("rater", "WorkerId", "worker_id")
_SCORE: Final = ("score", "Answer.score", "value")
"""Our columns, and what crowd platforms make of them in the tables that they give back."""


def read_answers(
    path: Path, *, key: Mapping[str, KeyEntry] | None = None, form: Form = ACCEPTABILITY
) -> Read:
    """The judgements of a file: JSON Lines of judgements, or a CSV or TSV that raters filled in.

    A table has the column ``task`` (or a platform's ``Input.task``) and either ``score`` and ``rater``, a row for each
    answer, or one more column for each rater. Where ``rater`` is blank, the file's name is the rater's.
    """
    format_of = native_format(path)
    if format_of in ("csv", "tsv"):
        delimiter: Delimiter = "," if format_of == "csv" else "\t"
        rows = read_cells(path, refuse, delimiter=delimiter)
        first = next(rows, None)
        if first is None:
            raise BadInput(str(path), "no row", "answers, one a row", "Fill in the column 'score'.")
        if not {"item", "rater", "value"} <= first.cells.keys():
            return _from_table(path, [first, *rows], _needed(key, path), form)
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


def _needed(key: Mapping[str, KeyEntry] | None, path: Path) -> Mapping[str, KeyEntry]:
    if key is None:
        raise Unsuitable(
            f"{path} holds answers to tasks. Give the key.jsonl that was written with the tasks."
        )
    return key


class _Answer(NamedTuple):
    task: str
    rater: str
    written: str
    rejected: bool = False


def _from_table(path: Path, rows: Sequence[CellRow], key: Mapping[str, KeyEntry], form: Form) -> Read:
    judgements: list[Judgement] = []
    problems: list[Problem] = []
    for answer in _answers(path, rows):
        entry = key.get(answer.task)
        value = form.value_of(answer.written)
        if entry is None:
            problems.append(Problem("unknown task", answer.task, answer.rater, answer.written))
        elif answer.rejected:
            problems.append(Problem("rejected", answer.task, answer.rater, answer.written))
        elif not answer.written.strip():
            problems.append(Problem("no answer", answer.task, answer.rater, "a blank cell"))
        elif value is None:
            problems.append(Problem("not an answer of the form", answer.task, answer.rater, answer.written))
        else:
            judgements.append(
                Judgement(entry.question, entry.candidate, answer.rater, form.criterion, float(value))
            )
    return Read(tuple(judgements), tuple(problems))


def _answers(path: Path, rows: Sequence[CellRow]) -> Iterator[_Answer]:
    columns = list(rows[0].cells)
    task = _column(path, columns, _TASK, "a column 'task', as in the tasks that were exported")
    score, rater = _one_of(columns, _SCORE), _one_of(columns, _RATER)
    if score is not None:
        for row in rows:
            who = (row.cells[rater].strip() if rater else "") or path.name.partition(".")[0]
            rejected = row.cells.get("AssignmentStatus", "").strip().lower() == "rejected"
            yield _Answer(row.cells[task].strip(), who, row.cells[score], rejected)
        return
    raters = [
        column for column in columns if column not in (*_SHOWN, task) and not column.startswith("turn_")
    ]
    if not raters:
        needed = "a column 'score', or one for each rater"
        raise BadInput(str(path), f"the columns {', '.join(columns)}", needed, "Fill in the scores.", 1)
    for row in rows:
        yield from (_Answer(row.cells[task].strip(), who, row.cells[who]) for who in raters)


_SHOWN: Final = ("candidate", "ask", "scale", "rater")


def _one_of(columns: Sequence[str], names: Sequence[str]) -> str | None:
    return next((name for name in names if name in columns), None)


def _column(path: Path, columns: Sequence[str], names: Sequence[str], needed: str) -> str:
    found = _one_of(columns, names)
    if found is None:
        todo = "Fill in a copy of tasks.csv, or give a file of judgements (docs/files.md)."
        raise BadInput(str(path), f"the columns {', '.join(columns)}", needed, todo, 1)
    return found
