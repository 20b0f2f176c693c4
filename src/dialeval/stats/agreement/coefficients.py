"""Every measure of agreement by its name, from one matrix of ratings, and intervals that hold with few units."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.stats.agreement._pairable import Weigh
from dialeval.stats.agreement.alpha import Scale, alpha_of_weights, krippendorff_alpha
from dialeval.stats.agreement.icc import Form, icc, icc_limits, icc_rows, icc_score
from dialeval.stats.agreement.kappa import (
    Chance,
    counts_of,
    fleiss_kappa,
    fleiss_rows,
    fleiss_score,
    mean_cohen_kappa,
    mean_cohen_of_weights,
    not_categories,
    percent_agreement,
)
from dialeval.stats.estimate import Statistic
from dialeval.stats.resampling.bootstrap import Bounds, Floats, Integers, check_confidence, draws
from dialeval.stats.resampling.jackknife import LeftOut, jackknife_error, skewed_t_interval
from dialeval.stats.resampling.proportions import clustered_proportion
from dialeval.stats.tests.paired import ROUNDING

AgreementName: TypeAlias = Literal[
    "percent_agreement",
    "fleiss_kappa",
    "free_kappa",
    "mean_cohen_kappa",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "alpha_ratio",
    "icc_2_1",
    "icc_2_k",
]


HELD: Final = 1 << 20
"""Weights held at once."""
BLOCKS: Final = 1000
"""More units than this are left out in this many blocks of equal size."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A measure of agreement, of ratings of shape (units, raters), NaN if a rater gave none."""

    estimate: Callable[[Floats], Statistic]
    weigher: Callable[[Floats], Weigh | None]
    """Function from counts of units that can enter to the coefficient; None if it is undefined."""
    complete: bool = False
    """Whether only units that every rater rated can enter; else those with two ratings or more can."""

    def enters(self, ratings: Floats) -> NDArray[np.bool_]:
        """Which units have enough ratings, shape (units,)."""
        rated = (~np.isnan(ratings)).sum(axis=1)
        return np.asarray(rated >= (ratings.shape[1] if self.complete else 2))

    def resample(self, ratings: Floats, *, resamples: int = 1000, seed: int = 0) -> Floats:
        """The measure on resamples of the units, shape (resamples,); NaN if it is undefined."""
        weigh, units = self.weigher(ratings), int(self.enters(ratings).sum())
        if weigh is None:
            return np.full(resamples, np.nan)
        return np.concatenate(
            [weigh(some) for some in draws(units, resamples=resamples, seed=seed, cells=HELD)]
        )

    def leave_out(self, ratings: Floats, clusters: Integers | None = None) -> LeftOut:
        """The measure, and without each unit that can enter, or each cluster; of very many, without each block."""
        weigh, value = self.weigher(ratings), self.estimate(ratings).value
        enters = self.enters(ratings)
        labels = np.arange(len(ratings)) if clusters is None else clusters
        group = np.unique(labels[enters], return_inverse=True)[1]
        if group.max(initial=-1) >= BLOCKS:
            group = (np.random.default_rng(0).permutation(int(group.max()) + 1) % BLOCKS)[group]
        if weigh is None:
            return LeftOut(value, np.full(int(group.max(initial=-1)) + 1, np.nan))
        groups = np.arange(int(group.max()) + 1)
        size = max(1, HELD // len(group))
        with np.errstate(invalid="ignore"):  # without the only unit there is none: NaN
            parts = [
                weigh((group != groups[start : start + size, None]).astype(np.float64))
                for start in range(0, len(groups), size)
            ]
        return LeftOut(value, np.concatenate(parts))


def _fleiss(ratings: Floats, *, chance: Chance) -> Statistic:
    reason = not_categories(ratings)
    return Statistic.undefined(reason, 0) if reason else fleiss_kappa(counts_of(ratings), chance=chance)


def _weigh_fleiss(ratings: Floats, *, chance: Chance) -> Weigh | None:
    if not_categories(ratings):
        return None
    rows = fleiss_rows(counts_of(ratings))
    return (lambda weights: fleiss_score(weights @ rows, chance=chance)) if len(rows) else None


def _percent(ratings: Floats) -> Statistic:
    reason = not_categories(ratings)
    return Statistic.undefined(reason, 0) if reason else percent_agreement(counts_of(ratings))


def _weigh_percent(ratings: Floats) -> Weigh | None:
    if not_categories(ratings):
        return None
    rows = fleiss_rows(counts_of(ratings))[:, :2]
    return (lambda weights: weights @ rows[:, 0] / (weights @ rows[:, 1])) if len(rows) else None


def _weigh_icc(ratings: Floats, *, form: Form) -> Weigh | None:
    rows = icc_rows(ratings)
    if len(rows) < 2 or rows.shape[1] < 5:
        return None
    return lambda weights: icc_score(weights @ rows, form)


def _alpha(level: Scale) -> Agreement:
    return Agreement(partial(krippendorff_alpha, level=level), partial(alpha_of_weights, level=level))


AGREEMENTS: Final[Mapping[AgreementName, Agreement]] = {
    "percent_agreement": Agreement(_percent, _weigh_percent),
    "fleiss_kappa": Agreement(partial(_fleiss, chance="fleiss"), partial(_weigh_fleiss, chance="fleiss")),
    "free_kappa": Agreement(partial(_fleiss, chance="free"), partial(_weigh_fleiss, chance="free")),
    "mean_cohen_kappa": Agreement(mean_cohen_kappa, mean_cohen_of_weights),
    "alpha_nominal": _alpha("nominal"),
    "alpha_ordinal": _alpha("ordinal"),
    "alpha_interval": _alpha("interval"),
    "alpha_ratio": _alpha("ratio"),
    "icc_2_1": Agreement(partial(icc, form="2,1"), partial(_weigh_icc, form="2,1"), complete=True),
    "icc_2_k": Agreement(partial(icc, form="2,k"), partial(_weigh_icc, form="2,k"), complete=True),
}


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
    """Interval of a coefficient, or the reason why there is none."""

    bounds: Bounds | None
    absence: Absence | None = None
    """Why there are none; None exactly if there are bounds."""


def agreement_limits(
    statistic: AgreementName,
    ratings: Floats,
    *,
    raters: Raters = "these",
    confidence: float = 0.95,
    clusters: Integers | None = None,
) -> AgreementLimits:
    """Interval of the coefficient for other units.

    For these raters: the jackknife over units, or ``clusters`` of units, with Hall's correction for skewness; of the
    share of agreeing pairs, Clopper and Pearson's interval of an effective number of pairs (Korn & Graubard, 1998). For
    raters like these: F distributions for intraclass correlations (`icc_limits`, for units that are independent), and
    for the others score ± t times the root of the jackknife's variances by units and by raters, with Satterthwaite's
    degrees of freedom. Bounds are kept at 1 or below.

    There are none if one more unit, on which all raters agree, would lift the coefficient out of them: as where they
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
        return _none("constant") if math.isnan(low) or not low < high else AgreementLimits((low, high))
    if statistic == "percent_agreement" and raters == "these":
        return AgreementLimits(_of_pairs(ratings, clusters, confidence))
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
        else AgreementLimits((low, min(1.0, high)))
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
    return AgreementLimits(None, absence)


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
        return (math.nan, math.nan)
    degrees = variance**2 / (by_unit**2 / (len(without) - 1) + by_rater**2 / (columns - 1))
    # Special functions alone: scipy.stats takes a second to import.
    from scipy.special import stdtrit

    reach = float(stdtrit(degrees, (1 + confidence) / 2)) * math.sqrt(variance)
    return (value - reach, value + reach)
