"""Tables as values, which the terminal, Markdown and the page each print in their own way."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from dialeval.display.wording import interval, number, one_line

_FORMULA: Final = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
"""Beginnings of cells that spreadsheets compute, and of those with an apostrophe from `spreadsheet_cell`."""


def spreadsheet_cell(text: str) -> str:
    r"""The text for a cell of CSV or TSV, with an apostrophe before what a spreadsheet would take for a formula.

    >>> spreadsheet_cell('=HYPERLINK("http://x")'), spreadsheet_cell("fine = fine")
    ('\'=HYPERLINK("http://x")', 'fine = fine')
    """
    return f"'{text}" if _FORMULA.match(text) else text


def from_spreadsheet_cell(cell: str) -> str:
    """The text that `spreadsheet_cell` made this cell of."""
    return cell[1:] if cell[:1] == "'" and _FORMULA.match(cell, 1) else cell


class Column(NamedTuple):
    """The heading of a column; numbers stand to the right."""

    title: str
    numeric: bool = False


class Cell(NamedTuple):
    """Text and marks of one cell."""

    text: str
    detail: str = ""
    """Said more quietly, beside the text or under it: an interval."""
    mark: str = ""
    """A sign that a note explains."""
    strong: bool = False


def estimate_cell(value: float | None, low: float | None, high: float | None, places: int = 3) -> Cell:
    """A number with its interval."""
    return Cell(number(value, places), interval(low, high, places))


class Table(NamedTuple):
    """A table ready to be printed."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


def pieces(table: Table, *, most: int) -> tuple[Table, ...]:
    """The table cut into tables of about equally many columns, at most ``most``, each beginning with its first one."""
    rest = len(table.columns) - 1
    if rest < most:
        return (table,)
    share = math.ceil(rest / math.ceil(rest / (most - 1)))
    cuts = [range(index, min(index + share, rest + 1)) for index in range(1, rest + 1, share)]
    return tuple(
        Table(
            table.title,
            tuple(table.columns[index] for index in (0, *cut)),
            tuple(tuple(row[index] for index in (0, *cut)) for row in table.rows),
            table.notes if cut is cuts[-1] else (),
        )
        for cut in cuts
    )


def markdown(table: Table) -> str:
    """The table in Markdown, its title above and its notes below, ending in a newline."""
    lines = [f"### {escaped(table.title)}", ""]
    if table.rows:
        lines.append(_line([escaped(column.title) for column in table.columns]))
        lines.append(_line(["---:" if column.numeric else ":---" for column in table.columns]))
        lines += [_line([_cell(cell) for cell in row]) for row in table.rows]
        lines.append("")
    lines += [f"- {escaped(note)}" for note in table.notes]
    return "\n".join(lines).rstrip("\n") + "\n"


def latex(table: Table) -> str:
    """The table for LaTeX with the ``booktabs`` package, what is strong in bold, its notes as comments above."""
    kinds = "".join("r" if column.numeric else "l" for column in table.columns)
    heads = " & ".join(_tex(column.title) for column in table.columns)
    rows = [" & ".join(_tex_cell(cell) for cell in row) + r" \\" for row in table.rows]
    comments = [f"% {one_line(note)}" for note in (table.title, *table.notes)]
    return "\n".join(
        [
            *comments,
            rf"\begin{{tabular}}{{{kinds}}}",
            r"\toprule",
            rf"{heads} \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _tex_cell(cell: Cell) -> str:
    text = _tex(cell.text)
    shown = rf"\textbf{{{text}}}" if cell.strong and text else text
    detail = rf"{{\scriptsize {_tex(cell.detail)}}}" if cell.detail else ""
    return " ".join(part for part in (shown, detail) if part)


_TEX: Final[Mapping[str, str]] = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "−": "$-$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in one_line(text))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    text = escaped(cell.text)
    shown = f"**{text}**" if cell.strong and text else text
    return " ".join(part for part in (escaped(cell.mark), shown, escaped(cell.detail)) if part)


def escaped(text: str) -> str:
    """The text on one line, so that Markdown shows it as it is."""
    text = re.sub(r"([\\|*`])", r"\\\1", one_line(text)).replace("&", "&amp;").replace("<", "&lt;")
    # Underscores inside a word, as in rouge_l, mean nothing to Markdown; brackets only do before a parenthesis.
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text).replace("](", "]\\(")
