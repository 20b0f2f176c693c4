"""A study's items as a table for a crowd platform or a spreadsheet, and the filled-in tables back into its store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dialeval.annotation.filled import Filled, filled_in, filled_rows
from dialeval.annotation.forms import Form
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.kind import Ask, BadAnswer
from dialeval.annotation.project import Project
from dialeval.annotation.store.plan import Gone
from dialeval.annotation.store.store import Store
from dialeval.annotation.tasks import Task, task_table
from dialeval.errors import BadInput, Unsuitable
from dialeval.files.atomic import write_atomically


class Taken(NamedTuple):
    """What became of filled-in rows."""

    stored: int
    again: int
    """Answers that the store had already."""
    surplus: int
    """Answers to items that had all their judgements."""
    unusable: tuple[str, ...]
    """Rows that could not be used, and why."""


def write_sheet(project: Project, path: Path) -> int:
    """Write the items to rate as CSV, blind; return how many. One question with options about one response."""
    form = _form(project)
    tasks = [
        Task(item.id, item.context, item.candidates[0].text)
        for item in project.items.values()
        if project.sources[item.id].role == "rating"
    ]
    write_atomically(path, task_table(tasks, form).encode(), follow=True)
    return len(tasks)


def read_sheet(project: Project, store: Store, path: Path) -> Taken:
    """Store the answers of a filled-in table, by the raters it names; giving it twice stores nothing twice."""
    form, ask = _form(project), _only(project)
    rows = filled_rows(path)
    if rows is None:
        todo = "Give the table of 'dialeval annotate tasks', filled in."
        raise BadInput(str(path), "judgements, or another kind of file", "tasks with scores", todo)
    stored = again = surplus = 0
    unusable: list[str] = []
    for filled in filled_in(path, rows):
        problem = _problem(project, form, filled)
        if problem is not None:
            unusable.append(f"{filled.where.path}, line {filled.where.line}: {problem}")
            continue
        rater = store.add_rater(filled.rater, origin="sheet")
        answers = {ask.criterion: _answer(project, ask, form, filled)}
        latest = store.latest(rater, filled.task)
        if latest is not None and latest.answers == answers:
            again += 1
            continue
        try:
            store.take(rater.id, filled.task, latest.revision if latest else 0, answers)
            stored += 1
        except Gone:
            surplus += 1
    return Taken(stored, again, surplus, tuple(unusable))


def _only(project: Project) -> Ask:
    asks = [ask for ask in project.settings.asks if ask.kind != "comment"]
    single = all(len(item.candidates) == 1 for item in project.items.values())
    if len(asks) != 1 or not asks[0].options or not single or project.settings.chat is not None:
        raise Unsuitable(
            "A table can ask one question with options about one response (likert, yes_no, three_way); this study asks "
            "something else. Serve it, or make a study for each question."
        )
    return asks[0]


def _form(project: Project) -> Form:
    ask = _only(project)
    return Form(ask.criterion, ask.text, ask.options, project.settings.overlap)


def _problem(project: Project, form: Form, filled: Filled) -> str | None:
    item = project.items.get(filled.task)
    if item is None:
        return f"no task {filled.task!r} in this study"
    if filled.rejected:
        return "rejected on the platform"
    if not filled.written.strip():
        return "no answer"
    if (other := filled.other_text(item.candidates[0].text, item.context)) is not None:
        return f"about another text: {other[:60]!r}"
    if form.value_of(filled.written) is None:
        return f"found {filled.written[:40]!r}, expected {form.expected}"
    return None


def _answer(project: Project, ask: Ask, form: Form, filled: Filled) -> dict[str, object]:
    try:
        return KINDS[ask.kind].check(
            ask, project.items[filled.task], {"value": form.value_of(filled.written)}
        )
    except BadAnswer as error:
        raise BadInput(
            filled.where.path, filled.written, form.expected, "Correct the row.", filled.where.line
        ) from error


def sheet_lines(taken: Taken) -> Iterator[str]:
    """What was done, in words."""
    yield f"{taken.stored:,} answers stored"
    if taken.again:
        yield f"{taken.again:,} were stored before"
    if taken.surplus:
        yield f"{taken.surplus:,} came after their items had all judgements; they are left out"
    yield from (f"unusable: {line}" for line in taken.unusable[:20])
    if len(taken.unusable) > 20:
        yield f"... and {len(taken.unusable) - 20:,} more"
