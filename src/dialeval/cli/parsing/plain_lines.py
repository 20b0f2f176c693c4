"""Plain command lines: known options with values that need no more than a look, read without loading typer.

Whatever is not plain (help, mistakes, abbreviated or joined options, odd values) is left to typer, which knows what to
say; for a plain line, typer would call the verb with the same values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from inspect import Parameter, isfunction, signature
from pathlib import Path
from types import NoneType
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin, get_type_hints

from dialeval.cli.parsing.conversions import is_readable_or_new, within
from dialeval.cli.parsing.declaring import Argument, Option, declaration

_WHOLE: Final = re.compile(r"0|[1-9][0-9]{0,15}")
_DECIMAL: Final = re.compile(r"(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?")


class NotPlain(Exception):
    """Something on the command line that only typer can make sense of, or refuse."""


class _Taken(NamedTuple):
    """A parameter of a verb, as a command line gives it."""

    name: str
    kind: Any
    several: bool
    limits: tuple[float | None, float | None] = (None, None)

    def value(self, text: str) -> Any:
        """The text as a value of the parameter."""
        if self.kind is str and text:
            return text
        if self.kind is int and _WHOLE.fullmatch(text) and within(int(text), *self.limits):
            return int(text)
        if self.kind is float and _DECIMAL.fullmatch(text) and within(float(text), *self.limits):
            return float(text)
        if self.kind is Path and text and is_readable_or_new(text):
            return Path(text)
        if get_origin(self.kind) is Literal and text in get_args(self.kind):
            return text
        raise NotPlain(self.name)


class _Shape(NamedTuple):
    """What a verb takes."""

    arguments: list[_Taken]
    options: dict[str, _Taken]
    flags: dict[str, tuple[str, bool]]
    """The parameter and the value of each flag."""
    defaults: dict[str, Any]
    required: set[str]
    """Parameters without a default."""


def plain_values(function: Any, words: Sequence[str]) -> dict[str, Any] | None:
    """The values of all parameters of a verb's function, as typer would give them; None where a word is not plain."""
    try:
        return _values(_shape(function), words)
    except NotPlain:
        return None


def _shape(function: Callable[..., Any]) -> _Shape:
    if not isfunction(function):
        raise NotPlain(function)
    shape = _Shape([], {}, {}, {}, set())
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in signature(function).parameters.items():
        kind, how = declaration(hints[name])
        if how is None:
            raise NotPlain(name)
        if parameter.default is Parameter.empty:
            shape.required.add(name)
        else:
            shape.defaults[name] = parameter.default
        taken = _taken(name, kind)
        if isinstance(how, Argument):
            shape.arguments.append(taken)
        elif taken.kind is bool:
            shape.flags.update(_flags(name, how))
        else:
            shape.options.update(dict.fromkeys(how.names, taken._replace(limits=(how.min, how.max))))
    if any(argument.several for argument in shape.arguments):
        raise NotPlain(function)
    return shape


def _taken(name: str, kind: Any) -> _Taken:
    """The parameter, whose type may be optional and a list."""
    (kind,) = (
        [choice for choice in get_args(kind) if choice is not NoneType]
        if NoneType in get_args(kind)
        else [kind]
    )
    if get_origin(kind) is list:
        return _Taken(name, get_args(kind)[0], several=True)
    return _Taken(name, kind, several=False)


def _flags(name: str, how: Option) -> Iterator[tuple[str, tuple[str, bool]]]:
    for pair in how.names:
        on, _, off = pair.partition("/")
        yield on, (name, True)
        if off:
            yield off, (name, False)


def _values(shape: _Shape, words: Sequence[str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    free, rest = iter(shape.arguments), iter(words)
    for word in rest:
        flag = shape.flags.get(word)
        if flag is not None:
            name, value = flag
            if name in given:
                raise NotPlain(word)
            given[name] = value
        elif word.startswith("-") and word != "-":
            name, joined, text = word.partition("=") if word.startswith("--") else (word, "", "")
            _enter(given, shape.options.get(name), text if joined else next(rest, "-"))
        else:
            _enter(given, next(free, None), word, argument=True)
    if not shape.required <= given.keys():
        raise NotPlain(shape.required)
    return shape.defaults | given


def _enter(given: dict[str, Any], taken: _Taken | None, text: str, *, argument: bool = False) -> None:
    """Enter a value; a value of an option that looks like an option is left to typer."""
    if (
        taken is None
        or (text.startswith("-") and not argument)
        or (taken.name in given and not taken.several)
    ):
        raise NotPlain(text)
    value = taken.value(text)
    if taken.several:
        given.setdefault(taken.name, []).append(value)
    else:
        given[taken.name] = value
