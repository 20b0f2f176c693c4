"""Assertions as measures: share of the responses that fulfil them, for all items alike or as each item's data says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from dialeval.core import Floats, Signature
from dialeval.data.codec.assertions import assertion_problem
from dialeval.data.codec.encode import written_assertion
from dialeval.data.types import LANGUAGES, Assertion, Example
from dialeval.errors import DialevalError
from dialeval.metrics.assertions.checks import Check, check
from dialeval.metrics.rows import MeanOfValues, rows_of_values


class _Asserting(MeanOfValues):
    """A metric whose value of an item is whether its assertions hold."""

    __slots__ = ()

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    yes_no: ClassVar[bool] = True
    kind: ClassVar[str]
    negated: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """As the table of metrics calls it."""
        return f"not_{self.kind}" if self.negated else self.kind

    def own(self) -> Assertion | None:
        """What is asked of every item; None where each item's data says it."""
        raise NotImplementedError

    def asked(self, example: Example) -> tuple[Assertion, ...]:
        """What is asked of this item."""
        own = self.own()
        if own is not None:
            return (own,)
        return tuple(a for a in example.assertions if a.kind == self.kind and a.negated == self.negated)

    def unscorable(self, example: Example) -> str | None:
        """That nothing is asked of the item, or that nobody can say whether it holds."""
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
class Contains(_Asserting):
    """Share of responses that contain a text: ``text``, or what each item's ``assert`` asks for.

    Yes or no for each item; higher is better. Letters count by case unless ``ignore_case``.
    """

    kind: ClassVar[str] = "contains"
    text: str = ""
    ignore_case: bool = False

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        return Signature(self.name, (("text", self.text), ("ignore_case", self.ignore_case)))

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
class Regex(_Asserting):
    """Share of responses in which a pattern is found: ``pattern``, or that of each item's ``assert``.

    Yes or no for each item; higher is better. Patterns are Python's. A search that takes more than 0.2 seconds of CPU
    time leaves its item unscored.
    """

    kind: ClassVar[str] = "regex"
    pattern: str = ""
    ignore_case: bool = False

    def __post_init__(self) -> None:
        _checked("regex", "pattern", "regex", self.pattern)

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        return Signature("regex", (("pattern", self.pattern), ("ignore_case", self.ignore_case)))

    def own(self) -> Assertion | None:
        """The given pattern."""
        return Assertion("regex", self.pattern, self.ignore_case) if self.pattern else None


@dataclass(frozen=True, slots=True)
class Equals(_Asserting):
    """Share of responses that equal a text: ``text``, or that of each item's ``assert``; not their references.

    Yes or no for each item; higher is better. Spaces at both ends do not count.
    """

    kind: ClassVar[str] = "equals"
    text: str | None = None
    ignore_case: bool = False

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        return Signature("equals", (("text", self.text), ("ignore_case", self.ignore_case)))

    def own(self) -> Assertion | None:
        """The given text."""
        return None if self.text is None else Assertion("equals", self.text, self.ignore_case)


@dataclass(frozen=True, slots=True)
class Json(_Asserting):
    """Share of responses that are valid JSON, with the keys or the schema that are asked for.

    Yes or no for each item; higher is better. ``required`` names keys of an object, separated by commas. Without it
    each item is checked by the schema in its ``assert``, or for being JSON at all.
    """

    kind: ClassVar[str] = "json"
    required: str = ""

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        return Signature("json", (("required", self.required),), version=2)

    def own(self) -> Assertion | None:
        """The given keys."""
        keys = [key.strip() for key in self.required.split(",") if key.strip()]
        return Assertion("json", {"type": "object", "required": keys}) if keys else None

    def asked(self, example: Example) -> tuple[Assertion, ...]:
        """The given keys, what the item's data says, or JSON of any kind."""
        return super(Json, self).asked(example) or (Assertion("json", True),)


@dataclass(frozen=True, slots=True)
class MaxLength(_Asserting):
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

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        return Signature("max_length", (("words", self.words), ("characters", self.characters)))

    def own(self) -> Assertion | None:
        """The given limits."""
        limits = {"words": self.words, "characters": self.characters}
        given = {unit: limit for unit, limit in limits.items() if limit is not None}
        return Assertion("max_length", given) if given else None


@dataclass(frozen=True, slots=True)
class Language(_Asserting):
    """Share of responses in a language: ``code``, such as 'en', or that of each item's ``assert``.

    Yes or no for each item; higher is better. A text that is too short to tell its language is unscored.
    """

    kind: ClassVar[str] = "language"
    code: str = ""

    def __post_init__(self) -> None:
        if self.code and self.code not in LANGUAGES:
            expected = f"one of {', '.join(LANGUAGES)}"
            raise DialevalError(
                f"The parameter 'code' of language: found {self.code!r}, expected {expected}."
            )

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        return Signature("language", (("code", self.code),), (("told", "scripts and small words"),))

    def own(self) -> Assertion | None:
        """The given language."""
        return Assertion("language", self.code) if self.code else None


@dataclass(frozen=True, slots=True)
class Assertions(_Asserting):
    """Share of each item's assertions that its response fulfils; with ``strict``, whether it fulfils all of them.

    In [0, 1]; higher is better. Assertions of all kinds come from ``assert`` in the data. The corpus score is the mean
    over the items that have some.
    """

    kind: ClassVar[str] = "assertions"
    strict: bool = False

    @property
    def yes_no(self) -> bool:  # type: ignore[override]
        """Whether each item is right or wrong as a whole."""
        return self.strict

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        return Signature("assertions", (("strict", self.strict),), version=2)

    def own(self) -> None:
        """None: only data says what is asked."""

    def asked(self, example: Example) -> tuple[Assertion, ...]:
        """All assertions of the item."""
        return example.assertions

    def unscorable(self, example: Example) -> str | None:
        """That the item has none, or that nobody can say whether one holds."""
        if not example.assertions:
            return "no assertion"
        return super(Assertions, self).unscorable(example)

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the share that holds, or of 1 or 0, and 1."""
        return rows_of_values([self._share(self._checks(example)) for example in examples])

    def _share(self, checks: Sequence[Check]) -> float:
        held = sum(bool(each.held) for each in checks)
        return float(held == len(checks)) if self.strict else held / max(len(checks), 1)
