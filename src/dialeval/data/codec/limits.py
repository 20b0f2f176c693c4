"""Limits on what packed files may unpack to, so that a small file cannot fill memory or run for days (a bomb).

A gzipped file, a workbook or a Parquet file may always unpack to ``FREE`` bytes, and beyond that to ``RATIO`` times its
size. Text that people write shrinks 3 to 20 times, very repetitive logs some 100 times; gzip ends at about 1,030.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from dialeval.errors import BadInput

if TYPE_CHECKING:
    import pyarrow as pa

FREE: Final = 256 * 1024 * 1024
RATIO: Final = 200.0
_ratio: ContextVar[float] = ContextVar("unpack_ratio", default=RATIO)


def allow_ratio(ratio: float) -> None:
    """Let files unpack to this many times their size from here on, as ``dialeval --unpack-ratio`` does."""
    _ratio.set(ratio)


@contextmanager
def allowed_ratio(ratio: float) -> Iterator[None]:
    """Let files unpack to this many times their size within the block."""
    token = _ratio.set(ratio)
    try:
        yield
    finally:
        _ratio.reset(token)


def check_unpacked(path: str, packed: int, unpacked: int) -> None:
    """Raise BadInput where ``unpacked`` bytes are more than a file of ``packed`` bytes may hold."""
    ratio = _ratio.get()
    if unpacked <= _allowed(packed):
        return
    found = f"{packed:,} packed bytes that unpack to {unpacked:,} or more"
    expected = f"at most {ratio:g} times as many (or {FREE // 2**20} MiB)"
    todo = "If you trust the file, unpack it yourself, or raise the limit: 'dialeval --unpack-ratio 1000 COMMAND ...'."
    raise BadInput(path, found, expected, todo)


def _allowed(packed: int) -> float:
    return max(FREE, _ratio.get() * packed)


class Packed:
    """The packed bytes of a stream, counted as they are read."""

    def __init__(self, handle: BinaryIO) -> None:
        self.count = 0
        self._handle = handle

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most this many."""
        raw = self._handle.read(size)
        self.count += len(raw)
        return raw


class Unpacked(io.RawIOBase):
    """The unpacked bytes of a stream; BadInput where there are far more of them than packed ones."""

    def __init__(self, handle: io.BufferedIOBase, packed: Packed, path: str) -> None:
        self._handle, self._packed, self._path = handle, packed, path
        self._count = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes, into a buffer."""
        count = self._handle.readinto(buffer)
        self._count += count
        check_unpacked(self._path, self._packed.count, self._count)
        return count


def check_archive(file: Path, path: str) -> None:
    """Refuse a zip archive whose directory promises too much; ``zipfile`` never unpacks more than that."""
    import zipfile

    with zipfile.ZipFile(file) as archive:
        promised = sum(entry.file_size for entry in archive.infolist())
    check_unpacked(path, file.stat().st_size, promised)


class Decoded:
    """The batches of a Parquet file, counted as they are decoded."""

    def __init__(self, file: Path, path: str) -> None:
        self._packed, self._path = file.stat().st_size, path
        self._count = 0

    def check_groups(self, metadata: pa.FileMetaData) -> None:
        """Refuse a file whose row groups unpack to too much, before any of them is read."""
        for group in range(metadata.num_row_groups):
            check_unpacked(self._path, self._packed, metadata.row_group(group).total_byte_size)

    def rows_at_once(self, metadata: pa.FileMetaData, most: int) -> int:
        """How many rows to decode before they are counted: a quarter of the limit, were each as large as its row group.

        A dictionary holds a value once that may stand in every row.
        """
        groups = (metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
        largest = max(groups, default=0)
        return max(1, min(most, int(_allowed(self._packed) / 4 / max(1, largest))))

    def add(self, batch: pa.RecordBatch) -> None:
        """Count a batch: dictionaries and runs unpack after decompression."""
        self._count += batch.nbytes
        check_unpacked(self._path, self._packed, self._count)
