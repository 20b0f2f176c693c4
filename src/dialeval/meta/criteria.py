"""Measures against every criterion that people judged, in one table (as Ma et al., 2022, table 4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from dialeval.core import Resampling
from dialeval.display.table import Cell, Column, Table
from dialeval.display.wording import NOTHING, count, interval, number
from dialeval.files.documents import finite
from dialeval.meta.correlation import correlate
from dialeval.meta.document import Coefficient, Level
from dialeval.meta.roles import people_among
from dialeval.ratings import Joined, Ratings
from dialeval.stats import Estimate
from dialeval.stats.tests.multiple import holm

ALPHA: Final = 0.01
"""Above this p-value the paper calls a correlation insignificant."""
_MARK: Final = "°"


@dataclass(frozen=True, slots=True)
class CriterionRow:
    """A measure's correlation with people on one criterion."""

    criterion: str
    measure: str
    items: int
    estimate: Estimate
    p: float | None
    """Two-sided, of the coefficient; None if there is none."""
    p_adjusted: float | None = None
    """After Holm's correction over all rows of the table."""


def criteria_of(
    ratings: Ratings, *, people: Sequence[str] | None, measures: Sequence[str] | None
) -> tuple[str, ...]:
    """The criteria that people judged, in the order of the ratings."""
    human = people_among(ratings, people=people, measures=measures)
    judged = set(ratings.criterion[human[ratings.rater]].tolist())
    return tuple(name for place, name in enumerate(ratings.criteria) if place in judged)


def correlate_criteria(
    joined: Mapping[str, Joined], *, level: Level, coefficient: Coefficient, resampling: Resampling
) -> tuple[CriterionRow, ...]:
    """A row for each criterion and measure, of people's ratings on each criterion beside the measures."""
    rows = [
        CriterionRow(criterion, row.measure, row.items, row.estimate, row.p_test)
        for criterion, both in joined.items()
        for row in correlate(both, levels=(level,), coefficient=coefficient, resampling=resampling)
    ]
    adjusted = holm(np.array([math.nan if row.p is None else row.p for row in rows])).tolist()
    return tuple(replace(row, p_adjusted=finite(value)) for row, value in zip(rows, adjusted, strict=True))


def criteria_table(rows: Sequence[CriterionRow], *, level: Level, coefficient: Coefficient) -> Table:
    """A line for each criterion and a column for each measure; coefficients that may be chance are marked."""
    measures = list(dict.fromkeys(row.measure for row in rows))
    lines: dict[str, dict[str, CriterionRow]] = {}
    for row in rows:
        lines.setdefault(row.criterion, {})[row.measure] = row
    body = tuple(
        (
            Cell(criterion),
            Cell(f"{max(row.items for row in own.values()):,}"),
            *(_cell(own.get(measure)) for measure in measures),
        )
        for criterion, own in lines.items()
    )
    columns = (Column("criterion"), Column("items", numeric=True))
    notes = (
        f"{coefficient.title()}, level {level}, with 95 % intervals; {_MARK} p > {ALPHA:g} (not corrected).",
        f"{_survivors(rows)} of {count(len(rows), 'correlation')} stay below {ALPHA:g} after Holm's correction.",
    )
    return Table(
        "Every criterion", (*columns, *(Column(name, numeric=True) for name in measures)), body, notes
    )


def _survivors(rows: Sequence[CriterionRow]) -> int:
    return sum(row.p_adjusted is not None and row.p_adjusted <= ALPHA for row in rows)


def _cell(row: CriterionRow | None) -> Cell:
    if row is None or row.estimate.value is None:
        return Cell(NOTHING)
    found = row.estimate
    return Cell(
        number(found.value),
        interval(found.low, found.high),
        "" if row.p is not None and row.p <= ALPHA else _MARK,
    )


def as_rows(rows: Sequence[CriterionRow]) -> list[Mapping[str, object]]:
    """The rows as JSON values."""
    return [
        {
            "criterion": row.criterion,
            "measure": row.measure,
            "items": row.items,
            "estimate": row.estimate._asdict(),
            "p": row.p,
            "p_adjusted": row.p_adjusted,
        }
        for row in rows
    ]
