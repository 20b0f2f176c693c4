"""Effect sizes of a paired comparison, from the scores that are compared and not from those of single items."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from dialeval.stats.resampling.bootstrap import Floats

TOLERANCE: Final = 1e-9
"""Values closer than this share of the larger one are equal: sums in another order differ by far less."""


def d_z(difference: float, error: float, n: int) -> float:
    """The difference in standard deviations of one unit's part in it: difference / (error * sqrt(n)).

    For a mean of n independent items it is Cohen's d_z, the mean of the paired differences over their standard
    deviation (Cohen, 1988, section 2.3.5; Lakens, 2013). For a pooled measure, as corpus BLEU, it keeps the sign of the
    difference that is reported, which the mean of per-item scores does not. It is not on the scale of Cohen's
    benchmarks, which are for independent groups. 0 if there is no difference, NaN without an error, or with one that is
    a rounding error.
    """
    if difference == 0:
        return 0.0
    known = math.isfinite(error) and error > TOLERANCE * abs(difference)
    return difference / (error * math.sqrt(n)) if known else math.nan


class Wins(NamedTuple):
    """On how many items one system does better than another."""

    wins: int
    ties: int
    losses: int


def wins_of(a: Floats, b: Floats, *, higher_is_better: bool = True, tolerance: float | None = None) -> Wins:
    """Items on which a does better, as well, and worse, a difference up to ``tolerance`` being a tie.

    Without one, values are equal where only rounding separates them.
    """
    if a.shape != b.shape:
        raise ValueError(f"paired values must have one shape, not {a.shape} and {b.shape}")
    margin = TOLERANCE * np.maximum(np.abs(a), np.abs(b)) if tolerance is None else tolerance
    ahead = (a - b) if higher_is_better else (b - a)
    wins, losses = int(np.count_nonzero(ahead > margin)), int(np.count_nonzero(ahead < -margin))
    return Wins(wins, len(a) - wins - losses, losses)
