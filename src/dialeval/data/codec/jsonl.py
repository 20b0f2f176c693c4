"""JSON Lines, one object a line, and the JSON array of objects that some tools write instead."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.column_names import Columns
from dialeval.data.codec.json_value import CUT_SHORT, broken, check_text, decode_at, loads
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import LINE_LIMIT, UTF8_MARK, Source, lines_of, opened, shown
from dialeval.errors import BadInput


def read_rows(source: Source, on_bad: OnBad, columns: Columns | None = None) -> Iterator[Row]:
    """The objects of a JSON Lines file or of a JSON array, one at a time, with the fields that ``columns`` names."""
    if columns is not None:
        yield from renamed_rows(read_rows(source, on_bad), columns)
        return
    with opened(source) as handle:
        if handle.peek(64).removeprefix(UTF8_MARK).lstrip()[:1] == b"[":
            yield from array_rows(handle, shown(source))
        else:
            yield from _line_rows(handle, shown(source), on_bad)


def renamed_rows(rows: Iterable[Row], columns: Columns) -> Iterator[Row]:
    """The rows with the fields that ``columns`` names; all of the first row must be among them."""
    renaming, checked = columns.renaming(), False
    for row in rows:
        if not isinstance(row.fields, dict):
            yield row
            continue
        if not checked:
            columns.check(row.fields, row.where.path, row.where.line)
            checked = True
        fields = renaming(row.fields)
        references = [fields.pop(name, None) for name in list(fields) if name.startswith("reference")]
        texts = [text for given in references for text in (given if isinstance(given, list) else [given])]
        yield row._replace(fields={**fields, "references": texts} if references else fields)


def _line_rows(handle: io.BufferedReader, path: str, on_bad: OnBad) -> Iterator[Row]:
    number = 0
    for line, text in lines_of(handle, path, on_bad, expected="one JSON object a line"):
        text = text.strip(" \t\r\n")
        if not text:
            continue
        number += 1
        where = Where(path, line)
        try:
            fields = loads(text, where)
        except BadInput as error:
            on_bad(BadLine(error, text))
        else:
            yield Row(where, number, fields, text)


_CHUNK: Final = 1 << 18
_GAP: Final = re.compile(r"[\s,]*")


def array_rows(handle: io.BufferedReader, path: str) -> Iterator[Row]:
    """The elements of the array in ``handle``, at most ``LINE_LIMIT`` characters each.

    What is broken inside an array ends the reading, whatever is to be done with bad lines: there is no next line
    from which to go on.
    """
    window = _Window(handle, path)
    window.skip("[")
    number = 0
    while window.next_character() != "]":
        number += 1
        value, raw, where = window.element(number)
        yield Row(where, number, value, raw, in_array=True)
    window.skip("]")
    if window.next_character():
        todo = "Remove what follows, or put one object on each line and no array."
        raise BadInput(path, "more text after the array", "one JSON array", todo, line=window.line)


class _Element(NamedTuple):
    value: object
    raw: str
    where: Where


class _Window:
    """The part of the file that is being parsed."""

    def __init__(self, handle: io.BufferedReader, path: str) -> None:
        self.line = 1
        self._handle, self._path = handle, path
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text, self._at, self._read, self._ended = "", 0, 0, False

    def next_character(self) -> str:
        """What follows after spaces and commas; empty at the end of the file."""
        while True:
            gap = _GAP.match(self._text, self._at)
            self._move_to(gap.end() if gap else self._at)
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._read_on(_CHUNK)

    def skip(self, character: str) -> None:
        """Step over ``character``, which comes next."""
        if self.next_character() == character:
            self._at += 1

    def element(self, number: int) -> _Element:
        """The value that starts here, the array's ``number``-th."""
        where = Where(self._path, self.line)
        while True:
            try:
                value, end = decode_at(self._text, self._at)
                break
            except (ValueError, RecursionError) as error:
                held = len(self._text) - self._at
                if self._ended or held > LINE_LIMIT or not isinstance(error, json.JSONDecodeError):
                    raise self._explain(error, where, number) from None
                # Twice as much each time, so that a long element is not parsed over and over.
                self._read_on(min(max(_CHUNK, held), LINE_LIMIT + _CHUNK - held))
        if end - self._at > LINE_LIMIT:
            raise self._explain(None, where, number)
        raw = self._text[self._at : end]
        try:
            check_text(value, raw, where)
        except BadInput as bad:
            bad.found += f" in element {number:,} of the array"
            raise
        self._move_to(end)
        return _Element(value, raw, where)

    def _explain(self, error: ValueError | RecursionError | None, where: Where, number: int) -> BadInput:
        if error is None or len(self._text) - self._at > LINE_LIMIT:
            found = f"an element ({number:,}) that is broken or longer than {LINE_LIMIT // 2**20} MiB"
            todo = "Fix it, or put one object on each line."
            return BadInput(where.path, found, "an array of objects", todo, line=where.line)
        if not self._text[self._at :]:
            whole = (
                f"an array that breaks off after element {number - 1:,}"
                if number > 1
                else "an array that breaks off"
            )
            return BadInput(where.path, whole, "']' at its end", CUT_SHORT, line=where.line)
        text = self._text[self._at :]
        if isinstance(error, json.JSONDecodeError):
            # Its position counts from the start of what is held, which is not where the element starts.
            error = json.JSONDecodeError(error.msg, text, error.pos - self._at)
        return broken(text, error, where, element=number)

    def _move_to(self, at: int) -> None:
        self.line += self._text.count("\n", self._at, at)
        self._at = at

    def _read_on(self, size: int) -> None:
        raw = self._handle.read(size)
        self._ended = len(raw) < size
        try:
            more = self._decoder.decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            index = self._read - len(self._decoder.getstate()[0]) + error.start
            found = f"byte 0x{error.object[error.start]:02x} at offset {index}, which is not UTF-8"
            todo = f"Convert the file, for example with 'iconv -f WINDOWS-1252 -t UTF-8 {self._path}'."
            raise BadInput(self._path, found, "UTF-8 text", todo) from None
        if self._read == 0:
            more = more.removeprefix("\ufeff")
        self._read += len(raw)
        self._text, self._at = self._text[self._at :] + more, 0
