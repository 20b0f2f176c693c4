"""The message of a command that is interrupted: what is kept, and how the work resumes."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

INTERRUPTED: Final = 130
"""The exit code of a command that was stopped by Ctrl-C, as shells have it."""

_kept: ContextVar[str | None] = ContextVar("kept", default=None)


def keeps(sentence: str | None) -> None:
    """Set the sentence on what is kept, and how the work resumes, if the command is interrupted from here on."""
    _kept.set(sentence)


def interruption() -> str:
    """The line that an interrupted command ends with."""
    return f"Interrupted. {_kept.get() or 'Nothing was kept.'}"
