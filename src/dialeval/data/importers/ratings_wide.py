"""Ratings as people keep them in a spreadsheet: a row for each thing that was rated, a column for each rater."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import OnBad
from dialeval.data.codec.dialects import number_in
from dialeval.data.codec.fields import likely_name, missing, name
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source
from dialeval.data.codec.tables import CellRow, read_cells
from dialeval.data.importers.ratings import NO_ANSWER, rating_in_cell
from dialeval.data.types import Judgement, Kind, Record
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("judgement",)

_NAMES: Final = ("item", "system", "criterion")


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """One judgement for each cell under a rater's name, in any table (CSV, TSV, a sheet of a workbook).

    The column ``item`` must be there; ``system`` and ``criterion`` may be, and stand for "" and ``rating`` where they
    are not. Every other column is a rater. A blank cell, or one that says NA, is a judgement without a value.
    """
    lines: dict[tuple[str, ...], int | None] = {}
    raters: list[str] = []

    def parse(row: Row) -> Sequence[Record]:
        given: CellRow = row.fields  # type: ignore[assignment]  # the row of a table
        cells = given.cells
        item, system, criterion = key = _key(cells, row)
        if key in lines:
            raise _repeated(key, lines[key], row)
        lines[key] = row.where.line
        if not raters:  # the header is the same for all rows
            raters.extend(_raters(cells, row))
        return [
            Judgement(
                item,
                system,
                rater,
                criterion,
                *rating_in_cell(cells[rater], row.where, rater, _TODO, given.separator),
            )
            for rater in raters
        ]

    rows = read_cells(source, on_bad)
    return records((Row(row.where, row.number, row, row.text) for row in rows), parse, on_bad)


def is_wide(fields: object) -> bool:
    """Whether a row of a table has an item and, beside what it names, nothing but ratings."""
    if not isinstance(fields, Mapping) or "item" not in fields:
        return False
    cells = [cell for name, cell in fields.items() if name not in _NAMES]
    return (
        bool(cells)
        and not fields.keys() & {"value", "rating", "score", "rater"}
        and all(map(_is_rating, cells))
    )


def _is_rating(cell: object) -> bool:
    if not isinstance(cell, str):
        return cell is None or isinstance(cell, float)
    return cell.strip().lower() in NO_ANSWER or not math.isnan(number_in(cell, ";"))


_TODO: Final = "Fix the rating, or remove the column if it is not a rater's."


def _key(cells: Mapping[str, str], row: Row) -> tuple[str, str, str]:
    if "item" not in cells:
        raise missing(cells, "item", row.where, "", "a column that names what was rated")
    criterion = name(cells, "criterion", row.where, "") if "criterion" in cells else "rating"
    return name(cells, "item", row.where, ""), cells.get("system", ""), criterion


def _raters(cells: Mapping[str, str], row: Row) -> list[str]:
    raters = [column for column in cells if column not in _NAMES]
    path = row.where.path
    if {"rater", "value"} <= set(raters):
        todo = "Leave out '--from ratings-wide': the file has one judgement a row."
        raise BadInput(path, "the columns 'rater' and 'value'", "a column for each rater", todo, 1)
    blank = next((column for column in raters if not column.strip()), None)
    if blank is not None:
        raise BadInput(
            path, "a column without a name", "the rater's name", "Name it, or take it out.", 1, blank
        )
    if not raters:
        raise BadInput(path, "no further column", "a column for each rater", "Add the ratings.", 1)
    for field in ("system", "criterion"):
        meant = likely_name(field, raters) if field not in cells else None
        if meant and not _rated(cells[meant]):
            raise BadInput(
                path, f"the column {meant!r}", f"{field!r}", f"Rename {meant!r} to {field!r}.", 1, meant
            )
    return raters


def _rated(cell: str) -> bool:
    return not cell or not math.isnan(number_in(cell, ";"))


def _repeated(key: tuple[str, str, str], first: int | None, row: Row) -> BadInput:
    item, system, criterion = key
    of = f" of system {system!r}" if system else ""
    found = f"{item!r}{of} a second time for {criterion!r} (first in line {first})"
    todo = "Drop one of the rows, or tell them apart by 'system' or 'criterion'."
    return BadInput(row.where.path, found, "one row for each thing rated", todo, row.where.line, "item")
