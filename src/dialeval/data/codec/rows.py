"""Records from the rows of any file: bad rows set aside, repeated ids refused, a file without records refused."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias, TypeVar

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.sources import Source, is_stdin, shown
from dialeval.data.types import Dialogue, Example, Judgement, NBest, Record
from dialeval.errors import BadInput


class Row(NamedTuple):
    """One object of a file, not yet understood."""

    where: Where
    number: int
    """1-based position among the file's rows, bad ones included."""
    fields: object
    """Parsed value: nearly always a mapping, but that is for the parser to check."""
    text: str | None = None
    """The row as it stands in the file, if it stands there by itself."""
    in_array: bool = False
    """Whether it is an element of a JSON array, all of which may be on one line."""

    @property
    def raw(self) -> str:
        """The row's text, written again if the file does not hold it as text."""
        return json.dumps(self.fields, ensure_ascii=False, default=str) if self.text is None else self.text


Parse: TypeAlias = Callable[[Row], Sequence[Record]]
"""Parser of a row into records; raises BadInput if it cannot be used."""


def records(rows: Iterable[Row], parse: Parse, on_bad: OnBad) -> Iterator[Record]:
    """The records of rows, each id once per system; what cannot be used goes to ``on_bad``."""
    add = KeySet().add
    for row in rows:
        try:
            parsed = parse(row)
        except BadInput as error:
            on_bad(BadLine(_placed(error, row), row.raw))
            continue
        for record in parsed:
            key = _identity(record)
            if key is None or add(key):
                yield record
            else:
                on_bad(BadLine(_placed(_repeated(record, row.where), row), row.raw))


def _placed(error: BadInput, row: Row) -> BadInput:
    """The error, naming the row's place in its array: a line can hold a whole array."""
    if row.in_array:
        error.found += f" in element {row.number:,} of the array"
    return error


_WITH_SYSTEM: Final = (Example, NBest, Dialogue)


def _identity(record: Record) -> object:
    """Return what no other record of a file may share; None for judgements, which a rater may repeat."""
    if isinstance(record, _WITH_SYSTEM):
        return (record.item, record.system)
    return None if isinstance(record, Judgement) else record.item


def _repeated(record: Record, where: Where) -> BadInput:
    system = record.system if isinstance(record, _WITH_SYSTEM) else ""
    return BadInput(
        where.path,
        f"{record.item!r} a second time" + (f" for system {system!r}" if system else ""),
        "an id that is used once" + (" per system" if system else ""),
        "Give every item its own id, or drop the repeated line.",
        line=where.line,
        field="id",
    )


class KeySet:
    """A growing set of keys, kept as 64-bit hashes in one flat table.

    A set of the keys themselves takes some 150 bytes each, which a file of fifty million lines cannot afford. Two
    different keys share a hash once in 370,000 files of ten million lines.
    """

    def __init__(self) -> None:
        self._table = array("q", bytes(8 * 1024))
        self._mask = 1023
        self._room = 600

    def add(self, key: object) -> bool:
        """Remember ``key``; False if it was there before."""
        value = hash(key) or 1  # 0 marks a free slot
        table, mask = self._table, self._mask
        index = value & mask
        while held := table[index]:
            if held == value:
                return False
            index = (index + 1) & mask
        table[index] = value
        self._room -= 1
        if not self._room:
            self._grow()
        return True

    def _grow(self) -> None:
        size = 2 * len(self._table)
        table, mask = array("q", bytes(8 * size)), size - 1
        for value in self._table:
            if value:
                index = value & mask
                while table[index]:
                    index = (index + 1) & mask
                table[index] = value
        self._table, self._mask = table, mask
        self._room = int(size * 0.6) - int(size / 2 * 0.6)


T = TypeVar("T")


class BadCounter:
    """Passes bad lines on, and remembers how many there were."""

    def __init__(self, on_bad: OnBad) -> None:
        self.count = 0
        self._on_bad = on_bad

    def __call__(self, bad: BadLine) -> None:
        """Pass one line on."""
        self.count += 1
        self._on_bad(bad)


def not_empty(items: Iterator[T], bad: BadCounter, source: Source, kind: str) -> Iterator[T]:
    """Yield what was found in ``source``; BadInput if that is nothing."""
    first = next(items, None)
    if first is None:
        raise empty(bad, source, kind)
    yield first
    yield from items


def empty(bad: BadCounter, source: Source, kind: str) -> BadInput:
    """The error for a file that holds nothing of use."""
    expected = f"at least one {kind or 'record'}"
    if bad.count:
        what = f"{bad.count} bad {'line' if bad.count == 1 else 'lines'} and nothing else"
        return BadInput(
            shown(source), what, expected, "See what is wrong with the first of them, and fix the file."
        )
    hollow = is_stdin(source) or (Path(source).is_file() and not Path(source).stat().st_size)
    found = "an empty file" if hollow else "no record in it"
    return BadInput(
        shown(source), found, expected, "Check that this is the file you meant, and how it was written."
    )
