"""What was found about measures and people, on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dialeval.report.meta import tables
from dialeval.report.meta.document import Document
from dialeval.report.meta.levels import TITLES
from dialeval.report.meta.verdict import main_level
from dialeval.report.table import Table
from dialeval.report.terminal import print_table
from dialeval.report.wording import count, listing

if TYPE_CHECKING:
    from rich.console import Console

MOST_PAIRS: Final = 10
MOST_UNJOINED: Final = 3


def print_meta(document: Document, console: Console | None = None) -> None:
    """Print a table per level, the ceiling, which measures differ, estimates, and what did not join."""
    from rich.console import Console

    console = console or Console()
    shown = [tables.agreement(document, level) for level in document.settings.levels if document.at(level)]
    shown += [tables.ceiling(document), _different(document)]
    for found in document.estimates:
        shown += [tables.estimates(found), tables.differences(found)]
    shown += [tables.combined(document), _joint(document)]
    for at, table in enumerate(table for table in shown if table.rows or table.notes):
        if at:
            console.print()
        print_table(table, console)


def _different(document: Document) -> Table:
    """The pairs of measures that differ at the main level, or that none does."""
    level = main_level(document)
    table = tables.rivals(document, level)
    title = f"{TITLES[level]}: which measures differ"
    pairs = [one for one in document.rivals if one.level == level and one.difference is not None]
    if not pairs:
        return Table(title, table.columns, ())
    differing = sum(one.significant for one in pairs)
    said = f"{differing:,} of {count(len(pairs), 'pair')} of measures differ significantly (Holm's p)"
    more = (f"the first {MOST_PAIRS} are shown, all are in meta.html",) if differing > MOST_PAIRS else ()
    # The table is sorted by Holm's p, so those that differ stand first.
    return Table(title, table.columns, table.rows[: min(differing, MOST_PAIRS)], (said, *more))


def _joint(document: Document) -> Table:
    """What did not join: how much, and the first of it."""
    apart = document.unjoined
    if not apart.human and not any(one.only_human or one.only_measure for one in apart.measures):
        return Table("", (), (), tuple(_aside(document)))
    whole = tables.joint(document)
    first = tuple(tables.unjoined(document))[:MOST_UNJOINED]
    return Table(whole.title, whole.columns, whole.rows, (*first, *_aside(document)))


def _aside(document: Document) -> list[str]:
    notes = list(document.notes)
    if document.human.set_aside:
        others = [f"{name} ({n:,})" for name, n in document.human.set_aside.items()]
        notes.append(f"people's other criteria are set aside: {listing(others)}")
    if document.human.could_not_say:
        notes.append(f"{count(document.human.could_not_say, 'judgement')} of people without a value")
    return notes
