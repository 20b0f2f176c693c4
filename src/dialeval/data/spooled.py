"""Sequences of records that are too large for memory, in temporary files.

The files have no name, so that nothing is left where a program is killed; ``TMPDIR`` says in which folder they are.
"""

from __future__ import annotations

import os
import pickle
import weakref
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice, pairwise
from typing import Any, Final, Generic, NamedTuple, TypeVar, overload

from dialeval.data.types import Assertion, Example, Prompt, Response, Turn
from dialeval.errors import RunFailed
from dialeval.text.packed import TextNumbers

R = TypeVar("R")
_READ: Final = 256
"""Records that are read at once."""
_WRITTEN: Final = 1 << 18
"""Bytes that are written at once."""
_TODO: Final = "Free some space, or set TMPDIR to a folder on a larger disk."
_held: ContextVar[int] = ContextVar("held", default=32_768)


class NoSpace(RunFailed):
    """The temporary files cannot be written, no matter whose records they are."""


@contextmanager
def holding(records: int) -> Iterator[None]:
    """Hold at most this many records of one kind in memory, for as long as this lasts."""
    token = _held.set(records)
    try:
        yield
    finally:
        _held.reset(token)


class Shape(NamedTuple, Generic[R]):
    """How a record is taken apart: objects of our own take ten times as long to load as tuples."""

    parts: Callable[[R], tuple[Any, ...]]
    """Plain values; the item's id first, where `Spool.ids` and `Spool.of_items` are asked for."""
    whole: Callable[[tuple[Any, ...]], R]
    """The record again."""


def turn_parts(turns: Iterable[Turn]) -> list[tuple[Any, ...]]:
    """Turns taken apart."""
    return [(turn.speaker, turn.text, turn.name, turn.extra) for turn in turns]


def whole_turns(parts: Iterable[tuple[Any, ...]]) -> tuple[Turn, ...]:
    """The turns again."""
    return tuple([Turn(*part) for part in parts])


def response_parts(response: Response) -> tuple[Any, ...]:
    """A response taken apart; ``Response(*parts)`` is it again."""
    return response.text, response.logprob, response.missing, response.usage, response.cause


def given_parts(record: Prompt | Example) -> tuple[Any, ...]:
    """Knowledge and assertions taken apart; nothing where there is neither, as nearly everywhere."""
    if not record.knowledge and not record.assertions:
        return ()
    told = [(each.kind, each.value, each.ignore_case, each.negated) for each in record.assertions]
    return record.knowledge, told


def whole_given(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """The knowledge and the assertions again."""
    return (parts[0], tuple([Assertion(*told) for told in parts[1]])) if parts else ()


PROMPTS: Final[Shape[Prompt]] = Shape(
    lambda prompt: (prompt.item, turn_parts(prompt.context), prompt.references, *given_parts(prompt)),
    lambda parts: Prompt(parts[0], whole_turns(parts[1]), parts[2], *whole_given(parts[3:])),
)


class Spool(Sequence[R]):
    """Records in a file, in 8 bytes of memory each; one is made whenever it is asked for. Slices share the file."""

    def __init__(self, shape: Shape[R], records: Iterable[R] = ()) -> None:
        self._shape = shape
        self._file = _File()
        self._places = range(0)
        self.extend(records)

    def extend(self, records: Iterable[R]) -> None:
        """Put these after the others; a slice cannot be added to."""
        if len(self._places) != self._file.count:
            raise TypeError("a slice of a Spool shares the file of the whole, so nothing can be added to it")
        for record in records:
            self._file.append(pickle.dumps(self._shape.parts(record), pickle.HIGHEST_PROTOCOL))
        self._places = range(self._file.count)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> Spool[R]: ...
    def __getitem__(self, index: int | slice) -> R | Spool[R]:
        places = self._places[index]
        if isinstance(places, int):
            return self._shape.whole(pickle.loads(self._file.piece(places)))
        part: Spool[R] = object.__new__(Spool)
        part._shape, part._file, part._places = self._shape, self._file, places
        return part

    def __iter__(self) -> Iterator[R]:
        return map(self._shape.whole, self._parts())

    def ids(self) -> Iterator[str]:
        """The id of each record, which is quicker than the records."""
        return (parts[0] for parts in self._parts())

    def of_items(self, wanted: Collection[str]) -> Iterator[R]:
        """The records of these items only."""
        return (self._shape.whole(parts) for parts in self._parts() if parts[0] in wanted)

    def _parts(self) -> Iterator[tuple[Any, ...]]:
        if self._places.step != 1:
            payloads = (self._file.read(place, place + 1) for place in self._places)
        else:
            starts = range(self._places.start, self._places.stop, _READ)
            payloads = (self._file.read(start, min(start + _READ, self._places.stop)) for start in starts)
        return (pickle.loads(payload) for read in payloads for payload in read)


def spooled(records: Iterable[R], shape: Shape[R]) -> Sequence[R]:
    """The records: as a list where they are few, else in a file."""
    stream = iter(records)
    first = list(islice(stream, _held.get() + 1))
    if len(first) <= _held.get():
        return first
    spool = Spool(shape, first)
    del first
    spool.extend(stream)
    return spool


def ids_of(prompts: Sequence[Prompt]) -> Iterable[str]:
    """The id of each prompt."""
    return prompts.ids() if isinstance(prompts, Spool) else [prompt.item for prompt in prompts]


def of_items(records: Sequence[R], wanted: Collection[str]) -> Iterable[R]:
    """The records of these items; of a list all, which is quicker for who looks at each anyway."""
    return records.of_items(wanted) if isinstance(records, Spool) else records


class Shelf(Mapping[str, R]):
    """Records by id: a dict where they are few, else in a file, and some 30 bytes of memory each beside the id."""

    def __init__(self, shape: Shape[R]) -> None:
        self._shape = shape
        self._few: dict[str, R] = {}
        self._numbers = TextNumbers()
        self._spool: Spool[R] | None = None

    def add(self, item: str, record: R) -> bool:
        """Put the record in its place; False where the item has one."""
        if item in self:
            return False
        if self._spool is None and len(self._few) < _held.get():
            self._few[item] = record
            return True
        if self._spool is None:
            self._numbers, self._spool = TextNumbers(self._few), Spool(self._shape, self._few.values())
            self._few.clear()
        self._numbers.add(item)
        self._spool.extend((record,))
        return True

    def __getitem__(self, item: str) -> R:
        if self._spool is None:
            return self._few[item]
        number = self._numbers.number(item)
        if number is None:
            raise KeyError(item)
        return self._spool[number]

    def __contains__(self, item: object) -> bool:
        return item in (self._few if self._spool is None else self._numbers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._few if self._spool is None else self._numbers)

    def __len__(self) -> int:
        return len(self._few if self._spool is None else self._spool)

    def in_order(self) -> Iterator[R]:
        """The records as they came."""
        return iter(self._few.values() if self._spool is None else self._spool)


class _Near(NamedTuple):
    """Pieces that were read last; replaced whole, so that threads never see parts of two."""

    places: range
    pieces: list[bytes]


class _File:
    """Pieces of bytes in a file without a name."""

    def __init__(self) -> None:
        try:
            import tempfile  # what is small never gets here

            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  (closed with the last who reads it)
        except OSError as error:
            raise NoSpace(f"Cannot write a temporary file ({error}). {_TODO}") from error
        weakref.finalize(self, self._file.close)
        self._waiting = bytearray()
        self._written = 0
        self._ends = array("Q")
        self._near = _Near(range(-1, 0), [])

    @property
    def count(self) -> int:
        return len(self._ends)

    def append(self, payload: bytes) -> None:
        self._waiting += payload
        self._ends.append(self._written + len(self._waiting))
        if len(self._waiting) >= _WRITTEN:
            self._write()

    def piece(self, place: int) -> bytes:
        """The piece at this place; next ones are read with it where the last that were read end here."""
        near = self._near
        if place not in near.places:
            pieces = self.read(place, place + (_READ if place == near.places.stop else 1))
            near = self._near = _Near(range(place, place + len(pieces)), pieces)
        return near.pieces[place - near.places.start]

    def read(self, start: int, stop: int) -> list[bytes]:
        """The pieces from the first place up to the second."""
        if self._waiting:
            self._write()
        ends = self._ends[start:stop]
        first = self._ends[start - 1] if start else 0
        content = self._content(first, ends[-1] - first) if ends else b""
        edges = [0, *(end - first for end in ends)]
        return [content[low:high] for low, high in pairwise(edges)]

    def _content(self, first: int, size: int) -> bytes:
        content = os.pread(self._file.fileno(), size, first)
        while len(content) < size:  # the system reads at most 2 GiB at once
            more = os.pread(self._file.fileno(), size - len(content), first + len(content))
            if not more:
                raise EOFError(f"a temporary file ends at {first + len(content)}")
            content += more
        return content

    def _write(self) -> None:
        try:
            while self._waiting:
                done = self._file.write(self._waiting) or 0
                self._written += done
                del self._waiting[:done]
        except OSError as error:
            from tempfile import gettempdir

            raise NoSpace(
                f"No space left in {gettempdir()} for {self._written + len(self._waiting):,} bytes of records "
                f"that are too large for memory ({error.strerror}). {_TODO}"
            ) from error
