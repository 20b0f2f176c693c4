"""Fisher's exact test of whether two labels go together."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.resampling.bootstrap import Floats
from dialeval.stats.tests.t_tests import Alternative

TIE: Final = 1 + 1e-7
"""Tables whose probabilities differ by less than this factor are equally likely."""


class FisherTest(NamedTuple):
    """Fisher's exact test of a 2 x 2 table."""

    odds_ratio: float
    """That of the table, a d / (b c); infinite where only b or c is 0, NaN where a row or column is empty."""
    p: float

    @property
    def reason(self) -> str | None:
        """Why there is no odds ratio, or None."""
        return "a row or a column of the table is empty" if math.isnan(self.odds_ratio) else None


def fisher_exact(table: ArrayLike, alternative: Alternative = "two-sided") -> FisherTest:
    """Fisher's exact test of [[a, b], [c, d]], all margins given (Fisher, 1935).

    Two-sided p is the probability of all tables that are no likelier than this one; ``greater`` asks for tables with
    as large an a or a larger one, ``less`` for as small or smaller. p is 1 where a row or a column is empty, since
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
