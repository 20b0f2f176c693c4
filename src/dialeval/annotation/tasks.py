"""Annotation tasks: every candidate of a draft, blind, for a crowd platform or a spreadsheet.

Raters get ``for_raters/``; ``key.jsonl`` says which candidate each task shows and stays with those who ask.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dialeval.annotation.forms import ACCEPTABILITY, Form, candidate_ids
from dialeval.annotation.key import KEY_NAME, KeyEntry
from dialeval.data.types import Context, Question
from dialeval.errors import Unsuitable
from dialeval.files.atomic import write_atomically
from dialeval.files.documents import write_json_lines
from dialeval.files.folders import check_links
from dialeval.text.shuffling import shuffled_places


@dataclass(frozen=True, slots=True)
class Task:
    """One candidate as a rater sees it."""

    task: str
    """``q12c3`` is the third line shown under the twelfth conversation; it says nothing of the candidate."""
    context: Context
    candidate: str


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
            key.append(entry._replace(task=task))
    if not tasks:
        raise Unsuitable("No candidates to ask about. Give a file with one or more questions.")
    return Tasks(tuple(tasks), tuple(key))


def export_tasks(
    questions: Iterable[Question], folder: Path, *, form: Form = ACCEPTABILITY, seed: int = 0
) -> Exported:
    """Write tasks to ``folder/for_raters`` as CSV and JSON Lines, and their key to ``folder/key.jsonl``."""
    made = make_tasks(questions, form=form, seed=seed)
    check_links(folder)
    for_raters = folder / "for_raters"
    where = Exported(len(made.tasks), for_raters / "tasks.csv", for_raters / "tasks.jsonl", folder / KEY_NAME)
    write_atomically(where.csv, task_table(made.tasks, form).encode())
    write_json_lines(where.jsonl, (_as_json(task, form) for task in made.tasks))
    write_json_lines(where.key, made.key, private=True)
    return where


def _shown(question: Question, form: Form, seed: int) -> list[KeyEntry]:
    """The candidates to ask about, in the order in which raters meet them."""
    named = [
        KeyEntry("", question.item, name, candidate.text, form.criterion)
        for name, candidate in zip(candidate_ids(question), question.candidates, strict=True)
        if not (form.false_only and candidate.correct)
    ]
    texts = [entry.text for entry in named]
    return [named[at] for at in shuffled_places(texts, item=question.item, seed=seed)]


def task_table(tasks: Sequence[Task], form: Form) -> str:
    """Tasks as CSV, with blank ``rater`` and ``score``.

    A column for each turn, since not every platform takes line breaks in cells.
    """
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
