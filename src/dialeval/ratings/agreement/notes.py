"""Notes on how raters agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from dialeval.core import Floats
from dialeval.display.notes import Note, codes
from dialeval.ratings.agreement.raters import ALONE, RaterAgreement
from dialeval.ratings.roles import first_few

FEW_RATERS: Final = 3
FEW_ITEMS: Final = 10
SKEWED: Final = 0.8
"""From this share on, one category leaves kappa little to work with."""


def notes_on(
    values: Floats, raters: Sequence[RaterAgreement], percent: float, kappa: float
) -> tuple[Note, ...]:
    """The notes on one criterion, from its packed values and its raters."""
    given = values[~np.isnan(values)]
    if not given.size:
        return (Note("no_value", "there are no values"),)
    return (*_few(values, raters), *_alone(raters), *_skewed(given, percent, kappa))


def _few(values: Floats, raters: Sequence[RaterAgreement]) -> Iterator[Note]:
    if len(raters) == 1:
        yield Note("one_rater", f"there is only one rater, {raters[0].rater}: agreement requires two")
    elif len(raters) < FEW_RATERS:
        text = f"there are only {len(raters)} raters: a single unusual rater would change every number"
        yield Note("few_raters", text)
    single = int(((~np.isnan(values)).sum(axis=1) < 2).sum())
    if single and len(raters) > 1:
        text = (
            f"{single:,} of {len(values):,} items have fewer than two ratings and do not count for agreement"
        )
        yield Note("rated_once", text)
    if len(raters) > 1 and 0 < len(values) - single < FEW_ITEMS:
        items = f"only {len(values) - single} items have two ratings or more"
        yield Note("few_items", f"{items}: intervals over so few are unreliable")


def _alone(raters: Sequence[RaterAgreement]) -> Iterator[Note]:
    alone = [rater.rater for rater in raters if ALONE in codes(rater.flags)]
    if alone:
        share = "share" if len(alone) > 1 else "shares"
        yield Note("alone", f"{first_few(alone, most=5)} {share} no item with another rater")


def _skewed(given: Floats, percent: float, kappa: float) -> Iterator[Note]:
    different, counts = np.unique(given, return_counts=True)
    if len(different) == 1:
        text = f"only one value is used ({different[0]:g}): agreement beyond chance is undefined"
        yield Note("one_value", text)
    elif percent >= SKEWED > kappa and counts.max() / counts.sum() >= SKEWED:
        share = 100 * counts.max() / counts.sum()
        text = (
            f"{share:.0f} % of the ratings are {different[counts.argmax()]:g}, so chance agreement is high and kappa"
            f" is low although {100 * percent:.0f} % of pairs agree"
        )
        yield Note("skewed", text)
