"""The error for a file whose fields say nothing to us: what it has, what each verb needs, and both ways out."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

from dialeval.data.codec.column_names import Columns, listed
from dialeval.errors import BadInput

NEEDS: Final = (
    "'response' for score and compare (with 'references' for most metrics), 'context' for run and init, 'messages' for "
    "whole dialogues, or 'item', 'rater' and 'value' for ratings"
)
"""Fields that verbs need."""

_JSON_READER: Final = """\
    import json

    def read(path):
        with open(path, encoding="utf-8") as file:
            for row in map(json.loads, file):
                yield {{{fields}}}"""
_TABLE_READER: Final = """\
    import csv

    def read(path):
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield {{{fields}}}"""
_PARQUET_READER: Final = """\
    import pyarrow.parquet

    def read(path):
        table = pyarrow.parquet.read_table(path)
        for row in table.to_pylist():
            yield {{{fields}}}"""
_SHEET_READER: Final = """\
    import pandas

    def read(path):
        sheet = pandas.read_excel(path, dtype=str)
        for row in sheet.to_dict("records"):
            yield {{{fields}}}"""


def unknown_record(
    path: str, names: Collection[str], line: int | None, *, likely: Columns | None = None
) -> BadInput:
    """The error for a record with these fields; ``likely`` is how its columns may be meant."""
    columns = likely or Columns((("response", min(names, default="COLUMN")),))
    fields = {field.partition(":")[0] for field, column in columns.pairs if column}
    more = (
        "" if fields & {"response", "system"} else " for run (score and compare need response=COLUMN as well)"
    )
    todo = (
        f"Name the columns, as in {columns.option}{more}; or read the file your own way with --from my.py:read, "
        f"where my.py is\n\n{reader(path, columns)}\n\n"
        "('dialeval data ls' lists the formats that are read without either.)"
    )
    found = f"a record with {listed(names)}" if names else "something other than a JSON object"
    return BadInput(path, found, NEEDS, todo, line)


def reader(path: str, columns: Columns) -> str:
    """Six lines of Python that read such a file, indented."""
    named = {field.partition(":")[0]: column for field, column in reversed(columns.pairs) if column}
    if "system" in named:
        named["response"] = named.pop("system")
    order = ("context", "response", "references")
    fields = [
        f'"{field}": row[{named[field]!r}]' for field in order if field in named and field != "references"
    ]
    fields += [f'"references": [row[{named["references"]!r}]]'] if "references" in named else []
    ending = Path(path.removesuffix(".gz").partition("#")[0]).suffix.lower()
    shapes = {
        ".csv": _TABLE_READER,
        ".tsv": _TABLE_READER,
        ".parquet": _PARQUET_READER,
        ".xlsx": _SHEET_READER,
    }
    return shapes.get(ending, _JSON_READER).format(fields=", ".join(fields or ['"response": ...']))
