"""The jackknife: how far a score would move if we had met other items, from leaving each out in turn (Tukey, 1958).

It suits scores that the bootstrap biases, such as the number of distinct words, which a resample with its repeats
always lowers. Its variance is too large on average, never too small, for whatever function of exchangeable items
(Efron & Stein, 1981).
"""

from __future__ import annotations

import math

import numpy as np

from dialeval.stats.resampling.bootstrap import Bounds, Floats


def jackknife_error(without: Floats) -> float:
    """The standard error of a score, from the scores without each of g units.

    sqrt((g - 1) / g * sum of (score without one - mean of these)^2). NaN of fewer than two units, or where one of the
    scores is undefined.
    """
    units = len(without)
    if units < 2 or not np.isfinite(without).all():
        return math.nan
    return math.sqrt((units - 1) / units * float(((without - without.mean()) ** 2).sum()))


def jackknife_interval(score: float, without: Floats, confidence: float = 0.95) -> Bounds:
    """Where the expected score of as many items lies: score ± t * error, t of g - 1 degrees of freedom."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not {confidence}")
    error = jackknife_error(without)
    if math.isnan(error):
        return Bounds(math.nan, math.nan)
    # Special functions alone: scipy.stats takes a second to import.
    from scipy.special import stdtrit

    reach = float(stdtrit(len(without) - 1, (1 + confidence) / 2)) * error
    return Bounds(score - reach, score + reach)


def jackknife_p(score: float, without: Floats) -> float:
    """Two-sided p-value of Student's t test that the expected score is 0; NaN where there is no error."""
    error = jackknife_error(without)
    if math.isnan(error):
        return math.nan
    if error == 0:
        return 1.0 if score == 0 else 0.0
    from scipy.special import stdtr

    return float(2 * stdtr(len(without) - 1, -abs(score) / error))
