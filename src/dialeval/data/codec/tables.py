"""Tables: CSV and TSV in any dialect, and sheets of workbooks; a header that names the fields, then a record a row."""

from __future__ import annotations

import csv
import io
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, Final, Literal, NamedTuple, TypeAlias

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.cells import WORDS, from_cells, to_cells
from dialeval.data.codec.column_names import Columns, is_response
from dialeval.data.codec.dialects import header_lines, separator_of, tell
from dialeval.data.codec.encode import kind_of_record
from dialeval.data.codec.fields import FIELDS
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import LINE_LIMIT, MOST_BLANK, Source, file_of, lines, shown, too_blank
from dialeval.data.codec.workbook import Cells, is_workbook, sheet_rows
from dialeval.data.types import Record
from dialeval.errors import BadInput

Delimiter: TypeAlias = Literal[",", "\t"]

_KNOWN: Final = frozenset({"reference", "task", *itertools.chain.from_iterable(FIELDS.values())})
"""Names of columns that tell what separates the cells."""


def read_rows(
    source: Source, on_bad: OnBad, columns: Columns | None = None, *, delimiter: Delimiter | None = None
) -> Iterator[Row]:
    """The rows of a table as the JSON objects they stand for, with the fields that ``columns`` names."""
    if delimiter is not None and is_workbook(source):
        tell(shown(source), "read as xlsx, since it is a workbook and not a table of text")
    absent: Counter[tuple[str, str]] = Counter()
    fields_of: dict[str, str] = {}
    watched: list[str] = []
    renaming = columns.renaming() if columns else None
    named = {column for _, column in columns.pairs} if columns else set()
    for row in read_cells(source, on_bad, delimiter=delimiter):
        if not fields_of:  # the header is the same for all rows
            fields_of = {name: _field(name, row.cells) for name in row.cells}
            if columns is not None:
                columns.check({*fields_of, *fields_of.values()}, row.where.path, row.where.line)
        cells: dict[str, object] = {fields_of[name]: cell for name, cell in row.cells.items()}
        if renaming is not None:
            typed = {
                name: cell for name, cell in row.cells.items() if fields_of[name] != name and name in named
            }
            cells = renaming({**cells, **typed} if typed else cells)
        if not watched:
            watched = [name for name in cells if name in ("reference", "references") or is_response(name)]
        for name in watched:
            if isinstance(cell := cells[name], str) and (cell in WORDS or not cell):
                absent[name, cell] += 1
        try:
            fields = from_cells(cells, row.where, separator=row.separator, words=WORDS)
            yield Row(row.where, row.number, fields, row.text)
        except BadInput as error:
            on_bad(BadLine(error, row.text))
    if any(cell for _, cell in absent):
        counts = (f"{name} {cell or 'empty'} ({count:,})" for (name, cell), count in sorted(absent.items()))
        tell(shown(source), f"cells without a value: {', '.join(counts)}")


def _field(name: str, cells: dict[str, str]) -> str:
    """The field that a column stands for: people who type a header begin it with a capital."""
    lower = name.lower()
    if not name:  # as data frames write their index
        return "index" if "index" not in cells else name
    return lower if lower in _KNOWN and lower not in cells else name


class CellRow(NamedTuple):
    """One row of a table: each cell's text under its column's name."""

    where: Where
    number: int
    cells: dict[str, str]
    text: str
    separator: str = ","
    """What separates the cells; where it is not a comma, a comma in a number is a decimal one."""


def read_cells(source: Source, on_bad: OnBad, *, delimiter: Delimiter | None = None) -> Iterator[CellRow]:
    """The rows of a table as they are; ``delimiter`` is what the cells are usually separated by, else by the name."""
    if is_workbook(source):
        yield from _cell_rows(sheet_rows(source), shown(source), "\t", on_bad)
        return
    tape = _Tape(source, on_bad)
    head = header_lines(tape)
    usual = delimiter or ("\t" if str(file_of(source)).lower().removesuffix(".gz").endswith(".tsv") else ",")
    separator = separator_of("".join(head), usual, _KNOWN)
    separator.tell(shown(source), usual)
    tape.put_back([] if separator.declared else head)
    split = _split(tape, shown(source), separator.mark, skipped=len(head) if separator.declared else 0)
    yield from _cell_rows(split, shown(source), separator.mark, on_bad)


def _split(tape: _Tape, path: str, mark: str, *, skipped: int) -> Iterator[Cells]:
    csv.field_size_limit(LINE_LIMIT)
    reader = csv.reader(tape, delimiter=mark, strict=True)
    while True:
        line = reader.line_num + 1 + skipped
        tape.taken.clear()
        try:
            yield Cells(line, next(reader), tape.row)
        except StopIteration:
            return
        except csv.Error as error:
            todo = "Put cells that hold quotes, line breaks or the separator in double quotes, and double their quotes."
            bad = BadInput(path, f"a row that cannot be split ({error})", "cells in quotes", todo, line)
            yield Cells(line, (), tape.row, bad)


def _cell_rows(rows: Iterable[Cells], path: str, separator: str, on_bad: OnBad) -> Iterator[CellRow]:
    header: list[str] = []
    number = blank = header_line = 0
    for line, given, text, error in rows:
        where = Where(path, line)
        if error is not None:
            number += bool(header)
            on_bad(BadLine(error, text))
            continue
        cells = _trimmed(given, len(header))
        if not cells or (len(cells) > 1 and not any(cells)):
            blank += 1  # spreadsheets write rows that hold nothing
            if blank > MOST_BLANK:
                raise too_blank(path, line)
            continue
        blank = 0
        if not header:
            header, header_line = _header(cells, where), line
            continue
        number += 1
        if number == 1:
            _check_header(header, cells, Where(path, header_line))
        if len(cells) == len(header):
            yield CellRow(where, number, dict(zip(header, cells, strict=True)), text, separator)
        else:
            on_bad(BadLine(_uneven(cells, header, where), text))


def _trimmed(cells: Sequence[str], width: int) -> list[str]:
    """The cells without blank ones after the last column: those of a header are no columns."""
    kept = list(cells)
    while len(kept) > max(width, 1) and not kept[-1].strip():
        kept.pop()
    return kept


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
        self._lines: Iterator[str] = (line.text for line in lines(source, on_bad, expected="rows of a table"))

    @property
    def row(self) -> str:
        """The text of the row in hand."""
        return "".join(self.taken).rstrip("\r\n")

    def put_back(self, texts: Sequence[str]) -> None:
        """Let these lines come next."""
        self._lines = itertools.chain(texts, self._lines)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        text = next(self._lines)
        self.taken.append(text)
        return text


def _header(cells: Sequence[str], where: Where) -> list[str]:
    names = [name.strip() for name in cells]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        todo = "Rename or remove one of them."
        raise BadInput(
            where.path, f"the column {repeated[0]!r} twice", "columns of different names", todo, where.line
        )
    return names


def _check_header(header: Sequence[str], cells: Sequence[str], where: Where) -> None:
    """Refuse a title above the table, and merged cells: columns without a name that hold something."""
    if len(header) == 1 and sum(bool(cell.strip()) for cell in cells) > 1:
        found, todo = f"{header[0]!r} alone in its row", "Remove the rows above the names of the columns."
        raise BadInput(where.path, found, "a name for each column", todo, where.line)
    for place, (name, cell) in enumerate(zip(header, cells, strict=False)):
        if not name and cell.strip() and place:  # the first may be the index of a data frame
            found = f"a column without a name (number {place + 1}), which holds {cell[:40]!r}"
            todo = "Name the column, or split the merged cells of the header."
            raise BadInput(where.path, found, "a name for each column", todo, where.line)


def _uneven(cells: list[str], header: list[str], where: Where) -> BadInput:
    todo = "Add or remove cells; a cell that holds the separator must stand in double quotes."
    return BadInput(where.path, f"{len(cells)} cells", f"{len(header)}, as in the header", todo, where.line)
