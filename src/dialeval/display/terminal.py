"""Tables on a terminal, as wide as it is, with or without colour."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dialeval.display.plain import (
    GAP,
    PlainColumn,
    cell_len,
    is_plain,
    plain_width,
    side_by_side,
    wrapped,
)
from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

NAME_LIMIT = 28
"""Width of names if the table would else not fit; tables with several columns of words may fold further."""
FOLDS = (NAME_LIMIT, 20, 14, 10)
_FOLDED = re.compile(r"(?:(?:(?<!\w)-)?\d+(?:[.,]\d+)*|[^\s\-_/.:,=])*(?:[\s_/.:,=]|(?<=\w)-|-(?!\d))*")
"""Pieces that are not broken if they fit: a word with the signs behind it, or a number."""
ASCII = str.maketrans(
    {"★": "*", "≈": "~", "†": "+", "×": "x", "−": "-", "—": "-", "…": ".", "↑": "^", "↓": "v", "•": "-"}
)


def print_table(table: Table, console: Console | None = None) -> None:
    """Print a table, in several pieces one below the other where the terminal is too narrow for it.

    Without a console to standard output, which needs no rich where it is a file or a pipe.
    """
    if console is None:
        width = plain_width()
        lines = None if width is None else _plain_lines(table, width)
        if lines is not None:
            print("".join(f"{line}\n" for line in lines), end="")
            return
        from dialeval.display.consoles import PrintableConsole

        console = PrintableConsole()
    if table.title:
        console.print(styled(one_line(table.title), "bold", console), soft_wrap=True)
    for index, piece in enumerate(_pieces(table, console.width)):
        if index:
            console.print()
        console.print(_drawn(table, piece, console))
    for note in table.notes:
        console.print(styled("\n".join(_note_lines(note, console.width)), "dim", console))


def first_columns(table: Table, width: int) -> Table:
    """The table as far as its columns stand side by side at that width; the same table if all of them do."""
    first = next(iter(_pieces(table, width)), None)
    if first is None or len(first.columns) == len(table.columns):
        return table
    rows = tuple(tuple(row[index] for index in first.columns) for row in table.rows)
    return table._replace(columns=tuple(table.columns[index] for index in first.columns), rows=rows)


def _note_lines(note: str, width: int) -> list[str]:
    return wrapped(one_line(note), width, first=" • ", rest="   ")


def _plain_lines(table: Table, width: int) -> list[str] | None:
    """Return what a console without colours prints; None if that takes more than putting cells side by side."""
    body: list[str] = []
    for index, piece in enumerate(_pieces(table, width)):
        columns = [_plain_column(table, column, piece) for column in piece.columns]
        if not all(column.width for column in columns):
            return None
        body += [*([""] if index else []), *side_by_side(columns)]
    for note in table.notes:
        body += _note_lines(note, width) or [""]
    title = [one_line(table.title)] if table.title else []
    plain = all(is_plain(line) for line in (*title, *body)) and all(len(line) <= width for line in body)
    return [*title, *body] if plain else None


def _plain_column(table: Table, index: int, piece: Piece) -> PlainColumn:
    column = table.columns[index]
    cells = [_lines(row[index], column, piece) for row in table.rows]
    return PlainColumn(one_line(column.title), cells, column.numeric)


class Piece(NamedTuple):
    """Some columns of a table, as they are to be drawn."""

    columns: Sequence[int]
    stacked: bool = False
    """Whether details stand below the text, not beside it."""
    fold: int | None = None
    """Return the width of words before they are folded."""


def _pieces(table: Table, width: int) -> list[Piece]:
    """The whole table where it fits somehow, else pieces with its first column in all of them."""
    everything = range(len(table.columns))
    words = sum(not column.numeric for column in table.columns)
    if not table.rows or words == len(table.columns):
        return [Piece(everything)] if table.rows else []
    folds = FOLDS if words > 1 else FOLDS[:2]
    whole = [Piece(everything, stacked, fold) for stacked in (False, True) for fold in (None, *folds)]
    fitting = next((piece for piece in whole if _width(table, piece) <= width), None)
    return [fitting] if fitting else _split(table, width)


def _split(table: Table, width: int) -> list[Piece]:
    keys = _keys(table, width)
    first, last = list(range(keys)), range(keys, len(table.columns))
    fold = next(
        (f for f in FOLDS if all(_width(table, Piece([*first, index], True, f)) <= width for index in last)),
        FOLDS[-1],
    )
    pieces = [list(first)]
    for index in last:
        if len(pieces[-1]) > keys and _width(table, Piece([*pieces[-1], index], True, fold)) > width:
            pieces.append(list(first))
        pieces[-1].append(index)
    # As many columns in each piece as in the others reads better than a last one that stands alone.
    share = math.ceil(len(last) / len(pieces))
    even = [[*first, *last[index : index + share]] for index in range(0, len(last), share)]
    fits = all(_width(table, Piece(piece, True, fold)) <= width for piece in even)
    return [Piece(piece, True, fold) for piece in (even if fits else pieces)]


def _keys(table: Table, width: int) -> int:
    """Return how many of the first columns are repeated in every piece: those that tell the rows apart, or 1.

    It is 1 if columns of words do not tell them apart, or leave no room for another one beside them.
    """
    for keys, column in enumerate(table.columns[:-1], 1):
        if column.numeric:
            break
        if len({tuple(cell.text for cell in row[:keys]) for row in table.rows}) == len(table.rows):
            pieces = (
                Piece([*range(keys), index], True, FOLDS[-1]) for index in range(keys, len(table.columns))
            )
            return keys if all(_width(table, piece) <= width for piece in pieces) else 1
    return 1


def _width(table: Table, piece: Piece) -> int:
    widths = []
    for index in piece.columns:
        lines = [line for row in table.rows for line in _lines(row[index], table.columns[index], piece)]
        widths.append(max(cell_len(line) for line in (one_line(table.columns[index].title), *lines)))
    return sum(widths) + GAP * (len(widths) - 1)


def _lines(cell: Cell, column: Column, piece: Piece) -> list[str]:
    apart = [f"{cell.mark} {one_line(cell.text)}", cell.detail]
    if not column.numeric and piece.fold:
        return _folded(" ".join(apart).strip(), piece.fold)
    parts = apart if piece.stacked else [" ".join(apart)]
    return [" ".join(part.split()) for part in parts if part.strip()] or [""]


def _folded(text: str, width: int) -> list[str]:
    """The text in lines of at most ``width`` cells, broken after a space or a sign that joins words where it can be.

    Numbers stay whole, with their sign.
    """
    lines = [""]
    for word in _FOLDED.findall(text):
        if cell_len(lines[-1]) + cell_len(word.rstrip()) <= width:
            lines[-1] += word
        else:
            lines += _chopped(word, width)
    return [line.rstrip() for line in lines if line.strip()] or [""]


def _chopped(word: str, width: int) -> list[str]:
    from rich.cells import chop_cells

    return chop_cells(word, width)


def _drawn(table: Table, piece: Piece, console: Console) -> Grid:
    from rich import box
    from rich.table import Table as Grid

    grid = Grid(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False)
    for index in piece.columns:
        column = table.columns[index]
        title = styled(one_line(column.title), "", console)
        grid.add_column(title, justify="right" if column.numeric else "left", overflow="fold")
    for row in table.rows:
        grid.add_row(*(_cell(row[index], table.columns[index], piece, console) for index in piece.columns))
    return grid


def _cell(cell: Cell, column: Column, piece: Piece, console: Console) -> Text:
    lines = _lines(cell, column, piece)
    # Words that were folded are one text; below a number stands its detail.
    loud = 1 if column.numeric else len(lines)
    text = styled("\n".join(lines[:loud]), "bold" if cell.strong else "", console)
    for line in lines[loud:]:
        text.append("\n").append_text(styled(line, "dim", console))
    return text


def styled(words: str, style: str, console: Console) -> Text:
    """The words in that style, without signs that the console's encoding lacks."""
    # Text, unlike a plain string, is printed as it stands: a system called [red] stays so.
    from rich.text import Text

    plain = words if console.encoding.lower().startswith("utf") else _ascii(words, console.encoding)
    return Text(plain, style=style)


def _ascii(words: str, encoding: str) -> str:
    return words.translate(ASCII).encode(encoding, "replace").decode(encoding)
