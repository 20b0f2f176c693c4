"""Measures made of measures: as further measures, and to stand in for the ratings that nobody gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from dialeval.display.notes import Note
from dialeval.errors import Unsuitable
from dialeval.meta.document import Combined, Estimates
from dialeval.meta.estimation.combining import linear_combination, zscore_average
from dialeval.meta.estimation.estimating import estimate_systems
from dialeval.meta.inquiry import Inquiry
from dialeval.ratings.joined import Joined, MeasureGrid

FOLDS: Final = 10
AVERAGE: Final = "zscore_average"
COVERS: Final = 0.95
"""A measure is fitted for estimates where it scores this share of the answers that the widest one does."""


class Combining(NamedTuple):
    """The measures with those made of them, and what these are made of."""

    joined: Joined
    combined: tuple[Combined, ...] = ()


def combine(joined: Joined, lower: Sequence[str], seed: int, notes: list[Note]) -> Combining:
    """The measures with their average and their fitted combination; ``notes`` take what there is none of, and why.

    Fits that rank systems must not have seen how their other answers were rated; one system has no rank.
    """
    if len(joined.measures) < 2:
        notes.append(Note("one_measure", "only one measure: there is nothing to combine"))
        return Combining(joined)
    plus = joined.plus(zscore_average(joined, lower_is_better=lower, name=AVERAGE))
    signs = {measure.name: -1 if measure.name in lower else 1 for measure in joined.measures}
    average = Combined(AVERAGE, False, {name: sign / len(signs) for name, sign in signs.items()})
    several = int((~np.isnan(joined.human.values)).any(axis=1).sum()) > 1
    try:
        fitted = linear_combination(joined, folds=FOLDS, seed=seed, new_systems=several)
    except Unsuitable as obstacle:
        notes.append(Note("no_combination", f"no linear combination: {obstacle}"))
        return Combining(plus, (average,))
    weights = {weight.measure: weight.weight for weight in fitted.weights}
    held_out = dict(fitted.signature.facts)["held_out"]
    return Combining(
        plus.plus(fitted.measure), (average, Combined(fitted.measure.name, True, weights, held_out))
    )


def estimated(joined: Joined, inquiry: Inquiry, notes: list[Note]) -> Estimates | None:
    """Systems' mean ratings over all items; None where there are none, with a note that says why."""
    if not joined.measures:
        notes.append(Note("no_estimates", "no estimates: there is no measure"))
        return None
    try:
        predictor = _predictor(joined, inquiry, notes)
        return estimate_systems(joined, predictor, resampling=inquiry.resampling)
    except Unsuitable as obstacle:
        notes.append(Note("no_estimates", f"no estimates: {obstacle}"))
        return None


def _predictor(joined: Joined, inquiry: Inquiry, notes: list[Note]) -> MeasureGrid:
    """The measure that stands in for ratings.

    Picking the one that agrees best with the ratings at hand would make intervals too narrow. All measures together,
    fitted to the ratings of other items, need no picking (Zrnic & Candès, 2024). Systems are not held out: a fit that
    knows them makes narrower intervals, which are valid all the same.
    """
    if inquiry.estimate_by is not None:
        return joined.measure_named(inquiry.estimate_by)
    cells = {measure.name: int((~np.isnan(measure.values)).sum()) for measure in joined.measures}
    most = max(cells.values())
    wide = [name for name, scored in cells.items() if scored >= COVERS * most]
    for name in (name for name in cells if name not in wide):
        text = f"estimates are made without {name}, which scored {cells[name]:,} of {most:,} answers"
        notes.append(Note("estimated_without", text))
    if len(wide) == 1:
        return joined.measure_named(wide[0])
    return linear_combination(joined, wide, folds=FOLDS, seed=inquiry.resampling.seed, fill=True).measure
