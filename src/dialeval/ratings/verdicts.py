"""Verdicts of a measure: which answers it calls right and which wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from dialeval.core import Floats
from dialeval.errors import DialevalError
from dialeval.ratings.joined import MeasureGrid

Threshold: TypeAlias = float | Literal["median"]


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """Verdicts of a measure on all answers."""

    rule: str
    """Rule for right answers, in words: ``rouge_l >= 0.21``."""
    right: Floats
    """Shape (systems, items): 1 if right, 0 if wrong, NaN if the measure has no value."""


def verdicts_of(
    measure: MeasureGrid, *, threshold: Threshold | None = None, lower_is_right: bool = False
) -> Verdicts:
    """Return a measure's verdict on each answer: as it stands if it says 0 or 1, else by a threshold.

    Right is at or above the threshold, with ``lower_is_right`` at or below it. ``"median"`` is that of all the
    measure's values, over all systems.
    """
    values = measure.values
    defined = values[~np.isnan(values)]
    if threshold is None:
        if not np.isin(defined, (0, 1)).all():
            odd = defined[~np.isin(defined, (0, 1))][0]
            raise DialevalError(
                f"{measure.name} does not say right or wrong: found the value {odd:g}, expected 0 or 1. "
                "Give a threshold from which a value counts as right, such as 'median'."
            )
        threshold = 0 if lower_is_right else 1
        rule = f"{measure.name} = {threshold}"
    else:
        if threshold == "median":
            threshold = float(np.median(defined)) if defined.size else math.nan
        rule = f"{measure.name} {'<=' if lower_is_right else '>='} {threshold:.4g}"
    right = values <= threshold if lower_is_right else values >= threshold
    return Verdicts(rule, np.where(np.isnan(values), np.nan, right))
