"""Atomic writes: a file is complete, or does not exist.

A link stays one: the file that it leads to is replaced. Pipes and devices are written to as they are.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A scratch path beside ``path`` that takes its place when the block ends well, and vanishes when it does not."""
    import tempfile

    if _is_stream(path):
        yield path
        return
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    scratch = Path(name)
    try:
        yield scratch
        with scratch.open("rb+") as written:
            os.fsync(written.fileno())
        scratch.chmod(_mode_of_new_files())
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def _is_stream(path: Path) -> bool:
    """Whether it is a pipe or a device, or an open file of this process such as /dev/stdout."""
    try:
        mode = path.stat().st_mode
    except OSError:  # no such file yet
        return False
    return not stat.S_ISREG(mode) or path.parts[:2] in (("/", "dev"), ("/", "proc"))


def write_atomically(path: Path, content: bytes) -> None:
    """Put ``content`` at ``path`` in one step."""
    with atomic_path(path) as scratch:
        scratch.write_bytes(content)


def _mode_of_new_files() -> int:
    # mkstemp makes private files; what we write should be as readable as any file the user creates.
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
