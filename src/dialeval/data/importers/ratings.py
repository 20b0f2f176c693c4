"""Ratings in annotation files: a number, or words or nothing if the rater could not say; unnamed raters.

`read` reads tables with a row for each thing that was rated and a column for each rater, as people keep them.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.dialects import number_in
from dialeval.data.codec.fields import likely_name, missing, name, wrong
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source
from dialeval.data.codec.tables import CellRow, read_cells
from dialeval.data.types import Judgement, Kind, Record
from dialeval.errors import BadInput

_LARGEST: Final = sys.float_info.max
"""Whole numbers in JSON have any number of digits; NaN and infinity are not below this."""


class Rating(NamedTuple):
    """A value, or the reason there is none."""

    value: float | None
    reason: str | None = None


def rating(answer: object, where: Where, field: str) -> Rating:
    """The rating that ``answer`` gives; words become the reason for no value."""
    if isinstance(answer, str):
        return Rating(None, answer)
    if isinstance(answer, int | float) and not isinstance(answer, bool) and abs(answer) <= _LARGEST:
        return Rating(float(answer))
    raise wrong(where, field, answer, "a number, or words where the rater could not say", "Fix the rating.")


NO_ANSWER: Final = frozenset({"", "na", "n/a", "nan", "null", "none"})
"""Contents of a cell, in lower case, if a rater could not say."""


def rating_in_cell(
    cell: str, where: Where, field: str, todo: str = "Fix the rating.", separator: str = ","
) -> Rating:
    """The rating in a table's cell; blank, or a word such as NA that programs write for it, is a missing value.

    Other words are refused, since in a table they are more often a slip or a column that holds no ratings.
    """
    written = cell.strip()
    if written.lower() in NO_ANSWER:
        return Rating(None, written or None)
    value = number_in(written, separator)
    if math.isfinite(value):
        return Rating(value)
    raise wrong(where, field, cell, "a number, or an empty cell where the rater could not say", todo)


def score_in_cell(cell: str, where: Where, field: str) -> float:
    """The number a table's cell must hold."""
    value = rating_in_cell(cell, where, field).value
    if value is None:
        raise wrong(where, field, cell, "a number", "Fix the score.")
    return value


_POSITION: Final = re.compile(r"#[1-9][0-9]*")


def position(number: int) -> str:
    """The rater of the rating that stands at this place of its list, counted from 1."""
    return f"#{number}"


def anonymous(raters: Iterable[str]) -> bool:
    """Whether one of the raters is a position in a list, so that nobody can be followed from item to item."""
    return any(_POSITION.fullmatch(rater) for rater in raters)


KINDS: Final[tuple[Kind, ...]] = ("judgement",)

_NAMES: Final = ("item", "system", "criterion")


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """One judgement for each cell under a rater's name, in any table (CSV, TSV, a sheet of a workbook).

    The column ``item`` must be there; ``system`` and ``criterion`` may be, and stand for "" and ``rating`` if they
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
