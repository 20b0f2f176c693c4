"""Cache, processes and progress of a command, and its message when interrupted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from dialeval.engine import EngineSettings, Workshop

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
def open_workshop(
    *,
    jobs: int,
    cache: Path | None,
    resume: bool,
    others: Sequence[Path] = (),
    engine: EngineSettings | None = None,
    must_keep: bool = False,
) -> Iterator[Workshop]:
    """A workshop with ``jobs`` processes, a cache unless everything is to be recomputed, and bars on stderr.

    What the cache does not hold is looked for in the ``others``; where it ``must_keep``, a full disk is an error. On an
    engine with several machines, systems are asked there, too.
    """
    from dialeval.engine import EngineSettings, LayeredCache, Workshop
    from dialeval.engine.progress import RichProgress

    folder = cache or default_cache_folder()
    kept = LayeredCache(folder, others, must_keep=must_keep) if resume else None
    keeps("What was computed is kept: the same command resumes from there." if resume else None)
    settings = engine or EngineSettings()
    with settings.executor(jobs) as executor:
        asking = executor if settings.asks_elsewhere else None
        yield Workshop(executor, kept, RichProgress, asking=asking)
