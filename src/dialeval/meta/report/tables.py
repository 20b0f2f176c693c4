"""The tables of measures and people, from a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import COEFFICIENTS, NOTHING, count, interval, listing, p_value, signed
from dialeval.meta.document import Ceiling, Coefficient, Document, Level, Rivalry, Row
from dialeval.meta.report.levels import MEANINGS, TITLES, correlation, ordered

KINDS: Final[tuple[Coefficient, ...]] = ("spearman", "pearson", "kendall")
MOST_RIVALS: Final = 60
MOST_RATERS: Final = 30
RESAMPLED: Final = {"items": "{}", "systems": "systems", "both": "{} and systems"}


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
    columns += [Column("n", numeric=True)]
    columns += [Column("rank group", numeric=True)] if ranked else []
    best = next((row.value for row in rows), None)
    shown = []
    for row in rows:
        cells = [Cell(row.measure)]
        top = row.value is not None and row.value == best
        cells.append(Cell(_value(row.value), interval(row.low, row.high), strong=top))
        cells += [Cell(_value(row.of(name))) for name in others]
        cells.append(Cell(f"{row.n:,}"))
        cells += [Cell(NOTHING if row.cluster is None else str(row.cluster))] if ranked else []
        shown.append(tuple(cells))
    return Table(_title(document, level), tuple(columns), tuple(shown), tuple(_notes(document, level, rows)))


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


def rivals(document: Document, level: Level) -> Table:
    """Each pair of measures that have a correlation at one level, the surest difference first."""
    pairs = [rival for rival in document.rivals if rival.level == level and rival.difference is not None]
    pairs.sort(key=lambda rival: (rival.p_adjusted is None, rival.p_adjusted or 0.0))
    columns = (
        *(Column("pair"), Column("difference", numeric=True), Column("p (Holm)", numeric=True)),
        *(Column("p (permutation)", numeric=True), Column("p (Williams)", numeric=True), Column("verdict")),
    )
    shown = pairs[:MOST_RIVALS]
    return Table(TITLES[level], columns, tuple(map(_rival, shown)), tuple(_rival_notes(document, pairs)))


def on_edge(pairs: Sequence[Rivalry]) -> Iterator[str]:
    """A note on pairs whose verdict depends on which swaps were drawn."""
    names = [
        f"{rivalry.a} − {rivalry.b} ({p_value(rivalry.p_adjusted)})" for rivalry in pairs if rivalry.on_edge
    ]
    if names:
        them = "it" if len(names) == 1 else "them"
        yield f"borderline: more resamples or another seed could change {them}: {listing(names, most=3)}"


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


def _notes(document: Document, level: Level, rows: list[Row]) -> Iterator[str]:
    groups = {row.groups for row in rows if row.groups is not None}
    of_what = "systems" if level == "item_within_system" else "items"
    yield MEANINGS[level] + (
        f" over {listing([f'{n:,}' for n in sorted(groups)])} {of_what}" if groups else ""
    )
    if any(row.low is not None for row in rows):
        resampled = _resampled(document)
        yield f"brackets hold {document.settings.level:.0%} bootstrap intervals, {resampled} resampled"
    if any(row.cluster is not None for row in rows):
        alpha = f"{1 - document.settings.level:.2g}"
        yield f"measures in one rank group do not differ significantly (permutation test, Holm's p < {alpha})"
    identity = document.human.system_identity
    if level == "item" and identity is not None:
        yield f"a measure that gave every answer its system's mean rating would have {correlation(identity)}"
    measures: dict[str, list[str]] = {}
    for row in rows:
        for note in row.warnings:
            measures.setdefault(note.text, []).append(row.measure)
    for text, names in measures.items():
        yield text if len(names) == len(rows) else f"{listing(names)}: {text}"


def _resampled(document: Document) -> str:
    settings = document.settings
    return RESAMPLED[settings.resample].format("dialogues" if settings.cluster == "dialogue" else "items")


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
        yield (
            f"mean over {count(first.repeats, 'random split')} of {what} into halves, {count(first.raters, 'rater')} "
            "in all; brackets hold the middle 95%"
        )
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


def _rival_notes(document: Document, pairs: Sequence[Rivalry]) -> Iterator[str]:
    if len(pairs) > MOST_RIVALS:
        yield f"and {count(len(pairs) - MOST_RIVALS, 'less significant pair')}"
    if any(rivalry.low is not None for rivalry in pairs):
        resampled = _resampled(document)
        yield f"brackets hold {document.settings.level:.0%} bootstrap intervals, {resampled} resampled"
    error = max((rivalry.p_error or 0.0 for rivalry in pairs), default=0.0)
    if error:
        yield f"p (permutation) is from random swaps, with a standard error of at most {error:.2g}"
    yield from on_edge(pairs)
    if any(rivalry.only_a or rivalry.only_b for rivalry in pairs):
        yield "two measures are compared over the answers that both scored, fewer than in the tables of agreement"


def _rival(rivalry: Rivalry) -> tuple[Cell, ...]:
    better = rivalry.better
    verdict = "no significant difference" if better is None else f"{better} agrees better with people"
    return (
        Cell(f"{rivalry.a} − {rivalry.b}"),
        Cell(signed(rivalry.difference), interval(rivalry.low, rivalry.high)),
        Cell(p_value(rivalry.p_adjusted)),
        Cell(p_value(rivalry.p_permutation)),
        Cell(p_value(rivalry.p_williams)),
        Cell(verdict, strong=rivalry.significant),
    )
