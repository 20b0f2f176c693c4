"""One JSON value from text, strictly: NaN is null, no infinity, no half characters, and errors that say where."""

from __future__ import annotations

import json
import re
from typing import Final

from dialeval.data.codec.bad import Where
from dialeval.errors import BadInput

_HALF_PAIR: Final = re.compile(r"\\u[dD][89a-fA-F]")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)


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
"""What to do about JSON that breaks off."""


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
"""The value that starts at a position of a text, and where it ends."""
