"""Multi-reference DailyDialog (Gupta et al., 2019): five responses to each turn, and rated systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.fields import missing, name, text, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source, is_stdin
from dialeval.data.codec.tables import read_cells
from dialeval.data.importers.conversation import item_of
from dialeval.data.types import Dialogue, Example, Judgement, Kind, Prompt, Record, Response, alternating
from dialeval.errors import BadInput

_OF_JSON: Final[tuple[Kind, ...]] = ("prompt", "dialogue")
_OF_TABLE: Final[tuple[Kind, ...]] = ("example", "judgement")
KINDS: Final = (*_OF_JSON, *_OF_TABLE)


def kinds_of(source: Source) -> tuple[Kind, ...]:
    """Return which of the kinds that file gives, by its ending; a stream may be either."""
    if is_stdin(source):
        return KINDS
    ending = Path(str(source).lower().removesuffix(".gz")).suffix
    return _OF_TABLE if ending == ".csv" else _OF_JSON if ending == ".json" else KINDS


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Prompts or dialogues from ``multireftest.json``; examples or mean ratings from the table of rated responses.

    A prompt's item is ``<dialogue>/<turn>``, both from 0, the turn being the last of its context. The table's items are
    its own ``context_id``; its ratings are means of several people, so their rater is ``mean``.
    """
    if kind in _OF_TABLE:
        cells = read_cells(source, on_bad, delimiter=",")
        rows = (Row(row.where, row.number, row.cells, row.text) for row in cells)
        return records(rows, _example if kind == "example" else _judgement, on_bad)
    return records(read_rows(source, on_bad), _prompts if kind == "prompt" else _dialogue, on_bad)


def _prompts(row: Row) -> Sequence[Record]:
    item, turns = _turns(row)
    said = [text(turn, "text", row.where, f"dialogue[{index}]") for index, turn in enumerate(turns)]
    return [
        Prompt(
            f"{item}/{index}",
            alternating(said[: index + 1]),
            _responses(turn, row.where, f"dialogue[{index}]"),
        )
        for index, turn in enumerate(turns)
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
    item, system = _item_and_system(row)
    response, context, references = (
        text(_cells(row), field, row.where, "") for field in ("response", "context", "all_references")
    )
    turns = alternating(context.split("||||"))
    return (Example(item, system, turns, Response(response), tuple(references.split("\t"))),)


def _judgement(row: Row) -> Sequence[Record]:
    item, system = _item_and_system(row)
    given = text(_cells(row), "human_average_rating", row.where, "")
    try:
        value = float(given)
    except ValueError:
        path, line = row.where
        found, field = f"the text {given!r}", "human_average_rating"
        raise BadInput(path, found, "a number", "Fix the rating.", line, field) from None
    return (Judgement(item, system, "mean", "rating", value),)


def _item_and_system(row: Row) -> tuple[str, str]:
    return name(_cells(row), "context_id", row.where, ""), name(_cells(row), "model", row.where, "")


def _cells(row: Row) -> Mapping[str, object]:
    return row.fields  # type: ignore[return-value]  # the cells of a table
