"""The ``dialeval`` command, and how errors and warnings reach a person."""

from __future__ import annotations

import atexit
import errno
import gc
import logging
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from contextvars import copy_context
from types import TracebackType
from typing import Final, TextIO

from dialeval.cli.interruption import INTERRUPTED, interruption, keeps
from dialeval.cli.parsing.lines import run as _run
from dialeval.data.codec.dialects import forget_told
from dialeval.display.streams import printable_streams
from dialeval.errors import DialevalError, ResourceUnavailable, UnknownName, first_line, lack_of_memory


def main() -> None:
    """Run the command line; errors that a user can fix are printed without a traceback.

    Their exit code is 1; that of a name nobody knows is 2, as of any mistake in the usage.
    """
    _start_lightly()
    warnings.showwarning = _print_warning
    sys.excepthook = _print_traceback
    _print_notes()
    keeps(None)
    with printable_streams():
        # In its own context, an option such as --unpack-ratio ends with the command that it was given to.
        copy_context().run(_run_or_explain, sys.argv[1:])


def _run_or_explain(words: Sequence[str]) -> None:
    try:
        _run(words)
        sys.stdout.flush()
    except SystemExit:
        raise
    except KeyboardInterrupt:
        print(interruption(), file=sys.stderr)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        _forget_output()
        sys.exit(1)
    except BaseException as error:
        said = _explanation(error)
        if said is None:
            raise
        print(f"error: {said}", file=sys.stderr)
        # An unknown name is a mistake in the usage, also if only the library knows the names.
        sys.exit(2 if isinstance(error, UnknownName) else 1)


def _forget_output() -> None:
    """Discard what nobody reads, as of ``dialeval ... | head``; otherwise Python would complain of it at its end."""
    with suppress(OSError, ValueError):  # a stream that is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explanation(error: BaseException) -> str | None:
    """Return the error in a sentence; None for a mistake of ours, which ends in a traceback."""
    lack = lack_of_memory(error)
    if isinstance(error, DialevalError) and not (lack and isinstance(error, ResourceUnavailable)):
        return f"{error} Memory ran out meanwhile. {_LESS_MEMORY}" if lack else str(error)
    if lack:
        why = f" ({first_line(lack)})" if str(lack) else ""
        return f"Out of memory{why}. {_LESS_MEMORY}"
    if isinstance(error, OSError) and error.errno in _FULL:
        return _full(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}. Check the path and its permissions."
    if isinstance(error, OSError) and error.errno in _BROKEN:
        return f"A file cannot be read or written: {error.strerror}. Check the disk, and that you gave no device."
    if isinstance(error, ValueError) and str(error).startswith("embedded null"):
        return "Found a path with the character U+0000, which no name of a file holds. Correct it where it is named."
    return None


def _start_lightly() -> None:
    """Settings of the interpreter and of numpy under which a small command takes less, and a large one no more."""
    # Modules that are being imported leave next to no cycles, and what is alive when the program ends goes with it.
    gc.set_threshold(30_000)
    atexit.register(gc.freeze)
    # Threads of linear algebra with nothing to do sleep within a millisecond; else they first spin for 2^26 cycles,
    # also where numpy is only loaded: 45 ms of processor time where loading it takes 60. No number depends on it.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")


_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
_BROKEN: Final = (errno.EIO, errno.ESTALE)
"""Errors of reading, for which the system names no file."""


def _full(error: OSError) -> str:
    """Return advice on a full disk; the system does not say which file did not fit."""
    place = f"{error.filename}: " if error.filename else ""
    return (
        f"{place}{error.strerror}. Free some space, and give the same command again: finished parts are kept."
    )


_LESS_MEMORY: Final = (
    "Close other programs, give fewer --jobs or less data, and give the same command again: "
    "finished parts are kept."
)


def _print_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"warning: {message}", file=sys.stderr)


def _print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    with printable_streams():
        sys.__excepthook__(kind, error, trace)


class _Notes(logging.Handler):
    """Printer of notes on files that are read in an unusual way; the same note for two files at most."""

    def __init__(self) -> None:
        super().__init__()
        self._files: dict[object, int] = {}

    def emit(self, record: logging.LogRecord) -> None:
        what = record.args[-1] if isinstance(record.args, tuple) and record.args else record.msg
        self._files[what] = count = self._files.get(what, 0) + 1
        if count < 3:
            more = " (not repeated for further files)" if count == 2 else ""
            print(f"note: {record.getMessage()}{more}", file=sys.stderr)


def _print_notes() -> None:
    """Print the notes of this command, also those that the process was told before it."""
    forget_told()
    logger = logging.getLogger("dialeval.data")
    logger.setLevel(logging.INFO)
    for handler in [handler for handler in logger.handlers if isinstance(handler, _Notes)]:
        logger.removeHandler(handler)
    logger.addHandler(_Notes())
