"""Directions of measures: for some, lower values are better."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

from dialeval.errors import UnknownName
from dialeval.files.custom_code import is_place
from dialeval.meta.document import Row, TrueMeans
from dialeval.ratings.joined import Grid, Joined, MeasureGrid
from dialeval.ratings.roles import fits
from dialeval.text.calls import split_call


def lower_is_better(joined: Joined, patterns: Sequence[str] = ()) -> tuple[str, ...]:
    """Names of the measures for which lower is better: those that a pattern fits, and metrics of ours that say so."""
    names = [name for measure in joined.measures for name in (measure.name, measure.rater)]
    for pattern in patterns:
        if not any(fits(name, [pattern]) for name in names):
            shown = ", ".join(measure.name for measure in joined.measures)
            raise UnknownName("measure", pattern, names, todo=f"There are {shown}.")
    return tuple(
        measure.name
        for measure in joined.measures
        if fits(measure.name, patterns) or fits(measure.rater, patterns) or _falls(measure.rater)
    )


def turned(joined: Joined, names: Collection[str]) -> Joined:
    """The same with the named measures' values negated, so that with all of them higher is better."""
    measures = (_turned(measure) if measure.name in names else measure for measure in joined.measures)
    return dataclasses.replace(joined, measures=tuple(measures))


def turned_rows(rows: Sequence[Row], names: Collection[str]) -> tuple[Row, ...]:
    """The same with the named measures' coefficients and bounds negated; twice gives back what was given."""
    return tuple(_turned_row(row) if row.measure in names else row for row in rows)


def _falls(rater: str) -> bool:
    from dialeval.metrics import CORPUS_MEASURES, METRICS

    try:
        name, _, rest = split_call(rater)
    except ValueError:
        return False
    if is_place(name):
        return "|better=lower|" in rest
    maker = METRICS.get(name) or CORPUS_MEASURES.get(name)
    return getattr(maker, "higher_is_better", None) is False


def _turned(measure: MeasureGrid) -> MeasureGrid:
    grid = Grid(measure.grid.systems, measure.grid.items, -measure.values)
    return MeasureGrid(measure.name, measure.rater, measure.criterion, grid)


def _turned_row(row: Row) -> Row:
    return dataclasses.replace(
        row,
        pearson=_negated(row.pearson),
        spearman=_negated(row.spearman),
        kendall=_negated(row.kendall),
        low=_negated(row.high),
        high=_negated(row.low),
        true_means=None if row.true_means is None else _turned_means(row.true_means),
    )


def _turned_means(means: TrueMeans) -> TrueMeans:
    return dataclasses.replace(
        means, pearson=_negated(means.pearson), low=_negated(means.high), high=_negated(means.low)
    )


def _negated(value: float | None) -> float | None:
    return None if value is None else -value
