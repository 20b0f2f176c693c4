"""CSV and TSV: a header that names the fields, then one record a row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO, Final, Literal, NamedTuple, TypeAlias

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.cells import from_cells, to_cells
from dialeval.data.codec.encode import kind_of_record
from dialeval.data.codec.fields import FIELDS
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import LINE_LIMIT, Source, lines, shown
from dialeval.data.types import Record
from dialeval.errors import BadInput

Delimiter: TypeAlias = Literal[",", "\t"]


def read_rows(source: Source, on_bad: OnBad, *, delimiter: Delimiter) -> Iterator[Row]:
    """The rows of a table as the JSON objects they stand for."""
    for row in read_cells(source, on_bad, delimiter=delimiter):
        cells = dict(row.cells)
        if not cells.get("reason"):
            cells.pop("reason", None)  # a table cannot tell an empty reason from none
        try:
            yield Row(row.where, row.number, from_cells(cells, row.where), row.text)
        except BadInput as error:
            on_bad(BadLine(error, row.text))


class CellRow(NamedTuple):
    """One row of a table: each cell's text under its column's name."""

    where: Where
    number: int
    cells: dict[str, str]
    text: str


def read_cells(source: Source, on_bad: OnBad, *, delimiter: Delimiter) -> Iterator[CellRow]:
    """The rows of a table as they are."""
    path, text = shown(source), _Tape(source, on_bad)
    csv.field_size_limit(LINE_LIMIT)
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    header: list[str] = []
    number = 0
    while True:
        where = Where(path, reader.line_num + 1)
        text.taken.clear()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            number += bool(header)
            todo = "Put cells that hold quotes, line breaks or the separator in double quotes, and double their quotes."
            bad = BadInput(path, f"a row that cannot be split ({error})", "cells in quotes", todo, where.line)
            on_bad(BadLine(bad, text.row))
            continue
        if not cells:
            continue
        if not header:
            header = _header(cells, where, delimiter)
            continue
        number += 1
        if len(cells) == len(header):
            yield CellRow(where, number, dict(zip(header, cells, strict=True)), text.row)
        else:
            on_bad(BadLine(_uneven(cells, header, where), text.row))


def write_rows(handle: BinaryIO, records: Iterable[Record], *, delimiter: Delimiter) -> None:
    """Write records of one kind as a table, structure as JSON in its cells."""
    text = io.TextIOWrapper(handle, encoding="utf-8", newline="")
    writer = csv.writer(text, delimiter=delimiter)
    for index, record in enumerate(records):
        if index == 0:
            writer.writerow(FIELDS[kind_of_record(record)])
        writer.writerow(to_cells(record))
    text.detach()  # flushes, and leaves the handle to its owner


class _Tape:
    """Lines for the csv module, remembering those of the row in hand."""

    def __init__(self, source: Source, on_bad: OnBad) -> None:
        self.taken: list[str] = []
        self._lines = lines(source, on_bad, needed="rows of a table")

    @property
    def row(self) -> str:
        """The text of the row in hand."""
        return "".join(self.taken).rstrip("\r\n")

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        text = next(self._lines).text
        self.taken.append(text)
        return text


_SEPARATORS: Final[Mapping[str, str]] = {
    ";": "Save it again with commas: spreadsheets ask for the separator when they export CSV.",
    "\t": "Let its name end in .tsv.",
    ",": "Let its name end in .csv.",
    "|": "Save it again with commas between the cells.",
}
"""What may part cells instead of what should, and what to do then."""


def _header(cells: list[str], where: Where, delimiter: Delimiter) -> list[str]:
    other = next((mark for mark in _SEPARATORS if mark in cells[0]), None) if len(cells) == 1 else None
    if other:
        found, needed = (
            f"one column, {cells[0][:60]!r}, with {other!r} in it",
            f"columns separated by {delimiter!r}",
        )
        raise BadInput(where.path, found, needed, _SEPARATORS[other], where.line)
    repeated = sorted({name for name in cells if cells.count(name) > 1})
    if repeated:
        todo = "Rename or remove one of them."
        raise BadInput(
            where.path, f"the column {repeated[0]!r} twice", "columns of different names", todo, where.line
        )
    return cells


def _uneven(cells: list[str], header: list[str], where: Where) -> BadInput:
    todo = "Add or remove cells; a cell that holds the separator must stand in double quotes."
    return BadInput(where.path, f"{len(cells)} cells", f"{len(header)}, as in the header", todo, where.line)
