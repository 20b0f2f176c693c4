"""Raters' answers as judgements of candidates; an answer that cannot be used has a code and a text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.annotation.forms import ACCEPTABILITY, Form
from dialeval.annotation.items import Source, Utterance
from dialeval.data.codec import jsonl
from dialeval.data.codec.bad import Where, refuse
from dialeval.data.codec.sources import native_format
from dialeval.data.codec.tables import CellRow, read_cells
from dialeval.data.reader import read
from dialeval.data.types import Context, Judgement
from dialeval.display.table import from_spreadsheet_cell
from dialeval.errors import BadInput, Unsuitable


class SheetAnswer(NamedTuple):
    """One rater's answer to a task as it was written, and what the rater saw as far as the file still has it."""

    where: Where
    task: str
    rater: str
    written: str
    rejected: bool
    candidate: str | None
    turns: Mapping[int, str]
    """By their number, from 1."""
    ask: str | None
    criterion: str | None

    def other_text(self, candidate: str, context: Context | None) -> str | None:
        """The first line that differs from what was exported, candidate before context; None if none does.

        Task ids are the same in every export, texts are not.
        """
        if self.candidate is not None and not _alike(self.candidate, candidate):
            return self.candidate
        texts = [turn.text for turn in context or ()]
        for number, shown in self.turns.items() if context is not None else ():
            exported = texts[number - 1] if 1 <= number <= len(texts) else ""
            if not _alike(shown, exported):
                return shown
        return None

    def other_form(self, form: Form) -> str | None:
        """Question that was asked if it is not that of the form, else None."""
        if self.criterion and self.criterion != form.criterion:
            return self.criterion
        return self.ask if self.ask and not _alike(self.ask, form.ask) else None


_TASK: Final = ("task", "Input.task")
_RATER: Final = ("rater", "WorkerId", "worker_id")
_SCORE: Final = ("score", "Answer.score", "value")
"""Our columns, and what crowd platforms make of them in the tables that they give back."""

_SHOWN: Final = ("candidate", "ask", "scale", "criterion", "rater", "score")
_TURN: Final = re.compile(r"(?:Input\.)?turn_(\d{1,9})")
_SPEAKER: Final = re.compile(r"(?<!\s)\s*[A-Z]:")


def filled_rows(path: Path) -> list[CellRow] | None:
    """The rows of a file of filled-in tasks; None of a file of judgements, or of neither."""
    if path.is_dir():
        raise BadInput(str(path), "a folder", "a file of answers", "Give each file in it by itself.")
    format_of = native_format(path)
    if format_of in ("csv", "tsv", "xlsx"):
        rows = list(read_cells(path, refuse))
        if not rows:
            raise BadInput(str(path), "no row", "answers, one a row", "Fill in the column 'score'.")
        return None if {"item", "rater", "value"} <= rows[0].cells.keys() else rows
    if format_of != "jsonl" or not path.is_file():  # what comes through a pipe can be read but once
        return None
    result: list[CellRow] = []
    for row in jsonl.read_rows(path, refuse):
        if not isinstance(row.fields, dict) or "task" not in row.fields:
            return None
        result.append(CellRow(row.where, row.number, _cells(row.fields), row.raw))
    return result or None


def filled_in(path: Path, rows: Sequence[CellRow]) -> Iterator[SheetAnswer]:
    """Every answer of these rows: in ``score``, or if that is missing or all blank, in a column for each rater."""
    columns = list(dict.fromkeys(column for row in rows for column in row.cells))
    task = _one_of(columns, _TASK)
    if task is None:
        expected = "a column 'task', as in the tasks that were exported"
        todo = "Fill in a copy of tasks.csv, or give a file of judgements ('dialeval docs files')."
        raise BadInput(str(path), f"the columns {', '.join(columns)}", expected, todo, 1)
    score, rater = _one_of(columns, _SCORE), _one_of(columns, _RATER)
    raters = _raters(columns, task)
    # The exported 'score' may stand there blank beside columns that raters added; a platform's is its own.
    if score == "score" and raters and not any(row.cells.get(score, "").strip() for row in rows):
        score = None
    if score is None and not raters:
        expected = "a column 'score', or one for each rater"
        raise BadInput(str(path), f"the columns {', '.join(columns)}", expected, "Fill in the scores.", 1)
    for row in rows:
        own = from_spreadsheet_cell(row.cells.get(task, "").strip())
        rejected = row.cells.get("AssignmentStatus", "").strip().lower() == "rejected"
        if score is not None:
            who = row.cells.get(rater or "", "").strip() or path.name.partition(".")[0]
            given = {who: row.cells.get(score, "")}
        else:
            given = {who: row.cells.get(who, "") for who in raters}
        yield from (
            SheetAnswer(row.where, own, who, written, rejected, *_shown(row.cells))
            for who, written in given.items()
        )


def _raters(columns: Sequence[str], task: str) -> list[str]:
    return [column for column in columns if column not in (*_SHOWN, task) and not _TURN.fullmatch(column)]


def _shown(cells: Mapping[str, str]) -> tuple[str | None, dict[int, str], str | None, str | None]:
    """The candidate, the turns, the question and the criterion of a row."""
    turns = {int(found[1]): text for name, text in cells.items() if (found := _TURN.fullmatch(name))}
    candidate, ask = (cells.get(name, cells.get(f"Input.{name}")) for name in ("candidate", "ask"))
    return candidate, turns, ask and from_spreadsheet_cell(ask), cells.get("criterion")


def _cells(fields: Mapping[str, object]) -> dict[str, str]:
    """A task of JSON Lines as the row of a table; its scale is for raters alone."""
    context = fields.get("context")
    turns = context if isinstance(context, list) else []
    cells = {f"turn_{number}": str(turn) for number, turn in enumerate(turns, start=1)}
    plain = {name: value for name, value in fields.items() if name not in ("context", "scale")}
    return {**cells, **{name: "" if value is None else str(value) for name, value in plain.items()}}


def _one_of(columns: Sequence[str], names: Sequence[str]) -> str | None:
    return next((name for name in names if name in columns), None)


def _alike(found: str, exported: str) -> bool:
    return exported == found or _essence(_SPEAKER.sub("", found, count=1)) == _essence(exported)


def _essence(text: str) -> str:
    """A text's letters and digits: spreadsheets alter whitespace and quotes, and spoil what is not ASCII.

    If none is ASCII, as in Japanese, all count.
    """
    kept = [character for character in text.casefold() if character.isalnum()]
    return "".join(filter(str.isascii, kept)) or "".join(kept)


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
    """Place of the filled-in task; None of judgements."""
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
    key: Mapping[str, Source] | None = None,
    form: Form = ACCEPTABILITY,
    utterances: Iterable[Utterance] = (),
) -> Answers:
    """The judgements of a file: JSON Lines or a table of judgements, or of tasks that raters filled in.

    Filled-in tasks have ``task`` (or a platform's ``Input.task``) and either ``score`` and ``rater``, a row for each
    answer, or one more column for each rater. If ``rater`` is blank, the file's name is the rater's. What they still
    say of the form and the candidate is compared with ``form`` and ``key``, and their turns with ``utterances``.
    """
    rows = filled_rows(path)
    if rows is not None:
        return _from_tasks(path, filled_in(path, rows), key, form, utterances)
    return _from_judgements(read(path, "judgement"), key)


def usable(
    utterances: Iterable[Utterance],
    judgements: Iterable[Judgement],
    *,
    form: Form = ACCEPTABILITY,
    unusable: Iterable[Unusable] = (),
) -> Answers:
    """The judgements that answer the form about one of the responses, in the order of the responses.

    All others join ``unusable``. Of two answers by one rater about one response the first counts.
    """
    places = {(said.item, said.system): place for place, said in enumerate(utterances)}
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


def _from_judgements(judgements: Iterable[Judgement], key: Mapping[str, Source] | None) -> Answers:
    """Judgements of tasks become judgements of the responses they show; others stay as they are."""
    found = []
    for judgement in judgements:
        source = (key or {}).get(judgement.item)
        found.append(
            judgement if source is None else replace(judgement, item=source.item, system=source.system)
        )
    return Answers(tuple(found))


def _from_tasks(
    path: Path,
    answers: Iterable[SheetAnswer],
    key: Mapping[str, Source] | None,
    form: Form,
    utterances: Iterable[Utterance],
) -> Answers:
    if key is None:
        raise Unsuitable(
            f"{path} holds answers to tasks. Give the key.jsonl that was written with the tasks."
        )
    contexts = {said.item: said.context for said in utterances}
    judgements: list[Judgement] = []
    unusable: list[Unusable] = []
    known = 0
    for answer in answers:
        source = key.get(answer.task)
        known += source is not None
        context = None if source is None else contexts.get(source.item)
        refused = why_unusable(answer, source, context, form)
        value = form.value_of(answer.written)
        if refused is not None:
            unusable.append(refused)
        elif source is not None and value is not None:
            judgements.append(
                Judgement(source.item, source.system, answer.rater, form.criterion, float(value))
            )
    _refuse_others(path, unusable, known)
    return Answers(tuple(judgements), tuple(unusable))


def why_unusable(
    answer: SheetAnswer, source: Source | None, context: Context | None, form: Form
) -> Unusable | None:
    """Fault of an answer to the task of this source, or None; the turns are compared if their context is known."""
    fault: Fault
    found = answer.written
    if source is None:
        fault = "unknown task"
    elif (asked := answer.other_form(form)) is not None:
        fault, found = "other criterion", asked
    elif (other := answer.other_text(source.text, context)) is not None:
        fault, found = "another text", other
    elif answer.rejected:
        fault = "rejected"
    elif not answer.written.strip():
        fault, found = "no answer", "an empty cell"
    elif form.value_of(answer.written) is None:
        fault = "not an answer of the form"
    else:
        return None
    return Unusable(fault, answer.task, answer.rater, found, answer.where.path, answer.where.line)


def _refuse_others(path: Path, unusable: Sequence[Unusable], known: int) -> None:
    """Raise Unsuitable if most of a file answers other tasks: those that look alike do so by chance."""
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
        "another text than was exported",
        "Give the key.jsonl and the file of the export that raters filled in.",
    ),
}


def fault_counts(unusable: Iterable[Unusable]) -> dict[str, int]:
    """Number of answers with each fault."""
    return dict(Counter(answer.fault for answer in unusable))


def faults_told(unusable: Iterable[Unusable]) -> list[str]:
    """Faults of answers that could not be used: a sentence for each fault, commonest first, with its first."""
    result: dict[Fault, list[Unusable]] = {}
    for answer in unusable:
        result.setdefault(answer.fault, []).append(answer)
    return [
        f"{len(own):,} {'answer' if len(own) == 1 else 'answers'} not used: {fault} (first: {own[0]})"
        for fault, own in sorted(result.items(), key=lambda entry: -len(entry[1]))
    ]


def blamed(unusable: Sequence[Unusable], form: Form, *, used: int) -> str:
    """Sentence for answers that cannot be used and are why there is no result."""
    could = f"{used:,} answers could be used." if used else "No answer could be used."
    commonest = Counter(answer.fault for answer in unusable).most_common(1)[0][0]
    todo = _TODO[commonest].format(expected=form.expected, criterion=form.criterion)
    return f"{could} {'; '.join(faults_told(unusable))}. {todo}"


_TODO: Final[Mapping[Fault, str]] = {
    "unknown task": "Give the key.jsonl that was written with the tasks.",
    "unknown candidate": "Give the file that was rated.",
    "other criterion": "Give answers under the criterion {criterion!r}.",
    "another text": "Give the key.jsonl and the file of the export that was filled in.",
    "no answer": "Fill in the answers: each is {expected}.",
    "not an answer of the form": "Each answer must be {expected}.",
    "second answer": "Give each rater a different name, in the column 'rater' or, where it is empty, as the file name.",
    "rejected": "Give answers that the platform's AssignmentStatus does not reject.",
}


def check_scale(answers: Answers, form: Form) -> None:
    """Raise Unsuitable if five numbers or more, and one in ten, lie outside the form's scale: it was another one.

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
