"""Values of options that are already what the command takes, so that the parser need not load its converters.

Typer converts every value with pydantic, also those that nobody gave: a third of the time of a small command.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args, get_origin

_OTHER: Final = object()
"""Stands for a value that only the parser can convert, or refuse."""


def spare_conversions(command: Any, context: Any) -> None:
    """Let the parameters of a command, and of those below it, take plain values as they are."""
    for parameter in command.get_params(context):
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""  # a flag takes no value, so help names no type
        # An attribute of the object goes before the method of its class, which converts what is not plain.
        parameter.process_value = partial(_process, parameter, parameter.process_value)
    for below in getattr(command, "commands", {}).values():
        spare_conversions(below, context)


def _process(parameter: Any, convert: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    _refuse_empty(parameter, value)
    plain = plain_value(parameter, value)
    if plain is _OTHER or (parameter.required and parameter.value_is_missing(plain)):
        try:
            return convert(context, value)
        except Exception as error:
            if expected := _expected(parameter):
                raise _refusal(f"found {value!r}, expected {expected}", parameter, context) from error
            raise
    return plain if parameter.callback is None else parameter.callback(context, parameter, plain)


def _refuse_empty(parameter: Any, value: Any) -> None:
    """An empty word for a file or folder is a variable of the shell that holds nothing, and not this folder."""
    descriptor = getattr(parameter, "type_descriptor", None)
    if descriptor is None or value is None:
        return
    kind = (
        get_args(descriptor.annotation)[0]
        if get_origin(descriptor.annotation) is list
        else descriptor.annotation
    )
    given = value if isinstance(value, list | tuple) else (value,)
    if "" in given and (kind is Path or parameter.param_type_name == "argument"):
        message = "found an empty name, expected one; is a variable of your shell empty?"
        raise _refusal(message, parameter, None)


def _expected(parameter: Any) -> str:
    """The number that an option takes, in plain words; nothing if it takes something else."""
    descriptor = getattr(parameter, "type_descriptor", None)
    kinds: dict[object, str] = {int: "a whole number", float: "a number"}
    words = kinds.get(getattr(descriptor, "annotation", None))
    if descriptor is None or words is None:
        return ""
    info = descriptor.parameter_info
    if info.min is not None and info.max is not None:
        return f"{words} from {info.min} to {info.max}"
    if info.min is not None:
        return f"{words}, {info.min} or more"
    return words if info.max is None else f"{words}, {info.max} or less"


def _refusal(message: str, parameter: Any, context: Any) -> Exception:
    import typer

    return typer.BadParameter(message, ctx=context, param=parameter)


def plain_value(parameter: Any, value: Any) -> Any:
    """What the parser would make of a value, if that takes no more than a look at it; else ``_OTHER``."""
    # The descriptor is not documented: without it, everything is left to typer.
    descriptor = getattr(parameter, "type_descriptor", None)
    if descriptor is None or descriptor.parameter_info.parser is not None:
        return _OTHER
    several = parameter.multiple or parameter.nargs == -1
    if value is None:
        return () if several else None
    if get_origin(descriptor.annotation) is not list:
        return _OTHER if several else _plain(descriptor.annotation, descriptor, value)
    if not several or not isinstance(value, list | tuple):
        return _OTHER
    (kind,) = get_args(descriptor.annotation)
    values = [_plain(kind, descriptor, single) for single in value]
    return _OTHER if any(single is _OTHER for single in values) else values


def _plain(kind: Any, descriptor: Any, value: Any) -> Any:
    """The same of a single value of that kind."""
    info = descriptor.parameter_info
    if kind is str or kind is bool:
        return value if type(value) is kind else _OTHER
    if kind is int or kind is float:
        return value if type(value) is kind and within(value, info.min, info.max) else _OTHER
    if kind is Path:
        return Path(value) if _is_plain_path(value, info) else _OTHER
    choices = descriptor.choices or ()
    return value if type(value) is str and value in choices and descriptor.case_sensitive else _OTHER


def within(value: float, least: float | None, most: float | None) -> bool:
    """Whether the value is neither too small nor too large."""
    return (least is None or value >= least) and (most is None or value <= most)


def _is_plain_path(value: Any, info: Any) -> bool:
    """Whether it names a file or folder that can be read, or none, and nothing else is asked of it."""
    if not isinstance(value, str | Path) or info.exists or info.resolve_path or info.path_type is not None:
        return False
    if not (info.file_okay and info.dir_okay) or info.writable:
        return False
    return is_readable_or_new(value)


def is_readable_or_new(path: str | Path) -> bool:
    """Whether it names a file or folder that can be read, or none."""
    return "\0" not in str(path) and (os.access(path, os.R_OK) or not os.path.lexists(path))
