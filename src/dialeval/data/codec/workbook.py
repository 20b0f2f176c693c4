"""Sheets of workbooks (.xlsx), row by row, through the optional package openpyxl."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dialeval.data.codec.dialects import tell
from dialeval.data.codec.limits import check_archive
from dialeval.data.codec.sources import Source, check, file_of, is_stdin, shown
from dialeval.errors import BadInput, ResourceUnavailable, install_advice
from dialeval.files.foreign import as_bad_input, workbook_errors

if TYPE_CHECKING:
    from openpyxl import Workbook


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
