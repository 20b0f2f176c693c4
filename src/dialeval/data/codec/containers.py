"""Containers of rows: our own file formats, whose rows have the fields of docs/files.md or of another tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from dialeval.data.codec import jsonl
from dialeval.data.codec.bad import OnBad
from dialeval.data.codec.column_names import Columns
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, native_format
from dialeval.errors import BadInput

if TYPE_CHECKING:
    from dialeval.data.codec.tables import Delimiter


class RowReader(Protocol):
    """Reads the rows of a container, with the fields that ``columns`` names."""

    def __call__(self, source: Source, on_bad: OnBad, columns: Columns | None = None, /) -> Iterator[Row]:
        """The rows, one at a time."""
        ...


def _table_rows(
    source: Source, on_bad: OnBad, columns: Columns | None = None, *, delimiter: Delimiter | None = None
) -> Iterator[Row]:
    from dialeval.data.codec import tables

    return tables.read_rows(source, on_bad, columns, delimiter=delimiter)


def _parquet_rows(source: Source, on_bad: OnBad, columns: Columns | None = None) -> Iterator[Row]:
    from dialeval.data.codec import parquet

    return parquet.read_rows(source, on_bad, columns)


ROWS: Final[Mapping[str, RowReader]] = {
    "jsonl": jsonl.read_rows,
    "csv": partial(_table_rows, delimiter=","),
    "tsv": partial(_table_rows, delimiter="\t"),
    "xlsx": _table_rows,
    "parquet": _parquet_rows,
}
"""The reader of each container."""


def rows_of(source: Source) -> RowReader:
    """The reader of the container that the file's ending names; of JSON Lines where it names none."""
    try:
        return ROWS[native_format(source)]
    except BadInput:
        return jsonl.read_rows
