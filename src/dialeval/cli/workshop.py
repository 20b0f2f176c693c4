"""Cache, processes and progress of a command, and its message when interrupted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from dialeval.study import Workshop

INTERRUPTED: Final = 130
"""The exit code of a command that was stopped by Ctrl-C, as shells have it."""

_kept: ContextVar[str | None] = ContextVar("kept", default=None)


def keeps(sentence: str | None) -> None:
    """Say what is kept from here on, and how the work resumes, should the command be interrupted."""
    _kept.set(sentence)


def interruption() -> str:
    """The line that an interrupted command ends with."""
    return f"Interrupted. {_kept.get() or 'Nothing was kept.'}"


def default_cache_folder() -> Path:
    """The user's cache: ``$XDG_CACHE_HOME/dialeval``, else ``~/.cache/dialeval``."""
    # The XDG specification tells programs to ignore a relative path here.
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (named if named.is_absolute() else Path.home() / ".cache") / "dialeval"


@contextmanager
def open_workshop(*, jobs: int, cache: Path | None, resume: bool) -> Iterator[Workshop]:
    """A workshop with ``jobs`` processes, a cache unless everything is to be recomputed, and bars on stderr."""
    from dialeval.engine import Cache, InProcess, ProcessPool
    from dialeval.engine.progress import RichProgress
    from dialeval.study import Workshop

    kept = Cache(cache or default_cache_folder()) if resume else None
    keeps("What was computed is kept: the same command resumes from there." if resume else None)
    with ProcessPool(jobs) if jobs > 1 else InProcess() as executor:
        yield Workshop(executor, kept, RichProgress)
