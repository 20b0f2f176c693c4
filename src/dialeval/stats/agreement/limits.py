"""Intervals of coefficients of agreement that hold with few units: for these raters, or for raters like these."""

from __future__ import annotations

import math
from typing import Final, Literal, TypeAlias

import numpy as np

from dialeval.stats.agreement.coefficients import AGREEMENTS, AgreementName
from dialeval.stats.agreement.icc import icc_limits
from dialeval.stats.resampling.bootstrap import Bounds, Floats, Integers, check_confidence
from dialeval.stats.resampling.jackknife import jackknife_error, skewed_t_interval

Raters: TypeAlias = Literal["these", "like-these"]
"""Whose agreement on other units is meant: that of these very raters, or of others drawn as they were."""

FEW_CATEGORIES: Final = 20
"""With more categories than this, one more unit in any of them hardly moves a coefficient."""


def agreement_limits(
    statistic: AgreementName,
    ratings: Floats,
    *,
    raters: Raters = "these",
    confidence: float = 0.95,
    clusters: Integers | None = None,
) -> Bounds:
    """Where the coefficient of other units plausibly lies; NaN where it is undefined, also without one unit or rater.

    For these raters: the jackknife over units, or over ``clusters`` of units, with Hall's correction for skewness. For
    raters like these: F distributions for intraclass correlations (`icc_limits`, for units that are independent), and
    for the others score ± t times the root of the jackknife's variances by units and by raters, with Satterthwaite's
    degrees of freedom. Bounds are kept at 1 or below.

    There are none where one more unit, on which all raters agree, would lift the coefficient out of them: as where they
    never agreed yet on a rare category, so that the coefficient is low with little spread, and both by accident.
    """
    check_confidence(confidence)
    measure = AGREEMENTS[statistic]
    if raters == "like-these" and clusters is None and statistic in ("icc_2_1", "icc_2_k"):
        return icc_limits(ratings, "2,1" if statistic == "icc_2_1" else "2,k", confidence=confidence)
    value, without = measure.leave_out(ratings, clusters)
    if math.isnan(value) or not np.ptp(without) > 0:
        return Bounds(math.nan, math.nan)
    if raters == "these":
        low, high = skewed_t_interval(value, without, confidence)
    else:
        low, high = _with_raters(statistic, ratings, value, without, confidence)
    if _hangs_on_unseen(statistic, ratings, high):
        return Bounds(math.nan, math.nan)
    return Bounds(low, min(1.0, high))


def _hangs_on_unseen(statistic: AgreementName, ratings: Floats, high: float) -> bool:
    """Whether one more unit, on whose category all raters agree, would lift the coefficient above the interval."""
    categories = np.unique(ratings[~np.isnan(ratings)])
    if len(categories) > FEW_CATEGORIES:
        return False
    ones = np.ones((1, ratings.shape[1]))
    more = [
        AGREEMENTS[statistic].estimate(np.vstack([ratings, category * ones])).value for category in categories
    ]
    return max(more) > high


def _with_raters(
    statistic: AgreementName, ratings: Floats, value: float, without: Floats, confidence: float
) -> Bounds:
    columns = ratings.shape[1]
    fewer = [np.delete(ratings, column, axis=1) for column in range(columns)]
    of_fewer = np.array([AGREEMENTS[statistic].estimate(rest).value for rest in fewer])
    by_unit, by_rater = jackknife_error(without) ** 2, jackknife_error(of_fewer) ** 2
    variance = by_unit + by_rater
    if math.isnan(variance) or not variance:
        return Bounds(math.nan, math.nan)
    degrees = variance**2 / (by_unit**2 / (len(without) - 1) + by_rater**2 / (columns - 1))
    # Special functions alone: scipy.stats takes a second to import.
    from scipy.special import stdtrit

    reach = float(stdtrit(degrees, (1 + confidence) / 2)) * math.sqrt(variance)
    return Bounds(value - reach, value + reach)
