"""The plots of a document, each with the words for those who do not see it."""

from __future__ import annotations

from typing import Final

import numpy as np

from dialeval.display.boxes import Box, boxes
from dialeval.display.pages import Picture
from dialeval.display.wording import COEFFICIENTS, count, interval, number
from dialeval.meta.document import Document, Five, Floats, Level, Matrix, Points, Row
from dialeval.meta.report import plots
from dialeval.meta.report.levels import LABELS, MEANINGS, TITLES, correlation, ordered

SHORT: Final[dict[Level, str]] = {"item": "by item", "system": "by system"}
MOST_POINTS: Final = 6_000
"""Over all scatter plots of a page, so that it stays small."""
MOST_IN_ONE: Final = 1_000
LEAST_IN_ONE: Final = 200
MOST_SCATTERS: Final = 24
MOST_NAMES: Final = 24
"""In a heat map."""


def scatters(document: Document, points: Points) -> list[Picture]:
    """One scatter plot per measure, the one that agrees best with people first."""
    measures = [row.measure for row in _by_agreement(document)][:MOST_SCATTERS]
    most = min(MOST_IN_ONE, max(LEAST_IN_ONE, MOST_POINTS // max(len(measures), 1)))
    return [_scatter(document, points, measure, most) for measure in measures]


def heat_maps(document: Document) -> list[Picture]:
    """One heat map of everything with everything for each level at which a measure has a correlation with people."""
    told = {row.level for row in document.rows if row.value is not None}
    return [_heat_map(matrix) for matrix in document.correlations if matrix.level in told]


def box_plots(document: Document) -> list[Picture]:
    """How far correlations scatter: over small test sets, and over halves of the raters."""
    return [*_instability(document), *_ceilings(document)]


def _by_agreement(document: Document) -> list[Row]:
    return ordered(document, document.main_level)


def _scatter(document: Document, points: Points, measure: str, most: int) -> Picture:
    means = {mean.system: mean for mean in document.means if mean.measure == measure}
    chosen_points = {system: points[measure, system] for system in means if (measure, system) in points}
    total = sum(len(pairs.human) for pairs in chosen_points.values())
    clouds, words = [], []
    for system, pairs in chosen_points.items():
        chosen = _spread(len(pairs.human), most / total if total else 1.0)
        mean = means[system]
        clouds.append(plots.Cloud(system, pairs.human[chosen], pairs.value[chosen], mean.human, mean.value))
        words.append(f"{system} {number(mean.value)} and {number(mean.human, 2)} ({count(mean.n, 'answer')})")
    drawn = sum(len(cloud.human) for cloud in clouds)
    svg = plots.scatter(
        clouds,
        human=f"{document.human.criterion}, mean of people",
        measure=measure,
        seed=document.settings.seed,
    )
    alt = f"Scatter plot of {measure} against people's ratings. Means of {measure} and of people: {'; '.join(words)}."
    return Picture(measure, _correlations(document, measure, drawn, total), svg, alt)


def _correlations(document: Document, measure: str, drawn: int, total: int) -> str:
    name = COEFFICIENTS[document.settings.coefficient]
    said = [
        f"{SHORT[row.level]} {correlation(row.value)}"
        for row in document.rows
        if row.measure == measure and row.level in SHORT and row.value is not None
    ]
    sample = "" if drawn == total else f" {drawn:,} of {total:,} points drawn."
    return (f"{name}: {', '.join(said)}." if said else f"{name} undefined.") + sample


def _spread(size: int, share: float) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Positions spread evenly over ``size`` of them, about that share of all."""
    kept = size if share >= 1 else max(1, round(size * share)) if size else 0
    return np.linspace(0, size - 1, kept).round().astype(np.int64)


def _heat_map(matrix: Matrix) -> Picture:
    names = [_people(name) for name in matrix.names[:MOST_NAMES]]
    values: Floats = np.array(
        [[np.nan if v is None else v for v in row[:MOST_NAMES]] for row in matrix.values[:MOST_NAMES]]
    ).reshape(len(names), len(names))
    words = [f"{name} {number(value, 2)}" for name, value in zip(names[1:], values[0, 1:], strict=True)]
    alt = f"Heat map of correlations between people and measures. With people: {'; '.join(words)}."
    left = len(matrix.names) - len(names)
    caption = f"{COEFFICIENTS[matrix.coefficient]}; {MEANINGS[matrix.level]}."
    caption += f" The first {len(names)} of {len(matrix.names)}." if left else ""
    return Picture(TITLES[matrix.level], caption, plots.heat_map(names, values), alt)


def _instability(document: Document) -> list[Picture]:
    if not document.instability:
        return []
    order = {row.measure: index for index, row in enumerate(ordered(document, "system"))}
    stabilities = sorted(document.instability, key=lambda one: order.get(one.measure, len(order)))
    shown = [Box(stability.measure, stability.five, stability.whole) for stability in stabilities]
    words = [
        f"{stability.measure}: {_five(stability.five)}, on all items {number(stability.whole, 2)}"
        for stability in stabilities
    ]
    first = stabilities[0]
    name = COEFFICIENTS[first.coefficient]
    caption = (
        f"{name} of systems' means over {count(first.trials, 'random test set')} of "
        f"{count(first.size or 0, 'item')}; the dot is the value on all items. "
        "Half of the items at a time, test sets overlap: new ones of that size would spread about a third further."
    )
    alt = f"Box plots of system-level correlations over random test sets. {'; '.join(words)}."
    return [Picture("Smaller test sets", caption, boxes(shown, across=f"{name} with people"), alt)]


def _ceilings(document: Document) -> list[Picture]:
    ceilings = [ceiling for ceiling in document.ceiling if ceiling.five is not None]
    if not ceilings:
        return []
    shown, words = [], []
    for ceiling in ceilings:
        best = next(iter(ordered(document, ceiling.level)), None)
        value = None if best is None else best.value
        shown.append(Box(LABELS[ceiling.level], ceiling.five, value))
        rival = "" if best is None or value is None else f", best measure {best.measure} {number(value, 2)}"
        words.append(f"{TITLES[ceiling.level]}: {_five(ceiling.five)}{rival}")
    name = COEFFICIENTS[document.settings.coefficient]
    caption = (
        f"{name} between two halves of the raters over {count(ceilings[0].repeats, 'random split')}; the dot is the "
        "measure that agrees best with people."
    )
    alt = f"Box plots of how well two halves of the raters agree. {'; '.join(words)}."
    return [Picture("People with people", caption, boxes(shown, across=name), alt)]


def _five(five: Five | None) -> str:
    if five is None:
        return "undefined"
    least, first, median, third, greatest = five
    return f"median {number(median, 2)}, quartiles {interval(first, third, 2)}, range {interval(least, greatest, 2)}"


def _people(name: str) -> str:
    return "people" if name == "human" else name
