"""Executors of batches: this process, or a pool of processes; `dialeval.engine.cluster` has that of Ray."""

from __future__ import annotations

import copyreg
import os
import pickle
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TypeVar, cast

from dialeval.errors import RunFailed, described

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
        """Number of batches to keep under way."""

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
    model is not sent again with every batch. A worker that dies breaks the task that it was given; the next task gets
    other processes.
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
        new = task is not self._task
        if new:
            self._ship(task)
        try:
            return self._perform(content)
        except BrokenExecutor:
            # A worker died of an earlier task, which fails by that; this one has done nothing wrong.
            if not new:
                raise
            self._replace()
            return self._perform(content)

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

        self._pool = _new_pool(self.jobs)
        self._scratch = tempfile.TemporaryDirectory(prefix="dialeval-")

    def _replace(self) -> None:
        """Start other processes in place of those that ended with the one that died."""
        assert self._pool is not None
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = _new_pool(self.jobs)

    def _perform(self, content: Sequence[B]) -> Future[R]:
        assert self._pool is not None
        return cast("Future[R]", self._pool.submit(perform, self._parcel(), content))

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


def _new_pool(jobs: int) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Not fork: a forked child of a process with threads (numpy, torch, progress bars) may deadlock.
    return ProcessPoolExecutor(jobs, get_context("spawn"), initializer=prepare)


def _kill_workers(pool: ProcessPoolExecutor) -> None:
    # A running future cannot be cancelled, and shutdown would wait for it. The public way comes with Python 3.14.
    for process in list((pool._processes or {}).values()):
        process.kill()


class _Task(Protocol):
    def __call__(self, content: Sequence[object], /) -> object: ...


def prepare() -> None:
    """Make this process leave interrupts to its parent, and never outlive it."""
    # Ctrl-C reaches every process of the terminal; the parent decides, and one traceback is enough.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True).start()


def perform(parcel: Path, content: Sequence[object]) -> object:
    """The result of the task in ``parcel`` on this content."""
    task = cast(_Task, _unpack(parcel))
    try:
        return task(content)
    except Exception as error:
        fit = fit_to_travel(error)
        if fit is error:
            raise
        raise fit from None


# Two: a pool moves on from one task to the next while the last batches of the first are under way.
@lru_cache(maxsize=2)
def _unpack(parcel: Path) -> object:
    with parcel.open("rb") as file:
        return pickle.load(file)


def _die_with_parent() -> None:
    from multiprocessing import parent_process

    # A parent that was killed cannot stop its workers, and they would wait for work for ever.
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def fit_to_travel(error: Exception) -> Exception:
    """The error, such that another process can unpickle it; RunFailed with its words where it cannot be sent.

    Where only its ``cause`` cannot, that alone is replaced, so that the answers of a PartlyAnswered arrive.
    """
    if _travels(error):
        return error
    cause = getattr(error, "cause", None)
    if isinstance(cause, Exception) and not _travels(cause):
        error.cause = RunFailed(described(cause))  # type: ignore[attr-defined]
        if _travels(error):
            return error
    return RunFailed(described(error))


def _travels(error: Exception) -> bool:
    # Pickle calls an exception's class with its args alone, which many (ours too) do not take; the parent
    # would then see a broken pool in place of the error.
    for each in (error, getattr(error, "cause", None)):
        if isinstance(each, Exception):
            copyreg.pickle(type(each), _take_apart)
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # foreign errors may hold what cannot travel
        return False
    return True


def _take_apart(error: Exception) -> tuple[Callable[..., Exception], tuple[object, ...]]:
    return _put_together, (type(error), error.args, vars(error))


def _put_together(kind: type[Exception], args: tuple[object, ...], state: dict[str, object]) -> Exception:
    error = kind.__new__(kind, *args)
    error.args = args
    vars(error).update(state)
    return error
