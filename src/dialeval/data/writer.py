"""Writer of records to files of any of our own formats."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, cast, get_type_hints

from dialeval.data.codec.encode import kind_of_record, subject_lines
from dialeval.data.codec.parquet import write_objects, write_table
from dialeval.data.codec.sources import Native, Source, is_stdin, native_format
from dialeval.data.codec.tables import write_rows
from dialeval.data.types import Kind, Record
from dialeval.display.table import spreadsheet_cell
from dialeval.errors import BadInput, Unsuitable
from dialeval.files.atomic import atomic_path

_AT_ONCE: Final = 128
"""Records that are written together, which costs a third of writing them one by one."""


def write(target: Source, records: Iterable[Record], *, private: bool = False) -> int:
    """Write records of one kind in the format the target's suffix names; return how many there were.

    The file appears whole when the last record is written, or not at all; a link stays one, and the file that it leads
    to is replaced. ``-`` writes JSON Lines to standard output. Only its owner can read a ``private`` file.
    """
    stream = _OneKind(records)
    if is_stdin(target):
        _write_lines(_standard_output(), stream)
        sys.stdout.flush()
        return stream.count
    path = Path(target)
    if path.is_dir():
        raise BadInput(str(target), "a directory", "a file to write", "Name a file in it.")
    writer = _WRITERS[native_format(target, writing=True)]
    with (
        atomic_path(path, follow=True, private=private) as scratch,
        _opened(scratch, zipped=path.suffix.lower() == ".gz") as handle,
    ):
        writer(handle, stream)
    return stream.count


def write_fields(target: Source, form: type[object], rows: Iterable[Mapping[str, object]]) -> None:
    """Write rows of the fields of a dataclass in the format the target's suffix names, all rows with all fields."""
    names = [field.name for field in fields(form)]  # type: ignore[arg-type]  # callers pass dataclasses
    if is_stdin(target):
        _write_objects(_standard_output(), rows)
        sys.stdout.flush()
        return
    path = Path(target)
    if path.is_dir():
        raise BadInput(str(target), "a directory", "a file to write", "Name a file in it.")
    native = native_format(target, writing=True)
    with (
        atomic_path(path, follow=True) as scratch,
        _opened(scratch, zipped=path.suffix.lower() == ".gz") as handle,
    ):
        if native == "jsonl":
            _write_objects(handle, rows)
        elif native == "parquet":
            write_objects(handle, get_type_hints(form), rows)
        else:
            text = io.TextIOWrapper(handle, encoding="utf-8", newline="")
            table = csv.DictWriter(text, names, delimiter="," if native == "csv" else "\t")
            table.writeheader()
            table.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
            text.detach()  # flushes, and leaves the handle to its owner


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return spreadsheet_cell(value) if isinstance(value, str) else value


class _Terminal:
    """Lines for a terminal, as text that passes the filter of what is printed."""

    def write(self, lines: bytes, /) -> int:
        sys.stdout.write(lines.decode())
        return len(lines)


def _standard_output() -> BinaryIO:
    return cast(BinaryIO, _Terminal()) if sys.stdout.isatty() else sys.stdout.buffer


def _write_objects(handle: BinaryIO, rows: Iterable[Mapping[str, object]]) -> None:
    for row in rows:
        handle.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n")


def _write_lines(handle: BinaryIO, records: Iterable[Record]) -> None:
    stream = iter(records)
    while batch := list(islice(stream, _AT_ONCE)):
        handle.write(subject_lines(batch) + b"\n")


_WRITERS: Final[Mapping[Native, Callable[[BinaryIO, Iterable[Record]], None]]] = {
    "jsonl": _write_lines,
    "csv": partial(write_rows, delimiter=","),
    "tsv": partial(write_rows, delimiter="\t"),
    "parquet": write_table,
}


@contextmanager
def _opened(path: Path, *, zipped: bool) -> Iterator[BinaryIO]:
    with path.open("wb") as plain:
        if zipped:
            # No name and no time inside, so that equal records give equal bytes.
            with gzip.GzipFile(filename="", mode="wb", fileobj=plain, mtime=0) as packed:
                yield cast(BinaryIO, packed)
        else:
            yield plain


class _OneKind:
    """Passes records on, counts them, and refuses a second kind."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.count = 0
        self._records = records

    def __iter__(self) -> Iterator[Record]:
        first: Kind | None = None
        for record in self._records:
            kind = kind_of_record(record)
            first = first or kind
            if kind != first:
                raise Unsuitable(
                    f"A file holds one kind of record, but after {first}s came a {kind}. Write two files."
                )
            self.count += 1
            yield record
