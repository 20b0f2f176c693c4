"""Folders of what is made once from verified resources, in the user's cache; safe to delete at any time."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from dialeval.errors import ResourceUnavailable
from dialeval.files.atomic import write_atomically
from dialeval.files.digests import hash_tree, stamp
from dialeval.files.folders import one_at_a_time

_RECORD: Final = ".verified.json"
"""Size and time of change of every file when its hash was compared."""


def kept_folder(what: str) -> Path:
    """The folder for compiled tables of one sort, such as ``meteor`` or ``vectors``; safe to delete at any time.

    It does not follow XDG_CACHE_HOME, because nothing below the command line reads the environment, and worker
    processes must find the very tables that their parent compiled.
    """
    return Path.home() / ".cache" / "dialeval" / what


def keep(folder: Path, sha256: str, make: Callable[[Path], None], *, megabytes: int) -> Path:
    """Return the folder, filled by ``make`` unless it holds what has this sha256 already.

    Files are hashed when they were written; later, those whose size and time of change are as they were then are not
    read again. ``make`` is given an empty folder beside it, so that an interruption leaves no half of a model.
    """
    if _is_verified(folder):
        return folder
    try:
        with one_at_a_time(folder):
            if not _is_verified(folder):
                _make(folder, sha256, make)
    except OSError as error:
        raise ResourceUnavailable(
            f"{folder.name} could not be kept in {folder.parent} ({error}). Make that folder writable and see that "
            f"the disk has {megabytes} MB free."
        ) from None
    return folder


def _make(folder: Path, sha256: str, make: Callable[[Path], None]) -> None:
    logging.getLogger(__name__).warning("Writing %s. This happens once.", folder)
    shutil.rmtree(folder, ignore_errors=True)
    import tempfile  # not for those who keep nothing

    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        make(scratch)
        found = hash_tree(scratch)
        if found != sha256:
            raise ResourceUnavailable(
                f"{folder.name} was made with sha256 {found}, expected {sha256}, and is not used. Install what it is "
                "made of again ('dialeval resources ls')."
            )
        write_atomically(scratch / _RECORD, json.dumps(_stamps(scratch)).encode())
        scratch.chmod(0o755)
        scratch.replace(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _is_verified(folder: Path) -> bool:
    record = folder / _RECORD
    return record.is_file() and json.loads(record.read_text(encoding="utf-8")) == _stamps(folder)


def _stamps(folder: Path) -> dict[str, list[int]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != _RECORD)
    return {path.relative_to(folder).as_posix(): list(stamp(path)[1:]) for path in files}
