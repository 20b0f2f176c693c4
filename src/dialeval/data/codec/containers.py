"""Containers of rows: our own file formats, whose rows have the fields of docs/files.md or of another tool."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, TypeAlias

from dialeval.data.codec import jsonl, parquet, tables
from dialeval.data.codec.bad import OnBad
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, native_format
from dialeval.errors import BadInput

RowReader: TypeAlias = Callable[[Source, OnBad], Iterator[Row]]

ROWS: Final[Mapping[str, RowReader]] = {
    "jsonl": jsonl.read_rows,
    "csv": partial(tables.read_rows, delimiter=","),
    "tsv": partial(tables.read_rows, delimiter="\t"),
    "xlsx": tables.read_rows,
    "parquet": parquet.read_rows,
}
"""The reader of each container."""


def rows_of(source: Source) -> RowReader:
    """The reader of the container that the file's ending names; of JSON Lines where it names none."""
    try:
        return ROWS[native_format(source)]
    except BadInput:
        return jsonl.read_rows
