"""JSON Lines, one object a line, and the JSON array of objects that some tools write instead.

``ROWS`` and `rows_of` give the reader of rows of each of our own file formats, of which JSON Lines is the usual one.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.column_names import Columns
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import LINE_LIMIT, UTF8_MARK, Source, lines_of, native_format, opened, shown
from dialeval.errors import BadInput

if TYPE_CHECKING:
    from dialeval.data.codec.tables import Delimiter


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
        """Return what follows after spaces and commas; empty at the end of the file."""
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


_HALF_PAIR: Final = re.compile(r"\\u[dD][89a-fA-F]")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)


def read_whole(source: Source, where: Where) -> object:
    """The one JSON value that a file holds."""
    with opened(source) as handle:
        raw = handle.read()
    try:
        return loads(raw.decode("utf-8-sig").strip(), where)
    except UnicodeDecodeError as error:
        found = f"byte 0x{raw[error.start]:02x} at offset {error.start}, which is not UTF-8"
        raise BadInput(where.path, found, "UTF-8 text", "Convert the file.") from None


def loads(text: str, where: Where) -> object:
    """The JSON value that ``text`` holds and nothing else; BadInput says what is wrong with it."""
    try:
        value, end = decode_at(text, 0)
    except (ValueError, RecursionError) as error:
        raise broken(text, error, where) from None
    if end != len(text):
        raise _bad(
            where, f"more text after the JSON value, at column {end + 1}", "Put each object on its own line."
        )
    check_text(value, text, where)
    return value


def check_text(value: object, text: str, where: Where) -> None:
    """Raise BadInput if ``text`` says of ``value``, parsed from it, what parsing passes over in silence."""
    # Each look is dearer than the one before it, and nearly all lines end with the first.
    if text.count(":") != _likely_keys(value):
        try:
            if text.count('":') != _count_keys(value):
                _check_keys(text, where)
        except RecursionError as error:
            raise broken(text, error, where) from None
    if "\\" in text and "\\u" in text:  # only an escape can smuggle half a character in
        check_characters(value, text, where)


def _likely_keys(value: object) -> int:
    """Keys of an object whose conversation, if it has one, is of messages with a role and a content."""
    if type(value) is not dict:
        return 0
    said = value.get("context") or value.get("messages")
    return len(value) + 2 * len(said) if type(said) is list else len(value)


def _count_keys(value: object) -> int:
    if type(value) is dict:
        return len(value) + sum(map(_count_keys, value.values()))
    return sum(map(_count_keys, value)) if type(value) is list else 0


def _check_keys(text: str, where: Where) -> None:
    """Refuse an object with two values under one key, of which ``json`` would keep the last."""

    def checked(pairs: list[tuple[str, object]]) -> dict[str, object]:
        fields: dict[str, object] = {}
        for key, value in pairs:
            if key in fields and fields[key] != value:
                bad = _bad(where, "the key twice, with two values", "Keep one of them.")
                bad.expected, bad.field = "each key once", key
                raise bad
            fields[key] = value
        return fields

    json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=checked).raw_decode(text)


def check_characters(value: object, text: str, where: Where) -> None:
    """Raise BadInput if ``value``, parsed from ``text``, holds half of a surrogate pair, which no file can keep."""
    if _HALF_PAIR.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as error:
            half = f"\\u{ord(error.object[error.start]):04x}"
            raise _bad(
                where, f"half of a character ({half} alone)", "Write the character whole, or drop it."
            ) from None


CUT_SHORT: Final = "The file may be cut short: fetch or write it again."
"""Advice about JSON that breaks off."""


def broken(
    text: str, error: ValueError | RecursionError, where: Where, *, element: int | None = None
) -> BadInput:
    """The BadInput that explains why ``text``, a line or that element of an array, is not JSON."""
    inside = "" if element is None else f" in element {element:,} of the array"
    if isinstance(error, RecursionError):
        return _bad(where, f"lists or objects nested too deeply{inside}", "Flatten the record.")
    if element is None and text.strip() == "{":
        return _bad(where, "an object that continues on the next line", "Put each object on one line.")
    if isinstance(error, json.JSONDecodeError):
        if error.pos >= len(text.rstrip()) or _unclosed_string(text, error.pos):
            return _bad(where, f"JSON that breaks off {_spot(len(text), element)}", CUT_SHORT)
        near = text[max(0, error.pos - 10) : error.pos + 10]
        todo = "Fix the line." if element is None else "Fix the element."
        return _bad(where, f"broken JSON {_spot(error.pos + 1, element)}, near {near!r}", todo)
    return _bad(where, f"{error}{inside}", "Write null where there is no value.")


def _unclosed_string(text: str, start: int) -> bool:
    return text[start : start + 1] == '"' and not _STRING.match(text, start)


def _spot(position: int, element: int | None) -> str:
    # In an array all may be on one line of millions of columns, which no one counts.
    if element is None:
        return f"at column {position}"
    return f"in element {element:,} of the array, {position:,} characters into it"


def _bad(where: Where, found: str, todo: str) -> BadInput:
    return BadInput(where.path, found, "a JSON object", todo, line=where.line)


def _no_constant(name: str) -> None:
    if name == "NaN":  # as Python writes a missing value
        return
    raise ValueError(f"{name}, which JSON does not have")


decode_at: Final = json.JSONDecoder(parse_constant=_no_constant).raw_decode
"""The value that starts at a position of a text, and its end."""


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
    "jsonl": read_rows,
    "csv": partial(_table_rows, delimiter=","),
    "tsv": partial(_table_rows, delimiter="\t"),
    "xlsx": _table_rows,
    "parquet": _parquet_rows,
}
"""The reader of each container."""


def rows_of(source: Source) -> RowReader:
    """The reader of the container that the file's ending names; of JSON Lines if it names none."""
    try:
        return ROWS[native_format(source)]
    except BadInput:
        return read_rows
