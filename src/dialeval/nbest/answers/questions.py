"""Reader of questions with their answers, to be understood."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dialeval.data.codec.bad import OnBad, refuse
from dialeval.data.codec.containers import rows_of
from dialeval.data.codec.fields import text, wrong
from dialeval.data.codec.sources import Source, check


class Answered(NamedTuple):
    """A polar question and what was answered."""

    item: str
    question: str
    answer: str


def read_questions(source: Source, on_bad: OnBad = refuse) -> Iterator[Answered]:
    """The questions and answers of a file's lines, numbered where they have no id."""
    check(source)
    for row in rows_of(source)(source, on_bad):
        fields, where = row.fields, row.where
        if not isinstance(fields, Mapping):
            raise wrong(where, "", fields, "an object", 'Write {"id", "question", "answer"}.')
        item = fields.get("id")
        yield Answered(
            str(row.number if item is None else item),
            text(fields, "question", where, "", "text (a question that yes or no answers)"),
            text(fields, "answer", where, "", "text (what was answered)"),
        )
