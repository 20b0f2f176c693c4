"""Terminal output of ``dialeval meta``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from dialeval.display.notes import texts
from dialeval.display.table import Cell, Column, Table
from dialeval.display.terminal import print_table
from dialeval.display.wording import COEFFICIENTS, count, interval, listing, p_value, signed
from dialeval.judge.document import beside_note
from dialeval.meta.document import Document, Level, Rivalry, Row
from dialeval.meta.report import tables
from dialeval.meta.report.levels import LABELS, TITLES, correlation, ordered, scope

if TYPE_CHECKING:
    from rich.console import Console

MOST_MEASURES: Final = 10
MOST_NOTES: Final = 5
MOST_PAIRS: Final = 5
MOST_UNJOINED: Final = 2


def print_meta(document: Document, console: Console | None = None) -> None:
    """Print what fits two screens: every measure at every level, which differ, and what else was asked for."""
    from dialeval.display.consoles import PrintableConsole

    console = console or PrintableConsole()
    shown = [Table("", (), (), texts(document.notes))]  # first: they tell who counts as what
    shown += [_summary(document), _different(document)]
    for estimates in document.estimates:
        shown += [tables.estimates(estimates), tables.differences(estimates)]
    shown += map(tables.instances, document.instances)
    shown += [
        Table("", (), (), tuple(f"{each.measure}: {beside_note(each.people)}" for each in document.trust))
    ]
    shown += [tables.planning(document), tables.combined(document), _joint(document)]
    for index, table in enumerate(table for table in shown if table.rows or table.notes):
        if index:
            console.print()
        print_table(table, console)


def _summary(document: Document) -> Table:
    """A line for each measure and a column for each level, people with people below."""
    levels = [
        level
        for level in document.settings.levels
        if any(row.value is not None for row in document.at(level))
    ]
    main = document.main_level
    kind = COEFFICIENTS[document.settings.coefficient]
    title = f"{kind} with people's {document.human.criterion!r}"
    if not levels:
        return Table(title, (), (), ("no measure has a correlation with people", *_without(document)))
    levels.sort(key=lambda level: level != main)
    ranked = [row for row in ordered(document, main) if row.value is not None]
    shown = ranked[:MOST_MEASURES]
    groups = any(row.cluster is not None for row in ranked)
    # Of one level there is room for the tests, which the page has of all.
    tested = len(levels) == 1 and any(row.p_test is not None for row in ranked)
    columns = (Column("measure"), *(Column(LABELS[level], numeric=True) for level in levels))
    columns += (Column("p", numeric=True), Column("p (Holm)", numeric=True)) if tested else ()
    columns += (Column("rank group", numeric=True),) if groups else ()
    rows = [_measure(document, row, levels, tested=tested, groups=groups) for row in shown]
    halves = {ceiling.level: ceiling.mean.value for ceiling in document.ceiling}
    bounds = {ceiling.level: ceiling.bound for ceiling in document.ceiling}
    for name, values in (("half of the raters", halves), ("a perfect measure", bounds)):
        if any(values.get(level) is not None for level in levels):
            cells = [Cell(correlation(values.get(level))) for level in levels]
            rows.append((Cell(name), *cells, *[Cell("")] * (2 * tested + groups)))
    return Table(title, columns, tuple(rows), tuple(_summary_notes(document, main, len(ranked) - len(shown))))


def _measure(
    document: Document, best: Row, levels: Sequence[Level], *, tested: bool, groups: bool
) -> tuple[Cell, ...]:
    cells = [Cell(best.measure)]
    for level in levels:
        row = next((row for row in document.at(level) if row.measure == best.measure), None)
        value, low, high = (None, None, None) if row is None else row.estimate[:3]
        shown = correlation(value) if row is None or value is None else tables.marked(document, row)
        cells.append(Cell(shown, interval(low, high, 2)))
    cells += [Cell(p_value(best.p_test)), Cell(p_value(best.p_adjusted))] if tested else []
    return (*cells, *([Cell("—" if best.cluster is None else str(best.cluster))] if groups else []))


def _summary_notes(document: Document, main: Level, more: int) -> Iterator[str]:
    rows = document.at(main)
    if more:
        yield f"and {count(more, 'measure')} with lower correlations"
    first, *others = tables.notes_on(document, main, [row for row in rows if row.value is not None])
    yield (
        f"ordered, grouped and compared by the first column: {first}"
        if len(document.settings.levels) > 1
        else first
    )
    yield from others[:MOST_NOTES]
    identity = document.human.system_identity_corrected
    if identity is not None and main != "item":
        yield f"pooled, a measure that knew only which system answered would have Pearson {correlation(identity)}"
    yield from _without(document)
    silent = [row.measure for row in rows if row.value is None]
    if silent:
        yield f"no correlation: {listing(silent, most=3)}"
    yield "all coefficients, true means of systems, pairs of measures, ceilings and plots are in meta.html"


def _without(document: Document) -> Iterator[str]:
    """Why levels have no correlation at all, one line each."""
    for level in document.settings.levels:
        told = [note.text for row in document.at(level) for note in row.warnings]
        if told and all(row.value is None for row in document.at(level)):
            yield f"{TITLES[level].lower()}: {told[0]}"


def _different(document: Document) -> Table:
    """The pairs of measures that differ at the main level, the surest and widest first, or that none does."""
    level = document.main_level
    pairs = [
        rivalry
        for rivalry in document.rivals
        if rivalry.level == level and rivalry.difference.value is not None
    ]
    differing = sorted(
        (rivalry for rivalry in pairs if rivalry.significant),
        key=lambda one: (one.p_adjusted or 0.0, -abs(one.difference.value or 0.0)),
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
    notes = (said + more, *tables.on_edge(pairs)) if pairs else ()
    return Table(f"{TITLES[level]}: which measures differ {scope(document)}", columns, rows, notes)


def _differing(rivalry: Rivalry) -> tuple[Cell, ...]:
    """The pair with the better measure first, so that the difference is positive."""
    up = (rivalry.difference.value or 0.0) > 0
    better, worse = (rivalry.a, rivalry.b) if up else (rivalry.b, rivalry.a)
    value, low, high, _, _ = rivalry.difference if up else -rivalry.difference
    by = Cell(signed(abs(value or 0.0)), interval(low, high))
    return Cell(better), Cell(worse), by, Cell(p_value(rivalry.p_adjusted))


def _joint(document: Document) -> Table:
    """Lines on what did not join: how much, and the first of it."""
    apart = document.unjoined
    only = [coverage for coverage in apart.measures if coverage.only_human or coverage.only_measure]
    notes = []
    if only:
        most = max(only, key=lambda coverage: coverage.only_human)
        rated = most.both + most.only_human
        notes.append(f"{most.measure} scored {most.both:,} of the {rated:,} answers that people rated")
    unrated = max((coverage.only_measure for coverage in apart.measures), default=0)
    if unrated:
        notes.append(f"{count(unrated, 'scored answer')} not rated")
    other_items = any(note.code == "other_items" for note in document.notes)
    first = () if other_items else tuple(tables.unjoined(document))[:MOST_UNJOINED]
    title = "What did not join" if notes or first else ""
    return Table(title, (), (), (*notes, *first, *_aside(document)))


def _aside(document: Document) -> list[str]:
    notes = []
    if document.human.set_aside:
        others = [f"{name} ({n:,})" for name, n in document.human.set_aside.items()]
        notes.append(f"people's other criteria were not used: {listing(others)}")
    if document.human.could_not_say:
        notes.append(f"{count(document.human.could_not_say, 'judgement')} by people without a value")
    return notes
