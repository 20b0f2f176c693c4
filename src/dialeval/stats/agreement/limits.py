"""Intervals of coefficients of agreement that hold with few units: for these raters, or for raters like these."""

from __future__ import annotations

import math
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.stats.agreement.coefficients import AGREEMENTS, AgreementName
from dialeval.stats.agreement.icc import icc_limits
from dialeval.stats.agreement.kappa import counts_of, fleiss_rows
from dialeval.stats.resampling.bootstrap import Bounds, Floats, Integers, check_confidence
from dialeval.stats.resampling.jackknife import jackknife_error, skewed_t_interval
from dialeval.stats.resampling.proportions import clustered_proportion
from dialeval.stats.tests.paired import ROUNDING

Raters: TypeAlias = Literal["these", "like-these"]
"""Whose agreement on other units is meant: that of these very raters, or of others drawn as they were."""

Absence: TypeAlias = Literal["undefined", "few-units", "few-raters", "constant", "unseen"]
"""Why there are no limits: no coefficient, also without one unit or rater; fewer than `FEWEST` units, or than three
raters to leave one out of; the same coefficient whichever unit is left out; or a coefficient that depends on a category
on which raters have not agreed yet."""

FEWEST: Final = 5
"""Units (or clusters of them) below which nothing is said about others."""
FEW_CATEGORIES: Final = 20
"""With more categories than this, one more unit in any of them hardly moves a coefficient."""
RATER_BLOCKS: Final = 50
"""More raters than this are left out in this many groups."""


class AgreementLimits(NamedTuple):
    """Where a coefficient plausibly lies, or why nothing is said of it."""

    low: float
    """NaN, as ``high``, exactly where ``absence`` is not None."""
    high: float
    absence: Absence | None = None


def agreement_limits(
    statistic: AgreementName,
    ratings: Floats,
    *,
    raters: Raters = "these",
    confidence: float = 0.95,
    clusters: Integers | None = None,
) -> AgreementLimits:
    """Where the coefficient of other units plausibly lies.

    For these raters: the jackknife over units, or ``clusters`` of units, with Hall's correction for skewness; of the
    share of agreeing pairs, Clopper and Pearson's interval of an effective number of pairs (Korn & Graubard, 1998). For
    raters like these: F distributions for intraclass correlations (`icc_limits`, for units that are independent), and
    for the others score ± t times the root of the jackknife's variances by units and by raters, with Satterthwaite's
    degrees of freedom. Bounds are kept at 1 or below.

    There are none where one more unit, on which all raters agree, would lift the coefficient out of them: as where they
    never agreed yet on a rare category, so that the coefficient is low with little spread, and both by accident.
    """
    check_confidence(confidence)
    measure = AGREEMENTS[statistic]
    value, without = measure.leave_out(ratings, clusters)
    if math.isnan(value):
        return _none("undefined")
    if len(without) < FEWEST:
        return _none("few-units")
    if raters == "like-these" and clusters is None and statistic in ("icc_2_1", "icc_2_k"):
        low, high = icc_limits(ratings, "2,1" if statistic == "icc_2_1" else "2,k", confidence=confidence)
        return _none("constant") if math.isnan(low) or not low < high else AgreementLimits(low, high)
    if statistic == "percent_agreement" and raters == "these":
        return AgreementLimits(*_of_pairs(ratings, clusters, confidence))
    if np.isnan(without).any():
        return _none("undefined")
    if not np.ptp(without) > ROUNDING:
        return _none("constant")
    if raters == "these":
        low, high = skewed_t_interval(value, without, confidence)
    elif ratings.shape[1] < 3:
        return _none("few-raters")
    else:
        low, high = _with_raters(statistic, ratings, value, without, confidence)
    if math.isnan(low) or math.isnan(high):
        return _none("undefined")
    return (
        _none("unseen")
        if _hangs_on_unseen(statistic, ratings, high)
        else AgreementLimits(low, min(1.0, high))
    )


def _of_pairs(ratings: Floats, clusters: Integers | None, confidence: float) -> Bounds:
    """The interval of the share of agreeing pairs of ratings, pairs of one unit or cluster belonging together."""
    enters = AGREEMENTS["percent_agreement"].enters(ratings)
    shares = fleiss_rows(counts_of(ratings))[:, 0]
    labels = np.flatnonzero(enters) if clusters is None else clusters[enters]
    rated = float(np.median((~np.isnan(ratings[enters])).sum(axis=1)))
    pairs = max(1, round(rated * (rated - 1) / 2))
    return clustered_proportion(np.repeat(shares, pairs), np.repeat(labels, pairs), confidence)


def _none(absence: Absence) -> AgreementLimits:
    return AgreementLimits(math.nan, math.nan, absence)


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
    columns = min(RATER_BLOCKS, ratings.shape[1])
    block = np.random.default_rng(0).permutation(ratings.shape[1]) % columns
    fewer = [ratings[:, block != column] for column in range(columns)]
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
