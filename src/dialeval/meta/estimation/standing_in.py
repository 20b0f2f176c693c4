"""Measures made of measures: as further measures, and to stand in for the ratings that nobody gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from dialeval.errors import Unsuitable
from dialeval.meta.estimation.combining import Combination, linear_combination, zscore_average
from dialeval.meta.estimation.estimating import Estimates, estimate_systems
from dialeval.meta.inquiry import Inquiry
from dialeval.ratings.joined import Joined, MeasureGrid

FOLDS: Final = 10
AVERAGE: Final = "zscore_average"
COVERS: Final = 0.95
"""A measure is fitted for estimates where it scores this share of the answers that the widest one does."""


def combined(
    joined: Joined, lower: Sequence[str], seed: int, notes: list[str]
) -> tuple[Joined, Combination | None]:
    """The measures with their average and their fitted combination; ``notes`` take what there is none of, and why.

    Fits that rank systems must not have seen how their other answers were rated; one system has no rank.
    """
    if len(joined.measures) < 2:
        notes.append("one measure only: there is nothing to combine it with")
        return joined, None
    plus = joined.plus(zscore_average(joined, lower_is_better=lower, name=AVERAGE))
    several = int((~np.isnan(joined.human.values)).any(axis=1).sum()) > 1
    try:
        fitted = linear_combination(joined, folds=FOLDS, seed=seed, new_systems=several)
    except Unsuitable as obstacle:
        notes.append(f"no linear combination: {obstacle}")
        return plus, None
    return plus.plus(fitted.measure), fitted


def estimated(joined: Joined, inquiry: Inquiry, notes: list[str]) -> Estimates | None:
    """Systems' mean ratings over all items; None where there are none, with a note that says why."""
    if not joined.measures:
        notes.append("no estimates: there is no measure")
        return None
    try:
        return estimate_systems(joined, _predictor(joined, inquiry, notes), level=inquiry.level)
    except Unsuitable as obstacle:
        notes.append(f"no estimates: {obstacle}")
        return None


def _predictor(joined: Joined, inquiry: Inquiry, notes: list[str]) -> MeasureGrid:
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
        notes.append(f"estimates are made without {name}, which scored {cells[name]:,} of {most:,} answers")
    if len(wide) == 1:
        return joined.measure_named(wide[0])
    return linear_combination(joined, wide, folds=FOLDS, seed=inquiry.seed, fill=True).measure
