"""From the command line's options to where and how the work is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dialeval.cli.places import default_cache_folder

if TYPE_CHECKING:
    from dialeval.study import Workshop


@contextmanager
def open_workshop(*, jobs: int, cache: Path | None, resume: bool) -> Iterator[Workshop]:
    """A workshop with ``jobs`` processes, a cache unless results are to be computed anew, and bars on stderr."""
    from dialeval.engine import Cache, InProcess, ProcessPool
    from dialeval.engine.progress import RichProgress
    from dialeval.study import Workshop

    kept = Cache(cache or default_cache_folder()) if resume else None
    with ProcessPool(jobs) if jobs > 1 else InProcess() as executor:
        yield Workshop(executor, kept, RichProgress)
