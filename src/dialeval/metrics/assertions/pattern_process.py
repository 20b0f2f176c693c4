"""Search for patterns in a process of its own, which a pattern that takes too long does not take down with us.

Run by its path, so that it starts without importing dialeval. Reads a line of JSON for each search, ``[pattern, flags,
text]``, and writes one: true, false, or null where the search took longer than ``SECONDS`` of CPU time.
"""

from __future__ import annotations

import contextlib
import json
import re
import signal
import sys

SECONDS = 0.2
"""CPU time, so that a busy machine changes no result."""


class _TooLong(Exception):
    """The search has used up its time."""


def _stop(_signal: int, _frame: object) -> None:
    raise _TooLong


def _limit(seconds: float) -> None:
    """Stop after so much CPU time, 0 for never; Windows has no such clock, so that our parent has to end us."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def search(pattern: str, flags: int, text: str) -> bool | None:
    """Whether the pattern is found in the text; None where that takes too long."""
    found = re.compile(pattern, flags)
    with contextlib.suppress(_TooLong):
        _limit(SECONDS)
        try:
            return found.search(text) is not None
        finally:
            _limit(0)
    return None


def main() -> None:
    """Answer every line of standard input."""
    if hasattr(signal, "SIGVTALRM"):
        signal.signal(signal.SIGVTALRM, _stop)
    for line in sys.stdin:
        print(json.dumps(search(*json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
