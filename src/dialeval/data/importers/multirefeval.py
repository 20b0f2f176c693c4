"""Multi-reference DailyDialog (Gupta et al., 2019): five responses to each turn, and rated systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.bad import OnBad, Where
from dialeval.data.fields import missing, text, wrong
from dialeval.data.importers.ids import item_of
from dialeval.data.jsonl import read_rows
from dialeval.data.rows import Row, records
from dialeval.data.sources import Source
from dialeval.data.speakers import alternating
from dialeval.data.tables import read_cells
from dialeval.data.types import Dialogue, Example, Judgement, Kind, Prompt, Record, Response
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("prompt", "dialogue", "example", "judgement")


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Prompts or dialogues from ``multireftest.json``; examples or mean ratings from the table of rated responses.

    A prompt's item is ``<dialogue>/<turn>``, both from 0, the turn being the last of its context. The table's items are
    its own ``context_id``; its ratings are means of several people, so their rater is ``mean``.
    """
    if kind in ("example", "judgement"):
        cells = read_cells(source, on_bad, delimiter=",")
        rows = (Row(row.where, row.number, row.cells, row.text) for row in cells)
        return records(rows, _example if kind == "example" else _judgement, on_bad)
    return records(read_rows(source, on_bad), _prompts if kind == "prompt" else _dialogue, on_bad)


def _prompts(row: Row) -> Sequence[Record]:
    item, turns = _turns(row)
    said = [text(turn, "text", row.where, f"dialogue[{at}]") for at, turn in enumerate(turns)]
    return [
        Prompt(f"{item}/{at}", alternating(said[: at + 1]), _responses(turn, row.where, f"dialogue[{at}]"))
        for at, turn in enumerate(turns)
        if "responses" in turn
    ]


def _dialogue(row: Row) -> Sequence[Record]:
    item, turns = _turns(row)
    said = [text(turn, "text", row.where, f"dialogue[{at}]") for at, turn in enumerate(turns)]
    return (Dialogue(item, alternating(said, last="assistant"), metadata={}),)


def _turns(row: Row) -> tuple[str, list[Mapping[str, object]]]:
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object with 'dialogue'", "Name the file multireftest.json.")
    if "dialogue" not in fields:
        raise missing(fields, "dialogue", where, "", "a list of turns")
    turns = fields["dialogue"]
    if not isinstance(turns, list) or not all(isinstance(turn, Mapping) for turn in turns):
        raise wrong(where, "dialogue", turns, "a list of turns", "Name the file multireftest.json.")
    return item_of(fields, row, "index"), turns


def _responses(turn: Mapping[str, object], where: Where, field: str) -> tuple[str, ...]:
    responses = turn["responses"]
    if not isinstance(responses, list) or not all(isinstance(response, str) for response in responses):
        raise wrong(
            where, f"{field}.responses", responses, "a list of texts", "Name the file multireftest.json."
        )
    return tuple(responses)


def _example(row: Row) -> Sequence[Record]:
    item, system, response, context, references = (
        text(_cells(row), name, row.where, "")
        for name in ("context_id", "model", "response", "context", "all_references")
    )
    turns = alternating(context.split("||||"))
    return (Example(item, system, turns, Response(response), tuple(references.split("\t"))),)


def _judgement(row: Row) -> Sequence[Record]:
    item, system, given = (
        text(_cells(row), name, row.where, "") for name in ("context_id", "model", "human_average_rating")
    )
    try:
        value = float(given)
    except ValueError:
        path, line = row.where
        found, field = f"the text {given!r}", "human_average_rating"
        raise BadInput(path, found, "a number", "Mend the rating.", line, field) from None
    return (Judgement(item, system, "mean", "rating", value),)


def _cells(row: Row) -> Mapping[str, object]:
    return row.fields  # type: ignore[return-value]  # the cells of a table
