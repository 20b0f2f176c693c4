"""Records in the flat cells of a table: JSON where a cell holds structure, plain text where a person typed it."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from functools import cache
from typing import Final

from dialeval.data.codec.bad import Where
from dialeval.data.codec.column_names import is_response
from dialeval.data.codec.dialects import number_in
from dialeval.data.codec.encode import encode, kind_of_record
from dialeval.data.codec.fields import FIELDS
from dialeval.data.codec.json_value import loads
from dialeval.data.types import Record, alternating
from dialeval.display.table import from_spreadsheet_cell, spreadsheet_cell
from dialeval.errors import BadInput

_STRUCTURED: Final = frozenset(
    {"messages", "context", "references", "candidates", "responses", "metadata", "knowledge", "assert"}
)
_CONVERSATIONS: Final = frozenset({"conversations", "dialog", "dialogue", "turns", "utterances"})
"""Where other tools keep a conversation."""
_MAY_BE_BLANK: Final = frozenset(
    {"metadata", "references", "knowledge", "assert", "expected", "value", "rating", "score"}
)

WORDS: Final = frozenset({"#N/A", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"})
"""What programs write into the cell of a table where there is no value; formats that have null do not need them."""


_LONGEST: Final = 10
"""Longer cells hold something, which spares most of them a closer look."""


def from_cells(
    cells: Mapping[str, object], where: Where, *, separator: str = ",", words: Collection[str] = ()
) -> dict[str, object]:
    """The JSON object a row stands for. Cells that are not text (Parquet has such) are taken as they are.

    ``separator`` is what separates the cells; where it is not a comma, a comma in a number is a decimal one.
    A cell that holds one of ``words`` is empty, where its field may be. Only the fields that hold structure are read
    as JSON, so a response may begin with a bracket.
    """
    fields: dict[str, object] = {}
    spread: list[str] = []
    for name, cell in cells.items():
        if not isinstance(cell, str):
            fields[name] = None if cell != cell else cell  # NaN: without a value
            continue
        cell = from_spreadsheet_cell(cell) if words else cell
        if words and len(cell) < _LONGEST and (not cell.strip() or cell.strip() in words):
            if is_response(name):
                fields[name] = {"missing": _no_response(cell.strip())}
                continue
            if name == "status" or (name in ("reason", "evidence") and not cell):
                continue  # a table cannot tell an empty text from none
            cell = "" if name in _MAY_BE_BLANK or name == "context" or _is_reference(name) else cell
        if _is_reference(name):
            if cell.strip():
                spread.append(cell)
        else:
            fields[name] = _value(name, cell, where, separator) if cell or name not in _MAY_BE_BLANK else None
    if spread:
        given = fields.get("references") or []
        fields["references"] = [*given, *spread] if isinstance(given, list) else given
    return fields


def to_cells(record: Record) -> list[str]:
    """The record's fields as text, in the order of ``FIELDS``; absent ones are empty."""
    fields = encode(record)
    return [_cell(name, fields.get(name)) for name in FIELDS[kind_of_record(record)]]


@cache
def _is_reference(name: str) -> bool:
    """Whether a column is one of ``reference``, ``reference_2``, ``reference_3`` and so on."""
    return name == "reference" or (name.startswith("reference_") and name[10:].isdigit())


def _value(name: str, cell: str, where: Where, separator: str) -> object:
    if name == "value":
        return _number(cell, where, separator)
    if name in ("rating", "score"):  # which may stand for 'value'
        number = number_in(cell, separator)
        return cell if math.isnan(number) else number
    if is_response(name):
        return _response(cell)
    if name not in _STRUCTURED and not (name in _CONVERSATIONS and cell.startswith("[")):
        return cell
    if cell.lstrip()[:1] in ("[", "{"):
        try:
            return loads(cell.strip(), where)
        except BadInput as error:
            error.field = name
            raise
    if name in ("context", "messages"):
        turns = alternating(cell.replace("\r\n", "\n").split("\n") if cell else [])
        return [{"role": turn.speaker, "content": turn.text} for turn in turns]
    return [cell] if name == "references" else cell


_WRITTEN: Final = ('{"text":', '{"missing":')


def _no_response(cell: str) -> str:
    return f"no response (the cell holds {cell!r})" if cell else "no response (empty cell)"


def _response(cell: str) -> object:
    # A response is free text, and only what we write ourselves is taken as JSON.
    if cell.startswith(_WRITTEN):
        try:
            return json.loads(cell)
        except ValueError:
            return cell
    return cell


def _number(cell: str, where: Where, separator: str) -> float:
    value = number_in(cell, separator)
    if math.isnan(value) and cell.strip().lower() != "nan":
        expected, todo = "a number or an empty cell", "Leave the cell empty where there is no value."
        raise BadInput(where.path, f"the text {cell[:40]!r}", expected, todo, where.line, "value")
    return value


def _cell(name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        written = _looks_written(name, value)
        return json.dumps({"text": value}, ensure_ascii=False) if written else spreadsheet_cell(value)
    return repr(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def _looks_written(name: str, value: str) -> bool:
    return name == "response" and (value.startswith(_WRITTEN) or not value.strip() or value.strip() in WORDS)
