"""Results of earlier runs on disk, found by what they were computed from.

One file per batch, ``<2 hex>/<sha256 of key and digest>``: a magic word, a format version, a sha256 of the name
and the payload, the payload. Files appear by renaming, so a killed process leaves a whole file or none. They
are not flushed to the disk one by one: that made a small batch's 0.28 ms into 0.67 ms where we measured it, and
only a power cut could tear a file without it, which the checksum then tells and the batch is computed again.
"""

from __future__ import annotations

import hashlib
import os
import struct
import time
import uuid
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.core import AnswerRule
from dialeval.errors import RunFailed
from dialeval.files.atomic import make_private_folder

_MAGIC: Final = b"dialeval"
_VERSION: Final = 1
_HEADER: Final = struct.Struct("<8sH32s")
_SCRATCH: Final = "scratch"
_STALE_SECONDS: Final = 24 * 3600


class CacheWarning(UserWarning):
    """A cached result could not be used or kept; the run continues without it."""


class CacheSize(NamedTuple):
    """Size of a cache."""

    files: int
    bytes: int


class Cache:
    """A folder of results that any number of processes may share.

    What cannot be kept is computed again some day; where it ``must_keep``, that ends the work.
    """

    def __init__(self, folder: Path, *, must_keep: bool = False) -> None:
        self.folder, self.must_keep = folder, must_keep
        self._sweep()

    def get(self, key: str, digest: str) -> bytes | None:
        """Return what was put under this key and digest; None, with a warning, if it can no longer be trusted."""
        path = self.path(key, digest)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self.distrust(path, error.strerror or str(error))
            return None
        fault = _fault(path.name, content)
        if fault:
            self.distrust(path, fault)
            return None
        return content[_HEADER.size :]

    def put(self, key: str, digest: str, payload: bytes) -> None:
        """Keep a result; if the folder cannot be written, warn and continue, or RunFailed."""
        path = self.path(key, digest)
        content = _HEADER.pack(_MAGIC, _VERSION, _checksum(path.name, payload)) + payload
        try:
            try:
                self._write(path, content)
            except FileNotFoundError:  # a folder is missing, as most are when a cache is new
                for folder in (self.folder, path.parent, self.folder / _SCRATCH):
                    make_private_folder(folder)
                self._write(path, content)
        except OSError as error:
            reason = error.strerror or str(error)
            if self.must_keep:
                raise RunFailed(
                    f"Results cannot be kept in {self.folder} ({reason}). Free some space or make it writable, and "
                    "give the same command again: what was kept is not computed again."
                ) from error
            # The same words every time, so that Python shows them once.
            warnings.warn(
                f"Results cannot be kept in {self.folder} ({reason}), so this run could not be resumed. "
                "Free some space or choose another cache folder.",
                CacheWarning,
                stacklevel=2,
            )

    def _write(self, path: Path, content: bytes) -> None:
        """Put the content at the path in one step."""
        scratch = self.folder / _SCRATCH / uuid.uuid4().hex
        try:
            with open(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
            scratch.replace(path)
        except BaseException:
            scratch.unlink(missing_ok=True)
            raise

    def path(self, key: str, digest: str) -> Path:
        """The file that holds, or would hold, this result."""
        # The length keeps ("ab", "c") and ("a", "bc") apart.
        name = hashlib.sha256(f"{len(key)}:{key}{digest}".encode()).hexdigest()
        return self.folder / name[:2] / name

    def size(self) -> CacheSize:
        """Return the number of results, and their bytes."""
        sizes = [entry.stat().st_size for entry in self._entries()]
        return CacheSize(len(sizes), sum(sizes))

    def distrust(self, path: Path, reason: str) -> None:
        """Warn that a file of this cache cannot be used."""
        warnings.warn(
            f"The cached result {path} is damaged ({reason}); it is computed again.",
            CacheWarning,
            stacklevel=3,
        )

    def _entries(self) -> Iterator[Path]:
        return (path for path in self.folder.glob("[0-9a-f][0-9a-f]/*") if len(path.name) == 64)

    def _sweep(self) -> None:
        """Remove what killed processes left half-written, long enough ago that nobody is writing it now."""
        for path in self.folder.glob(f"{_SCRATCH}/*"):
            try:
                if time.time() - path.stat().st_mtime > _STALE_SECONDS:
                    path.unlink()
            except OSError:
                continue


class LayeredCache(Cache):
    """A cache that also looks into others, and keeps a copy of what it finds there."""

    def __init__(self, folder: Path, others: Sequence[Path], *, must_keep: bool = False) -> None:
        super().__init__(folder, must_keep=must_keep)
        self.others = tuple(map(Cache, others))

    def get(self, key: str, digest: str) -> bytes | None:
        """Return what was put here, or into the first of the others that has it."""
        payload = super().get(key, digest)
        for other in self.others:
            if payload is None and (payload := other.get(key, digest)) is not None:
                self.put(key, digest, payload)
                with suppress(OSError):  # as old as it is there
                    written = other.path(key, digest).stat().st_mtime
                    os.utime(self.path(key, digest), (written, written))
        return payload


class MirroredCache(Cache):
    """A cache that reads its own folder only, and writes into another cache as well."""

    def __init__(self, folder: Path, mirror: Cache) -> None:
        super().__init__(folder)
        self.mirror = mirror

    def put(self, key: str, digest: str, payload: bytes) -> None:
        """Keep a result in both."""
        super().put(key, digest, payload)
        self.mirror.put(key, digest, payload)


class CountingCache(Cache):
    """A cache that counts the results of earlier runs that it gives, and notes how old they are."""

    def __init__(self, cache: Cache) -> None:
        self.folder, self.must_keep, self._cache = cache.folder, cache.must_keep, cache
        self._began = time.time()
        self.times: list[float] = []
        """When each of those that were found was written, in seconds since 1970."""

    def get(self, key: str, digest: str) -> bytes | None:
        """Return what the cache has."""
        payload = self._cache.get(key, digest)
        if payload is not None:
            try:
                written = self.path(key, digest).stat().st_mtime
            except OSError:  # removed at this moment, or never copied here
                written = self._began
            if written <= self._began:
                self.times.append(written)
        return payload

    def put(self, key: str, digest: str, payload: bytes) -> None:
        """Keep a result in the cache."""
        self._cache.put(key, digest, payload)


def answer_cache(rule: AnswerRule, usual: Cache | None) -> Cache | None:
    """The cache for answers of a system under this rule, given the one that all else uses; None for no cache."""
    if rule.cache == "none":
        return None
    own = rule.folder
    if rule.cache == "keep" and not rule.fresh:
        return usual
    if rule.cache == "run" or usual is None:
        return None if own is None else Cache(own)
    return WriteOnlyCache(usual) if own is None else MirroredCache(own, usual)


class WriteOnlyCache(Cache):
    """A cache that finds nothing, and writes into another."""

    def __init__(self, cache: Cache) -> None:
        self.folder, self.must_keep, self._cache = cache.folder, cache.must_keep, cache

    def get(self, key: str, digest: str) -> bytes | None:
        """Nothing."""
        return None

    def put(self, key: str, digest: str, payload: bytes) -> None:
        """Keep a result in the cache."""
        self._cache.put(key, digest, payload)


def _checksum(name: str, payload: bytes) -> bytes:
    # With the name, a file copied to another's place is as wrong as a flipped bit.
    return hashlib.sha256(name.encode() + payload).digest()


def _fault(name: str, content: bytes) -> str | None:
    """Say what is wrong with a file of the cache; None if nothing is."""
    if len(content) < _HEADER.size:
        return f"only {len(content)} bytes long"
    magic, version, checksum = _HEADER.unpack_from(content)
    if magic != _MAGIC:
        return "not a result of dialeval"
    if version != _VERSION:
        return f"format {version}, expected {_VERSION}"
    if checksum != _checksum(name, content[_HEADER.size :]):
        return "checksum does not match"
    return None
