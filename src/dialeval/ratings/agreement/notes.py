"""What to beware of when reading how raters agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from dialeval.core import Floats
from dialeval.ratings.agreement.raters import ALONE, RaterAgreement

FEW_RATERS: Final = 3
FEW_ITEMS: Final = 10
SKEWED: Final = 0.8
"""From this share on, one category leaves kappa little to work with."""


def warnings_of(
    values: Floats, raters: Sequence[RaterAgreement], percent: float, kappa: float
) -> tuple[str, ...]:
    """The warnings for one criterion, from its packed values and its raters."""
    return tuple(_warnings(values, raters, percent, kappa))


def _warnings(
    values: Floats, raters: Sequence[RaterAgreement], percent: float, kappa: float
) -> Iterator[str]:
    given = values[~np.isnan(values)]
    if not given.size:
        yield "nobody gave a value"
        return
    if len(raters) == 1:
        yield f"there is one rater only, {raters[0].rater}: agreement needs two"
    elif len(raters) < FEW_RATERS:
        yield f"there are only {len(raters)} raters: one of them being odd would move every number"
    single = int(((~np.isnan(values)).sum(axis=1) < 2).sum())
    if single and len(raters) > 1:
        yield f"{single:,} of {len(values):,} items have fewer than two ratings and say nothing of agreement"
    if len(raters) > 1 and 0 < len(values) - single < FEW_ITEMS:
        yield f"only {len(values) - single} items have two ratings or more: intervals over so few mean little"
    alone = [rater.rater for rater in raters if ALONE in rater.flags]
    if alone:
        yield (
            f"{_listed(alone)} share no item with another rater"
            if len(alone) > 1
            else (f"{alone[0]} shares no item with another rater")
        )
    different, counts = np.unique(given, return_counts=True)
    if len(different) == 1:
        yield f"only one value is used ({different[0]:g}): agreement beyond chance cannot be told"
    elif percent >= SKEWED > kappa and counts.max() / counts.sum() >= SKEWED:
        share = 100 * counts.max() / counts.sum()
        yield (
            f"{share:.0f} % of the ratings are {different[counts.argmax()]:g}, so chance alone agrees often and kappa"
            f" is low although {100 * percent:.0f} % of pairs agree"
        )


def _listed(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
