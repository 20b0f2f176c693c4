"""JSON Lines, one object a line, and the JSON array of objects that some tools write instead."""

from __future__ import annotations

import io
from collections.abc import Iterator

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.json_array import array_rows
from dialeval.data.codec.json_value import loads
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import UTF8_MARK, Source, lines_of, opened, shown
from dialeval.errors import BadInput


def read_rows(source: Source, on_bad: OnBad) -> Iterator[Row]:
    """The objects of a JSON Lines file or of a JSON array, one at a time."""
    with opened(source) as handle:
        if handle.peek(64).removeprefix(UTF8_MARK).lstrip()[:1] == b"[":
            yield from array_rows(handle, shown(source))
        else:
            yield from _line_rows(handle, shown(source), on_bad)


def _line_rows(handle: io.BufferedReader, path: str, on_bad: OnBad) -> Iterator[Row]:
    number = 0
    for line, text in lines_of(handle, path, on_bad, needed="one JSON object a line"):
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
