"""Files that systems rest on: read once per process and state of the file, so that systems stay small values."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from dialeval.data import file_digest
from dialeval.errors import BadInput


class Stamp(NamedTuple):
    """A file in one state: what it is called, how long it is, when it was last written."""

    path: Path
    size: int
    modified: int


def stamp(path: Path) -> Stamp:
    """The state the file is in now; the key under which what was read from it is kept."""
    try:
        status = path.stat()
    except OSError as error:
        raise BadInput(str(path), f"no usable file ({error.strerror})", "a file", "Check the path.") from None
    return Stamp(path, status.st_size, status.st_mtime_ns)


def digest(path: Path) -> str:
    """sha256 of the file, computed again only when it has changed."""
    return _digest(stamp(path))


@lru_cache(maxsize=64)
def _digest(file: Stamp) -> str:
    return file_digest(file.path)
