"""Student's and Welch's t tests of two independent groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from dialeval.stats.resampling.bootstrap import Floats

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
"""What would surprise: any difference, the first being greater, or the first being less."""


@dataclass(frozen=True, slots=True)
class TTest:
    """A t test of the difference between two means, or the reason why there is none."""

    t: float
    """NaN exactly where ``reason`` is not None; then ``df`` and ``p`` are too."""
    df: float
    p: float
    difference: float
    """Mean of the first group minus that of the second; NaN where a group is empty."""
    reason: str | None = None


def student_t(x: Floats, y: Floats, *, alternative: Alternative = "two-sided") -> TTest:
    """Student's t test: both groups have one variance, pooled with n + m - 2 degrees of freedom (Student, 1908).

    NaN values are left out. A group of one has no variance of its own, yet can be compared with one that has.
    """
    x, y = _values(x), _values(y)
    if (undefined := _undefined(x, y, least=1)) is not None:
        return undefined
    df = float(len(x) + len(y) - 2)
    pooled = float((_squares(x) + _squares(y)) / df)
    return _test(x, y, pooled * (1 / len(x) + 1 / len(y)), df, alternative)


def welch_t(x: Floats, y: Floats, *, alternative: Alternative = "two-sided") -> TTest:
    """Welch's t test: each group has its own variance; degrees of freedom by Satterthwaite (Welch, 1947).

    NaN values are left out.
    """
    x, y = _values(x), _values(y)
    if (undefined := _undefined(x, y, least=2)) is not None:
        return undefined
    of_x, of_y = (_squares(group) / (len(group) - 1) / len(group) for group in (x, y))
    df = (of_x + of_y) ** 2 / (of_x**2 / (len(x) - 1) + of_y**2 / (len(y) - 1))
    return _test(x, y, of_x + of_y, df, alternative)


def _test(x: Floats, y: Floats, variance: float, df: float, alternative: Alternative) -> TTest:
    # Special functions alone: scipy.stats takes a second to import.
    from scipy.special import stdtr

    difference = float(x.mean() - y.mean())
    t = difference / math.sqrt(variance)
    tails = {"two-sided": 2 * stdtr(df, -abs(t)), "greater": stdtr(df, -t), "less": stdtr(df, t)}
    return TTest(t, df, float(tails[alternative]), difference)


def _values(group: Floats) -> Floats:
    values = np.asarray(group, dtype=np.float64).ravel()
    return values[~np.isnan(values)]


def _undefined(x: Floats, y: Floats, *, least: int) -> TTest | None:
    difference = float(x.mean() - y.mean()) if len(x) and len(y) else math.nan
    sizes = f"groups of {len(x)} and {len(y)} values"
    if min(len(x), len(y)) < least:
        reason = f"{sizes}, where each needs {least}"
    elif len(x) + len(y) < 3:
        reason = f"{sizes}, where one needs 2"
    elif not _squares(x) + _squares(y):
        reason = f"the values do not vary within either group (all {x[0]:g}, all {y[0]:g})"
    else:
        return None
    return TTest(math.nan, math.nan, math.nan, difference, reason)


def _squares(group: Floats) -> float:
    """The sum of squared deviations; exactly 0 of equal values, whatever their mean rounds to."""
    return float(((group - group.mean()) ** 2).sum()) if np.ptp(group) else 0.0
