"""Tests of two independent groups: Student's and Welch's of means, Fisher's of a 2 x 2 table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.resampling.bootstrap import Floats

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
"""Alternative hypothesis: any difference, the first being greater, or the first being less."""


@dataclass(frozen=True, slots=True)
class TTest:
    """A t test of the difference between two means, or the reason why there is none."""

    t: float
    """NaN exactly if ``reason`` is not None; then ``df`` and ``p`` are too."""
    df: float
    p: float
    difference: float
    """Mean of the first group minus that of the second; NaN if a group is empty."""
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


TIE: Final = 1 + 1e-7
"""Tables whose probabilities differ by less than this factor are equally likely."""


class FisherTest(NamedTuple):
    """Fisher's exact test of a 2 x 2 table."""

    odds_ratio: float
    """That of the table, a d / (b c); infinite if only b or c is 0, NaN if a row or column is empty."""
    p: float

    @property
    def reason(self) -> str | None:
        """Why there is no odds ratio, or None."""
        return "a row or a column of the table is empty" if math.isnan(self.odds_ratio) else None


def fisher_exact(table: ArrayLike, alternative: Alternative = "two-sided") -> FisherTest:
    """Fisher's exact test of [[a, b], [c, d]], all margins given (Fisher, 1935).

    Two-sided p is the probability of all tables that are no likelier than this one; ``greater`` asks for tables with
    as large an a or a larger one, ``less`` for as small or smaller. p is 1 if a row or a column is empty, since
    no other table has these margins.
    """
    (a, b), (c, d) = _two_by_two(table)
    if not (a + b and c + d and a + c and b + d):
        return FisherTest(math.nan, 1.0)
    odds = math.inf if not b * c else a * d / (b * c)
    least, probability = _hypergeometric(a, b, c, d)
    place = a - least
    if alternative == "greater":
        return FisherTest(odds, min(1.0, math.fsum(probability[place:])))
    if alternative == "less":
        return FisherTest(odds, min(1.0, math.fsum(probability[: place + 1])))
    return FisherTest(odds, min(1.0, math.fsum(probability[probability <= probability[place] * TIE])))


def _two_by_two(table: ArrayLike) -> list[list[int]]:
    counts = np.asarray(table)
    whole = counts.astype(np.int64) if counts.shape == (2, 2) else counts
    if counts.shape != (2, 2) or (whole != counts).any() or (whole < 0).any():
        raise ValueError(f"Fisher's test needs whole counts [[a, b], [c, d]], not {counts.tolist()}")
    return [[int(count) for count in row] for row in whole]


def _hypergeometric(a: int, b: int, c: int, d: int) -> tuple[int, Floats]:
    """The least a with these margins, and the probability of each a from there."""
    least, most = max(0, a - d), min(a + b, a + c)
    inside = np.arange(least, most, dtype=np.float64)
    # Ratios of neighbours, from the table's own margins: logarithms of factorials would lose digits in large tables.
    up = np.log(a + b - inside) + np.log(a + c - inside)
    down = np.log(inside + 1) + np.log(d - a + inside + 1)
    log = np.concatenate([[0.0], np.cumsum(up - down)])
    likely = np.exp(log - log.max())
    return least, likely / likely.sum()
