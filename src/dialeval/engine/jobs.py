"""Jobs: batches, the task over each of them, and how its results become bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from dialeval.core import Floats

B = TypeVar("B")
R = TypeVar("R")


class Batch(NamedTuple, Generic[B]):
    """Some of the data, in order, and its digest."""

    content: Sequence[B]
    digest: str
    """sha256 of the content in canonical form; empty where no cache is used."""


class Codec(Protocol[R]):
    """Turns a result into bytes and back again without loss."""

    def encode(self, result: R, /) -> bytes:
        """The result as bytes."""

    def decode(self, payload: bytes, /) -> R:
        """The result that ``encode`` was given; ValueError where the bytes are not its work."""


@dataclass(frozen=True, slots=True)
class Job(Generic[B, R]):
    """One pure function to be run over every batch of some data."""

    key: str
    """Everything that moves a result but the data: signature, resources' hashes, package version, seed."""
    task: Callable[[Sequence[B]], R]
    """Pure, and picklable where it is to run in other processes."""
    codec: Codec[R]


_SHAPE: Final = struct.Struct("<QQ")


class _Rows:
    """Matrices of float64, every bit kept (the sign of zero and the payload of NaN too)."""

    def encode(self, result: Floats, /) -> bytes:
        rows = np.asarray(result, dtype="<f8")
        if rows.ndim != 2:
            raise ValueError(f"a task gave an array of shape {rows.shape}; rows need two dimensions")
        return _SHAPE.pack(*rows.shape) + rows.tobytes()

    def decode(self, payload: bytes, /) -> Floats:
        if len(payload) < _SHAPE.size:
            raise ValueError("too short to be rows")
        shape = _SHAPE.unpack_from(payload)
        # reshape refuses bytes that do not fill the shape; the copy may be written to, unlike the payload.
        return np.frombuffer(payload, dtype="<f8", offset=_SHAPE.size).reshape(shape).astype(np.float64)


ROWS: Final[Codec[Floats]] = _Rows()
