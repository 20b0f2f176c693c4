"""Annotation tasks: every candidate of a draft, blind, for a crowd platform or a spreadsheet.

Raters get ``for_raters/``; ``key.jsonl`` says which candidate each task shows and stays with whoever asks.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.annotation.forms import ACCEPTABILITY, Form, candidate_ids
from dialeval.data.codec.bad import Where
from dialeval.data.codec.fields import optional_text, text as text_of, wrong
from dialeval.data.codec.json_value import loads
from dialeval.data.types import Context, Question
from dialeval.errors import BadInput, Unsuitable
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import write_json_lines
from dialeval.text.shuffling import shuffled_places

KEY_NAME: Final = "key.jsonl"


@dataclass(frozen=True, slots=True)
class Task:
    """One candidate as a rater sees it."""

    task: str
    """``q12c3`` is the third line shown under the twelfth conversation; it says nothing of the candidate."""
    context: Context
    candidate: str


class KeyEntry(NamedTuple):
    """Which candidate a task shows."""

    task: str
    question: str
    candidate: str
    """Its id, such as ``false_3``."""
    text: str
    form: str | None = None
    """The criterion of the form that was asked; None in keys of before it was recorded."""


class Tasks(NamedTuple):
    """Tasks, and the key to them, in the same order."""

    tasks: tuple[Task, ...]
    key: tuple[KeyEntry, ...]


class Exported(NamedTuple):
    """How many tasks were written, and where."""

    tasks: int
    csv: Path
    jsonl: Path
    key: Path


def make_tasks(questions: Iterable[Question], *, form: Form = ACCEPTABILITY, seed: int = 0) -> Tasks:
    """A task for every candidate (or false candidate, as the form says), each question's in an order of their own."""
    tasks: list[Task] = []
    key: list[KeyEntry] = []
    for number, question in enumerate(questions, start=1):
        for place, entry in enumerate(_shown(question, form, seed), start=1):
            task = f"q{number}c{place}"
            tasks.append(Task(task, question.context, entry.text))
            key.append(entry._replace(task=task, form=form.criterion))
    if not tasks:
        raise Unsuitable("There is no candidate to ask about. Give a file with one question or more.")
    return Tasks(tuple(tasks), tuple(key))


def export_tasks(
    questions: Iterable[Question], folder: Path, *, form: Form = ACCEPTABILITY, seed: int = 0
) -> Exported:
    """Write tasks to ``folder/for_raters`` as CSV and JSON Lines, and their key to ``folder/key.jsonl``."""
    made = make_tasks(questions, form=form, seed=seed)
    for_raters = folder / "for_raters"
    where = Exported(len(made.tasks), for_raters / "tasks.csv", for_raters / "tasks.jsonl", folder / KEY_NAME)
    write_atomically(where.csv, _table(made.tasks, form).encode())
    write_json_lines(where.jsonl, (_as_json(task, form) for task in made.tasks))
    write_json_lines(where.key, (entry._asdict() for entry in made.key))
    return where


def read_key(path: Path) -> dict[str, KeyEntry]:
    """The key that ``export_tasks`` wrote, by task."""
    found: dict[str, KeyEntry] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        todo = f"Name the {KEY_NAME} that was written beside the tasks."
        raise BadInput(str(path), "no such file", "the key to the tasks", todo) from None
    for number, line in enumerate(lines, start=1):
        where = Where(str(path), number)
        fields = loads(line, where)
        if not isinstance(fields, dict):
            raise wrong(where, "", fields, "an object with 'task' and 'candidate'", f"Name a {KEY_NAME}.")
        told = (text_of(fields, name, where, "") for name in ("task", "question", "candidate", "text"))
        entry = KeyEntry(*told)._replace(form=optional_text(fields, "form", where, ""))
        found[entry.task] = entry
    if not found:
        todo = (
            f"Name the {KEY_NAME} that was written beside the tasks, or export them again with the same seed."
        )
        raise BadInput(str(path), "no line", "the key to the tasks", todo)
    return found


def check_key(
    key: Mapping[str, KeyEntry], questions: Iterable[Question], *, form: Form | None = None
) -> None:
    """Raise Unsuitable where the key speaks of other candidates than the questions have, or of another form."""
    texts = {
        (question.item, name): candidate.text
        for question in questions
        for name, candidate in zip(candidate_ids(question), question.candidates, strict=True)
    }
    strange = [entry for entry in key.values() if texts.get((entry.question, entry.candidate)) != entry.text]
    if strange:
        first = strange[0]
        raise Unsuitable(
            f"The key does not belong to these questions: {len(strange):,} of {len(key):,} tasks show something else "
            f"(first: {first.task}, {first.candidate} of {first.question!r}). Give the draft that was exported."
        )
    others = {entry.form for entry in key.values() if entry.form is not None} if form is not None else set()
    if form is not None and others - {form.criterion}:
        asked = ", ".join(sorted(map(repr, others)))
        raise Unsuitable(
            f"The key's tasks asked {asked}, and their answers are to be read as {form.criterion!r}. {_verb(others)}"
        )


def _verb(criteria: set[str]) -> str:
    """Which command reads the answers to forms."""
    if len(criteria) > 1:
        return "Give the keys and answers of one form at a time."
    (criterion,) = criteria
    if criterion == ACCEPTABILITY.criterion:
        return "Read them with 'dialeval select vet', or give the key of the other tasks."
    return f"Read them with 'dialeval select label --form {criterion}', or give the key of the other tasks."


def _shown(question: Question, form: Form, seed: int) -> list[KeyEntry]:
    """The candidates to ask about, in the order in which raters meet them."""
    named = [
        KeyEntry("", question.item, name, candidate.text)
        for name, candidate in zip(candidate_ids(question), question.candidates, strict=True)
        if not (form.false_only and candidate.correct)
    ]
    texts = [entry.text for entry in named]
    return [named[at] for at in shuffled_places(texts, item=question.item, seed=seed)]


def _table(tasks: Sequence[Task], form: Form) -> str:
    """A column for each turn, since not every platform takes line breaks in cells; ``rater`` and ``score`` blank."""
    turns = max(len(task.context) for task in tasks)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    columns = [f"turn_{number}" for number in range(1, turns + 1)]
    writer.writerow(["task", *columns, "candidate", "ask", "scale", "rater", "score"])
    for task in tasks:
        # With its speaker in front, no cell begins with a sign that spreadsheets take for a formula.
        *before, candidate = _spoken(task)
        cells = [*before, *[""] * (turns - len(before))]
        writer.writerow([task.task, *cells, candidate, form.ask, form.scale, "", ""])
    return text.getvalue()


def _as_json(task: Task, form: Form) -> dict[str, object]:
    *before, candidate = _spoken(task)
    scale = {str(option.value): option.meaning for option in form.options}
    return {
        "task": task.task,
        "context": before,
        "candidate": candidate,
        "ask": form.ask,
        "scale": scale,
        "criterion": form.criterion,
    }


def _spoken(task: Task) -> list[str]:
    """The turns and the candidate as lines of a conversation between A, B and so on."""
    letters: dict[tuple[str, str | None], str] = {}
    lines = []
    for turn in task.context:
        letter = letters.setdefault((turn.speaker, turn.name), chr(ord("A") + len(letters) % 26))
        lines.append(f"{letter}: {' '.join(turn.text.split())}")
    last = lines[-1][0] if lines else ""
    other = next((letter for letter in reversed(letters.values()) if letter != last), "B" if lines else "A")
    return [*lines, f"{other}: {' '.join(task.candidate.split())}"]
