"""From a name such as ``bleu(order=4)`` to the thing it names, by a table of constructors and their type hints."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from dialeval.errors import DialevalError, UnknownName
from dialeval.text.calls import Call, Scalar, split_call

T = TypeVar("T")

_KINDS: Final[Mapping[Any, str]] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "quoted text",
    NoneType: "None",
}


def construct(text: str, table: Mapping[str, Callable[..., T]], *, kind: str) -> T:
    """What ``text`` names: the constructor of that name in ``table``, called with the parameters in brackets.

    ``kind`` says in messages what the table holds, such as ``metric``. A DialevalError names the parameter at
    fault, what was found and what is allowed.
    """
    maker, call = look_up(text, table, kind=kind)
    return maker(**_checked(f"{kind} {call.name!r}", maker, dict(call.parameters)))


def look_up(text: str, table: Mapping[str, T], *, kind: str) -> tuple[T, Call]:
    """The entry of ``table`` that ``text`` names, and the call that ``text`` is."""
    try:
        call = split_call(text)
    except ValueError as error:
        raise DialevalError(f"Cannot read the {kind} {text!r}: {error}.") from None
    if call.rest:
        found = f"Found {call.rest!r} after the {kind} {call.name!r}."
        raise DialevalError(f"{found} Write only the name and its brackets.")
    if call.name not in table:
        raise UnknownName(kind, call.name, table, todo=f"There are {', '.join(sorted(table))}.")
    return table[call.name], call


def _checked(owner: str, maker: Callable[..., object], given: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The given values, of the types that ``maker`` asks for."""
    expected, hints = inspect.signature(maker).parameters, get_type_hints(maker)
    for key in given:
        if key not in expected:
            allowed = f"It takes {', '.join(expected)}." if expected else "It takes none."
            raise UnknownName(f"parameter of {owner}", key, expected, todo=allowed)
    for key, parameter in expected.items():
        if key not in given and parameter.default is inspect.Parameter.empty:
            needed = f"{key} ({_describe(hints[key])})"
            raise DialevalError(f"The {owner} needs the parameter {needed}, and none was given.")
    for key, value in given.items():
        if not _fits(value, hints[key]):
            needed = _describe(hints[key])
            raise DialevalError(f"The parameter {key!r} of {owner}: found {value!r}, needed {needed}.")
    return {key: _widen(value, hints[key]) for key, value in given.items()}


def _alternatives(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _fits(value: Scalar, hint: Any) -> bool:
    for choice in _alternatives(hint):
        if get_origin(choice) is Literal:
            if any(type(value) is type(one) and value == one for one in get_args(choice)):
                return True
        # True is an int to Python, yet order=True is a slip.
        elif type(value) is choice or (type(value) is int and choice is float):
            return True
    return False


def _widen(value: Scalar, hint: Any) -> Scalar:
    """A whole number as a float where any number may stand, so that beta=1 and beta=1.0 are one metric."""
    choices = _alternatives(hint)
    return float(value) if type(value) is int and float in choices and int not in choices else value


def _describe(hint: Any) -> str:
    words: list[str] = []
    for choice in _alternatives(hint):
        literal = get_origin(choice) is Literal
        words += [repr(one) for one in get_args(choice)] if literal else [_KINDS.get(choice, str(choice))]
    return " or ".join(words)
