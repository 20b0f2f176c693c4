"""Equivalence tests: whether a difference is shown to be smaller than a margin.

Two one-sided tests (Schuirmann, 1987), done by interval: the difference is shown to lie within ±margin, at error rate
alpha, where the interval of confidence 1 - 2 alpha does. Not being significantly different shows nothing of the kind.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

from dialeval.stats.resampling.intervals import Spread

Verdict: TypeAlias = Literal["better", "worse", "different", "equivalent", "undecided"]
"""Of a beside b; ``different`` if the difference makes none better: no direction is, or answers are missing."""


def equivalence_p(difference: Spread, margin: float) -> float:
    """The p-value of the difference being as large as the margin, or larger, in either direction.

    The smallest alpha at which the interval of confidence 1 - 2 alpha lies inside ±margin; 0.5 where none below does,
    NaN if there is no interval.
    """
    if not margin > 0:
        raise ValueError(f"a margin is above 0, not {margin}")
    widest = difference.interval().estimate.bounds
    if widest is None:
        return math.nan
    if widest[0] == widest[1]:  # the same answers
        return 0.0 if abs(widest[0]) < margin else 0.5
    outside, inside = 0.0, 0.5
    for _ in range(40):  # to 9 digits or 12 decimals, as intervals of higher confidence hold those of lower
        if inside - outside < 1e-9 * inside:
            break
        alpha = (outside + inside) / 2
        low, high = difference.interval(1 - 2 * alpha).estimate.bounds or (-math.inf, math.inf)
        if -margin < low and high < margin:
            inside = alpha
        else:
            outside = alpha
    return inside


def verdict(
    difference: float, p: float, *, equivalent: bool, higher_is_better: bool | None, alpha: float = 0.05
) -> Verdict:
    """Verdict on a, from the test of a difference and that of equivalence.

    A difference that is significant and yet shown to be smaller than the margin is one that does not matter, so the
    systems are equivalent.
    """
    if equivalent:
        return "equivalent"
    if not p < alpha:
        return "undecided"
    if higher_is_better is None:
        return "different"
    return "better" if (difference > 0) is higher_is_better else "worse"
