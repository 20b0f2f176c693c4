"""Assertions as measures: share of the responses that fulfil them, for all items alike or as each item's data says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple, NoReturn, cast

from dialeval.core import Floats
from dialeval.data.codec.encode import written_assertion
from dialeval.data.codec.parts import assertion_problem
from dialeval.data.types import LANGUAGES, Assertion, Example
from dialeval.errors import DialevalError
from dialeval.files.foreign import JSON_ERRORS
from dialeval.metrics.assertions.languages import language_of
from dialeval.metrics.assertions.patterns import SearchDied, search
from dialeval.metrics.rows import MeanOfValues, rows_of_values
from dialeval.text.tokenisers.words import split_whitespace


class _AssertionMetric(MeanOfValues[Example]):
    """A metric whose value of an item is whether its assertions hold."""

    __slots__ = ()

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    yes_no: ClassVar[bool] = True
    kind: ClassVar[str]
    negated: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Name in the table of metrics."""
        return f"not_{self.kind}" if self.negated else self.kind

    def own(self) -> Assertion | None:
        """Return the assertion that every item is checked for; None if each item's data says it."""
        raise NotImplementedError

    def asked(self, example: Example) -> tuple[Assertion, ...]:
        """Return the assertions that this item is checked for."""
        own = self.own()
        if own is not None:
            return (own,)
        return tuple(a for a in example.assertions if a.kind == self.kind and a.negated == self.negated)

    def unscorable(self, example: Example) -> str | None:
        """Return that the item has no such assertion, or why nobody can say whether it holds."""
        asked = self.asked(example)
        if not asked:
            return f"no {self.name!r} assertion"
        checks = [check(assertion, example.response.text) for assertion in asked]
        return next((each.reason for each in checks if each.held is None), None)

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of 1 or 0, and 1."""
        return rows_of_values([float(all(c.held for c in self._checks(example))) for example in examples])

    def explain(self, example: Example) -> str:
        """The assertions that do not hold."""
        failed = [
            a for a, c in zip(self.asked(example), self._checks(example), strict=True) if c.held is False
        ]
        return f"fails: {', '.join(map(_written, failed))}" if failed else ""

    def _checks(self, example: Example) -> list[Check]:
        return [check(assertion, example.response.text) for assertion in self.asked(example)]


def _written(assertion: Assertion) -> str:
    fields = written_assertion(assertion)
    ((kind, value), *_) = fields.items()
    ignoring = " (any case)" if assertion.ignore_case else ""
    return f"{kind} {value!r}{ignoring}"


def _checked(metric: str, parameter: str, kind: str, value: object) -> None:
    problem = assertion_problem(kind, value)
    if problem is not None:
        raise DialevalError(
            f"The parameter {parameter!r} of {metric}: found {problem.found}, expected {problem.expected}."
        )


@dataclass(frozen=True, slots=True)
class Contains(_AssertionMetric):
    """Share of responses that contain a text: ``text``, or what each item's ``assert`` asks for.

    Yes or no for each item; higher is better. Letters count by case unless ``ignore_case``.
    """

    kind: ClassVar[str] = "contains"
    text: str = ""
    ignore_case: bool = False

    def own(self) -> Assertion | None:
        """The given text."""
        return Assertion("contains", self.text, self.ignore_case, self.negated) if self.text else None


@dataclass(frozen=True, slots=True)
class NotContains(Contains):
    """Share of responses that do not contain a text: ``text``, or what each item's ``assert`` forbids.

    Yes or no for each item; higher is better. Letters count by case unless ``ignore_case``.
    """

    negated: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Regex(_AssertionMetric):
    """Share of responses in which a pattern is found: ``pattern``, or that of each item's ``assert``.

    Yes or no for each item; higher is better. Patterns are Python's. A search that takes more than 0.2 seconds of CPU
    time leaves its item unscored.
    """

    kind: ClassVar[str] = "regex"
    pattern: str = ""
    ignore_case: bool = False

    def __post_init__(self) -> None:
        _checked("regex", "pattern", "regex", self.pattern)

    def own(self) -> Assertion | None:
        """The given pattern."""
        return Assertion("regex", self.pattern, self.ignore_case) if self.pattern else None


@dataclass(frozen=True, slots=True)
class Equals(_AssertionMetric):
    """Share of responses that equal a text: ``text``, or that of each item's ``assert``; not their references.

    Yes or no for each item; higher is better. Spaces at both ends do not count.
    """

    kind: ClassVar[str] = "equals"
    text: str | None = None
    ignore_case: bool = False

    def own(self) -> Assertion | None:
        """The given text."""
        return None if self.text is None else Assertion("equals", self.text, self.ignore_case)


@dataclass(frozen=True, slots=True)
class Json(_AssertionMetric):
    """Share of responses that are valid JSON, with the keys or the schema that are asked for.

    Yes or no for each item; higher is better. ``required`` names keys of an object, separated by commas. Without it
    each item is checked by the schema in its ``assert``, or for being JSON at all.
    """

    version: ClassVar[int] = 2
    kind: ClassVar[str] = "json"
    required: str = ""

    def own(self) -> Assertion | None:
        """The given keys."""
        keys = [key.strip() for key in self.required.split(",") if key.strip()]
        return Assertion("json", {"type": "object", "required": keys}) if keys else None

    def asked(self, example: Example) -> tuple[Assertion, ...]:
        """The given keys, what the item's data says, or JSON of any kind."""
        return super(Json, self).asked(example) or (Assertion("json", True),)


@dataclass(frozen=True, slots=True)
class MaxLength(_AssertionMetric):
    """Share of responses with at most so many words or characters, or as many as each item's ``assert`` allows.

    Yes or no for each item; higher is better. Words are separated by whitespace.
    """

    kind: ClassVar[str] = "max_length"
    words: int | None = None
    characters: int | None = None

    def __post_init__(self) -> None:
        for name, limit in (("words", self.words), ("characters", self.characters)):
            if limit is not None and limit < 0:
                expected = "a whole number from 0"
                raise DialevalError(
                    f"The parameter {name!r} of max_length: found {limit}, expected {expected}."
                )

    def own(self) -> Assertion | None:
        """The given limits."""
        limits = {"words": self.words, "characters": self.characters}
        given = {unit: limit for unit, limit in limits.items() if limit is not None}
        return Assertion("max_length", given) if given else None


@dataclass(frozen=True, slots=True)
class Language(_AssertionMetric):
    """Share of responses in a language: ``code``, such as 'en', or that of each item's ``assert``.

    Yes or no for each item; higher is better. A text that is too short to tell its language is unscored.
    """

    facts: ClassVar[tuple[tuple[str, str], ...]] = (("told", "scripts and small words"),)
    kind: ClassVar[str] = "language"
    code: str = ""

    def __post_init__(self) -> None:
        if self.code and self.code not in LANGUAGES:
            expected = f"one of {', '.join(LANGUAGES)}"
            raise DialevalError(
                f"The parameter 'code' of language: found {self.code!r}, expected {expected}."
            )

    def own(self) -> Assertion | None:
        """The given language."""
        return Assertion("language", self.code) if self.code else None


@dataclass(frozen=True, slots=True)
class Assertions(_AssertionMetric):
    """Share of each item's assertions that its response fulfils; with ``strict``, whether it fulfils all of them.

    In [0, 1]; higher is better. Assertions of all kinds come from ``assert`` in the data. The corpus score is the mean
    over the items that have some.
    """

    version: ClassVar[int] = 2
    kind: ClassVar[str] = "assertions"
    strict: bool = False

    @property
    def yes_no(self) -> bool:  # type: ignore[override]
        """Whether each item is right or wrong as a whole."""
        return self.strict

    def own(self) -> None:
        """None: only data says what is asked."""

    def asked(self, example: Example) -> tuple[Assertion, ...]:
        """All assertions of the item."""
        return example.assertions

    def unscorable(self, example: Example) -> str | None:
        """Return that the item has none, or why nobody can say whether one holds."""
        if not example.assertions:
            return "no assertion"
        return super(Assertions, self).unscorable(example)

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the share that holds, or of 1 or 0, and 1."""
        return rows_of_values([self._share(self._checks(example)) for example in examples])

    def _share(self, checks: Sequence[Check]) -> float:
        held = sum(bool(each.held) for each in checks)
        return float(held == len(checks)) if self.strict else held / max(len(checks), 1)


class Check(NamedTuple):
    """Whether an assertion holds; None, with a reason, if nobody can say."""

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
