"""Whole exports as rows: one JSON document, an array, or lines; and the first object of a file, to recognise it by."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.fields import wrong
from dialeval.data.codec.jsonl import decode_at, read_rows, read_whole, rows_of
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import LINE_LIMIT, UTF8_MARK, Source, is_stdin, opened, shown
from dialeval.errors import BadInput

HEAD: Final = 1 << 18
"""Bytes at the beginning of a file by which it is recognised."""


def rows(source: Source, on_bad: OnBad) -> Iterator[Row]:
    """The objects of a file: those of its lines, array or table, or the one that is the whole file."""
    reader = read_rows if is_stdin(source) else rows_of(source)
    if is_stdin(source) or reader is not read_rows or not _is_one_document(source):
        yield from reader(source, on_bad)
        return
    where = Where(shown(source), 1)
    yield Row(where, 1, read_whole(source, where))


def objects(source: Source, on_bad: OnBad) -> Iterator[tuple[Row, Mapping[str, object]]]:
    """The rows that are objects; any other is refused."""
    for row in rows(source, on_bad):
        if isinstance(row.fields, Mapping):
            yield row, row.fields
        else:
            raise wrong(row.where, "", row.fields, "an object", "Name the file as the tool wrote it.")


def _is_one_document(source: Source) -> bool:
    """Return whether a file is one JSON object, on however many lines."""
    with opened(source) as handle:
        head = _start(handle.peek(64))
        if not head.startswith(b"{"):
            return False
        line = handle.readline(LINE_LIMIT + 1)
        if not line.endswith(b"\n"):
            return True
        more = handle.readline(1 << 16)
        while more and more.isspace():
            more = handle.readline(1 << 16)
    if not more:
        return True
    try:
        decode_at(_start(line).decode("utf-8", "replace"), 0)
    except (ValueError, RecursionError):
        return True
    return False


def _start(raw: bytes) -> bytes:
    return raw.removeprefix(UTF8_MARK).lstrip()


def head_of(source: Source) -> bytes:
    """The first bytes of a file, unpacked."""
    with opened(source) as handle:
        return handle.read(HEAD)


def first_value(head: bytes) -> object:
    """The value at the beginning of a file, as far as it goes: of an array its first elements."""
    text = _start(head).decode("utf-8", "ignore")
    try:
        return decode_at(text, 0)[0]
    except (ValueError, RecursionError):
        pass
    if text.startswith("["):
        try:
            return [decode_at(text, len(text) - len(text[1:].lstrip()))[0]]
        except (ValueError, RecursionError):
            pass
    return _partial(text)


_TOKEN: Final = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([{}\[\],:])|([^\s{}\[\],:"]+))', re.DOTALL)
_DEEP: Final = 32


def _partial(text: str) -> object:
    """Return what stands at the beginning of a JSON document that breaks off: every value that has begun."""
    root: list[object] = []
    stack: list[object] = [root]
    keys: list[str | None] = [None]
    for match in _TOKEN.finditer(text):
        word, sign, bare = match.groups()
        if sign in ("{", "["):
            opened_value: object = {} if sign == "{" else []
            _put(stack[-1], keys, opened_value)
            stack.append(opened_value)
            keys.append(None)
            if len(stack) > _DEEP:
                break
        elif sign in ("}", "]"):
            stack.pop()
            keys.pop()
            if len(stack) <= 1:
                break
        elif word is not None:
            value = _loaded(word)
            if isinstance(stack[-1], dict) and keys[-1] is None:
                keys[-1] = value if isinstance(value, str) else ""
            else:
                _put(stack[-1], keys, value)
        elif bare is not None:
            _put(stack[-1], keys, _loaded(bare))
    return root[0] if root else None


def _put(holder: object, keys: list[str | None], value: object) -> None:
    if isinstance(holder, dict):
        if keys[-1] is not None:
            holder[keys[-1]] = value
            keys[-1] = None
    elif isinstance(holder, list):
        holder.append(value)


def _loaded(token: str) -> object:
    try:
        return json.loads(token)
    except ValueError:
        return None


def table(fields: Mapping[str, object], field: str, where: Where, parent: str = "") -> Mapping[str, object]:
    """A field that must be an object; empty if it is null or left out."""
    value = fields.get(field)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise wrong(where, _path(parent, field), value, "an object", "Export the file again.")
    return value


def listing(fields: Mapping[str, object], field: str, where: Where, parent: str = "") -> list[object]:
    """A field that must be a list; empty if it is null or left out."""
    value = fields.get(field)
    if value is None:
        return []
    if not isinstance(value, list):
        raise wrong(where, _path(parent, field), value, "a list", "Export the file again.")
    return value


def entry(value: object, where: Where, field: str) -> Mapping[str, object]:
    """An element that must be an object."""
    if not isinstance(value, Mapping):
        raise wrong(where, field, value, "an object", "Export the file again.")
    return value


def _path(parent: str, field: str) -> str:
    return f"{parent}.{field}" if parent else field


def word(fields: Mapping[str, object], *names: str) -> str:
    """The first of these fields that is text (or a number) with something in it; empty if none is."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def bad(where: Where, field: str, found: str, expected: str, todo: str) -> BadInput:
    """The error for an export that cannot be read."""
    return BadInput(where.path, found, expected, todo, where.line, field or None)
