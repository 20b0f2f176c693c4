"""Declarations of options and arguments, which typer is told of only where it has to help, to convert or to refuse.

Loading typer takes longer than all else that a small command does. A verb whose parameters are all declared here, as in
``Annotated[int, Option("--seed", min=0)]``, is called without it where the command line is plain.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Annotated, Any, get_args, get_origin, get_type_hints


class Option:
    """An option: its names, as typer writes them, what limits its values, and what help says of it."""

    def __init__(
        self,
        *names: str,
        min: float | None = None,
        max: float | None = None,
        help: str | None = None,
        metavar: str | None = None,
        show_default: str | bool = True,
    ) -> None:
        self.names, self.min, self.max = names, min, max
        self._help, self._metavar, self._show_default = help, metavar, show_default

    def for_typer(self) -> Any:
        """The same in typer's words."""
        import typer

        return typer.Option(
            *self.names,
            min=self.min,
            max=self.max,
            help=self._help,
            metavar=self._metavar,
            show_default=self._show_default,
        )


class Argument:
    """An argument, and what help says of it."""

    def __init__(self, *, help: str) -> None:
        self._help = help

    def for_typer(self) -> Any:
        """The same in typer's words."""
        import typer

        return typer.Argument(help=self._help)


Declared = Option | Argument


def declaration(hint: Any) -> tuple[Any, Declared | None]:
    """The type of a parameter, and how it is declared here; None where it is not."""
    if get_origin(hint) is not Annotated:
        return hint, None
    kind, *said = get_args(hint)
    return kind, next((each for each in said if isinstance(each, Declared)), None)


def for_typer(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with parameters that typer understands; itself where none of them is declared here."""
    hints = get_type_hints(function, include_extras=True)
    declared = {name: declaration(hint) for name, hint in hints.items()}
    if all(how is None for _, how in declared.values()):
        return function
    shape = signature(function)
    told = {
        name: Annotated[kind, how.for_typer()] if how else hints[name]
        for name, (kind, how) in declared.items()
    }

    @wraps(function)
    def called(**values: Any) -> Any:
        return function(**values)

    parameters = [
        parameter.replace(annotation=told.get(name, parameter.annotation))
        for name, parameter in shape.parameters.items()
    ]
    called.__annotations__ = told  # so that a second call of this gives the function itself
    called.__signature__ = shape.replace(parameters=parameters)  # type: ignore[attr-defined]
    return called


def bad_usage(message: str, where: str) -> Exception:
    """A usage error, to be raised; typer prints it with the verb's usage, and ends with 2."""
    import typer

    return typer.BadParameter(message, param_hint=where)
