"""Names that look like calls, ``bleu(order=4)``: how they print, parse, and become objects."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import NoneType, UnionType
from typing import (
    Any,
    Final,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from dialeval.errors import DialevalError, UnknownName

Scalar: TypeAlias = str | int | float | bool | None


class Call(NamedTuple):
    """A name, its parameters, and whatever text followed the closing bracket."""

    name: str
    parameters: tuple[tuple[str, Scalar], ...]
    rest: str


def print_call(name: str, parameters: Iterable[tuple[str, Scalar]]) -> str:
    """The name with its parameters: ``bleu(order=4,profile='nlgeval')``; bare if it has none."""
    inside = ",".join(f"{key}={value!r}" for key, value in parameters)
    return f"{name}({inside})" if inside else name


def split_call(text: str) -> Call:
    """The call at the start of ``text``; ValueError says what is wrong with it.

    >>> split_call("bleu(order=4)|version=1")
    Call(name='bleu', parameters=(('order', 4),), rest='|version=1')
    """
    text = text.strip()
    end = _end_of_call(text)
    head, rest = text[:end].rstrip(), text[end:]
    if head.isidentifier():
        return Call(head, (), rest)
    if place := _PLACE.match(head):
        inner = split_call(head[place.end() :])
        return Call(place[0] + inner.name, inner.parameters, rest)
    try:
        node = ast.parse(head, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ValueError(f"{head!r} is not a name such as bleu or bleu(order=4)") from None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise ValueError(f"{head!r} is not a name such as bleu or bleu(order=4)")
    if node.args:
        raise ValueError(f"{head!r} gives a value without its name; write it as in {node.func.id}(order=4)")
    parameters = tuple(_parameter(word) for word in node.keywords)
    if len(dict(parameters)) < len(parameters):
        raise ValueError(f"{head!r} gives one parameter twice")
    return Call(node.func.id, parameters, rest)


_YAML_WORDS: Final[Mapping[str, Scalar]] = {"true": True, "false": False, "null": None, "none": None}
"""Spellings of study files and JSON, with the values that they stand for."""


def _parameter(word: ast.keyword) -> tuple[str, Scalar]:
    if word.arg is None:
        raise ValueError("** is not allowed in a name")
    try:
        value = ast.literal_eval(word.value)
    except (ValueError, TypeError):
        shown = ast.unparse(word.value)
        advice = "write" if shown in _YAML_WORDS else "quote words, as in"
        plain = _YAML_WORDS.get(shown, shown)
        raise ValueError(f"{word.arg}={shown} is not a plain value; {advice} {word.arg}={plain!r}") from None
    if not isinstance(value, str | int | float | bool | None):
        raise ValueError(f"{word.arg} must be text, a number, True, False or None")
    return word.arg, value


def _end_of_call(text: str) -> int:
    """Return the end of the call at the start of ``text``: after its closing bracket, or at the first ``|``."""
    quote, depth, index = "", 0, 0
    while index < len(text):
        char = text[index]
        if quote:
            index += char == "\\"
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "|" and depth == 0:
            return index
        else:
            depth += (char == "(") - (char == ")")
        index += 1
    return len(text)


T = TypeVar("T")

_PLACE: Final = re.compile(r"(?:[^(|]*\.py|[A-Za-z_][\w.]*):(?=[A-Za-z_])")
"""Prefix of a custom name: ``file.py:`` or ``module:``."""
_KINDS: Final[Mapping[Any, str]] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "quoted text",
    NoneType: "None",
}


def construct(text: str, table: Mapping[str, Callable[..., T]], *, kind: str) -> T:
    """Return what ``text`` names: the constructor of that name in ``table``, called with the parameters in brackets.

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
    takes, hints = _parameters(maker)
    for key in given:
        if key not in takes:
            allowed = f"It takes {', '.join(takes)}." if takes else "It takes none."
            raise UnknownName(f"parameter of {owner}", key, takes, todo=allowed)
    for key, parameter in takes.items():
        if key not in given and parameter.default is inspect.Parameter.empty:
            expected = f"{key} ({_describe(hints[key])})"
            raise DialevalError(f"The {owner} needs the parameter {expected}, and none was given.")
    for key, value in given.items():
        if not _fits(value, hints[key]):
            expected = _describe(hints[key])
            raise DialevalError(f"The parameter {key!r} of {owner}: found {value!r}, expected {expected}.")
    return {key: _widen(value, hints[key]) for key, value in given.items()}


@lru_cache(maxsize=128)
def _parameters(maker: Callable[..., object]) -> tuple[Mapping[str, inspect.Parameter], Mapping[str, Any]]:
    """The parameters of a constructor, and their types."""
    return inspect.signature(maker).parameters, get_type_hints(maker)


def _alternatives(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _fits(value: Scalar, hint: Any) -> bool:
    for choice in _alternatives(hint):
        if get_origin(choice) is Literal:
            if any(type(value) is type(option) and value == option for option in get_args(choice)):
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
        words += (
            [repr(option) for option in get_args(choice)] if literal else [_KINDS.get(choice, str(choice))]
        )
    return " or ".join(words)
