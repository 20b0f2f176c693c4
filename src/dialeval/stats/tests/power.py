"""How large a paired difference is, and how many items would show it."""

from __future__ import annotations

import math
from typing import Final

from dialeval.stats.resampling.bootstrap import Floats

FLAT: Final = 1e-12
"""A spread below this share of the mean is rounding error, not spread."""


def cohens_d_paired(differences: Floats) -> float:
    """Cohen's d of paired differences: their mean over their standard deviation (Cohen, 1988, chapter 2).

    0 where all are zero; NaN of fewer than two, and where all are equal but not zero: d has no bound there.
    """
    if differences.size < 2:
        return math.nan
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    if spread <= FLAT * abs(mean):
        return 0.0 if mean == 0 else math.nan
    return mean / spread


def required_items(
    difference: float, standard_error: float, n: int, *, power: float = 0.8, alpha: float = 0.05
) -> int | None:
    """How many items in all would show this difference with the given power; None where we know no number.

    The standard error seen on ``n`` items shrinks with the root of their number, so a two-sided z test needs
    n ((z[1 - alpha/2] + z[power]) standard_error / difference)^2 items (Cohen, 1988, chapter 2). Never fewer
    than can reach alpha when all agree, 2^(1 - items) < alpha. None for a difference of zero, or where fewer
    than two items leave the spread unknown.
    """
    if n < 2 or difference == 0 or not math.isfinite(difference) or not math.isfinite(standard_error):
        return None
    from statistics import NormalDist

    quantile = NormalDist().inv_cdf
    needed = n * ((quantile(1 - alpha / 2) + quantile(power)) * standard_error / difference) ** 2
    fewest = math.floor(1 - math.log2(alpha)) + 1
    return max(fewest, math.ceil(needed))
