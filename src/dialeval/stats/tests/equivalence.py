"""Equivalence: is the difference between two systems shown to be smaller than one that matters?

Two one-sided tests (Schuirmann, 1987), done by interval: the difference is shown to lie within ±margin, at error rate
alpha, where the interval of confidence 1 - 2 alpha does. Not being significantly different shows nothing of the kind.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from dialeval.stats.resampling.bootstrap import Aggregate, Floats, Integers
from dialeval.stats.resampling.intervals import Absence, difference_interval

Verdict: TypeAlias = Literal["better", "worse", "different", "equivalent", "undecided"]
"""Of a beside b; ``different`` where they differ under a measure that has no better."""


@dataclass(frozen=True, slots=True)
class Equivalence:
    """How large the difference between two systems can still be, and whether that matters."""

    largest: float
    """The farther end of the two-sided interval from 0; NaN where there is none."""
    margin: float | None
    """The smallest difference that matters; None where nobody said."""
    shown: bool
    """Whether all of the difference lies within the margin; False without one."""
    absence: Absence | None = None
    """Why there is no interval."""


def equivalence(
    rows_a: Floats,
    rows_b: Floats,
    aggregate: Aggregate,
    *,
    margin: float | None = None,
    alpha: float = 0.05,
    clusters: Integers | None = None,
    yes_no: bool | None = None,
) -> Equivalence:
    """Whether two systems on the same items are equivalent; options as in `difference_interval`."""
    if margin is not None and not margin > 0:
        raise ValueError(f"a margin is above 0, not {margin}")
    outer, inner = (
        difference_interval(
            rows_a, rows_b, aggregate, confidence=1 - tails * alpha, clusters=clusters, yes_no=yes_no
        )
        for tails in (1, 2)
    )
    if outer.absence is not None:
        return Equivalence(math.nan, margin, shown=False, absence=outer.absence)
    largest = max(abs(outer.low), abs(outer.high))
    return Equivalence(largest, margin, within(inner.low, inner.high, margin))


def within(low: float, high: float, margin: float | None) -> bool:
    """Whether the interval of confidence 1 - 2 alpha lies inside ±margin; False without one."""
    return margin is not None and -margin < low and high < margin


def verdict(
    difference: float, p: float, equal: Equivalence, *, higher_is_better: bool | None, alpha: float = 0.05
) -> Verdict:
    """What the test of a difference and that of equivalence come to for a.

    A difference that is significant and yet shown to be smaller than the margin is one that does not matter, so the
    systems are equivalent.
    """
    if equal.shown:
        return "equivalent"
    if not p < alpha:
        return "undecided"
    if higher_is_better is None:
        return "different"
    return "better" if (difference > 0) is higher_is_better else "worse"
