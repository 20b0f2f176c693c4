"""Hashes of files, each computed once a process unless the file changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from dialeval.resources.catalogue import PinnedFile, Resource, combine


def hash_file(path: Path) -> str:
    """The file's sha256; a file whose size and time of change are as before is not read again."""
    stat = path.stat()
    return _hash(path.resolve(), stat.st_size, stat.st_mtime_ns)


def hash_tree(path: Path) -> str:
    """One sha256 for a file, or for all files of a folder by name."""
    if path.is_file():
        return hash_file(path)
    files = [each for each in path.rglob("*") if each.is_file()]
    return combine({each.relative_to(path).as_posix(): hash_file(each) for each in files})


def differences(resource: Resource, found: Path) -> Iterator[str]:
    """What is not as the catalogue says in a resource that was found at this file or folder, one sentence each."""
    alone = len(resource.files) == 1
    for pinned in resource.files:
        # A file that stands alone is judged itself, whatever its name: another of the right name may lie beside it.
        difference = _difference(pinned, found if alone else found / pinned.name)
        if difference:
            yield difference


def _difference(pinned: PinnedFile, path: Path) -> str | None:
    if not path.is_file():
        return f"{path} is missing" if not path.exists() else f"{path} is not a file"
    found = hash_file(path)
    if found == pinned.sha256:
        return None
    size = path.stat().st_size
    sizes = "" if size == pinned.size else f" ({size} bytes, expected {pinned.size})"
    return f"{path} has sha256 {found}, expected {pinned.sha256}{sizes}"


@lru_cache(maxsize=256)
def _hash(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
