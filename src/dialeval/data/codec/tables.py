"""Tables: CSV and TSV in any dialect, and sheets of workbooks; a header that names the fields, then a record a row.

A cell holds JSON if its field has structure, or plain text if a person typed it. Workbooks (.xlsx) are read through the
optional package openpyxl.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, NamedTuple, TypeAlias

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.column_names import Columns, is_response
from dialeval.data.codec.dialects import header_lines, number_in, separator_of, tell
from dialeval.data.codec.encode import encode, kind_of_record
from dialeval.data.codec.fields import FIELDS
from dialeval.data.codec.jsonl import loads
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import (
    LINE_LIMIT,
    MOST_BLANK,
    Source,
    check,
    check_archive,
    file_of,
    is_stdin,
    lines,
    shown,
    too_blank,
)
from dialeval.data.types import Record, alternating
from dialeval.display.table import from_spreadsheet_cell, spreadsheet_cell
from dialeval.errors import BadInput, ResourceUnavailable, install_advice
from dialeval.files.foreign import as_bad_input, workbook_errors

if TYPE_CHECKING:
    from openpyxl import Workbook


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
    """Separator of the cells; if it is not a comma, a comma in a number is a decimal one."""


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
    repeated = sorted(name for name, times in Counter(names).items() if times > 1)
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


_STRUCTURED: Final = frozenset(
    {"messages", "context", "references", "candidates", "responses", "metadata", "knowledge", "assert"}
)
_CONVERSATIONS: Final = frozenset({"conversations", "dialog", "dialogue", "turns", "utterances"})
"""Fields in which other tools keep a conversation."""
_MAY_BE_BLANK: Final = frozenset(
    {"metadata", "references", "knowledge", "assert", "expected", "value", "rating", "score"}
)

WORDS: Final = frozenset({"#N/A", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"})
"""Words that programs write into the cell of a table if there is no value; formats that have null do not need them."""


_LONGEST: Final = 10
"""Longer cells hold something, which spares most of them a closer look."""


def from_cells(
    cells: Mapping[str, object], where: Where, *, separator: str = ",", words: Collection[str] = ()
) -> dict[str, object]:
    """The JSON object a row stands for. Cells that are not text (Parquet has such) are taken as they are.

    ``separator`` separates the cells; if it is not a comma, a comma in a number is a decimal one.
    A cell that holds one of ``words`` is empty, if its field may be. Only the fields that hold structure are read
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


class Cells(NamedTuple):
    """A row of a table as texts, or why it cannot be split into them."""

    line: int
    cells: Sequence[str]
    text: str
    error: BadInput | None = None


def is_workbook(source: Source) -> bool:
    """Whether the source is a workbook or, as in ``book.xlsx#Ratings``, one of its sheets."""
    return not is_stdin(source) and file_of(source).suffix.lower() == ".xlsx"


def sheet_rows(source: Source) -> Iterator[Cells]:
    """The rows of the sheet that the source names, else of the first."""
    check(source)
    path = file_of(source)
    wanted = None if path == Path(source) else Path(source).name.rpartition("#")[2]
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise ResourceUnavailable(
            f"{path}: workbooks need the package openpyxl, not installed. Run: {install_advice('xlsx')}, "
            "or save the sheet as CSV."
        ) from None
    todo = "Save it again; if it is another format, give it the ending of that."
    with as_bad_input(workbook_errors(), shown(source), "workbook", "a whole .xlsx file", todo):
        check_archive(path, shown(source))
        book = load_workbook(path, read_only=True, data_only=True)
        yield from _sheet_rows(book, path, wanted)


def _sheet_rows(book: Workbook, path: Path, wanted: str | None) -> Iterator[Cells]:
    try:
        names = [sheet.title for sheet in book.worksheets]
        if not names:
            raise BadInput(str(path), "a workbook without sheets", "a sheet", "Save it again.")
        if wanted is not None and wanted not in names:
            todo = f"Name one of them, as in {path}#{names[0]}."
            raise BadInput(str(path), f"the sheets {', '.join(map(repr, names))}", f"{wanted!r}", todo)
        if wanted is None and len(names) > 1:
            others = ", ".join(map(repr, names[1:]))
            tell(str(path), f"read its first sheet, {names[0]!r}; name another as {path}#SHEET ({others})")
        for number, values in enumerate(book[wanted or names[0]].iter_rows(values_only=True), start=1):
            cells = [_text(value) for value in values]
            yield Cells(number, cells, "\t".join(cells))
    finally:
        book.close()


def _text(value: object) -> str:
    """A cell as a person would type it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value)
