"""Measures against every criterion that people judged, in one table (as Ma et al., 2022, tables 3 and 4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np

from dialeval.core import Resampling
from dialeval.display.table import Cell, Column, Table, estimate_cell
from dialeval.display.wording import COEFFICIENTS, NOTHING, count, interval, number, p_value
from dialeval.files.documents import finite
from dialeval.meta.ceiling import one_rater
from dialeval.meta.correlation import correlate
from dialeval.meta.document import Coefficient, Level
from dialeval.meta.roles import people_among
from dialeval.ratings import Joined, Ratings
from dialeval.ratings.joined import MeasureGrid
from dialeval.stats import Estimate
from dialeval.stats.correlation.jackknife import LeftOutLevel, leave_out_level
from dialeval.stats.tests.multiple import holm

ALPHA: Final = 0.01
"""Above this p-value the paper calls a correlation insignificant."""
_MARK: Final = "°"
_STAR: Final = "*"
Shown: TypeAlias = Coefficient | Literal["average"]
"""A coefficient, or the mean of Pearson's and Spearman's (Ma et al., 2022, table 3)."""
_AVERAGED: Final[tuple[Coefficient, ...]] = ("pearson", "spearman")


@dataclass(frozen=True, slots=True)
class CriterionRow:
    """A measure's correlation with people on one criterion."""

    set: str
    """The set of answers, such as turns or dialogues; empty if there is only one."""
    criterion: str
    measure: str
    items: int
    estimate: Estimate
    pearson: float | None
    spearman: float | None
    p: float | None
    """Two-sided, of the estimate; None if there is none."""
    p_adjusted: float | None = None
    """After Holm's correction over all rows of the table."""


@dataclass(frozen=True, slots=True)
class PeopleRow:
    """How far one rater agrees with all on a criterion, by the two definitions that papers use."""

    set: str
    criterion: str
    others: float | None
    """The mean over raters of the correlation of one's ratings with the mean of the others'."""
    own: float | None
    """The same with the mean of all, which contains one's own rating: higher, as part of it is the same number."""


@dataclass(frozen=True, slots=True)
class CriteriaTable:
    """All correlations of a table, and people's with people."""

    level: Level
    coefficient: Shown
    rows: tuple[CriterionRow, ...]
    people: tuple[PeopleRow, ...]


def criteria_of(
    ratings: Ratings, *, people: Sequence[str] | None, measures: Sequence[str] | None
) -> tuple[str, ...]:
    """The criteria that people judged, in the order of the ratings."""
    human = people_among(ratings, people=people, measures=measures)
    judged = set(ratings.criterion[human[ratings.rater]].tolist())
    return tuple(name for place, name in enumerate(ratings.criteria) if place in judged)


def correlate_criteria(
    joined: Mapping[str, Sequence[Joined]], *, level: Level, coefficient: Shown, resampling: Resampling
) -> CriteriaTable:
    """A row for each set of answers, criterion in it and measure; what is joined names its criterion."""
    rows = [
        row
        for name, every in joined.items()
        for both in every
        for row in _rows(name, both, level, coefficient, resampling)
    ]
    adjusted = holm(np.array([math.nan if row.p is None else row.p for row in rows])).tolist()
    people = [_people(name, both, level, coefficient) for name, every in joined.items() for both in every]
    return CriteriaTable(
        level,
        coefficient,
        tuple(replace(row, p_adjusted=finite(value)) for row, value in zip(rows, adjusted, strict=True)),
        tuple(people),
    )


def _rows(
    name: str, joined: Joined, level: Level, coefficient: Shown, resampling: Resampling
) -> Iterator[CriterionRow]:
    main: Coefficient = "spearman" if coefficient == "average" else coefficient
    rows = correlate(joined, levels=(level,), coefficient=main, resampling=resampling)
    for row, measure in zip(rows, joined.measures, strict=True):
        estimate, p = row.estimate, row.p_test
        if coefficient == "average":
            estimate, p = _average(joined, measure, level, resampling, estimate)
        yield CriterionRow(
            name, joined.criterion, row.measure, row.items, estimate, row.pearson, row.spearman, p
        )


def _average(
    joined: Joined, measure: MeasureGrid, level: Level, resampling: Resampling, one: Estimate
) -> tuple[Estimate, float | None]:
    """The mean of Pearson's and Spearman's coefficient with its interval, and the test that it is 0."""
    parts = [
        leave_out_level(
            joined.human.values,
            measure.values,
            kind=kind,
            level=level,
            clusters=resampling.clusters(joined.items),
            seed=resampling.seed,
        )
        for kind in _AVERAGED
    ]
    value = float(np.mean([part.value for part in parts]))
    absent = next((part.absence for part in parts if part.absence is not None), None)
    if absent is not None or level == "system" or not resampling.resamples:
        return Estimate.of(value, math.nan, math.nan, one.n, one.reason), None
    mean = LeftOutLevel(value, np.mean([part.by_item for part in parts], axis=0), np.empty(0))
    return Estimate.of(value, *mean.interval(resampling.confidence), one.n), finite(mean.p)


def _people(name: str, joined: Joined, level: Level, coefficient: Shown) -> PeopleRow:
    scored = joined.scored
    kinds = _AVERAGED if coefficient == "average" else (coefficient,)
    others, own = (
        [one_rater(scored, level=level, coefficient=kind, own=included) for kind in kinds]
        for included in (False, True)
    )
    return PeopleRow(name, joined.criterion, _mean(others), _mean(own))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None


def criteria_tables(found: CriteriaTable) -> tuple[Table, ...]:
    """A table for each set of answers, with notes on all of them below the last."""
    averages = found.coefficient == "average"
    names = list(dict.fromkeys(row.set for row in found.rows))
    tables = [
        (_averages if averages else _wide)(
            f"Every criterion: {name}" if name else "Every criterion",
            [row for row in found.rows if row.set == name],
            {row.criterion: row.others for row in found.people if row.set == name},
        )
        for name in names
    ]
    return (*tables[:-1], tables[-1]._replace(notes=tuple(_notes(found))))


def _wide(title: str, rows: Sequence[CriterionRow], people: Mapping[str, float | None]) -> Table:
    """A line for each criterion and a column for each measure, as the paper's table 4."""
    measures = list(dict.fromkeys(row.measure for row in rows))
    lines: dict[str, dict[str, CriterionRow]] = {}
    for row in rows:
        lines.setdefault(row.criterion, {})[row.measure] = row
    judged = any(value is not None for value in people.values())
    body = tuple(
        (
            Cell(criterion),
            Cell(f"{max(row.items for row in own.values()):,}"),
            *((Cell(number(people[criterion])),) if judged else ()),
            *(_cell(own.get(measure)) for measure in measures),
        )
        for criterion, own in lines.items()
    )
    columns = (
        *(Column("criterion"), Column("items", numeric=True)),
        *((Column("one rater", numeric=True),) if judged else ()),
        *(Column(name, numeric=True) for name in measures),
    )
    return Table(title, columns, body)


def _averages(title: str, rows: Sequence[CriterionRow], people: Mapping[str, float | None]) -> Table:
    """Pearson, Spearman and their mean in a line for each measure, as the paper's table 3."""
    body = tuple(
        (
            *(Cell(row.criterion), Cell(row.measure), Cell(f"{row.items:,}")),
            *(Cell(number(row.pearson)), Cell(number(row.spearman))),
            estimate_cell(row.estimate.value, row.estimate.low, row.estimate.high),
            *(Cell(p_value(row.p)), Cell(p_value(row.p_adjusted))),
        )
        for row in rows
    )
    titles = ("items", "Pearson", "Spearman", "mean of both", "p", "p (Holm)")
    columns = (Column("criterion"), Column("measure"), *(Column(title, numeric=True) for title in titles))
    return Table(title, columns, body)


def _notes(found: CriteriaTable) -> Iterator[str]:
    shown = (
        "Mean of Pearson and Spearman" if found.coefficient == "average" else COEFFICIENTS[found.coefficient]
    )
    tested = sum(row.p is not None for row in found.rows)
    family = f"Holm's correction over the {count(tested, 'correlation')} with a p-value"
    yield f"{shown}, level {found.level}, with 95 % intervals; p: t test that it is 0, with the jackknife's error."
    if found.coefficient != "average":
        yield f"{_MARK} p > {ALPHA:g}, not corrected; {_STAR} p < 0.05 after {family}."
    yield f"{_survivors(found.rows)} of {tested:,} stay below {ALPHA:g} after {family}."
    people = [row for row in found.people if row.others is not None and row.own is not None]
    if people and found.coefficient != "average":
        own = ", ".join(
            f"{' '.join(filter(None, (row.set, row.criterion)))} {number(row.own)}" for row in people[:3]
        )
        more = " ..." if len(people) > 3 else ""
        yield (
            "One rater: mean correlation of a rater with the mean of the others. With a mean that contains the "
            f"rater's own rating, as some papers print it, it is higher ({own}{more}; all in --json)."
        )


def _survivors(rows: Sequence[CriterionRow]) -> int:
    return sum(row.p_adjusted is not None and row.p_adjusted <= ALPHA for row in rows)


def _cell(row: CriterionRow | None) -> Cell:
    if row is None or row.estimate.value is None:
        return Cell(NOTHING)
    found = row.estimate
    star = _STAR if row.p_adjusted is not None and row.p_adjusted < 0.05 else ""
    return Cell(
        number(found.value) + star,
        interval(found.low, found.high),
        "" if row.p is not None and row.p <= ALPHA else _MARK,
    )


def criteria_json(found: CriteriaTable) -> Mapping[str, object]:
    """The table as JSON values."""
    return {
        "level": found.level,
        "coefficient": found.coefficient,
        "rows": [
            {
                "set": row.set or None,
                "criterion": row.criterion,
                "measure": row.measure,
                "items": row.items,
                "estimate": row.estimate._asdict(),
                "pearson": row.pearson,
                "spearman": row.spearman,
                "p": row.p,
                "p_adjusted": row.p_adjusted,
            }
            for row in found.rows
        ],
        "people": [
            {"set": row.set or None, "criterion": row.criterion, "others": row.others, "own": row.own}
            for row in found.people
        ],
    }
