"""What happens to a line that cannot be used: refuse it, or set it aside and count it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

from dialeval.errors import BadInput


class Where(NamedTuple):
    """A place in a file, as errors name it."""

    path: str
    """The file as the user named it, or ``<stdin>``."""
    line: int | None = None
    """1-based line (of text) or row (of tables)."""


class BadLine(NamedTuple):
    """A line that cannot be used, and why."""

    error: BadInput
    raw: str
    """The line as it stands in the file; only its beginning where it is too long to hold."""


OnBad: TypeAlias = Callable[[BadLine], None]
"""Called with each bad line; reading goes on when it returns."""


def refuse(bad: BadLine) -> None:
    """Raise the line's error: reading stops at the first bad line."""
    raise bad.error


class SideFile:
    """Sets bad lines aside in a JSON Lines file, each with its error, and counts them.

    The file appears with the first bad line, in place of one from an earlier run.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0

    def __call__(self, bad: BadLine) -> None:
        """Set one line aside."""
        error = bad.error
        entry = {
            "path": error.path,
            "line": error.line,
            "field": error.field,
            "error": str(error),
            "raw": bad.raw,
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Opened for each line, so that what was set aside survives whatever ends the run.
        with self.path.open("a" if self.count else "w", encoding="utf-8") as handle:
            handle.write(json.dumps(entry) + "\n")
        self.count += 1
