"""User-supplied code: functions and classes named by file or module, each with a digest of its source.

A *place* is ``file.py:NAME`` or ``module:NAME``. Naming one runs that code, as importing it would. Files that may be a
stranger's, such as those of a run folder, are read under `only_named`, where they cannot name any.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from shlex import quote
from typing import Any, Final, NamedTuple

from dialeval.errors import DialevalError, UnknownName, Unsuitable, first_line
from dialeval.files.digests import Stamp, hash_file, stamp
from dialeval.files.folders import with_home

DIGITS: Final = 16
"""Number of digits of the source's sha256 in a signature."""
MODULES: Final = "dialeval_own_"
"""Beginning of the names of modules that are files of users; other processes cannot import these."""
_PLACE: Final = re.compile(r"(?P<where>.+\.py|[A-Za-z_][\w.]*):(?P<name>[A-Za-z_]\w*)")


METRICS: Final = "dialeval.metrics"
SYSTEMS: Final = "dialeval.systems"
GROUPS: Final = (METRICS, SYSTEMS)
"""Entry points under which packages register metrics and systems."""


class _Named(NamedTuple):
    """Code that may be loaded."""

    origins: frozenset[str]
    """Resolved files, and modules."""
    folder: Path | None
    """The user's own, whose files may be loaded."""
    foreign: tuple[Path, ...]
    """Folders in it that are not."""

    def admits(self, origin: str) -> bool:
        """Whether the file or module may be loaded."""
        own = self.folder is not None and origin.endswith(".py") and Path(origin).is_relative_to(self.folder)
        return origin in self.origins or (own and not any(map(Path(origin).is_relative_to, self.foreign)))


_named: ContextVar[_Named | None] = ContextVar("named", default=None)
"""None where everything may be loaded."""


@contextmanager
def only_named(
    places: Iterable[str], *, folder: Path | None = None, foreign: Iterable[Path] = ()
) -> Iterator[None]:
    """Load only what stands in the files and modules of these places, for as long as this lasts; Unsuitable otherwise.

    With a ``folder`` also files below it, but for those in ``foreign`` folders. What installed packages have registered
    with us may be loaded, too: who installs a package trusts it. It holds for this thread, and not for threads that
    are started here.
    """
    origins = frozenset(_origin(place, Path()) for place in places)
    token = _named.set(
        _Named(origins, folder and folder.resolve(), tuple(path.resolve() for path in foreign))
    )
    try:
        yield
    finally:
        _named.reset(token)


def _origin(place: str, folder: Path) -> str:
    """The file or module that loading would run."""
    where = place.rpartition(":")[0]
    return str((folder / with_home(where)).resolve()) if where.endswith(".py") else where


def _registered() -> set[str]:
    from importlib.metadata import entry_points

    return {entry.value for group in GROUPS for entry in entry_points(group=group)}


def _check_named(place: str, folder: Path) -> None:
    named, origin = _named.get(), _origin(place, folder)
    if named is not None and not named.admits(origin) and place not in _registered():
        option = quote(f"{origin}:{place.rpartition(':')[2]}")
        raise Unsuitable(
            f"Found {place} ({origin}), named by a folder that may be somebody else's. Loading it would run its code, "
            f"so only what you name yourself is loaded. Read it, and if you trust it add --allow-code "
            f"{option}."
        )


class CustomCode(NamedTuple):
    """A function or class, and where it comes from."""

    place: str
    """Without the folders of its file, so that a study gives the same numbers wherever it lies."""
    thing: Any
    source: str
    """The first digits of the sha256 of its file."""
    full_place: str
    """With the whole path of its file, for processes that start elsewhere."""

    @property
    def is_function(self) -> bool:
        """Whether it is a plain function and not a class."""
        return inspect.isroutine(self.thing)


def is_place(name: str) -> bool:
    """Whether ``name`` is written as ``file.py:NAME`` or ``module:NAME``."""
    return _PLACE.fullmatch(name) is not None


def installed(group: str, name: str) -> str | None:
    """The place that an installed package has registered as the entry point ``name`` of ``group``; None without one."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=group, name=name):
        return entry.value
    return None


def load_code(place: str, folder: Path) -> CustomCode:
    """Return what stands at ``place``; files are relative to ``folder``."""
    match = _PLACE.fullmatch(place)
    if match is None:
        raise DialevalError(f"Cannot read {place!r}: expected file.py:NAME or module:NAME.")
    _check_named(place, folder)
    where, name = match["where"], match["name"]
    if where.endswith(".py"):
        path = folder / with_home(where)
        if not path.is_file():
            raise DialevalError(f"Cannot load {place}: no such file: {path}.")
        module = _module_of_file(stamp(path.resolve()))
        short, full = f"{path.name}:{name}", f"{path.resolve()}:{name}"
    else:
        module, short, full = _module(where, place), place, place
        path = Path(getattr(module, "__file__", None) or "")
    if not hasattr(module, name):
        known = [each for each, value in vars(module).items() if callable(value) and not each.startswith("_")]
        raise UnknownName(f"function or class in {where}", name, known)
    thing = getattr(module, name)
    if not callable(thing):
        raise DialevalError(
            f"Cannot use {place}: found {type(thing).__name__}, expected a function or a class."
        )
    return CustomCode(short, thing, hash_file(path)[:DIGITS] if path.is_file() else "builtin", full)


def code_of(thing: Any) -> CustomCode:
    """A function or class that was handed over, with the place and digest that it has if it is named in a file.

    One that stands in no file, as in a notebook, has its module for a place and a digest of its own source.
    """
    name = getattr(thing, "__name__", type(thing).__name__).strip("<>")
    try:
        path = Path(inspect.getsourcefile(thing) or "")
    except TypeError:  # typed into an interpreter, or built in
        path = Path()
    if path.is_file():
        return CustomCode(f"{path.name}:{name}", thing, hash_file(path)[:DIGITS], f"{path.resolve()}:{name}")
    try:
        source = inspect.getsource(thing).encode()
    except (OSError, TypeError):
        source = getattr(getattr(thing, "__code__", None), "co_code", b"") or repr(name).encode()
    place = f"{getattr(thing, '__module__', None) or '__main__'}:{name}"
    return CustomCode(place, thing, hashlib.sha256(source).hexdigest()[:DIGITS], place)


@lru_cache(maxsize=64)
def _module_of_file(file: Stamp) -> Any:
    """The file as a module of its own; its folder can be imported from, as where Python runs a script."""
    name = f"{MODULES}{file.path.stem}_{hash_file(file.path)[:8]}"
    spec = importlib.util.spec_from_file_location(name, file.path)
    if spec is None or spec.loader is None:
        raise DialevalError(f"Cannot load {file.path}: it is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    if str(file.path.parent) not in sys.path:
        sys.path.append(str(file.path.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise DialevalError(
            f"Cannot load {file.path}: {type(error).__name__}: {first_line(error)}."
        ) from error
    return module


def _module(name: str, place: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise DialevalError(
            f"Cannot load {place}: {first_line(error)}. Install the package that has it, or write file.py:NAME."
        ) from None
