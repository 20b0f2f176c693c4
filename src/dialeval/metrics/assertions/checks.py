"""Checks of single assertions on single responses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, NoReturn, cast

from dialeval.data.types import Assertion
from dialeval.files.foreign import JSON_ERRORS
from dialeval.metrics.assertions.languages import language_of
from dialeval.metrics.assertions.patterns import SearchDied, search
from dialeval.text.tokenisers.words import split_whitespace


class Check(NamedTuple):
    """Whether an assertion holds; None, with a reason, where nobody can say."""

    held: bool | None
    reason: str = ""


def check(assertion: Assertion, text: str) -> Check:
    """Whether the text fulfils the assertion."""
    found = _plain(assertion, text)
    return found if found.held is None else Check(found.held != assertion.negated)


def _plain(assertion: Assertion, text: str) -> Check:
    value = assertion.value
    match assertion.kind:
        case "contains":
            texts = value if isinstance(value, list) else [value]
            parts = [str(part).casefold() if assertion.ignore_case else str(part) for part in texts]
            whole = text.casefold() if assertion.ignore_case else text
            # Of a list, a response must have all; where they are forbidden, none.
            return Check(
                any(part in whole for part in parts) if assertion.negated else all(p in whole for p in parts)
            )
        case "equals":
            one, other = text.strip(), str(value).strip()
            return Check(one.casefold() == other.casefold() if assertion.ignore_case else one == other)
        case "regex":
            return _search(str(value), text, assertion.ignore_case)
        case "json":
            return Check(_is_json(text, value if isinstance(value, Mapping) else {}))
        case "max_length":
            limits = value if isinstance(value, Mapping) else {"words": value}
            sizes = {"words": len(split_whitespace(text)), "characters": len(text)}
            return Check(all(sizes[unit] <= cast(int, limit) for unit, limit in limits.items()))
        case _:
            told = language_of(text)
            return Check(None if told is None else told == value, "the language cannot be told")


def _search(pattern: str, text: str, ignore_case: bool) -> Check:
    try:
        found = search(pattern, text, ignore_case)
    except SearchDied as error:
        return Check(None, f"the search for the pattern {pattern!r} failed: {error}")
    return Check(found, "" if found is not None else f"the pattern {pattern!r} takes more than 0.2 seconds")


def _is_json(text: str, schema: Mapping[str, Any]) -> bool:
    try:
        return _fits(json.loads(text, parse_constant=_refuse), schema)
    except JSON_ERRORS:
        return False


def _refuse(constant: str) -> NoReturn:
    """Refuse NaN and Infinity, which Python reads and JSON does not have."""
    raise ValueError(constant)


_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def _fits(value: object, schema: Mapping[str, Any]) -> bool:
    """Whether the value fits the keywords of JSON Schema that we know (``SCHEMA_KEYWORDS``)."""
    kinds = schema.get("type", ())
    named = [kinds] if isinstance(kinds, str) else kinds
    if named and not any(_is_of(value, name) for name in named):
        return False
    if "enum" in schema and not any(_is_same(value, each) for each in schema["enum"]):
        return False
    if "const" in schema and not _is_same(value, schema["const"]):
        return False
    if isinstance(value, list):
        return all(_fits(part, schema.get("items", {})) for part in value)
    if isinstance(value, dict):
        known = schema.get("properties", {})
        closed = schema.get("additionalProperties") is False
        return (
            all(name in value for name in schema.get("required", ()))
            and all(_fits(part, known[name]) for name, part in value.items() if name in known)
            and not (closed and any(name not in known for name in value))
        )
    return True


def _is_same(value: object, other: object) -> bool:
    """Whether two values of JSON are equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_is_same, value, other))
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(_is_same(value[name], other[name]) for name in value)
    return value == other


def _is_of(value: object, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if isinstance(value, float) and name == "integer":
        return value.is_integer()
    return isinstance(value, _TYPES.get(name, ()))
