"""Declarations of options and arguments, for parameters of commands and for fields of settings."""

from __future__ import annotations


class Declaration:
    """All that the type of a value does not say: the names of an option, the range of its values, and its help.

    A field of a dataclass is named after itself and explained by the docstring below it, unless this says otherwise.
    """

    def __init__(
        self,
        *names: str,
        help: str | None = None,
        min: float | None = None,
        max: float | None = None,
        metavar: str | None = None,
        show_default: str | bool = True,
    ) -> None:
        pairs = [name.partition("/") for name in names]
        self.names = tuple(on for on, _, _ in pairs)
        self.off = tuple(off for _, _, off in pairs if off)
        self.min, self.max = min, max
        self.help, self.metavar, self.show_default = help, metavar, show_default


class Option(Declaration):
    """An option, as in ``Option("--jobs", "-j", min=1, help=...)``; a flag may be ``--resume/--no-resume``."""


class Argument(Declaration):
    """An argument, as in ``Argument(help=..., metavar="FILE")``."""

    def __init__(self, *, help: str | None = None, metavar: str | None = None) -> None:
        super().__init__(help=help, metavar=metavar, show_default=False)


class Options:
    """The options of a parameter that is a dataclass: these of its fields, in this order, or all that are declared.

    A keyword replaces the declaration of one field.
    """

    def __init__(self, *fields: str, **declared: Declaration) -> None:
        self.fields, self.declared = fields, declared
