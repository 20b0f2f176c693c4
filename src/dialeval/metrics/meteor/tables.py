"""METEOR's tables, compiled once and kept in the user's cache: found, checked, mapped into memory."""

from __future__ import annotations

import hashlib
import json
import logging
import mmap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from dialeval.errors import ResourceUnavailable
from dialeval.files.atomic import write_atomically
from dialeval.metrics.meteor.compiling import Table, compile_tables
from dialeval.resources import CATALOGUE, obtain
from dialeval.resources.finding import kept_folder

RESOURCE: Final = CATALOGUE["meteor-1.5"]
_FORMAT: Final = 2
"""Rises with anything that changes the tables: their layout, stemming, synonyms, words' facts."""
_ALIGNMENT: Final = 64


@lru_cache(maxsize=1)
def load_tables(cache: Path | None = None) -> Mapping[str, Table]:
    """The tables by name, read-only; compiled first where ``cache`` (by default the user's) does not hold them yet."""
    folder = obtain(RESOURCE)
    path = (cache or kept_folder("meteor")) / f"meteor-{(RESOURCE.sha256 or '')[:16]}-{_FORMAT}.tables"
    try:
        with _alone(path):
            tables = read_tables(path) or _compiled(path, folder)
    except OSError as error:
        raise ResourceUnavailable(
            f"METEOR's tables could not be kept at {path} ({error}). Make that folder writable and see that the disk "
            "has 100 MB free."
        ) from None
    return tables


def _compiled(path: Path, folder: Path) -> dict[str, Table]:
    logging.getLogger(__name__).warning(
        "Compiling METEOR's tables into %s, then its aligner. This happens once and takes about half a minute.",
        path,
    )
    write_tables(path, compile_tables(folder))
    tables = read_tables(path)
    if tables is None:
        raise OSError("what was written cannot be read back")
    return tables


def write_tables(path: Path, tables: Mapping[str, Table]) -> None:
    """Put the tables at ``path`` in one step: a line that describes them, then their bytes."""
    parts, entries, index = [], [], 0
    for name, table in tables.items():
        content = table.tobytes()
        padding = -len(content) % _ALIGNMENT
        parts.append(content + bytes(padding))
        entries.append({"name": name, "type": table.dtype.str, "length": len(table), "at": index})
        index += len(parts[-1])
    content = b"".join(parts)
    header = {"format": _FORMAT, "sha256": hashlib.sha256(content).hexdigest(), "tables": entries}
    line = json.dumps(header).encode()
    line += b" " * (-(len(line) + 1) % _ALIGNMENT) + b"\n"
    write_atomically(path, line + content)


def read_tables(path: Path) -> dict[str, Table] | None:
    """The tables kept at ``path``, or None where there are none or a byte of them is not as it was written."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        line = file.readline()
        try:
            header = json.loads(line)
            memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            intact = hashlib.sha256(memoryview(memory)[len(line) :]).hexdigest() == header["sha256"]
        except (ValueError, KeyError, TypeError):
            return None
    if not intact:
        return None
    return {
        entry["name"]: np.frombuffer(memory, entry["type"], entry["length"], len(line) + entry["at"])
        for entry in header["tables"]
    }


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let one process at a time compile, so that a pool of workers does not do it many times over."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # not on Windows, where each process then compiles for itself
        yield
        return
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
