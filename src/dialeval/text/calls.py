"""Names that look like calls, ``bleu(order=4)``: how they print, parse, and become objects."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

Scalar: TypeAlias = str | int | float | bool | None


class Call(NamedTuple):
    """A name, its parameters, and whatever text followed the closing bracket."""

    name: str
    parameters: tuple[tuple[str, Scalar], ...]
    rest: str


def print_call(name: str, parameters: Iterable[tuple[str, Scalar]]) -> str:
    """The name with its parameters: ``bleu(order=4,profile='nlgeval')``; bare where it has none."""
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


def _parameter(word: ast.keyword) -> tuple[str, Scalar]:
    if word.arg is None:
        raise ValueError("** is not allowed in a name")
    try:
        value = ast.literal_eval(word.value)
    except (ValueError, TypeError):
        shown = ast.unparse(word.value)
        raise ValueError(
            f"{word.arg}={shown} is no plain value; quote words, as in {word.arg}={shown!r}"
        ) from None
    if not isinstance(value, str | int | float | bool | None):
        raise ValueError(f"{word.arg} must be text, a number, True, False or None")
    return word.arg, value


def _end_of_call(text: str) -> int:
    """Where the call at the start of ``text`` ends: after its closing bracket, or at the first ``|``."""
    quote, depth, at = "", 0, 0
    while at < len(text):
        char = text[at]
        if quote:
            at += char == "\\"
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "|" and depth == 0:
            return at
        else:
            depth += (char == "(") - (char == ")")
        at += 1
    return len(text)
