"""Runner of a job over a stream of batches: results in order, done work kept, never much in memory."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from dialeval.core import Floats
from dialeval.engine.cache import Cache
from dialeval.engine.executors import Executor, InProcess
from dialeval.engine.progress import SILENT, Progress
from dialeval.errors import RunFailed

B = TypeVar("B")
R = TypeVar("R")


class Batch(NamedTuple, Generic[B]):
    """Some of the data, in order, and its digest."""

    content: Sequence[B]
    digest: str
    """sha256 of the content in canonical form; empty where no cache is used."""


class Codec(Protocol[R]):
    """Turns a result into bytes and back again without loss."""

    def encode(self, result: R, /) -> bytes | None:
        """The result as bytes; None if it is not to be cached."""

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


def run(
    job: Job[B, R],
    batches: Iterable[Batch[B]],
    *,
    executor: Executor,
    cache: Cache | None = None,
    progress: Progress = SILENT,
) -> Iterator[R]:
    """The job's result on each batch, in order, as soon as each is there.

    A batch found in the cache is not run; a fresh result is kept as soon as it is done, also ahead of its
    turn and also when the run then fails. What a task raises is raised here; a worker that died raises RunFailed.
    """
    if cache is None and type(executor) is InProcess:  # nothing to wait for or to keep
        for batch in batches:
            result = job.task(batch.content)
            progress.advance(len(batch.content))
            yield result
        return
    window = _Window(job, executor, cache, progress)
    source = enumerate(batches)
    try:
        while True:
            while window.has_room and (numbered := next(source, None)) is not None:
                window.admit(*numbered)
            if not window.entries:
                return
            yield window.take()
    except BrokenExecutor as error:
        raise RunFailed(window.obituary()) from error
    finally:
        window.abandon()


@dataclass(slots=True)
class _Entry(Generic[R]):
    number: int
    items: int
    digest: str
    outcome: Future[R]
    settled: bool = False
    """Whether its result has been kept and counted."""


class _Window(Generic[B, R]):
    """The batches between the stream that comes in and the results that go out."""

    def __init__(self, job: Job[B, R], executor: Executor, cache: Cache | None, progress: Progress) -> None:
        self.job, self.executor, self.cache, self.progress = job, executor, cache, progress
        self.entries: deque[_Entry[R]] = deque()

    @property
    def has_room(self) -> bool:
        """Whether another batch may come in.

        Results that wait for a slow batch before them are counted too, or they would pile up without end.
        """
        width = self.executor.width
        return len(self.entries) < 2 * width - 1 and sum(not e.outcome.done() for e in self.entries) < width

    def admit(self, number: int, batch: Batch[B]) -> None:
        """Look the batch up, or set it to work."""
        cached = self._look_up(batch)
        outcome = self.executor.submit(self.job.task, batch.content) if cached is None else cached
        entry = _Entry(number, len(batch.content), batch.digest, outcome)
        self.entries.append(entry)
        if cached is not None:
            entry.settled = True
            self.progress.advance(entry.items)

    def take(self) -> R:
        """The first batch's result, waiting for it if need be, while those that finish ahead of it are kept."""
        first = self.entries[0]
        while True:
            # Asked before settling: a batch that is done only after that has not been kept yet.
            done = first.outcome.done()
            self._settle()
            if done:
                break
            under_way = [e.outcome for e in self.entries if e is first or not e.outcome.done()]
            wait(under_way, return_when=FIRST_COMPLETED)
        result = first.outcome.result()
        self.entries.popleft()
        return result

    def abandon(self) -> None:
        """Cancel what has not begun, and keep what is done."""
        for entry in self.entries:
            entry.outcome.cancel()
        self._settle()
        self.entries.clear()

    def obituary(self) -> str:
        """Return what to tell the user when a worker has died."""
        lost = [e.number + 1 for e in self.entries if not e.settled]
        which = "between batches" if not lost else f"during one of the batches {lost[0]} to {lost[-1]}"
        which = f"during batch {lost[0]}" if len(lost) == 1 else which
        kept = " Finished batches are kept, so the same command resumes from here." if self.cache else ""
        return (
            f"A worker process died {which}, perhaps killed because memory ran out.{kept} Try --jobs 1, which "
            "needs less memory and shows a crash where it happens. (In a script of your own, start the run under "
            "if __name__ == '__main__'.)"
        )

    def _look_up(self, batch: Batch[B]) -> Future[R] | None:
        if self.cache is None:
            return None
        if not batch.digest:
            raise ValueError("a batch needs a digest to be found in a cache")
        payload = self.cache.get(self.job.key, batch.digest)
        if payload is None:
            return None
        try:
            result = self.job.codec.decode(payload)
        except ValueError as error:
            self.cache.distrust(self.cache.path(self.job.key, batch.digest), str(error))
            return None
        future: Future[R] = Future()
        future.set_result(result)
        return future

    def _settle(self) -> None:
        for entry in self.entries:
            outcome = entry.outcome
            if entry.settled or not outcome.done() or outcome.cancelled() or outcome.exception() is not None:
                continue
            payload = None if self.cache is None else self.job.codec.encode(outcome.result())
            if self.cache is not None and payload is not None:
                self.cache.put(self.job.key, entry.digest, payload)
            entry.settled = True
            self.progress.advance(entry.items)
