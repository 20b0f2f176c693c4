"""Filled-in tables of a study back into its store, beside the answers of the browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from dialeval.annotation.answers import (
    SheetAnswer,
    Unusable,
    faults_told,
    filled_in,
    filled_rows,
    why_unusable,
)
from dialeval.annotation.forms import Form
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.asking import form_of
from dialeval.annotation.kinds.kind import Ask, BadAnswer
from dialeval.annotation.project import Project
from dialeval.annotation.store.plan import Gone
from dialeval.annotation.store.store import Store
from dialeval.annotation.tasks import write_tasks
from dialeval.errors import BadInput, Unsuitable


class Taken(NamedTuple):
    """Counts of filled-in rows."""

    stored: int
    again: int
    """Answers that the store had already."""
    surplus: int
    """Answers to items that had all their judgements."""
    unusable: tuple[Unusable, ...]


def write_sheet(project: Project, path: Path) -> int:
    """Write the items to rate as a table, blind; return how many. One question with options about one response."""
    form = form_of(_only(project), project.settings.overlap)
    items = [item for item in project.items.values() if project.sources[item.id].role == "rating"]
    write_tasks(path, items, form)
    return len(items)


def read_sheet(project: Project, store: Store, path: Path) -> Taken:
    """Store the answers of a filled-in table, by the raters it names; giving it twice stores nothing twice."""
    ask = _only(project)
    form = form_of(ask, project.settings.overlap)
    rows = filled_rows(path)
    if rows is None:
        todo = "Give the table of 'dialeval annotate tasks', filled in."
        raise BadInput(str(path), "judgements, or another kind of file", "tasks with scores", todo)
    stored = again = surplus = 0
    unusable: list[Unusable] = []
    for filled in filled_in(path, rows):
        item = project.items.get(filled.task)
        context = None if item is None else item.context
        source = project.sources.get(filled.task)
        if item is not None and source is not None:
            source = replace(source, text=item.candidates[0].text)
        refused = why_unusable(filled, source, context, form)
        if refused is not None:
            unusable.append(refused)
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


def _answer(project: Project, ask: Ask, form: Form, filled: SheetAnswer) -> dict[str, object]:
    try:
        return KINDS[ask.kind].check(
            ask, project.items[filled.task], {"value": form.value_of(filled.written)}
        )
    except BadAnswer as error:
        raise BadInput(
            filled.where.path, filled.written, form.expected, "Correct the row.", filled.where.line
        ) from error


def sheet_lines(taken: Taken) -> Iterator[str]:
    """Lines that say what was done."""
    yield f"{taken.stored:,} answers stored"
    if taken.again:
        yield f"{taken.again:,} were stored before"
    if taken.surplus:
        yield f"{taken.surplus:,} came after their items had all judgements; they are left out"
    yield from faults_told(taken.unusable)
