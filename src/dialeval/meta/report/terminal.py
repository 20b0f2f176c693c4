"""What was found about measures and people, on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dialeval.display.notes import texts
from dialeval.display.table import Cell, Column, Table
from dialeval.display.terminal import print_table
from dialeval.display.wording import count, interval, listing, p_value, signed
from dialeval.meta.document import Document, Rivalry
from dialeval.meta.report import estimate_tables, instance_tables, plan_tables, rival_tables, tables
from dialeval.meta.report.levels import TITLES, scope

if TYPE_CHECKING:
    from rich.console import Console

MOST_PAIRS: Final = 8
MOST_UNJOINED: Final = 3


def print_meta(document: Document, console: Console | None = None) -> None:
    """Print a table per level, the ceiling, which measures differ, estimates, and what did not join."""
    from rich.console import Console

    console = console or Console()
    shown = [Table("", (), (), texts(document.notes))]  # first: they tell who counts as what
    shown += [tables.agreement(document, level) for level in document.settings.levels if document.at(level)]
    shown += [tables.ceiling(document), _different(document)]
    for estimates in document.estimates:
        shown += [estimate_tables.estimates(estimates), estimate_tables.differences(estimates)]
    shown += map(instance_tables.instances, document.instances)
    shown += [plan_tables.planning(document), tables.combined(document), _joint(document)]
    for index, table in enumerate(table for table in shown if table.rows or table.notes):
        if index:
            console.print()
        print_table(table, console)


def _different(document: Document) -> Table:
    """The pairs of measures that differ at the main level, the surest and widest first, or that none does."""
    level = document.main_level
    pairs = [
        rivalry for rivalry in document.rivals if rivalry.level == level and rivalry.difference is not None
    ]
    differing = sorted(
        (rivalry for rivalry in pairs if rivalry.significant),
        key=lambda one: (one.p_adjusted or 0.0, -abs(one.difference or 0.0)),
    )
    columns = (
        Column("agrees better"),
        Column("than"),
        Column("by", numeric=True),
        Column("p (Holm)", numeric=True),
    )
    said = f"{len(differing):,} of {count(len(pairs), 'pair')} of measures differ significantly"
    more = f"; these are {MOST_PAIRS} of them, all are in meta.html" if len(differing) > MOST_PAIRS else ""
    rows = tuple(_differing(rivalry) for rivalry in differing[:MOST_PAIRS])
    notes = (said + more, *rival_tables.on_edge(pairs)) if pairs else ()
    return Table(f"{TITLES[level]}: which measures differ {scope(document)}", columns, rows, notes)


def _differing(rivalry: Rivalry) -> tuple[Cell, ...]:
    """The pair with the better measure first, so that the difference is positive."""
    if (rivalry.difference or 0.0) > 0:
        better, worse, low, high = rivalry.a, rivalry.b, rivalry.low, rivalry.high
    else:
        better, worse = rivalry.b, rivalry.a
        low, high = (
            (None if rivalry.high is None else -rivalry.high),
            (None if rivalry.low is None else -rivalry.low),
        )
    by = signed(abs(rivalry.difference or 0.0))
    return Cell(better), Cell(worse), Cell(by, interval(low, high)), Cell(p_value(rivalry.p_adjusted))


def _joint(document: Document) -> Table:
    """What did not join: how much, and the first of it."""
    apart = document.unjoined
    if not apart.human and not any(
        coverage.only_human or coverage.only_measure for coverage in apart.measures
    ):
        return Table("", (), (), tuple(_aside(document)))
    whole = tables.joint(document)
    first = tuple(tables.unjoined(document))[:MOST_UNJOINED]
    return Table(whole.title, whole.columns, whole.rows, (*first, *_aside(document)))


def _aside(document: Document) -> list[str]:
    notes = []
    if document.human.set_aside:
        others = [f"{name} ({n:,})" for name, n in document.human.set_aside.items()]
        notes.append(f"people's other criteria were not used: {listing(others)}")
    if document.human.could_not_say:
        notes.append(f"{count(document.human.could_not_say, 'judgement')} by people without a value")
    return notes
