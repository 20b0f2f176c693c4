"""Tasks as raters give them back, in a table or as JSON Lines: who answered what, and what the file says was shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.annotation.forms import Form
from dialeval.data.codec import jsonl
from dialeval.data.codec.bad import Where, refuse
from dialeval.data.codec.sources import native_format
from dialeval.data.codec.tables import CellRow, read_cells
from dialeval.data.types import Context
from dialeval.errors import BadInput


class Filled(NamedTuple):
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
        """The first line that differs from what was exported, candidate before context; None where none does.

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
        """What was asked where it is not what the form asks; None where it is."""
        if self.criterion and self.criterion != form.criterion:
            return self.criterion
        return self.ask if self.ask and not _alike(self.ask, form.ask) else None


_TASK: Final = ("task", "Input.task")
_RATER: Final = ("rater", "WorkerId", "worker_id")
_SCORE: Final = ("score", "Answer.score", "value")
"""Our columns, and what crowd platforms make of them in the tables that they give back."""

_SHOWN: Final = ("candidate", "ask", "scale", "criterion", "rater", "score")
_TURN: Final = re.compile(r"(?:Input\.)?turn_(\d+)")
_SPEAKER: Final = re.compile(r"\s*[A-Z]:")


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


def filled_in(path: Path, rows: Sequence[CellRow]) -> Iterator[Filled]:
    """Every answer of these rows: in ``score``, or where that is missing or all blank, in a column for each rater."""
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
        own = row.cells.get(task, "").strip()
        rejected = row.cells.get("AssignmentStatus", "").strip().lower() == "rejected"
        if score is not None:
            who = row.cells.get(rater or "", "").strip() or path.name.partition(".")[0]
            given = {who: row.cells.get(score, "")}
        else:
            given = {who: row.cells.get(who, "") for who in raters}
        yield from (
            Filled(row.where, own, who, written, rejected, *_shown(row.cells))
            for who, written in given.items()
        )


def _raters(columns: Sequence[str], task: str) -> list[str]:
    return [column for column in columns if column not in (*_SHOWN, task) and not _TURN.fullmatch(column)]


def _shown(cells: Mapping[str, str]) -> tuple[str | None, dict[int, str], str | None, str | None]:
    """The candidate, the turns, the question and the criterion of a row."""
    turns = {int(found[1]): text for name, text in cells.items() if (found := _TURN.fullmatch(name))}
    candidate, ask = (cells.get(name, cells.get(f"Input.{name}")) for name in ("candidate", "ask"))
    return candidate, turns, ask, cells.get("criterion")


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

    Where none is ASCII, as in Japanese, all count.
    """
    kept = [character for character in text.casefold() if character.isalnum()]
    return "".join(filter(str.isascii, kept)) or "".join(kept)
