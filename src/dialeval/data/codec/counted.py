"""How many lines of a file were bad, and the error for a file that has nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from dialeval.data.codec.bad import BadLine, OnBad
from dialeval.data.codec.sources import Source, is_stdin, shown
from dialeval.errors import BadInput

T = TypeVar("T")


class Counted:
    """Passes bad lines on, and remembers how many there were."""

    def __init__(self, on_bad: OnBad) -> None:
        self.count = 0
        self._on_bad = on_bad

    def __call__(self, bad: BadLine) -> None:
        """Pass one line on."""
        self.count += 1
        self._on_bad(bad)


def not_empty(found: Iterator[T], bad: Counted, source: Source, kind: str) -> Iterator[T]:
    """What was found in ``source``; BadInput if that is nothing."""
    first = next(found, None)
    if first is None:
        raise empty(bad, source, kind)
    yield first
    yield from found


def empty(bad: Counted, source: Source, kind: str) -> BadInput:
    """The error for a file that holds nothing of use."""
    needed = f"at least one {kind or 'record'}"
    if bad.count:
        what = f"{bad.count} bad {'line' if bad.count == 1 else 'lines'} and nothing else"
        return BadInput(
            shown(source), what, needed, "See what is wrong with the first of them, and mend the file."
        )
    hollow = is_stdin(source) or (Path(source).is_file() and not Path(source).stat().st_size)
    found = "nothing in it" if hollow else "no record in it"
    return BadInput(
        shown(source), found, needed, "Check that this is the file you meant, and how it was written."
    )
