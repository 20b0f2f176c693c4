"""Search for patterns that come with data, with a limit on the time that each search may take.

Slow searches run in another process, which a pattern that takes too long does not take down with us. That is this file,
run by its path, so that it starts without importing dialeval. It reads a line of JSON for each search, ``[pattern,
flags, text]``, and writes one: true, false, or null if the search took longer than ``SECONDS`` of CPU time.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Event, Lock, Timer
from typing import Final

_PROCESS: Final = Path(__file__)
SECONDS: Final = 0.2
"""CPU time, so that a busy machine changes no result."""
_PATIENCE: Final = 60.0
"""Seconds after which a process that does not answer is ended, however busy the machine."""
_SHORT: Final = 2_000
"""Characters in which a pattern with a single unbounded repeat is found at once, whatever it is."""
_REPEATS: Final = re.compile(r"[*+]|\{\d*,\d*\}|\{\d{2,}\}")
_OPTIONS: Final = re.compile(r"[?{]")
_GROUPS: Final = re.compile(r"\)[*+?{]")
_BACK: Final = re.compile(r"\\\d|\(\?P=|\(\?\(")


@lru_cache(maxsize=4_096)  # whole texts
def search(pattern: str, text: str, ignore_case: bool = False) -> bool | None:
    """Whether the pattern is found in the text; None if that takes more than 0.2 seconds of CPU time.

    A pattern that repeats more than once may take exponential time, so it is looked for in another process. SearchDied
    if that ends without an answer, twice.
    """
    flags = re.IGNORECASE if ignore_case else 0
    if _is_simple(pattern) and len(text) <= _SHORT:
        return re.search(pattern, text, flags) is not None
    return _SEARCHER.search(pattern, int(flags), text)


def _is_simple(pattern: str) -> bool:
    """Whether the time is at most about the square of the text's length.

    So it is with one repeat of a single character or class, few optional ones, and no group that is repeated. Signs in
    brackets or behind a backslash count too, which only sends more patterns to the other process.
    """
    return (
        len(_REPEATS.findall(pattern)) < 2
        and len(_OPTIONS.findall(pattern)) < 5
        and not _GROUPS.search(pattern)
        and not _BACK.search(pattern)
    )


class SearchDied(Exception):
    """The other process ended in the middle of a search, as one that is killed for lack of memory."""


class _Searcher:
    """The other process, started when it is first needed, and again after it had to be ended; one for each of ours."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[str] | None = None
        self._inherited: subprocess.Popen[str] | None = None
        if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
            os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """Leave the process to our parent: two who write to it would get each other's answers."""
        self._lock, self._inherited, self._process = Lock(), self._process, None

    def search(self, pattern: str, flags: int, text: str) -> bool | None:
        """Whether the pattern is found; None if that takes too long."""
        line = json.dumps([pattern, flags, text]) + "\n"
        with self._lock:
            answer = self._answer(line) or self._answer(line)
            if not answer and self._process is not None:
                raise SearchDied(f"its process ended with code {self._process.wait()}")
        found: bool | None = json.loads(answer)
        return found

    def close(self) -> None:
        """End the process, and wait for its end."""
        process = self._process
        if process is not None:
            with suppress(OSError):  # what it has not read
                process.communicate()

    def _answer(self, line: str) -> str:
        """The answer as JSON; empty if the process ended."""
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = subprocess.Popen(
                [sys.executable, "-I", str(_PROCESS)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="ascii",
            )
        assert process.stdin is not None
        assert process.stdout is not None
        late = Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = Timer(_PATIENCE, end)
        timer.start()
        try:
            process.stdin.write(line)
            process.stdin.flush()
            answer = process.stdout.readline().strip()
        except OSError:  # it is gone
            answer = ""
        finally:
            timer.cancel()
        if not answer:
            self.close()
        return answer or ("null" if late.is_set() else "")


_SEARCHER: Final = _Searcher()


class _TooLong(Exception):
    """The search has used up its time."""


def _stop(_signal: int, _frame: object) -> None:
    raise _TooLong


def _limit(seconds: float) -> None:
    """Stop after so much CPU time, 0 for never; Windows has no such clock, so that our parent has to end us."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def _search_in_time(pattern: str, flags: int, text: str) -> bool | None:
    """Whether the pattern is found in the text; None if that takes too long."""
    found = re.compile(pattern, flags)
    with suppress(_TooLong):
        _limit(SECONDS)
        try:
            return found.search(text) is not None
        finally:
            _limit(0)
    return None


def _serve() -> None:
    """Answer every line of standard input."""
    if hasattr(signal, "SIGVTALRM"):
        signal.signal(signal.SIGVTALRM, _stop)
    for line in sys.stdin:
        print(json.dumps(_search_in_time(*json.loads(line))), flush=True)


if __name__ == "__main__":
    _serve()
