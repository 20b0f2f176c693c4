"""Rows of any file become records: bad ones set aside, repeated ids refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.seen import Seen
from dialeval.data.types import Dialogue, Example, Judgement, NBest, Record
from dialeval.errors import BadInput


class Row(NamedTuple):
    """One object of a file, not yet understood."""

    where: Where
    number: int
    """1-based position among the file's rows, bad ones included."""
    fields: object
    """What was parsed: nearly always a mapping, but that is for the parser to check."""
    text: str | None = None
    """The row as it stands in the file, where it stands there by itself."""
    in_array: bool = False
    """Whether it is an element of a JSON array, all of which may be on one line."""

    @property
    def raw(self) -> str:
        """The row's text, written anew where the file does not hold it as text."""
        return json.dumps(self.fields, ensure_ascii=False, default=str) if self.text is None else self.text


Parse: TypeAlias = Callable[[Row], Sequence[Record]]
"""What a row says, as records; raises BadInput where it cannot be used."""


def records(rows: Iterable[Row], parse: Parse, on_bad: OnBad) -> Iterator[Record]:
    """The records of rows, each id once per system; what cannot be used goes to ``on_bad``."""
    add = Seen().add
    for row in rows:
        try:
            found = parse(row)
        except BadInput as error:
            on_bad(BadLine(_placed(error, row), row.raw))
            continue
        for record in found:
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
    """What no other record of a file may share; None for judgements, which a rater may repeat."""
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
