"""Options and arguments of a verb: how they are declared, and how a word becomes a value."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache
from inspect import Parameter as SignatureParameter, getsource, signature
from itertools import pairwise
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

from dialeval.errors import close_names
from dialeval.options import Argument, Declaration, Options


class BadUsage(Exception):
    """A command line that cannot be followed; printed in a line, with the way to the help, and exit code 2."""

    def __init__(self, message: str, where: str | None = None) -> None:
        super().__init__(f"{where}: {message}" if where else message)


Values: TypeAlias = dict[tuple[str, str], Any]
"""Values that a command line gives, by the keys of their parameters."""


class Group(NamedTuple):
    """A parameter of a verb's function that is a dataclass."""

    name: str
    kind: Any
    usual: Any
    """Its default: fields that are not given are those of this value; None if there is no default."""

    def value(self, fields: Mapping[str, Any]) -> Any:
        """Return the dataclass with these fields."""
        return self.kind(**fields) if self.usual is None else replace(self.usual, **fields)


class Parameter(NamedTuple):
    """A parameter of a verb's function, or a field of one that is a dataclass, as a command line gives it."""

    name: str
    kind: Any
    """The type of a value, or of each value if there may be several."""
    several: bool
    default: Any
    required: bool
    declared: Declaration
    group: Group | None = None
    """The parameter that is a dataclass with this field."""

    @property
    def key(self) -> tuple[str, str]:
        """The name of the function's parameter, and that of a field of it."""
        return (self.name, "") if self.group is None else (self.group.name, self.name)

    @property
    def flag(self) -> bool:
        """Whether it is an option without a value."""
        return self.kind is bool

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the option; a field is named after itself."""
        if self.declared.names or isinstance(self.declared, Argument):
            return self.declared.names
        return (f"--{self.name.replace('_', '-')}",)

    @property
    def help(self) -> str:
        """Explanation of the parameter: what is declared, or else the docstring of the field."""
        if self.declared.help is None and self.group is not None:
            return docstrings_of(self.group.kind).get(self.name, "")
        return self.declared.help or ""

    @property
    def label(self) -> str:
        """Its name in errors: the long name of an option, or what stands for an argument."""
        if self.names:
            return max(self.names, key=len)
        return (self.declared.metavar or self.name.upper()).rstrip(".")

    def value(self, word: str) -> Any:
        """Return the word as a value of the parameter, or raise `BadUsage`."""
        if not word and (self.kind is Path or isinstance(self.declared, Argument)):
            message = "found an empty name, expected one; is a variable of your shell empty?"
            raise BadUsage(message, self.label)
        if self.kind is int or self.kind is float:
            return self._number(word)
        if self.kind is Path:
            return self._path(word)
        choices = self.choices
        if choices and word not in choices:
            close = close_names(word, choices)
            hint = f". Did you mean {' or '.join(map(repr, close))}?" if close else ""
            expected = f"{', '.join(choices[:-1])} or {choices[-1]}"
            raise BadUsage(f"found {word!r}, expected {expected}{hint}", self.label)
        return word

    @property
    def choices(self) -> tuple[str, ...]:
        """The only values that it takes; none if it takes any."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    def _number(self, word: str) -> float:
        try:
            number: float = self.kind(word)
        except ValueError:
            number = math.nan
        least, most = self.declared.min, self.declared.max
        too_small = least is not None and number < least
        if math.isnan(number) or too_small or (most is not None and number > most):
            raise BadUsage(f"found {word!r}, expected {self._expected(least, most)}", self.label)
        return number

    def _expected(self, least: float | None, most: float | None) -> str:
        words = "a whole number" if self.kind is int else "a number"
        if least is not None and most is not None:
            return f"{words} from {least} to {most}"
        if least is not None:
            return f"{words}, {least} or more"
        return words if most is None else f"{words}, {most} or less"

    def _path(self, word: str) -> Path:
        if "\0" in word or (os.path.lexists(word) and not os.access(word, os.R_OK)):
            raise BadUsage(f"found {word!r}, expected a file or folder that can be read", self.label)
        return Path(word)


def parameters_of(function: Callable[..., Any]) -> list[Parameter]:
    """Return the parameters that a verb's function declares, in their order; those of a dataclass are its fields."""
    hints = get_type_hints(function, include_extras=True)
    found: list[Parameter] = []
    for name, parameter in signature(function).parameters.items():
        kind, *said = get_args(hints[name]) if get_origin(hints[name]) is Annotated else (hints[name],)
        if is_dataclass(kind):
            (options,) = said or (Options(),)
            usual = None if parameter.default is SignatureParameter.empty else parameter.default
            found += _fields(Group(name, kind, usual), options)
        else:
            found.append(_parameter(name, hints[name], parameter.default))
    return found


def arguments_of(parameters: Sequence[Parameter], values: Values) -> dict[str, Any]:
    """Return the arguments for a verb's function, with the values that were given and the defaults of the others."""
    arguments: dict[str, Any] = {}
    groups: dict[str, tuple[Group, dict[str, Any]]] = {}
    for each in parameters:
        value = values.get(each.key, each.default)
        if isinstance(each.default, tuple):
            value = tuple(value)
        if each.group is None:
            arguments[each.name] = value
        else:
            groups.setdefault(each.group.name, (each.group, {}))[1][each.name] = value
    return arguments | {name: group.value(fields) for name, (group, fields) in groups.items()}


@cache
def docstrings_of(owner: type) -> Mapping[str, str]:
    """Return the first paragraphs of the docstrings of a dataclass's fields, read from its source."""
    import ast

    found: dict[str, str] = {}
    for kind in reversed(owner.__mro__[:-1]):
        tree = ast.parse(getsource(sys.modules[kind.__module__]))
        bodies = [
            each.body for each in tree.body if isinstance(each, ast.ClassDef) and each.name == kind.__name__
        ]
        for field, below in (pair for body in bodies for pair in pairwise(body)):
            match field, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[name] = " ".join(text.split("\n\n")[0].split()).replace("``", "")
    return found


def _fields(group: Group, options: Options) -> Iterator[Parameter]:
    hints = get_type_hints(group.kind, include_extras=True)
    known = {each.name: each for each in fields(group.kind)}
    for name in options.fields or [name for name in known if get_origin(hints[name]) is Annotated]:
        default = _default(known[name]) if group.usual is None else getattr(group.usual, name)
        hint = Annotated[hints[name], options.declared[name]] if name in options.declared else hints[name]
        yield _parameter(name, hint, default)._replace(group=group)


def _default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return SignatureParameter.empty if field.default is MISSING else field.default


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    if get_origin(hint) is not Annotated:
        raise TypeError(f"{name}: found {hint!r}, expected Annotated[..., Option(...) or Argument(...)]")
    kind, *said = get_args(hint)
    declared = [each for each in said if isinstance(each, Declaration)][-1]
    if NoneType in get_args(kind):
        (kind,) = (choice for choice in get_args(kind) if choice is not NoneType)
    several = get_origin(kind) in (list, tuple)
    required = default is SignatureParameter.empty
    return Parameter(
        name,
        get_args(kind)[0] if several else kind,
        several,
        None if required else default,
        required,
        declared,
    )
