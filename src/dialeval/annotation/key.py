"""The key to blind tasks: which candidate each of them shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.annotation.forms import ACCEPTABILITY, Form, candidate_ids
from dialeval.data.codec.bad import refuse
from dialeval.data.codec.fields import text as text_of, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.types import Question
from dialeval.errors import BadInput, Unsuitable

KEY_NAME: Final = "key.jsonl"


class KeyEntry(NamedTuple):
    """Which candidate a task shows."""

    task: str
    question: str
    candidate: str
    """Its id, such as ``false_3``."""
    text: str
    form: str
    """The criterion of the form that was asked."""


def read_key(path: Path) -> dict[str, KeyEntry]:
    """The key that ``export_tasks`` wrote, by task."""
    result: dict[str, KeyEntry] = {}
    todo = f"Name the {KEY_NAME} that was written beside the tasks."
    if not path.is_file():
        raise BadInput(str(path), "no such file", "the key to the tasks", todo)
    for row in read_rows(path, refuse):
        fields, where = row.fields, row.where
        if not isinstance(fields, dict):
            raise wrong(where, "", fields, "an object with 'task' and 'candidate'", f"Name a {KEY_NAME}.")
        entry = KeyEntry(*(text_of(fields, name, where, "") for name in KeyEntry._fields))
        result[entry.task] = entry
    if not result:
        todo = (
            f"Name the {KEY_NAME} that was written beside the tasks, or export them again with the same seed."
        )
        raise BadInput(str(path), "no line", "the key to the tasks", todo)
    return result


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
    others = {entry.form for entry in key.values()} if form is not None else set()
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
