"""Standard output and standard error, on which no character of a name or text can steer the terminal or a CI job.

Everything that a command prints passes here. Characters that a terminal acts on (escape sequences, carriage returns,
C1 controls, overrides of the writing direction) and halves of characters are written as JSON escapes: people see them,
and JSON on standard output stays what it was. In a job of GitHub Actions no printed line is a workflow command. Colours
are written by `dialeval.display.consoles`, past this filter, around text that it has made printable itself.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TextIO

_STEERING: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]|\r(?!\n)"
)
_COMMAND: Final = re.compile(r"^([^\S\n]*:):|##\[", re.MULTILINE)
"""Lines that GitHub Actions takes for a command: ``::error::text``, and ``##[error]text`` anywhere."""


def printable(text: str) -> str:
    r"""The text with what could steer a terminal as JSON escapes.

    >>> printable("\x1b]0;owned\x07 \u202eabc")
    '\\u001b]0;owned\\u0007 \\u202eabc'
    """
    shown = _STEERING.sub(_escape, text)
    return _COMMAND.sub(_broken, shown) if in_github_actions() else shown


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _broken(match: re.Match[str]) -> str:
    return f"{match[1]} :" if match[1] else "\\u0023#["


def in_github_actions() -> bool:
    """Whether this is a job of GitHub Actions, which shows errors and summaries of its own."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


class PrintableStream:
    """A text stream that makes what is written to it printable, and is otherwise the stream behind it."""

    def __init__(self, behind: TextIO) -> None:
        self.behind = behind

    def write(self, text: str, /) -> int:
        """Write the text as `printable` shows it."""
        self.behind.write(printable(text))
        return len(text)

    def writelines(self, lines: Iterator[str], /) -> None:
        """Write each of the texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)


def behind(stream: TextIO | None) -> TextIO | None:
    """The stream without the filter: for what is printable already, and for commands to a CI job."""
    return stream.behind if isinstance(stream, PrintableStream) else stream


@contextmanager
def printable_streams() -> Iterator[None]:
    """Filter standard output and standard error for as long as this lasts."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        stream if stream is None or isinstance(stream, PrintableStream) else PrintableStream(stream)
        for stream in before
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
