"""Hashes of files, each computed once a process unless the file changes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from dialeval.errors import BadInput


class Stamp(NamedTuple):
    """A file in one state: its path, its size, and when it was last written."""

    path: Path
    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class FileDigest:
    """A file that was read, by its content."""

    path: str
    sha256: str


def stamp(path: Path) -> Stamp:
    """The state the file is in now; a key for what was read from it."""
    try:
        status = path.stat()
    except OSError as error:
        raise BadInput(str(path), f"no usable file ({error.strerror})", "a file", "Check the path.") from None
    return Stamp(path, status.st_size, status.st_mtime_ns)


def hash_file(path: Path) -> str:
    """The file's sha256; a file whose size and time of change are as before is not read again."""
    return _hash(stamp(path.resolve()))


def hash_tree(path: Path) -> str:
    """One sha256 for a file, or for all files of a folder by name."""
    if path.is_file():
        return hash_file(path)
    files = [each for each in path.rglob("*") if each.is_file()]
    return combine({each.relative_to(path).as_posix(): hash_file(each) for each in files})


def combine(hashes: Mapping[str, str]) -> str:
    """One hash for files given by name: a single file's own, else that of ``sha256sum``'s lines in order of name."""
    if len(hashes) == 1:
        return next(iter(hashes.values()))
    lines = "".join(f"{hashes[name]}  {name}\n" for name in sorted(hashes))
    return hashlib.sha256(lines.encode()).hexdigest()


@lru_cache(maxsize=256)
def _hash(file: Stamp) -> str:
    with file.path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
