"""Readers of records from files of any format."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, overload

from dialeval.data.codec.bad import BadLine, OnBad, refuse
from dialeval.data.codec.decode import decode, kind_of_fields
from dialeval.data.codec.rows import Counted, Row, empty, not_empty, records
from dialeval.data.codec.sources import Source, check, is_stdin, native_format, shown
from dialeval.data.formats import FORMATS, ROWS, Format
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
    held = form.kinds_of(source)
    if kind not in held:
        raise Unsuitable(f"{shown(source)} holds no {kind} records, only {' and '.join(held)}.")
    counted = Counted(on_bad)
    return not_empty(form.read(source, kind, counted), counted, source, kind)


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
        kind = kind or form.kinds_of(source)[0]
        return Guess(kind, read(source, kind, format=form.name, on_bad=on_bad))
    check(source)
    counted = Counted(on_bad)
    rows = ROWS[form.name](source, counted)
    first = next(rows, None)
    if first is None:
        raise empty(counted, source, "")
    known = kind or kind_of_fields(first.fields, first.where)

    def parse(row: Row) -> tuple[Record]:
        if note is not None:
            note(row)
        return (decode(row.fields, known, row.where),)

    parsed = records(itertools.chain([first], rows), parse, counted)
    return Guess(known, not_empty(parsed, counted, source, known))


def kind_of(source: Source) -> Kind:
    """The kind of records in a file, by the fields of its first good line."""
    if is_stdin(source):
        raise BadInput(
            shown(source), "a stream", "a file, to look at its first line", "Save it as a file first."
        )
    bad: list[BadLine] = []
    try:
        return read_guessing(source, on_bad=lambda line: bad.append(line) if not bad else None).kind
    except BadInput as error:
        raise (bad[0].error if bad else error) from None
