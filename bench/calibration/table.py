"""Tables of shares, printed for people or as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

WIDEST: Final = 58


class Table(NamedTuple):
    """Rows of cells under their columns; rows come as they are computed."""

    title: str
    columns: tuple[str, ...]
    rows: Iterable[Sequence[str]]


def percent(share: float | None) -> str:
    """The share in per cent; empty where there is none."""
    return "" if share is None else f"{100 * share:.1f}"


def print_table(table: Table, *, markdown: bool) -> None:
    """The table, row by row."""
    if markdown:
        print(f"\n**{table.title}**\n")
        print(_line(table.columns))
        print(_line(["---", *("---:" for _ in table.columns[1:])]))
    else:
        print(f"\n{table.title}")
        print(_aligned(table.columns))
    for row in table.rows:
        print(_line(row) if markdown else _aligned(row), flush=True)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _aligned(cells: Sequence[str]) -> str:
    first, *others = cells
    return f"{first:<{WIDEST}} {' '.join(f'{cell:>7}' for cell in others)}"
