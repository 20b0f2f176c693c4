"""The ``dialeval`` command, and how errors and warnings reach a person."""

from __future__ import annotations

import atexit
import errno
import gc
import logging
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final, TextIO

from dialeval.cli.parsing.plain_lines import plain_values
from dialeval.cli.parsing.verbs import VERBS, behind
from dialeval.cli.workshop import INTERRUPTED, interruption, keeps
from dialeval.display.streams import plain_streams, printable_streams
from dialeval.errors import DialevalError, ResourceUnavailable, UnknownName, first_line, lack_of_memory


def main() -> None:
    """Run the command line; errors that a user can fix are printed without a traceback.

    Their exit code is 1; that of a name nobody knows is 2, as of any mistake in the usage.
    """
    _start_lightly()
    warnings.showwarning = _print_warning
    _print_notes()
    keeps(None)
    with printable_streams():
        _run_or_explain(sys.argv[1:])


def _run_or_explain(words: Sequence[str]) -> None:
    try:
        _run(words)
    except (SystemExit, BrokenPipeError):
        raise
    except KeyboardInterrupt:  # while the parser is loaded: later it is the parser that tells of it
        print(interruption(), file=sys.stderr)
        sys.exit(INTERRUPTED)
    except BaseException as error:
        said = _explanation(error)
        if said is None:
            raise
        print(f"error: {said}", file=sys.stderr)
        # An unknown name is a mistake in the usage, also if only the library knows the names.
        sys.exit(2 if isinstance(error, UnknownName) else 1)


def _explanation(error: BaseException) -> str | None:
    """The error in a sentence; None for a mistake of ours, which ends in a traceback."""
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
    return None


def _run(words: Sequence[str]) -> None:
    """Call the verb of a plain command line; every other line is typer's, and whatever ends as only typer can tell."""
    verb = words[0] if words and words[0] in VERBS else None
    instead: dict[str, Callable[..., Any]] = {}
    if verb is not None and os.name != "nt" and _COMPLETING not in os.environ:
        function = behind(verb)
        values = plain_values(function, words[1:])
        if values is not None:
            try:
                return function(**values)  # type: ignore[no-any-return]
            except (DialevalError, SystemExit):
                raise
            except BaseException as error:  # a mistake in the usage, an interruption, a closed pipe
                if lack_of_memory(error):
                    raise
                instead[verb] = _raising(error, function)
    from dialeval.cli.parsing.app import app_of

    with plain_streams():
        app_of(VERBS if verb is None else [verb], instead)()


_COMPLETING: Final = "_DIALEVAL_COMPLETE"
"""Set by shells that want to complete a command line."""


def _raising(error: BaseException, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def ended(**_values: Any) -> None:
        raise error

    return ended


def _start_lightly() -> None:
    """Settings of the interpreter and of numpy under which a small command takes less, and a large one no more."""
    # Modules that are being imported leave next to no cycles, and what is alive when the program ends goes with it.
    gc.set_threshold(30_000)
    atexit.register(gc.freeze)
    # Threads of linear algebra with nothing to do sleep within a millisecond; else they first spin for 2^26 cycles,
    # also where numpy is only loaded: 45 ms of processor time where loading it takes 60. No number depends on it.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")


_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


def _full(error: OSError) -> str:
    """What to do about a full disk: the system does not say which file did not fit."""
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


class _Notes(logging.Handler):
    """Prints how a file is read where that is not the usual way: the same of two files at most."""

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
    logger = logging.getLogger("dialeval.data")
    logger.setLevel(logging.INFO)
    for handler in [handler for handler in logger.handlers if isinstance(handler, _Notes)]:
        logger.removeHandler(handler)
    logger.addHandler(_Notes())
