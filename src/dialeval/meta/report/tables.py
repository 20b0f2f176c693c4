"""The tables of measures and people, from a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import COEFFICIENTS, NOTHING, count, interval, listing, signed
from dialeval.meta.document import Ceiling, Coefficient, Document, Level, Row, TrueMeans
from dialeval.meta.report.levels import (
    MEANINGS,
    TITLES,
    correlation,
    decided,
    ordered,
    resampled,
    scope,
    unit,
)

KINDS: Final[tuple[Coefficient, ...]] = ("spearman", "pearson", "kendall")
MOST_RATERS: Final = 30


def agreement(document: Document, level: Level) -> Table:
    """Each measure's correlations with people at one level, highest first."""
    rows = ordered(document, level)
    if all(row.value is None for row in rows):
        return Table(_title(document, level), (), (), tuple(_undefined(rows)))
    main = document.settings.coefficient
    others = [name for name in KINDS if name != main]
    ranked = any(row.cluster is not None for row in rows)
    columns = [Column("measure"), Column(COEFFICIENTS[main], numeric=True)]
    columns += [Column(COEFFICIENTS[name], numeric=True) for name in others]
    true = any(row.true_means is not None and row.true_means.pearson is not None for row in rows)
    columns += [Column("true means", numeric=True)] if true else []
    columns += [Column("n", numeric=True)]
    columns += [Column("rank group", numeric=True)] if ranked else []
    best = next((row.value for row in rows), None)
    shown = []
    for row in rows:
        cells = [Cell(row.measure)]
        top = row.value is not None and row.value == best
        cells.append(Cell(_value(row.value), interval(row.low, row.high), strong=top))
        cells += [Cell(_value(row.of(name))) for name in others]
        cells += [_true_means(row.true_means)] if true else []
        cells.append(Cell(f"{row.n:,}"))
        cells += [Cell(NOTHING if row.cluster is None else str(row.cluster))] if ranked else []
        shown.append(tuple(cells))
    return Table(
        _title(document, level), tuple(columns), tuple(shown), tuple(notes_on(document, level, rows))
    )


def ceiling(document: Document) -> Table:
    """How well two halves of the people agree, level by level, and what that leaves for a measure to reach."""
    coefficient = COEFFICIENTS[document.settings.coefficient]
    columns = (
        *(Column("level"), Column(coefficient, numeric=True), Column("n", numeric=True)),
        *(Column("corrected", numeric=True), Column("bound", numeric=True)),
        Column("best measure", numeric=True),
    )
    rows = tuple(_ceiling(document, ceiling) for ceiling in document.ceiling)
    return Table("Ceiling: people with people", columns, rows, tuple(_ceiling_notes(document)))


def raters(document: Document) -> Table:
    """How well each rater agrees with the mean of all others, the least first."""
    ranked = sorted(document.raters, key=lambda one: (one.value is None, one.value or 0.0))
    columns = (Column("rater"), Column(COEFFICIENTS[document.settings.coefficient], numeric=True))
    rows = tuple(
        (Cell(rater.rater), Cell(_value(rater.value)), Cell(f"{rater.n:,}")) for rater in ranked[:MOST_RATERS]
    )
    left = len(ranked) - len(rows)
    notes = (f"and {count(left, 'rater')} with higher agreement, or none",) if left else ()
    return Table("Each rater with the others", (*columns, Column("n", numeric=True)), rows, notes)


def combined(document: Document) -> Table:
    """What the combined measures are made of."""
    names = dict.fromkeys(name for combination in document.combined for name in combination.weights)
    columns = (
        Column("measure"),
        *(Column(combination.measure, numeric=True) for combination in document.combined),
    )
    rows = tuple(
        (Cell(name), *(Cell(signed(combination.weights.get(name), 3)) for combination in document.combined))
        for name in names
    )
    notes = [
        f"{combination.measure}: each value is predicted by a fit to the ratings of other items"
        if combination.fitted
        else f"{combination.measure}: no ratings are used"
        for combination in document.combined
    ]
    return Table("Weights of the combined measures", columns, rows, tuple(notes))


def joint(document: Document) -> Table:
    """How many answers each measure shares with people, and how many only one side has."""
    columns = (
        *(Column("measure"), Column("joined", numeric=True), Column("only people", numeric=True)),
        Column("only the measure", numeric=True),
    )
    rows = tuple(
        (
            Cell(coverage.measure),
            Cell(f"{coverage.both:,}"),
            Cell(f"{coverage.only_human:,}"),
            Cell(f"{coverage.only_measure:,}"),
        )
        for coverage in document.unjoined.measures
    )
    return Table("What joined", columns, rows)


def unjoined(document: Document) -> Iterator[str]:
    """The first answers that only one side has, a line each."""
    for cell in document.unjoined.first:
        who = "people rated" if cell.side == "human" else f"{cell.side} scored"
        yield f"only {who} item {cell.item}, system {cell.system}"


def _title(document: Document, level: Level) -> str:
    human = document.human
    return f"{TITLES[level]}: measures against people's {human.criterion!r}"


def notes_on(document: Document, level: Level, rows: list[Row]) -> Iterator[str]:
    """What a point is, what intervals and rank groups are about, and notes on measures."""
    groups = {row.groups for row in rows if row.groups}
    of_what = "systems" if level == "item_within_system" else "items"
    yield MEANINGS[level] + (
        f" over {listing([f'{n:,}' for n in sorted(groups)])} {of_what}" if groups else ""
    )
    yield from _interval_notes(document, level, rows)
    if any(row.cluster is not None for row in rows):
        alpha = f"{1 - document.settings.level:.2g}"
        yield (
            f"measures in one rank group do not differ significantly {scope(document)} "
            f"({decided(document)}, Holm's p < {alpha})"
        )
    human = document.human
    if level == "item" and human.system_identity is not None:
        yield (
            f"a measure that knew only which system answered would have Pearson "
            f"{correlation(human.system_identity_corrected)}, that is {correlation(human.system_identity)} less what "
            f"chance adds (if systems did not differ: {correlation(human.system_identity_by_chance)})"
        )
    measures: dict[str, list[str]] = {}
    for row in rows:
        for note in row.warnings:
            measures.setdefault(note.text, []).append(row.measure)
    for text, names in measures.items():
        yield text if len(names) == len(rows) else f"{listing(names)}: {text}"


def _interval_notes(document: Document, level: Level, rows: Sequence[Row]) -> Iterator[str]:
    confidence = f"{document.settings.level:.0%}"
    if any(row.low is not None for row in rows):
        means = " (of means of as many items)" if level == "system" else ""
        others = f"other {resampled(document)} like these{means}"
        yield f"brackets hold {confidence} intervals for {others}, by the jackknife"
    true = [row.true_means for row in rows if row.true_means is not None]
    if any(means.pearson is not None for means in true):
        yield (
            f"true means: Pearson's correlation of these systems' means freed from the noise of few items, with its "
            f"{confidence} interval for other {resampled(document)}; the other columns are of the means as observed"
        )
    for reason in dict.fromkeys(means.reason for means in true if means.reason):
        yield f"no interval for the correlation of systems' true means: {reason}"
    effects = sorted(row.design_effect for row in rows if row.design_effect is not None)
    if effects:
        span = f"{effects[0]:.2f} to {effects[-1]:.2f}"
        yield f"turns of a dialogue are taken together, which multiplies variances by {span} (design effect)"
    elif document.settings.cluster == "none":
        yield "items are taken to be independent, also those of one dialogue (--cluster none)"


def _true_means(means: TrueMeans | None) -> Cell:
    if means is None or means.pearson is None:
        return Cell(NOTHING)
    return Cell(correlation(means.pearson), interval(means.low, means.high))


def _undefined(rows: Sequence[Row]) -> Iterator[str]:
    yield "no measure has a correlation with people at this level"
    yield from dict.fromkeys(note.text for row in rows for note in row.warnings)


def _value(value: float | None) -> str:
    return "undefined" if value is None else correlation(value)


def _ceiling(document: Document, ceiling: Ceiling) -> tuple[Cell, ...]:
    best = next(iter(ordered(document, ceiling.level)), None)
    value = None if best is None else best.value
    return (
        Cell(TITLES[ceiling.level].lower()),
        Cell(_value(ceiling.mean), interval(ceiling.low, ceiling.high)),
        Cell(f"{ceiling.n:,}" if ceiling.n else NOTHING),
        Cell(correlation(ceiling.corrected)),
        Cell(correlation(ceiling.bound)),
        Cell(correlation(value), best.measure if best and value is not None else ""),
    )


def _ceiling_notes(document: Document) -> Iterator[str]:
    defined = [ceiling for ceiling in document.ceiling if ceiling.mean is not None]
    if defined:
        first = defined[0]
        what = "the raters" if first.split == "raters" else "each answer's ratings"
        halves = f"mean over {count(first.repeats, 'random split')} of {what} into halves"
        yield f"{halves}, {count(first.raters, 'rater')} in all"
    if any(ceiling.low is not None for ceiling in defined):
        yield f"brackets hold {document.settings.level:.0%} intervals for other {unit(document)}s and these raters"
    if any(ceiling.corrected is not None for ceiling in defined):
        yield "corrected: expected agreement of two groups as large as all raters (Spearman-Brown)"
    if any(ceiling.bound is not None for ceiling in defined):
        yield "bound: expected correlation of a perfect measure, the mean of infinitely many raters, with these raters"
    yield from dict.fromkeys(
        f"{TITLES[ceiling.level].lower()}: not corrected, {ceiling.uncorrected}"
        for ceiling in defined
        if ceiling.uncorrected
    )
    yield from dict.fromkeys(
        f"{TITLES[ceiling.level].lower()}: {ceiling.reason}" for ceiling in document.ceiling if ceiling.reason
    )
