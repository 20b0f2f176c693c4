"""Folders to write into: which may be written into, and locks that keep other processes out."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from dialeval.errors import BadInput, DialevalError

LONGEST_NAME: Final = 255
"""Bytes that file systems allow for the name of a file or folder."""


def check_target(folder: Path, *marks: str, kind: str, parts: Collection[str] = ()) -> None:
    """Refuse a folder that holds files of another origin.

    It may be written into where it does not exist, has one of the files ``marks``, or holds nothing but ``parts`` and
    scratch files of an interrupted write. ``kind`` names such folders in messages: run, meta, model.
    """
    check_links(folder)
    if not folder.exists() or any((folder / mark).exists() for mark in marks):
        return
    if folder.is_dir() and all(path.name in parts or _is_scratch(path.name) for path in folder.iterdir()):
        return
    found = "a folder with other files" if folder.is_dir() else "a file"
    raise BadInput(str(folder), found, f"a new, empty or {kind} folder", "Give another -o.")


def check_links(folder: Path) -> None:
    """Refuse a folder with a link that leads out of it, since its sender would choose which file is read or replaced.

    So is one with a pipe or device, at which reading or writing may wait for ever. The folder itself may be a link: the
    user named it.
    """
    top = os.path.realpath(folder)
    for place, folders, files in os.walk(top):
        for name in (*folders, *files):
            path = os.path.join(place, name)
            kind = _kind(path)
            if kind == stat.S_IFLNK and not is_below(os.path.realpath(path), top):
                found = f"a link to {os.readlink(path)}"
                expected = "files of this folder, and no links that lead out of it"
                todo = "Remove the link, or put a copy of the file in its place."
            elif kind not in (stat.S_IFLNK, stat.S_IFREG, stat.S_IFDIR, None):
                found, expected, todo = "a pipe, socket or device", "files and folders", "Remove it."
            else:
                continue
            raise BadInput(str(folder / os.path.relpath(path, top)), found, expected, todo)


def _kind(path: str) -> int | None:
    """The kind of file at the path, of which ``stat`` has names; None if it is gone."""
    try:
        return stat.S_IFMT(os.lstat(path).st_mode)
    except OSError:
        return None


def is_below(path: str, folder: str) -> bool:
    """Whether a resolved path is the folder or lies in it."""
    return path == folder or path.startswith(os.path.join(folder, ""))


def with_home(path: Path | str) -> Path:
    """The path with a home folder in place of ~ or ~name; DialevalError where the system knows nobody of that name."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise DialevalError(
            f"Cannot find {path}: there is no home folder of that name. Write the whole path."
        ) from None


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder; a name that is too long for one names none."""
    try:
        return path.exists()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise


def is_plain_name(name: str) -> bool:
    """Whether a name that stands in a file can name something of one folder itself, and nothing elsewhere."""
    written = name.encode(errors="replace")  # halves of characters cannot be part of a name
    short = len(written) <= LONGEST_NAME and written.decode() == name
    return short and name not in ("", ".", "..") and not any(mark in name for mark in ("/", "\\", "\x00"))


def _is_scratch(name: str) -> bool:
    return name.startswith(".") and name.endswith(".part")


@contextmanager
def alone_in(folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Hold the folder, made where it does not exist; BadInput where another process holds it, unless we ``wait``.

    The hold ends with the process, however that ends, and leaves no file behind. A folder with a link that leads out of
    it is BadInput, too.
    """
    check_links(folder)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # not on Windows, where nobody is kept out
        yield
        return
    lock = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            found, expected = "another process that builds here", "a folder for this one alone"
            todo = "Wait until it has finished and give the same command again, or name another folder."
            raise BadInput(str(folder), found, expected, todo) from None
        except OSError:
            # Some network drives lock no folders; building there continues without a lock.
            pass
        yield
    finally:
        os.close(lock)


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Wait until no other process makes ``path``, so that those that start together do not all do it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # not on Windows, where each process then makes it for itself
        yield
        return
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        with suppress(OSError):  # some network drives lock no files; then each process makes it for itself
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
