"""Blind items from a run folder or a file of any format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from dialeval.annotation.blinding import Blind, blind
from dialeval.annotation.kinds.kind import Shows
from dialeval.data.codec.rows import Row
from dialeval.data.reading import read_guessing
from dialeval.data.types import Dialogue, Example, Prompt, Record, Turn
from dialeval.errors import BadInput

EXAMPLES = "examples.jsonl"
"""What systems answered, in a run folder."""


def source_file(given: str) -> str:
    """The file to read: of a run folder, what its systems answered."""
    folder = Path(given)
    if not folder.is_dir():
        return given
    if (folder / EXAMPLES).is_file():
        return str(folder / EXAMPLES)
    raise BadInput(
        given, f"a folder without {EXAMPLES}", "a run folder or a file", "Name the folder of 'dialeval run'."
    )


def gather(given: str, shows: Shows, *, format: str | None = None, limit: int | None = None) -> list[Blind]:
    """The items of a run folder or file; ``limit`` takes the first ones only, of all systems.

    A probe (a context with a ``question`` that follows it) is shown with its question as the last turn.
    """
    questions: list[str | None] = []

    def note(row: Row) -> None:
        fields = row.fields if isinstance(row.fields, dict) else {}
        question = fields.get("question")
        questions.append(question if isinstance(question, str) else None)

    guess = read_guessing(source_file(given), format=format, note=note)
    found = blind(_probed(guess.records, questions), shows)
    names = set(islice(dict.fromkeys(blinded.source.item for blinded in found), limit))
    return [blinded for blinded in found if blinded.source.item in names]


def _probed(records: Iterator[Record], questions: list[str | None]) -> Iterator[Record]:
    """Records with the questions of their rows; the row of a record is noted before the record comes.

    Items that a system left unanswered have nothing to rate.
    """
    for number, record in enumerate(records):
        if isinstance(record, Example) and record.response.missing is not None:
            continue
        question = questions[number] if number < len(questions) else None
        if question is None or not isinstance(record, Prompt | Example):
            yield record
            continue
        asked = record.context
        if not asked or asked[-1].text != question:
            asked = (*asked, Turn("user", question))
        yield replace(record, context=asked) if isinstance(record, Example) else Dialogue(record.item, asked)
