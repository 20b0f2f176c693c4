"""Text in cells of equal width, for files and pipes: what rich would print there, without the time to load it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import Final, NamedTuple

GAP: Final = 3
_RULE: Final = "─"
_ONE_CELL: Final = frozenset(map(chr, range(32, 127))) | set("★≈†×−–—…↑↓•") | set(_RULE)
"""Characters that are known to be as wide as any letter; others are left to rich."""
_WANTED: Final = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
"""Variables that people set so that files and pipes are treated as terminals."""


def is_plain(text: str) -> bool:
    """Whether every character of the text is one cell wide."""
    return _ONE_CELL.issuperset(text)


def cell_len(text: str) -> int:
    """Return the number of cells that the text takes on a terminal."""
    if is_plain(text):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(
    text: str, width: int, *, first: str = "", rest: str = "", whole_words: bool = False
) -> list[str]:
    """Lines of the text of at most ``width`` cells, with these indents; with ``whole_words``, long words stay whole."""
    if is_plain(text):
        return wrap(
            text,
            width,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=not whole_words,
            break_on_hyphens=not whole_words,
        )
    from rich.cells import chop_cells

    lines: list[str] = []
    first += text[: len(text) - len(text.lstrip())]
    for word in text.split():
        indent = rest if lines else first
        if lines and cell_len(lines[-1]) + 1 + cell_len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines += [
                indent + part for part in ([word] if whole_words else chop_cells(word, width - len(indent)))
            ]
    return lines


def plain_width() -> int | None:
    """Return the width of lines on standard output; None if it is not a file or pipe that takes plain UTF-8."""
    if sys.stdout is None:  # closed before the program began
        return None
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower()
    if os.name != "posix" or sys.stdout.isatty() or not encoding.startswith("utf"):
        return None
    if any(name in os.environ for name in _WANTED):
        return None
    given = os.environ.get("COLUMNS", "")
    return (int(given) if given.isdigit() else _terminal_width()) or 80


def _terminal_width() -> int | None:
    """The width of the terminal that reads from us or writes to us elsewhere, where there is one."""
    for stream in range(3):
        try:
            return os.get_terminal_size(stream).columns
        except (ValueError, OSError):
            continue
    return None


class PlainColumn(NamedTuple):
    """The cells of a column, each a list of lines."""

    title: str
    cells: Sequence[Sequence[str]]
    numeric: bool

    @property
    def width(self) -> int:
        """That of the longest line."""
        return max(len(line) for line in (self.title, *(line for cell in self.cells for line in cell)))


def side_by_side(columns: Sequence[PlainColumn]) -> Iterator[str]:
    """The lines of a table with these columns: titles, a rule, and the rows; numbers stand to the right."""
    widths = [column.width for column in columns]

    def joined(parts: Sequence[str]) -> str:
        padded = (
            part.rjust(width) if column.numeric else part.ljust(width)
            for part, width, column in zip(parts, widths, columns, strict=True)
        )
        return (" " * GAP).join(padded)

    yield joined([column.title for column in columns])
    yield _RULE * (sum(widths) + GAP * (len(widths) - 1))
    for row in zip(*(column.cells for column in columns), strict=True):
        yield from map(joined, zip_longest(*row, fillvalue=""))
