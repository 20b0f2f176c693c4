"""Names and tables whose parts are imported when they are first used, so that a command loads only what it needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def at_place(place: str) -> Any:
    """What ``package.module:name`` is."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


class LazyTable(Mapping[str, T]):
    """Values by name, each of which is made when it is first asked for."""

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers = makers
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def modules_of(file: str | Path) -> dict[str, str]:
    """Each name that a file imports from another module, and that module, as its source says."""
    source = Path(file).read_text(encoding="utf-8")
    imports = re.findall(r"^[ ]*from ([\w.]+) import (\([^)]*\)|.*)$", source, re.MULTILINE)
    return {
        name.split(" as ")[-1]: module
        for module, names in imports
        for name in re.findall(r"\w+(?: as \w+)?", names)
    }


def lazily(package: str, file: str | Path) -> Callable[[str], object]:
    """A ``__getattr__`` for the package: imports what its file imports for type checkers alone.

    A name that is also the name of a module of the package must be imported at once: importing that module by another
    way would put the module in its place.
    """
    modules: dict[str, str] = {}
    names = vars(import_module(package))

    def imported(name: str) -> object:
        modules.update(modules or modules_of(file))
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        names[name] = getattr(import_module(modules[name]), name)
        value: object = names[name]
        return value

    return imported
