"""Decoding settings, with the same names for every neural system."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from dialeval.errors import DialevalError, UnknownName
from dialeval.text.calls import Scalar, print_call, split_call

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

Method: TypeAlias = Literal["greedy", "beam", "diverse_beam", "nucleus", "top_k", "sample"]

METHODS: Final[Mapping[Method, tuple[str, ...]]] = {
    "greedy": (),
    "beam": ("beams", "length_penalty"),
    "diverse_beam": ("beams", "groups", "diversity", "length_penalty"),
    "nucleus": ("top_p", "temperature"),
    "top_k": ("top_k", "temperature"),
    "sample": ("temperature",),
}
"""The options each method uses, beside ``max_tokens`` and ``min_tokens``, which all do."""

_ALWAYS: Final = ("max_tokens", "min_tokens")
LONGEST: Final = 40
"""Tokens of a response of a model that runs here, if nothing else is said."""


@dataclass(frozen=True, slots=True)
class Decoding:
    """How responses are drawn; an option that the method does not use must be left as it is.

    ``greedy`` takes the likeliest token each time; ``beam`` keeps the ``beams`` likeliest beginnings and ranks what is
    finished by log-probability over length to the power of ``length_penalty``, the end token counted; ``diverse_beam``
    (Vijayakumar et al., 2018) splits the beams into ``groups``, each of which pays ``diversity`` for every time an
    earlier group took the same token at the same place; ``nucleus`` (Holtzman et al., 2020) samples from the
    smallest set of tokens with a mass of at least ``top_p``, ``top_k`` (Fan et al., 2018) from the ``top_k``
    likeliest, ``sample`` from all, each after logits are divided by ``temperature``.
    """

    method: Method = "greedy"
    beams: int = 5
    groups: int = 1
    diversity: float = 0.5
    length_penalty: float = 1.0
    top_p: float = 0.9
    top_k: int = 50
    temperature: float = 1.0
    max_tokens: int | None = None
    """Limit on the tokens of a response, its end token counted; None: `LONGEST` here, a server's own limit there."""
    min_tokens: int = 1
    """A response cannot end before it has this many tokens, its end token not counted."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UnknownName("decoding method", str(self.method), METHODS, todo=_there_are(METHODS))
        for field in fields(self):
            used = field.name in ("method", *_ALWAYS, *METHODS[self.method])
            if not used and getattr(self, field.name) != field.default:
                takes = ", ".join((*METHODS[self.method], *_ALWAYS))
                raise DialevalError(
                    f"Decoding by {self.method!r} does not use {field.name!r}, which is set to "
                    f"{getattr(self, field.name)!r}. It uses {takes}; leave the others out."
                )
        self._check_ranges()

    def _check_ranges(self) -> None:
        for name in ("beams", "groups", "top_k", "longest"):
            shown = "max_tokens" if name == "longest" else name
            self._need(shown, getattr(self, name) >= 1, "a whole number of at least 1")
        self._need("min_tokens", 0 <= self.min_tokens <= self.longest, "between 0 and max_tokens")
        self._need("top_p", 0 < self.top_p <= 1, "above 0 and at most 1")
        self._need("diversity", 0 <= self.diversity < math.inf, "0 or more")
        self._need("length_penalty", math.isfinite(self.length_penalty), "a finite number")
        hint = "above 0 and finite; for the likeliest token each time there is the method 'greedy'"
        self._need("temperature", 0 < self.temperature < math.inf, hint)
        self._need(
            "groups", self.beams % self.groups == 0, f"a number that divides the {self.beams} beams evenly"
        )

    def _need(self, name: str, holds: bool, expected: str) -> None:
        if not holds:
            raise DialevalError(
                f"The decoding option {name!r}: found {getattr(self, name)!r}, expected {expected}."
            )

    @property
    def samples(self) -> bool:
        """Whether the seed changes what comes out."""
        return self.method in ("nucleus", "top_k", "sample")

    @property
    def most(self) -> int | None:
        """Return how many different responses there can be to one context; None if there is no limit."""
        return {"greedy": 1, "beam": self.beams, "diverse_beam": self.beams}.get(self.method)

    @property
    def longest(self) -> int:
        """Limit on the tokens of a response of a model that runs here."""
        return max(LONGEST, self.min_tokens) if self.max_tokens is None else self.max_tokens

    @property
    def parameters(self) -> tuple[tuple[str, Scalar], ...]:
        """The options that the method uses, by name."""
        used = {name: getattr(self, name) for name in (*METHODS[self.method], *_ALWAYS)}
        return tuple({**used, "max_tokens": self.longest}.items())

    def __str__(self) -> str:
        return print_call(self.method, self.parameters)

    @property
    def fact(self) -> str:
        """The method with its options as a signature shows them: ``beam(beams:5,length_penalty:1.0,...)``."""
        return str(self).replace("=", ":")

    @property
    def served_fact(self) -> str:
        """Return the settings of a server, which has a limit on tokens only if one was given."""
        given = [pair for pair in self.parameters if self.max_tokens is not None or pair[0] != "max_tokens"]
        return print_call(self.method, given).replace("=", ":")

    @classmethod
    def parse(cls, text: str) -> Decoding:
        """The decoding that ``text`` names, such as ``greedy`` or ``beam(beams=10)``."""
        try:
            call = split_call(text)
        except ValueError as error:
            raise DialevalError(f"Cannot read the decoding {text!r}: {error}.") from None
        if call.rest:
            raise DialevalError(
                f"Found {call.rest!r} after the decoding {call.name!r}; write only its brackets."
            )
        return cls.of({"method": call.name, **dict(call.parameters)})

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Decoding:
        """The decoding with these options; names and types are checked."""
        known = {field.name: field for field in fields(cls)}
        for name, value in options.items():
            if name not in known:
                raise UnknownName("decoding option", str(name), known, todo=_there_are(known))
            kind = int if name == "max_tokens" else type(known[name].default)
            if type(value) is not kind and not (kind is float and type(value) is int):
                words = {"int": "a whole number", "float": "a number", "str": "one of " + ", ".join(METHODS)}
                raise DialevalError(
                    f"The decoding option {name!r}: found {value!r}, expected {words[kind.__name__]}."
                )
        given: dict[str, Any] = {
            name: float(value) if type(known[name].default) is float else value
            for name, value in options.items()
        }
        return cls(**given)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type, handler: GetCoreSchemaHandler) -> CoreSchema:
        """In a study: a table of options, or one word such as ``beam``."""
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(_decoding)


def _decoding(given: object) -> Decoding:
    if isinstance(given, Decoding):
        return given
    if isinstance(given, str):
        return Decoding.parse(given)
    if isinstance(given, Mapping):
        return Decoding.of({str(name): value for name, value in given.items()})
    raise ValueError(
        f"decoding needs a method or options such as {{method: beam, beams: 10}}, found {given!r}"
    )


def _there_are(names: Iterable[str]) -> str:
    return f"There are {', '.join(names)}."
