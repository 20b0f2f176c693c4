"""Decoder of what an item's data says of its responses: knowledge to keep, and assertions to fulfil."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from dialeval.data.codec.bad import Where
from dialeval.data.codec.fields import describe, wrong
from dialeval.data.types import ASSERTIONS, LANGUAGES, Assertion
from dialeval.errors import BadInput, close_names

_SHAPE: Final = '[{"contains": "refund"}, {"not_contains": "sorry"}]'
SCHEMA_KEYWORDS: Final = (
    *("type", "required", "properties", "additionalProperties", "items", "enum", "const"),
)
"""Keywords of JSON Schema that are checked."""
SCHEMA_TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
_SCHEMA_NOTES: Final = ("$schema", "$id", "title", "description", "examples", "default")
_OTHER_NAMES: Final = {"is_json": "json", "contains_all": "contains"}
"""Names of other tools for our kinds."""


def knowledge_of(m: Mapping[str, object]) -> tuple[str, ...]:
    """The texts of ``knowledge``: one or several; objects as lines of ``key: value``."""
    value = m.get("knowledge")
    given = value if type(value) is list else [value]
    return tuple(text for text in map(_told, given) if text and not text.isspace())


def _told(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {_told(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_told, value))
    return json.dumps(value, ensure_ascii=False, default=str)


def assertions_of(m: Mapping[str, object], where: Where) -> tuple[Assertion, ...]:
    """The assertions of ``assert``: one object or several, each with its kind as key or under ``type``."""
    value = m.get("assert")
    if value is None:
        return ()
    if type(value) is str:  # a cell of Parquet
        try:
            value = json.loads(value)
        except ValueError:
            raise wrong(where, "assert", m["assert"], "a list of assertions", f"Write {_SHAPE}.") from None
    given = value if type(value) is list else [value]
    return tuple(
        assertion for at, each in enumerate(given) for assertion in _assertions(each, where, f"assert[{at}]")
    )


def _assertions(value: object, where: Where, field: str) -> Iterator[Assertion]:
    if not isinstance(value, Mapping):
        raise wrong(where, field, value, "an assertion", f"Write {_SHAPE}.")
    told = {str(name): each for name, each in value.items() if name != "ignore_case"}
    if type(value.get("type")) is str:
        aside = [name for name in told if name not in ("type", "value")]
        told = {str(value["type"]): value.get("value", True)}
    else:
        aside = [name for name in told if name in ("type", "value", "weight", "metric")]
    if aside:
        todo = "Leave it out: all assertions of an item count alike."
        raise BadInput(where.path, f"the option {aside[0]!r}", "ignore_case at most", todo, where.line, field)
    if not told:
        raise wrong(where, field, value, "an assertion", f"Write {_SHAPE}.")
    ignoring = value.get("ignore_case", False)
    if type(ignoring) is not bool:
        raise wrong(where, f"{field}.ignore_case", ignoring, "true or false", "Leave it out for false.")
    for name, each in told.items():
        yield _assertion(name, each, ignoring, where, field)


def _assertion(name: str, value: object, ignore_case: bool, where: Where, field: str) -> Assertion:
    plain = name.replace("-", "_").lower()
    bare = plain.removeprefix("not_")
    negated = bare != plain
    if bare == "icontains":
        bare, ignore_case = "contains", True
    kind = _OTHER_NAMES.get(bare, bare)
    if kind not in ASSERTIONS:
        close = close_names(kind, ASSERTIONS)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        known = f"one of {', '.join(ASSERTIONS)}, each also with not_"
        raise BadInput(where.path, f"the kind {name!r}", known, f"{hint}Write {_SHAPE}.", where.line, field)
    problem = assertion_problem(kind, value)
    if problem is not None:
        todo = "'dialeval docs facts' has an example of each kind."
        raise BadInput(where.path, problem.found, problem.expected, todo, where.line, f"{field}.{name}")
    return Assertion(kind, value, ignore_case, negated)


class AssertionProblem(NamedTuple):
    """Why a value does not fit its kind of assertion."""

    found: str
    expected: str


def assertion_problem(kind: str, value: object) -> AssertionProblem | None:
    """Why the value does not fit the kind; None where it does."""
    found = describe(value)
    if kind == "contains":
        texts = value if type(value) is list and value else [value]
        fits = all(type(text) is str and text for text in texts)
        return None if fits else AssertionProblem(found, "a text or a list of texts, none of them empty")
    if kind == "equals":
        return None if type(value) is str else AssertionProblem(found, "a text")
    if kind == "regex":
        return _pattern_problem(value)
    if kind == "json":
        if value is True or isinstance(value, Mapping):
            return None if value is True else _schema_problem(value)
        return AssertionProblem(found, "true or a schema, an object")
    if kind == "max_length":
        limits = value if isinstance(value, Mapping) else {"words": value}
        fits = (
            bool(limits)
            and set(limits) <= {"words", "characters"}
            and all(type(limit) is int and limit >= 0 for limit in limits.values())
        )
        return (
            None
            if fits
            else AssertionProblem(found, 'a number of words, {"words": 60} or {"characters": 400}')
        )
    return None if value in LANGUAGES else AssertionProblem(found, f"one of {', '.join(LANGUAGES)}")


def _schema_problem(schema: Mapping[str, object]) -> AssertionProblem | None:
    """Which keyword of a schema is not known or has a value that does not fit it, at any depth."""
    unknown = [name for name in schema if name not in (*SCHEMA_KEYWORDS, *_SCHEMA_NOTES)]
    if unknown:
        return AssertionProblem(f"the keyword {unknown[0]!r}", f"keywords among {', '.join(SCHEMA_KEYWORDS)}")
    for name, expected in _SCHEMA_VALUES.items():
        if name in schema and not _fits_keyword(name, schema[name]):
            return AssertionProblem(f"{name}: {describe(schema[name])}", f"{expected}")
    properties = schema.get("properties", {})
    inner = list(properties.values()) if isinstance(properties, Mapping) else [properties]
    inner += [schema["items"]] if "items" in schema else []
    for part in inner:
        if not isinstance(part, Mapping):
            return AssertionProblem(describe(part), "a schema, an object")
        if (problem := _schema_problem(part)) is not None:
            return problem
    return None


_SCHEMA_VALUES: Final = {
    "type": f"one of {', '.join(SCHEMA_TYPES)}, or a list of them",
    "required": "a list of names",
    "enum": "a list of values",
    "additionalProperties": "true or false",
}


def _fits_keyword(name: str, value: object) -> bool:
    if name == "type":
        return value in SCHEMA_TYPES or (
            type(value) is list and bool(value) and all(each in SCHEMA_TYPES for each in value)
        )
    if name == "required":
        return type(value) is list and all(type(each) is str for each in value)
    return type(value) is (list if name == "enum" else bool)


def _pattern_problem(value: object) -> AssertionProblem | None:
    if type(value) is not str:
        return AssertionProblem(describe(value), "a pattern as text")
    try:
        re.compile(value)
    except re.error as error:
        place = f" at position {error.pos}" if error.pos is not None else ""
        return AssertionProblem(
            f"the pattern {value!r}: {error.msg}{place}", "a regular expression of Python"
        )
    except (RecursionError, OverflowError):
        return AssertionProblem("a pattern that is too deep or too large", "a regular expression of Python")
    return None
