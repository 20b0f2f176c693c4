"""Executors of batches: this process, or a pool of processes. A cluster would be one more class here.

An executor for Ray needs the three members of ``Executor`` and nothing else: ``width`` from the cluster's
CPUs, ``submit`` around a remote call (``ObjectRef.future()`` is such a future), and ``__exit__`` to cancel.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TypeVar, cast

from dialeval.engine import worker
from dialeval.errors import RunFailed

if TYPE_CHECKING:
    import tempfile
    from concurrent.futures import ProcessPoolExecutor

B = TypeVar("B")
R = TypeVar("R")


class Executor(Protocol):
    """Somewhere batches can run.

    A future raises what the task raised; a worker that died shows as ``concurrent.futures.BrokenExecutor``.
    Leaving the context by an exception abandons whatever still runs.
    """

    @property
    def width(self) -> int:
        """How many batches to keep under way."""

    def submit(self, task: Callable[[Sequence[B]], R], content: Sequence[B], /) -> Future[R]:
        """The result of the task on this content, now or later."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class InProcess:
    """Runs each batch at once, here."""

    width = 1

    def submit(self, task: Callable[[Sequence[B]], R], content: Sequence[B], /) -> Future[R]:
        """A future that is already done."""
        future: Future[R] = Future()
        try:
            future.set_result(task(content))
        except Exception as error:
            future.set_exception(error)
        return future

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        return None


class ProcessPool:
    """Runs batches in ``jobs`` other processes, which start with the first batch and end with the ``with`` block.

    A task is written to a scratch file once and read once by each worker, so a metric that holds a large
    model is not sent again with every batch.
    """

    def __init__(self, jobs: int) -> None:
        if jobs < 1:
            raise ValueError(f"a pool needs at least one process, not {jobs}")
        self.jobs = jobs
        self._pool: ProcessPoolExecutor | None = None
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._task: object = None
        self._shipped = 0

    @property
    def width(self) -> int:
        """Two for each process: one that runs, one that waits so that no worker does."""
        return 2 * self.jobs

    def submit(self, task: Callable[[Sequence[B]], R], content: Sequence[B], /) -> Future[R]:
        """The task's result on this content, from another process."""
        if self._pool is None:
            self._start()
        if task is not self._task:
            self._ship(task)
        assert self._pool is not None
        future = self._pool.submit(worker.perform, self._parcel(), content)
        return cast("Future[R]", future)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        pool, self._pool, self._task = self._pool, None, None
        if pool is not None:
            if kind is not None:
                _kill_workers(pool)
            pool.shutdown(wait=True, cancel_futures=True)
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    def _start(self) -> None:
        import tempfile
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # Not fork: a forked child of a process with threads (numpy, torch, progress bars) may deadlock.
        self._pool = ProcessPoolExecutor(self.jobs, get_context("spawn"), initializer=worker.prepare)
        self._scratch = tempfile.TemporaryDirectory(prefix="dialeval-")

    def _ship(self, task: Callable[[Sequence[B]], R]) -> None:
        try:
            payload = pickle.dumps(task, protocol=pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise RunFailed(
                f"This work cannot be sent to other processes ({error}). Run it in this one with --jobs 1, or "
                "define its classes and functions at the top level of a module."
            ) from error
        self._shipped += 1
        self._parcel().write_bytes(payload)
        self._task = task

    def _parcel(self) -> Path:
        assert self._scratch is not None
        return Path(self._scratch.name, f"task-{self._shipped}.pickle")


def _kill_workers(pool: ProcessPoolExecutor) -> None:
    # A running future cannot be cancelled, and shutdown would wait for it. The public way comes with Python 3.14.
    for process in list((pool._processes or {}).values()):
        process.kill()
