"""Tables on a terminal, as wide as it is, with or without colour."""

from __future__ import annotations

import math
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from dialeval.report.folder import read_summary
from dialeval.report.summary import Summary
from dialeval.report.table import Cell, Table
from dialeval.report.tables import failures, gates, leaderboard
from dialeval.report.wording import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

GAP = 2
NAME_LIMIT = 28
ASCII = str.maketrans({"★": "*", "≈": "~", "−": "-", "—": "-", "…": ".", "↑": "^", "↓": "v", "•": "-"})


def print_leaderboard(source: Path | Summary, console: Console | None = None) -> None:
    """Print the leaderboard of a run folder or summary, then its failures and gates; to stdout by default."""
    from rich.console import Console

    console = console or Console()
    summary = read_summary(source) if isinstance(source, Path) else source
    print_table(leaderboard(summary), console)
    for table in (failures(summary), gates(summary)):
        if table.rows:
            console.print()
            print_table(table, console)


def print_table(table: Table, console: Console) -> None:
    """Print a table, in several pieces one below the other where the terminal is too narrow for it."""
    console.print(_text(one_line(table.title), "bold", console), soft_wrap=True)
    for at, (columns, stacked) in enumerate(_pieces(table, console.width)):
        if at:
            console.print()
        console.print(_drawn(table, columns, stacked, console))
    for note in table.notes:
        lines = wrap(one_line(note), console.width, initial_indent=" • ", subsequent_indent="   ")
        console.print(_text("\n".join(lines), "dim", console))


def _pieces(table: Table, width: int) -> list[tuple[list[int], bool]]:
    """The columns of each piece, the first one in all of them, and whether details stand below the text."""
    everything = list(range(len(table.columns)))
    prose = not any(column.numeric for column in table.columns)
    if prose or _width(table, everything, stacked=False) <= width:
        return [(everything, False)] if table.rows else []
    if not table.rows:
        return []
    pieces = _greedy(table, width)
    # As many columns in each piece as in the others reads better than a last one that stands alone.
    share = math.ceil((len(everything) - 1) / len(pieces))
    even = [[0, *everything[at : at + share]] for at in range(1, len(everything), share)]
    fits = all(_width(table, piece, stacked=True) <= width for piece in even)
    return [(piece, True) for piece in (even if fits else pieces)]


def _greedy(table: Table, width: int) -> list[list[int]]:
    pieces: list[list[int]] = [[0]]
    for at in range(1, len(table.columns)):
        if len(pieces[-1]) > 1 and _width(table, [*pieces[-1], at], stacked=True) > width:
            pieces.append([0])
        pieces[-1].append(at)
    return pieces


def _width(table: Table, columns: list[int], *, stacked: bool) -> int:
    from rich.cells import cell_len

    total = 1
    for at in columns:
        lines = [line for row in table.rows for line in _lines(row[at], stacked)]
        widest = max((cell_len(line) for line in (table.columns[at].title, *lines)), default=0)
        total += (min(widest, NAME_LIMIT) if at == 0 else widest) + GAP
    return total


def _lines(cell: Cell, stacked: bool) -> list[str]:
    text = one_line(cell.text)
    parts = [f"{cell.mark} {text}", cell.detail] if stacked else [" ".join((cell.mark, text, cell.detail))]
    return [" ".join(part.split()) for part in parts if part.strip()] or [""]


def _drawn(table: Table, columns: list[int], stacked: bool, console: Console) -> Grid:
    from rich import box
    from rich.table import Table as Grid

    grid = Grid(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False)
    for at in columns:
        column = table.columns[at]
        title = _text(one_line(column.title), "", console)
        limit = NAME_LIMIT if at == 0 and any(c.numeric for c in table.columns) else None
        grid.add_column(
            title, justify="right" if column.numeric else "left", overflow="fold", max_width=limit
        )
    for row in table.rows:
        grid.add_row(*(_cell(row[at], stacked, console) for at in columns))
    return grid


def _cell(cell: Cell, stacked: bool, console: Console) -> Text:
    first, *rest = _lines(cell, stacked)
    text = _text(first, "bold" if cell.strong else "", console)
    for line in rest:
        text.append("\n").append_text(_text(line, "dim", console))
    return text


def _text(words: str, style: str, console: Console) -> Text:
    # Text, unlike a plain string, is printed as it stands: a system called [red] stays so.
    from rich.text import Text

    plain = words if console.encoding.lower().startswith("utf") else _ascii(words, console.encoding)
    return Text(plain, style=style)


def _ascii(words: str, encoding: str) -> str:
    return words.translate(ASCII).encode(encoding, "replace").decode(encoding)
