"""Folders to write into: new, empty, or written by the same command before."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from dialeval.errors import BadInput


def check_target(folder: Path, *marks: str, kind: str, parts: Collection[str] = ()) -> None:
    """Refuse a folder that holds files of another origin.

    It may be written into where it does not exist, has one of the files ``marks``, or holds nothing but ``parts`` and
    scratch files of an interrupted write. ``kind`` names such folders in messages: run, meta, model.
    """
    if not folder.exists() or any((folder / mark).exists() for mark in marks):
        return
    if folder.is_dir() and all(path.name in parts or _is_scratch(path.name) for path in folder.iterdir()):
        return
    found = "a folder with other files" if folder.is_dir() else "a file"
    raise BadInput(str(folder), found, f"a new, empty or {kind} folder", "Give another -o.")


def _is_scratch(name: str) -> bool:
    return name.startswith(".") and name.endswith(".part")
