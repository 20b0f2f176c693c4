"""Tables of records that may be too large for memory: a list while they are few, then columns of Arrow in a file.

The file has no name, so that nothing is left if a program is killed; ``TMPDIR`` says in which folder it is.
"""

from __future__ import annotations

import os
import weakref
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from operator import eq
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from dialeval.data.types import Prompt
from dialeval.errors import RunFailed

if TYPE_CHECKING:
    import pyarrow as pa

    from dialeval.data.arrow import Records

R = TypeVar("R")
BLOCK: Final = 256
"""Records that are written and read at once; texts of as many lines, each of at most 8 MiB, fit into one array."""
_NEAR: Final = 8
"""Blocks that are kept: lines of a transcript may stand in nearly the order of the data."""
_TODO: Final = "Free some space, or set TMPDIR to a folder on a larger disk."
_held: ContextVar[int] = ContextVar("held", default=32_768)


class NoSpace(RunFailed):
    """The temporary files cannot be written, no matter whose records they are."""


@contextmanager
def holding(records: int) -> Iterator[None]:
    """Hold at most this many records of one table in memory, for as long as this lasts."""
    token = _held.set(records)
    try:
        yield
    finally:
        _held.reset(token)


class Table(Sequence[R]):
    """Records of a dataclass or named tuple, or of several (``A | B``); slices share the records of the whole."""

    def __init__(self, kind: Any, records: Iterable[R] = ()) -> None:
        self._blocks = _Blocks(kind)
        self._places = range(0)
        self.extend(records)

    def append(self, record: R) -> None:
        """Append this record."""
        self.extend((record,))

    def extend(self, records: Iterable[R]) -> None:
        """Append these records; a slice cannot be added to."""
        if len(self._places) != self._blocks.count:
            found = "a slice of a Table shares the records of the whole"
            raise TypeError(f"{found}, so nothing can be added to it")
        for record in records:
            self._blocks.append(record)
        self._places = range(self._blocks.count)

    @property
    def in_file(self) -> bool:
        """Whether the records are too many for memory."""
        return bool(self._blocks.written)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> Table[R]: ...
    def __getitem__(self, index: int | slice) -> R | Table[R]:
        places = self._places[index]
        if isinstance(places, int):
            record: R = self._blocks.at(places)
            return record
        part: Table[R] = object.__new__(Table)
        part._blocks, part._places = self._blocks, places
        return part

    def __iter__(self) -> Iterator[R]:
        places = self._places
        if places.step != 1:
            return map(self._blocks.at, places)
        return (record for block in self._blocks.between(places) for record in block)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table | list | tuple):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # records can be added

    def ids(self) -> Iterator[str]:
        """Yield the id of each record, which is quicker than the records."""
        if self._places.step != 1:
            return (record.item for record in self)  # type: ignore[attr-defined]  # asked of such records only
        return (item for ids in self._blocks.ids_between(self._places) for item in ids)

    def of_items(self, wanted: Collection[str]) -> Iterator[R]:
        """Yield the records of these items only."""
        for start in range(0, len(self), BLOCK):
            part = self[start : start + BLOCK]
            if any(item in wanted for item in part.ids()):
                yield from (record for record in part if record.item in wanted)  # type: ignore[attr-defined]


def is_large(records: object) -> bool:
    """Return whether these are records of a table that are too many for memory."""
    return isinstance(records, Table) and records.in_file


def ids_of(prompts: Sequence[Prompt]) -> Iterable[str]:
    """Return the id of each prompt."""
    return prompts.ids() if isinstance(prompts, Table) else [prompt.item for prompt in prompts]


def of_items(records: Sequence[R], wanted: Collection[str]) -> Iterable[R]:
    """Return the records of these items; of a list all, which is quicker for who looks at each anyway."""
    return records.of_items(wanted) if isinstance(records, Table) else records


class _Blocks:
    """Records in memory until they are too many, then blocks in a file, and in memory what does not fill one."""

    def __init__(self, kind: Any) -> None:
        self._kind, self._held = kind, _held.get()
        self._size = max(1, min(BLOCK, self._held))
        self._rest: list[Any] = []
        self._ends = array("Q")
        self._near: dict[int, list[Any]] = {}
        """The blocks that were read last, nothing for those of which one record was; replaced whole, for threads."""

    @property
    def written(self) -> int:
        """Number of records in the file."""
        return self._size * len(self._ends)

    @property
    def count(self) -> int:
        return self.written + len(self._rest)

    def append(self, record: Any) -> None:
        self._rest.append(record)
        if len(self._rest) > self._held or (self._ends and len(self._rest) == self._size):
            self._write()

    def at(self, place: int) -> Any:
        """Return the record at this place; its whole block is read when a second one is asked for."""
        if place >= self.written:
            return self._rest[place - self.written]
        number, index = divmod(place, self._size)
        records = self._near.get(number)
        if records is None:
            self._near = {**dict(list(self._near.items())[1 - _NEAR :]), number: []}
            return self._columns.decode(self._read(number)[index : index + 1])[0]
        if not records:
            records = self._columns.decode(self._read(number))
            self._near = {**self._near, number: records}
        return records[index]

    def between(self, places: range) -> Iterator[list[Any]]:
        """Yield the records at these successive places, block by block."""
        for number, part in self._parts(places):
            yield self._columns.decode(self._read(number)[part])
        yield self._rest_between(places)

    def ids_between(self, places: range) -> Iterator[list[str]]:
        """Yield the ids of the records at these places in the same way."""
        for number, part in self._parts(places):
            yield self._columns.ids(self._read(number)[part])
        yield [record.item for record in self._rest_between(places)]

    def _parts(self, places: range) -> Iterator[tuple[int, slice]]:
        """Yield the number of each block that these places lie in, and which part of it."""
        stop = min(places.stop, self.written)
        for number in range(places.start // self._size, -(-stop // self._size)):
            start = number * self._size
            yield number, slice(max(places.start - start, 0), min(stop - start, self._size))

    def _rest_between(self, places: range) -> list[Any]:
        return self._rest[max(places.start - self.written, 0) : max(places.stop - self.written, 0)]

    @cached_property
    def _columns(self) -> Records:
        from dialeval.data.arrow import records_of  # Arrow takes time to import: few records never get here

        return records_of(self._kind)

    @cached_property
    def _schema(self) -> pa.Schema:
        import pyarrow as pa

        return pa.schema([("record", self._columns.type)])

    @cached_property
    def _file(self) -> Any:
        import tempfile

        try:
            file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  (closed with the last who reads it)
        except OSError as error:
            raise NoSpace(f"Cannot write a temporary file ({error}). {_TODO}") from error
        weakref.finalize(self, file.close)
        return file

    def _read(self, number: int) -> pa.Array:
        import pyarrow as pa

        first = self._ends[number - 1] if number else 0
        size = self._ends[number] - first
        content = os.pread(self._file.fileno(), size, first)
        while len(content) < size:  # the system reads at most 2 GiB at once
            more = os.pread(self._file.fileno(), size - len(content), first + len(content))
            if not more:
                raise EOFError(f"a temporary file ends at {first + len(content)}")
            content += more
        return pa.ipc.read_record_batch(pa.py_buffer(content), self._schema).column(0)

    def _write(self) -> None:
        """Write the blocks that the records in memory fill."""
        import pyarrow as pa

        whole = len(self._rest) // self._size * self._size
        for start in range(0, whole, self._size):
            records = self._columns.encode(self._rest[start : start + self._size])
            content = memoryview(pa.record_batch([records], schema=self._schema).serialize())
            done = self._ends[-1] if self._ends else 0
            self._store(content, done)
            self._ends.append(done + len(content))
        del self._rest[:whole]

    def _store(self, content: memoryview, done: int) -> None:
        try:
            while content:
                written = self._file.write(content) or 0
                done, content = done + written, content[written:]
        except OSError as error:
            from tempfile import gettempdir

            raise NoSpace(
                f"No space left in {gettempdir()} for {done + len(content):,} bytes of records "
                f"that are too large for memory ({error.strerror}). {_TODO}"
            ) from error
