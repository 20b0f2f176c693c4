"""Lock of a folder, where several processes would delete each other's files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dialeval.errors import BadInput


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold the folder, made where it does not exist; BadInput where another process holds it.

    The hold ends with the process, however that ends, and leaves no file behind.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # not on Windows, where nobody is kept out
        yield
        return
    lock = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            found, needed = "another process that builds here", "a folder for this one alone"
            todo = "Wait until it has finished and give the same command again, or name another folder."
            raise BadInput(str(folder), found, needed, todo) from None
        except OSError:
            # Some network drives lock no folders; building there continues without a lock.
            pass
        yield
    finally:
        os.close(lock)
