"""Tasks on paper: the items of a study as tables for a crowd platform or a spreadsheet, blind.

``export_tasks`` makes a study about responses, as ``annotate init`` does, with its tables in ``for_raters/``: raters
fill these in, or answer in the browser. ``key.jsonl`` says what each task shows and stays with those who ask.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dialeval.annotation.blind_items import numbered
from dialeval.annotation.forms import ACCEPTABILITY, Form
from dialeval.annotation.items import Item, Source, Utterance
from dialeval.annotation.kinds.asking import ask_of
from dialeval.annotation.project import FOR_RATERS, KEY, Settings, check_new, write_project
from dialeval.display.table import spreadsheet_cell
from dialeval.errors import Unsuitable
from dialeval.files.atomic import make_private_folder, write_atomically


def check_key(
    key: Mapping[str, Source], utterances: Iterable[Utterance], *, form: Form | None = None
) -> None:
    """Raise Unsuitable if the key speaks of other responses than these, or of another form."""
    texts = {(said.item, said.system): said.text for said in utterances}
    strange = [source for source in key.values() if texts.get((source.item, source.system)) != source.text]
    if strange:
        first = strange[0]
        raise Unsuitable(
            f"The key does not belong to these responses: {len(strange):,} of {len(key):,} tasks show something else "
            f"(first: {first.id}, {first.system} of {first.item!r}). Give the file that was exported."
        )
    if form is not None and any(form.criterion not in source.criteria for source in key.values()):
        others = {name for source in key.values() for name in source.criteria}
        asked = ", ".join(sorted(map(repr, others)))
        raise Unsuitable(
            f"The key's tasks asked {asked}, and their answers are to be read as {form.criterion!r}. {_verb(others)}"
        )


def _verb(criteria: set[str]) -> str:
    """Which command reads the answers to forms."""
    if len(criteria) != 1:
        return "Give the keys and answers of one form at a time."
    (criterion,) = criteria
    if criterion == ACCEPTABILITY.criterion:
        return "Read them with 'dialeval select vet', or give the key of the other tasks."
    return f"Read them with 'dialeval select label --form {criterion}', or give the key of the other tasks."


class TaskExport(NamedTuple):
    """Number of tasks that were written, and where."""

    tasks: int
    csv: Path
    jsonl: Path
    key: Path


def export_tasks(
    utterances: Iterable[Utterance],
    folder: Path,
    *,
    form: Form = ACCEPTABILITY,
    seed: int = 0,
    provenance: Mapping[str, str] | None = None,
) -> TaskExport:
    """Write a study that asks the form about each response, with its tasks as CSV and JSON Lines in ``for_raters``."""
    blinded = numbered(utterances, seed=seed)
    settings = Settings(
        title=folder.resolve().name or "tasks",
        asks=(ask_of(form),),
        overlap=form.raters,
        raters=tuple(f"rater-{number}" for number in range(1, form.raters + 1)),
        seed=seed,
        provenance=provenance or {},
    )
    check_new(folder)
    make_private_folder(folder)
    for_raters, items = folder / FOR_RATERS, [one.item for one in blinded]
    where = TaskExport(len(items), for_raters / "tasks.csv", for_raters / "tasks.jsonl", folder / KEY)
    for path in (where.csv, where.jsonl):
        write_tasks(path, items, form)
    write_project(folder, settings, blinded)
    return where


def write_tasks(path: Path, items: Sequence[Item], form: Form) -> None:
    """Write items with one response each as a table, or as JSON Lines by the file's ending."""
    text = _lines(items, form) if path.suffix == ".jsonl" else _table(items, form)
    write_atomically(path, text.encode(), follow=True)


def _table(items: Sequence[Item], form: Form) -> str:
    """Tasks as CSV, with blank ``rater`` and ``score``.

    A column for each turn, since not every platform takes line breaks in cells.
    """
    turns = max((len(item.context) for item in items), default=0)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    columns = [f"turn_{number}" for number in range(1, turns + 1)]
    writer.writerow(["task", *columns, "candidate", "ask", "scale", "rater", "score"])
    for item in items:
        *before, candidate = _spoken(item)
        cells = [*before, *[""] * (turns - len(before))]
        written = [item.id, *cells, candidate, form.ask, form.scale]
        writer.writerow([*map(spreadsheet_cell, written), "", ""])
    return text.getvalue()


def _lines(items: Sequence[Item], form: Form) -> str:
    scale = {str(option.value): option.meaning for option in form.options}
    lines = []
    for item in items:
        *before, candidate = _spoken(item)
        task = {"task": item.id, "context": before, "candidate": candidate}
        lines.append({**task, "ask": form.ask, "scale": scale, "criterion": form.criterion})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _spoken(item: Item) -> list[str]:
    """The turns and the candidate as lines of a conversation between A, B and so on; a marked turn as ``>> it <<``."""
    letters: dict[tuple[str, str | None], str] = {}
    lines = []
    for place, turn in enumerate(item.context):
        letter = letters.setdefault((turn.speaker, turn.name), chr(ord("A") + len(letters) % 26))
        text = " ".join(turn.text.split())
        lines.append(f"{letter}: >> {text} <<" if place == item.marked else f"{letter}: {text}")
    last = lines[-1][0] if lines else ""
    other = next((letter for letter in reversed(letters.values()) if letter != last), "B" if lines else "A")
    return [*lines, f"{other}: {' '.join(item.candidates[0].text.split())}"]
