"""Files to records."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple, overload

from dialeval.data.bad import BadLine, OnBad, refuse
from dialeval.data.decode import decode, kind_of_fields
from dialeval.data.formats import FORMATS, ROWS, Format
from dialeval.data.rows import Row, records
from dialeval.data.sources import Source, check, is_stdin, shown
from dialeval.data.suffixes import native_format
from dialeval.data.types import Dialogue, Example, Judgement, Kind, NBest, Prompt, Question, Record
from dialeval.errors import BadInput, UnknownName, Unsuitable


@overload
def read(
    source: Source, kind: Literal["dialogue"], *, format: str | None = None, on_bad: OnBad = refuse
) -> Iterator[Dialogue]: ...
@overload
def read(
    source: Source, kind: Literal["prompt"], *, format: str | None = None, on_bad: OnBad = refuse
) -> Iterator[Prompt]: ...
@overload
def read(
    source: Source, kind: Literal["example"], *, format: str | None = None, on_bad: OnBad = refuse
) -> Iterator[Example]: ...
@overload
def read(
    source: Source, kind: Literal["question"], *, format: str | None = None, on_bad: OnBad = refuse
) -> Iterator[Question]: ...
@overload
def read(
    source: Source, kind: Literal["nbest"], *, format: str | None = None, on_bad: OnBad = refuse
) -> Iterator[NBest]: ...
@overload
def read(
    source: Source, kind: Literal["judgement"], *, format: str | None = None, on_bad: OnBad = refuse
) -> Iterator[Judgement]: ...
@overload
def read(
    source: Source, kind: Kind, *, format: str | None = None, on_bad: OnBad = refuse
) -> Iterator[Record]: ...
def read(
    source: Source, kind: Kind, *, format: str | None = None, on_bad: OnBad = refuse
) -> Iterator[Record]:
    """The records of a file, one at a time; ``-`` is standard input.

    The format follows the file's suffix unless it is named as in ``FORMATS``. What concerns the whole file (not there,
    empty, nothing usable) is always raised; single bad lines go to ``on_bad``, which raises unless told otherwise.
    """
    form = find_format(source, format)
    if kind not in form.kinds:
        raise Unsuitable(f"The {form.name} format holds no {kind} records, only {' and '.join(form.kinds)}.")
    check(source, folder=form.folder)
    counted = _Counted(on_bad)
    return _not_empty(form.read(source, kind, counted), counted, source, kind)


def find_format(source: Source, name: str | None) -> Format:
    """The format of that name, or else the one the source's suffix gives away."""
    if name is None:
        check(source)
        return FORMATS[native_format(source)]
    if name not in FORMATS:
        raise UnknownName("format", name, FORMATS, todo="'dialeval data ls' lists them all.")
    return FORMATS[name]


class Guess(NamedTuple):
    """A file's records, and the kind its first line shows them to be."""

    kind: Kind
    records: Iterator[Record]


def read_guessing(
    source: Source,
    *,
    kind: Kind | None = None,
    format: str | None = None,
    on_bad: OnBad = refuse,
    note: Callable[[Row], None] | None = None,
) -> Guess:
    """The records of a file, of whichever kind its first good line is (or its format gives first).

    ``note`` sees each row of our own formats before it becomes a record.
    """
    form = find_format(source, format)
    if form.name not in ROWS:
        kind = kind or form.kinds[0]
        return Guess(kind, read(source, kind, format=form.name, on_bad=on_bad))
    check(source)
    counted = _Counted(on_bad)
    rows = ROWS[form.name](source, counted)
    first = next(rows, None)
    if first is None:
        raise _empty(counted, source, "")
    known = kind or kind_of_fields(first.fields, first.where)

    def parse(row: Row) -> tuple[Record]:
        if note is not None:
            note(row)
        return (decode(row.fields, known, row.where),)

    found = records(itertools.chain([first], rows), parse, counted)
    return Guess(known, _not_empty(found, counted, source, known))


def kind_of(source: Source) -> Kind:
    """The kind of records in a file, by the fields of its first good line."""
    if is_stdin(source):
        raise BadInput(
            shown(source), "a stream", "a file, to look at its first line", "Name the kind with '--kind'."
        )
    bad: list[BadLine] = []
    try:
        return read_guessing(source, on_bad=lambda line: bad.append(line) if not bad else None).kind
    except BadInput as error:
        raise (bad[0].error if bad else error) from None


class _Counted:
    """Passes bad lines on, and remembers how many there were."""

    def __init__(self, on_bad: OnBad) -> None:
        self.count = 0
        self._on_bad = on_bad

    def __call__(self, bad: BadLine) -> None:
        self.count += 1
        self._on_bad(bad)


def _not_empty(found: Iterator[Record], bad: _Counted, source: Source, kind: Kind) -> Iterator[Record]:
    first = next(found, None)
    if first is None:
        raise _empty(bad, source, kind)
    yield first
    yield from found


def _empty(bad: _Counted, source: Source, kind: str) -> BadInput:
    needed = f"at least one {kind or 'record'}"
    if bad.count:
        what = f"{bad.count} bad {'line' if bad.count == 1 else 'lines'} and nothing else"
        return BadInput(
            shown(source), what, needed, "See what is wrong with the first of them, and mend the file."
        )
    hollow = is_stdin(source) or (Path(source).is_file() and not Path(source).stat().st_size)
    found = "nothing in it" if hollow else "no record in it"
    return BadInput(
        shown(source), found, needed, "Check that this is the file you meant, and how it was written."
    )
