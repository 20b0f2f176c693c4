"""Atomic writes: a file is complete, or does not exist.

A link, pipe or device that stands at the path is replaced, since the sender of a result folder may have put it there.
Only at a path that the user named (``follow``) a link stays one and the file that it leads to is replaced, and pipes
and devices are written to as they are.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_DEVICES: Final = (("/", "dev"), ("/", "proc"))
"""Folders of devices and open files, of which nothing is ever replaced."""

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""Errors of writing, which do not say into which file."""


@contextmanager
def atomic_path(path: Path, *, follow: bool = False, private: bool = False) -> Iterator[Path]:
    """A scratch path beside ``path`` that takes its place when the block ends well, and vanishes when it does not.

    Only its owner can read or write what is ``private``.
    """
    import tempfile

    if _is_stream(path) if follow else path.parts[:2] in _DEVICES:
        yield path
        return
    if follow and path.is_symlink():
        path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
        scratch = Path(name)
        yield scratch
        with scratch.open("rb+") as written:
            os.fsync(written.fileno())
        if not private:
            scratch.chmod(_mode_of_new_files())
        scratch.replace(path)
    except OSError as error:
        _name_target(error, path, scratch)
        raise
    finally:
        if scratch is not None:
            scratch.unlink(missing_ok=True)


def _name_target(error: OSError, path: Path, scratch: Path | None) -> None:
    """Let the error name the file that was to be written: the system names its scratch file, or no file at all."""
    unnamed = error.filename is None and error.errno in _NO_ROOM
    if scratch is None or unnamed or error.filename == str(scratch):
        error.filename, error.filename2 = str(path), None


def _is_stream(path: Path) -> bool:
    """Whether it is a pipe or a device, or an open file of this process such as /dev/stdout."""
    try:
        mode = path.stat().st_mode
    except OSError:  # no such file yet
        return False
    return not stat.S_ISREG(mode) or path.parts[:2] in _DEVICES


def write_atomically(path: Path, content: bytes, *, follow: bool = False, private: bool = False) -> None:
    """Put ``content`` at ``path`` in one step."""
    with atomic_path(path, follow=follow, private=private) as scratch:
        scratch.write_bytes(content)


def make_private(path: Path) -> None:
    """Make an empty file that only its owner can read or write; one that is there stays as it is.

    If it cannot be made, opening it will say so.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def make_private_folder(folder: Path) -> None:
    """Make a folder that only its owner can enter; one that is there stays as it is, and so do those above it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def _mode_of_new_files() -> int:
    """Mode of files that the user creates: mkstemp makes private ones."""
    try:
        process = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
        mask = int(process.partition("\nUmask:")[2].split(maxsplit=1)[0], 8)
    except (OSError, ValueError, IndexError):  # no Linux; a file that a thread makes meanwhile is private
        mask = os.umask(0o077)
        os.umask(mask)
    return 0o666 & ~mask
