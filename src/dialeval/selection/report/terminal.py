"""What systems chose, on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialeval.display.terminal import print_table
from dialeval.selection.document import AskedDocument
from dialeval.selection.report import tables

if TYPE_CHECKING:
    from rich.console import Console


def print_asked(document: AskedDocument, console: Console | None = None) -> None:
    """Print the ranking, the pairs, errors by label, trials and failures; to stdout by default."""
    from rich.console import Console

    console = console or Console()
    shown = [tables.ranking(document), tables.pairs(document)]
    shown += [tables.errors(row.system, row.errors) for row in document.results]
    shown += [tables.trials(document.trials)] if document.trials else []
    shown += [tables.failures(document)]
    for at, table in enumerate([table for table in shown if table.rows]):
        if at:
            console.print()
        print_table(table, console)
