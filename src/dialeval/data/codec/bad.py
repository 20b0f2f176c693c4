"""Bad lines: refused, or set aside and counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from dialeval.errors import BadInput
from dialeval.files.atomic import make_private


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
    """The line as it stands in the file; only its beginning if it is too long to hold."""


OnBad: TypeAlias = Callable[[BadLine], None]
"""Called with each bad line; reading continues when it returns."""


def refuse(bad: BadLine) -> None:
    """Raise the line's error: reading stops at the first bad line."""
    raise bad.error


SIDE_ENDING: Final = ".bad.jsonl"
"""Ending of the names of side files."""


class SideFile:
    """Sets bad lines aside in a JSON Lines file, each with its error, and counts them.

    The file appears with the first bad line. One of an earlier run is removed at once, so that it never stands beside
    data it does not speak of; a file that we did not write is neither removed nor written over.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        if path.name.endswith(SIDE_ENDING) and _is_ours(path):
            path.unlink()

    def __call__(self, bad: BadLine) -> None:
        """Set one line aside."""
        entry = _entry(bad)
        if not self.count:
            self._make_room()
        # Opened for each line, so that what was set aside survives whatever ends the run.
        with self.path.open("a" if self.count else "w", encoding="utf-8") as handle:
            handle.write(json.dumps(entry) + "\n")
        self.count += 1

    def message(self) -> str | None:
        """Return for people how many lines were left out and where they are; None if nothing was bad."""
        if not self.count:
            return None
        lines = "line was" if self.count == 1 else "lines were"
        return f"warning: {self.count:,} bad {lines} left out and written to {self.path}"

    def _make_room(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.is_symlink():  # whoever sent the data would choose which file is written
            found = f"a link to {self.path.readlink()}"
        elif self.path.exists() and not self.path.is_file():
            found = "something that is no file"
        elif self.path.exists() and self.path.stat().st_size and not _is_ours(self.path):
            found = "a file that holds something else"
        else:
            make_private(self.path)  # the data may be
            return
        raise BadInput(str(self.path), found, "room for the lines to be left out", "Move or rename it.")


def _entry(bad: BadLine) -> dict[str, object]:
    error = bad.error
    return {
        "path": error.path,
        "line": error.line,
        "field": error.field,
        "error": str(error),
        "raw": bad.raw,
    }


def _is_ours(path: Path) -> bool:
    """Whether a plain file begins as side files do."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as handle:
        first = handle.readline()
    try:
        entry = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(entry, dict) and list(entry) == ["path", "line", "field", "error", "raw"]
