"""DailyDialog++ (Sai et al., 2020): contexts with five good, five adversarial and five random responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.fields import missing, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source, conversion
from dialeval.data.importers.conversation import item_of
from dialeval.data.types import Candidate, Kind, Prompt, Question, Record, alternating
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("prompt", "question")

_WRONG: Final[Mapping[str, str]] = {
    "adversarial_negative_responses": "adversarial",
    "random_negative_responses": "random",
}
"""Fields of false responses, and the error we say they have."""


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Prompts whose references are the good responses, or questions that offer all of them, the good ones first."""

    def parse(row: Row) -> Sequence[Record]:
        return (_record(row, kind),)

    return records(read_rows(source, on_bad), parse, on_bad)


def _record(row: Row, kind: Kind) -> Record:
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object with 'positive_responses'", "Name a file of DailyDialog++.")
    item, context = item_of(fields, row, "id", "dialog_id"), alternating(_texts(fields, "context", where))
    good = _texts(fields, "positive_responses", where)
    if kind == "prompt":
        return Prompt(item, context, good)
    if not any(name in fields for name in _WRONG):
        raise _no_question(where)
    right = tuple(Candidate(text, correct=True) for text in good)
    false = tuple(
        Candidate(text, correct=False, error=error)
        for name, error in _WRONG.items()
        for text in _texts(fields, name, where)
    )
    return Question(item, context, (*right, *false))


def _no_question(where: Where) -> BadInput:
    found = f"no false candidates (neither {' nor '.join(map(repr, _WRONG))})"
    todo = f"Name dev.json or test.json, or make prompts: {conversion(where.path, 'dailydialog++', kind='prompt')}."
    return BadInput(where.path, found, "good and false responses, to make a question of", todo, where.line)


def _texts(fields: Mapping[str, object], name: str, where: Where) -> tuple[str, ...]:
    if name not in fields:
        raise missing(fields, name, where, "", "a list of texts")
    value = fields[name]
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise wrong(where, name, value, "a list of texts", "Name a file of DailyDialog++.")
    return tuple(value)
