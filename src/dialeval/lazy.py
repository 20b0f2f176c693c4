"""Names and tables whose parts are imported when they are first used, so that a command loads only what it needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")
F = TypeVar("F")


class Table(Mapping[str, T], Generic[T, F]):
    """Values by name, each imported when it is first asked for.

    A function imports each of them, so that editors and import contracts see what a table names::

        @METRICS.entry("rouge_l")
        def _rouge_l() -> MetricMaker:
            from dialeval.metrics.overlap.rouge_l import RougeL

            return RougeL
    """

    def __init__(self, usual: F) -> None:
        self.traits: dict[str, F] = {}
        """What is known of each entry without importing it; ``usual`` if its line does not say."""
        self._usual = usual
        self._loaders: dict[str, Callable[[], T]] = {}
        self._loaded: dict[str, T] = {}

    def add(self, name: str, load: Callable[[], T], traits: F | None = None) -> None:
        """Add an entry that ``load`` imports."""
        self.traits[name] = self._usual if traits is None else traits
        self._loaders[name] = load

    def entry(self, name: str, traits: F | None = None) -> Callable[[Callable[[], T]], Callable[[], T]]:
        """Decorate the function that imports the entry of that name."""

        def added(load: Callable[[], T]) -> Callable[[], T]:
            self.add(name, load, traits)
            return load

        return added

    def family(
        self, *names: str, traits: F | None = None
    ) -> Callable[[Callable[[], tuple[T, ...]]], Callable[[], tuple[T, ...]]]:
        """Decorate the function that imports several entries from one module, in the order of their names."""

        def added(load: Callable[[], tuple[T, ...]]) -> Callable[[], tuple[T, ...]]:
            for at, name in enumerate(names):
                self.add(name, partial(_member, load, at), traits)
            return load

        return added

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            self._loaded[name] = self._loaders[name]()
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._loaders

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaders)

    def __len__(self) -> int:
        return len(self._loaders)


def _member(load: Callable[[], tuple[T, ...]], at: int) -> T:
    return load()[at]


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
