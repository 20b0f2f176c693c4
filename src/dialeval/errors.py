"""All errors that dialeval raises on purpose.

DialevalError                   something the user can fix; the CLI prints it without a traceback
├── BadInput                    a file says something we cannot use: where, found, expected, what to do
│   └── MissingField            a record without a field that is required
├── UnknownName                 no metric, system, format ... of that name; suggests the close ones
├── BadStudy                    study.yaml breaks its own rules, with the path to each bad value
├── ResourceUnavailable         weights, vectors or tables are absent or altered; says how to get them
├── ServerChanged               cached answers are not those that the server gives now
├── Unsuitable                  these subjects cannot be measured or compared in this way
└── RunFailed                   part of a run went wrong and the rest was kept
    └── PartlyAnswered          a system answered some contexts, which it carries (dialeval.core)
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final


class DialevalError(Exception):
    """Something the user can fix. Messages say what was found, what is needed, where, and what to do next."""


@dataclass(eq=False)
class BadInput(DialevalError):
    """A place in a file that cannot be used."""

    path: str
    """The file as the user named it, or ``<stdin>``."""
    found: str
    expected: str
    todo: str
    """Next step for the user, as an imperative sentence."""
    line: int | None = None
    """1-based line (of text formats) or row (of tables); None when the whole file is at fault."""
    field: str | None = None
    """Dotted path to the field, such as ``context[2].role``."""

    def __str__(self) -> str:
        where = self.path + (f", line {self.line}" if self.line is not None else "")
        where += f", field '{self.field}'" if self.field else ""
        return f"{where}: found {self.found}, expected {self.expected}. {self.todo}"


class MissingField(BadInput):
    """A record without a field that is required."""


class UnknownName(DialevalError):
    """A name that is in no table, with the close names that are."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, todo: str = "") -> None:
        self.kind, self.name = kind, name
        self.close = close_names(name, known)
        hint = f" Did you mean {' or '.join(repr(c) for c in self.close)}?" if self.close else ""
        super().__init__(f"There is no {kind} called {name!r}.{hint}{' ' + todo if todo else ''}")


class BadStudy(DialevalError):
    """A study file that breaks its own rules; ``problems`` has one line per bad value."""

    def __init__(self, path: str, problems: Sequence[str]) -> None:
        self.path, self.problems = path, tuple(problems)
        count = f"{len(problems)} problem{'s' * (len(problems) != 1)}"
        super().__init__("\n".join([f"{path}: {count}", *(f"  {problem}" for problem in self.problems)]))


class ResourceUnavailable(DialevalError):
    """Weights, vectors or tables that are absent or not the bytes we know."""


class Unsuitable(DialevalError):
    """Subjects that cannot be measured or compared in the way that was asked."""


class ServerChanged(DialevalError):
    """Cached answers that the server behind a system no longer gives."""

    def __init__(self, system: str, differing: int, checked: int, example: tuple[str, str, str]) -> None:
        self.system, self.differing, self.checked = system, differing, checked
        asked, then, now = (text if len(text) <= 60 else f"{text[:59]}…" for text in example)
        super().__init__(
            f"{system}: the server has changed: --ask-again, or revision: {differing} of {checked} cached answers that "
            f"were asked for again are different now (asked {asked!r}, it said {then!r} then and {now!r} now). "
            "--ask-again asks for all answers again and replaces the cached ones; another 'revision:' of the system in "
            "the study keeps them beside the new ones. Nothing was written."
        )


class RunFailed(DialevalError):
    """Part of a run went wrong; what could be done was done and kept."""


CLONE: Final = Path(__file__).parents[2]
"""The folder of the repository, if this file is in one."""


def in_clone() -> bool:
    """Whether dialeval runs from a clone of its repository, not from an installed package."""
    return (CLONE / "pyproject.toml").is_file() and (CLONE / "docs").is_dir()


def install_command(extra: str = "") -> str:
    """Command that installs dialeval, or an extra of it: from the user's clone, or by name if there is none."""
    package = "." if in_clone() else "dialeval"
    return f"pip install '{package}[{extra}]'" if extra else f"pip install {package}"


def install_advice(extra: str = "") -> str:
    """The command with the place to give it, if it works in one place only."""
    return install_command(extra) + (" (in your clone of dialeval)" if in_clone() else "")


def close_names(name: str, known: Iterable[str]) -> list[str]:
    """At most three known names that look like ``name``, closest first."""
    by_lower = {k.lower(): k for k in known}
    if not by_lower:
        return []
    import difflib

    return [by_lower[k] for k in difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)]


def writable_text(text: str) -> str:
    """The text with a mark in place of what no file can hold: halves of characters, and U+0000."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "?")


def first_line(error: BaseException) -> str:
    """The first line of what foreign code says went wrong, without a full stop; its type where it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def lack_of_memory(error: BaseException) -> BaseException | None:
    """Return the first cause of the error that says that memory ran out; None if no cause does.

    Libraries have no common exception for it: some raise theirs, or an ImportError if their own code does not fit.
    """
    found, seen, here = None, set[int](), error
    while id(here) not in seen:
        seen.add(id(here))
        if isinstance(here, MemoryError) or getattr(here, "errno", None) == errno.ENOMEM or _says_so(here):
            found = here
        here = here.__cause__ or here.__context__ or here
    return found


_NO_MEMORY: Final = re.compile(
    r"failed to map segment|can(no|')t (allocate memory|start new thread)|not enough memory|out of memory|bad_alloc|"
    r"os error 12\b|memory allocation of|load shared object file|PyObject pointer is null|Unable to allocate|"
    r"launch worker thread|malloc of size",
    re.IGNORECASE,
)
"""Words of the loader, of libstdc++, torch, numpy, llvmlite, Arrow and Rust about memory that they were refused."""


def _says_so(error: BaseException) -> bool:
    foreign = not isinstance(error, DialevalError | KeyboardInterrupt | SystemExit)
    return foreign and _NO_MEMORY.search(str(error)) is not None


def described(error: Exception) -> str:
    """Message for those who read it among results: our own words, or those of foreign code with its kind."""
    told = str(error) if isinstance(error, DialevalError) else f"{type(error).__name__}: {error}"
    return writable_text(told)
