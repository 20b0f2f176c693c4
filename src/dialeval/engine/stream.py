"""Runner of a job over a stream of batches: results in order, done work kept, never much in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from typing import Generic, TypeVar

from dialeval.engine.cache import Cache
from dialeval.engine.executors import Executor
from dialeval.engine.jobs import Batch, Job
from dialeval.engine.progress import SILENT, Progress
from dialeval.errors import RunFailed

B = TypeVar("B")
R = TypeVar("R")


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
            self._settle()
            if first.outcome.done():
                break
            wait([e.outcome for e in self.entries if not e.outcome.done()], return_when=FIRST_COMPLETED)
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
        """What to tell the user when a worker has died."""
        lost = [e.number + 1 for e in self.entries if not e.settled]
        which = "between batches" if not lost else f"during one of the batches {lost[0]} to {lost[-1]}"
        which = f"during batch {lost[0]}" if len(lost) == 1 else which
        kept = " Finished batches are kept, so the same command resumes from here." if self.cache else ""
        return (
            f"A worker process died {which}, perhaps killed because memory ran out.{kept} Try --jobs 1, which "
            "shows a crash where it happens. (In a script of your own, start the run under "
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
            if self.cache is not None:
                self.cache.put(self.job.key, entry.digest, self.job.codec.encode(outcome.result()))
            entry.settled = True
            self.progress.advance(entry.items)
