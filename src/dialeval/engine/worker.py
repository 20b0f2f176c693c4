"""The inside of a worker process of ``ProcessPool``."""

from __future__ import annotations

import copyreg
import os
import pickle
import signal
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol, cast


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
        # Pickle calls an exception's class with its args alone, which many (ours too) do not take; the parent
        # would then see a broken pool in place of the error.
        copyreg.pickle(type(error), _take_apart)
        raise


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


def _take_apart(error: Exception) -> tuple[Callable[..., Exception], tuple[object, ...]]:
    return _put_together, (type(error), error.args, vars(error))


def _put_together(kind: type[Exception], args: tuple[object, ...], state: dict[str, object]) -> Exception:
    error = kind.__new__(kind, *args)
    error.args = args
    vars(error).update(state)
    return error
